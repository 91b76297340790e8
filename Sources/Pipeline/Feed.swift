import Camera
import FrameRing
import Platform

/// Where frames come from.
public enum Feed: ~Copyable {
  /// Opened, and opened again, by the thread.
  case camera(CameraOptions)
  case clip(Y4MReader)
  #if !hasFeature(Embedded)
    /// Any clip that ffmpeg reads.
    case recording(ClipReader)
    /// One picture, as a photograph held before the camera would be, but for the noise.
    case picture(Picture, for: Duration, rate: FrameRate)
  #endif
}

/// Fills the ring on a thread of its own, so that reading and seeing overlap.
struct FeedThread: ~Copyable {
  /// What the thread works on; it stays in place while the thread runs.
  struct Context: ~Copyable {
    /// Taken by the thread.
    var feed: Feed?
    let ring: UnsafeMutablePointer<FrameRing>
    let status: CameraStatus
    var failure: CameraError?
  }

  private let thread: Thread
  private let context: UnsafeMutablePointer<Context>
  private let memory: MemoryMap

  /// - Parameter ring: must outlive the thread.
  init(_ feed: consuming Feed, into ring: UnsafeMutablePointer<FrameRing>) throws(Errno) {
    let memory = try MemoryMap(byteCount: MemoryLayout<Context>.stride)
    let context = memory.bytes.bindMemory(to: Context.self).baseAddress.unsafelyUnwrapped
    context.initialize(to: Context(feed: feed, ring: ring, status: try CameraStatus()))
    do throws(Errno) {
      thread = try Thread(name: "frames", stackBytes: 256 << 10, context: context, body: runFeed)
    } catch {
      context.deinitialize(count: 1)
      throw error
    }
    self.context = context
    self.memory = memory
  }

  /// What the thread says of itself.
  func withStatus(_ body: (borrowing CameraStatus) -> Void) { body(context.pointee.status) }

  /// Ends the thread; then tells what broke the clip off, if anything did.
  consuming func finish() -> CameraError? {
    context.pointee.status.requestStop()
    context.pointee.ring.pointee.close()
    thread.join()
    let failure = context.pointee.failure
    context.deinitialize(count: 1)
    return failure
  }
}

/// The thread's body.
private func runFeed(_ raw: UnsafeMutableRawPointer?) {
  raw?.assumingMemoryBound(to: FeedThread.Context.self).pointee.run()
}

extension FeedThread.Context {
  mutating func run() {
    do throws(CameraError) { try play() } catch { failure = error }
  }

  private mutating func play() throws(CameraError) {
    switch feed.take() {
    case nil: break
    case .camera(let options): runCamera(options, into: ring.pointee, status: status)
    case .clip(var reader): try reader.play(into: ring.pointee, status: status)
    #if !hasFeature(Embedded)
      case .recording(var reader): try reader.play(into: ring.pointee, status: status)
      case .picture(let picture, let duration, let rate):
        try picture.play(into: ring.pointee, status: status, for: duration, rate: rate)
    #endif
    }
  }
}
