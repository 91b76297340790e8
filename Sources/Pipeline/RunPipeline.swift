import Board
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
  thread.withStatus(waitForFrames)
  lockMemory(settings, log: log)
  pipeline.logBanner(settings, source: source, format: run.format)
  thread.withStatus { pipeline.noteCamera($0) }
  pipeline.logStarted()
  thread.withStatus { pipeline.run($0) }
  let failure = thread.finish()
  pipeline.logEnd()
  if let failure { throw .camera(failure) }
  return pipeline.observer
}

/// Opening a camera is part of the start: what it takes, memory too, is taken before `started` is
/// logged. Not for ever, though: a camera may not be there.
private func waitForFrames(_ status: borrowing CameraStatus) {
  let limit = Instant.now() + TimeBudget.cameraSilence
  while status.state == .starting && Instant.now() < limit && !StopSignal.wasReceived {
    sleep(for: .milliseconds(10))
  }
}

/// Runs the pipeline on the settings' camera until the program is to end.
/// - Parameter waitsForCamera: a camera that is not there, at the start or later, is waited for;
///   otherwise one that is not there at the start is an error.
public func runCameraFeed(
  _ settings: borrowing Settings, isSimulated: Bool, waitsForCamera: Bool, log: Log
) throws(PipelineError) {
  // What the driver gives may be smaller; two bytes a pixel hold any format that is taken.
  let camera = settings.camera
  let largest = FrameFormat(
    pixelFormat: .yuyv, width: camera.width, height: camera.height,
    bytesPerLine: CameraOptions.slotBytes(width: camera.width, height: 1))
  let run = PipelineRun(clock: .live, format: largest, isSimulated: isSimulated)
  do throws(CameraError) { try checkCamera(camera, waits: waitsForCamera) } catch {
    throw .camera(error)
  }
  _ = try runPipeline(
    settings, feed: .camera(camera), source: camera.device, run: run, log: log,
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
