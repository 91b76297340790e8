import Board
import CPlatform
import Camera
import Faces
import FrameRing
import Imaging
import Inference
import Kernels
import Liveness
import Platform
import SerialLog
import Settings

/// Runs the pipeline from the first frame to the last: a clip's end, or the wish to stop.
/// - Parameters:
///   - source: the camera or clip, as a person knows it.
///   - format: of the frames; for a camera the largest that is asked for.
/// - Returns: the observer, with what it saw.
/// - Throws: before `started` is logged for what keeps the pipeline from starting; afterwards when
///   a clip breaks off, once all lines are at their level for the exit.
public func runPipeline<Observer: PipelineObserver>(
  _ settings: borrowing Settings, feed: consuming Feed, source: FixedString<128>,
  run: PipelineRun, log: Log, observer: Observer
) throws(PipelineError) -> Observer {
  var pipeline = try Pipeline(settings, run: run, log: log, observer: observer)
  let thread: FeedThread
  do throws(Errno) { thread = try FeedThread(feed, into: pipeline.ring) } catch {
    throw .system("thread", error)
  }
  lockMemory(settings, log: log)
  pipeline.logBanner(settings, source: source, format: run.format)
  thread.withStatus { pipeline.run($0) }
  let failure = thread.finish()
  pipeline.logEnd()
  if let failure { throw .camera(failure) }
  return pipeline.observer
}

/// Runs the pipeline on the settings' camera until the program is to end. A camera that goes away
/// later is waited for; one that is not there at the start is a mistake of whoever named it.
public func runCameraFeed(
  _ settings: borrowing Settings, isSimulated: Bool, log: Log
) throws(PipelineError) {
  // What the driver gives may be smaller; two bytes a pixel hold any format that is taken.
  let camera = settings.camera
  let largest = FrameFormat(
    pixelFormat: .yuyv, width: camera.width, height: camera.height,
    bytesPerLine: CameraOptions.slotBytes(width: camera.width, height: 1))
  let run = PipelineRun(clock: .live, format: largest, isSimulated: isSimulated)
  var path = FixedString<128>()
  path.append(camera.device)
  do throws(Errno) {
    let flags = O_RDWR | O_NONBLOCK
    _ = try path.withCString { name throws(Errno) in try FileDescriptor.open(name, flags: flags) }
  } catch {
    throw .camera(CameraError(.open, path: path, errno: error))
  }
  _ = try runPipeline(
    settings, feed: .camera(camera), source: path, run: run, log: log,
    observer: NoObserver())
}

/// Keeps the program's pages in memory where the settings want it and the system allows it; that it
/// does not is said, and no reason not to work.
private func lockMemory(_ settings: borrowing Settings, log: Log) {
  guard settings.pipeline.locksMemory else { return }
  do throws(Errno) { try lockAllMemory() } catch {
    var text = FixedString<64>()
    error.describe(into: &text)
    var line = LogLine("memory.unlocked", .info, at: .now())
    line.add("text", text)
    log.write(line)
  }
}
