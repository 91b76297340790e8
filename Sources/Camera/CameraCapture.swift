import FrameRing
import Platform

/// How long the thread that feeds the ring waits for what.
struct CapturePatience {
  /// For a frame, before it looks around whether it is to stop.
  var look = TimeBudget.cameraLook
  /// After the driver called a device ready that had nothing.
  var breath = Duration.milliseconds(2)
  /// For frames in all, before the stream is started again, and as long again before the camera is
  /// opened again.
  var silence = TimeBudget.cameraSilence
  /// Before a camera that failed is opened again; doubled each time until frames come, up to the
  /// longest.
  var shortestPause = Duration.milliseconds(500)
  var longestPause = Duration.seconds(8)

  /// Three frames of a slow camera are no silence.
  func silence(at framesPer1000Seconds: Int64?) -> Duration {
    guard let rate = framesPer1000Seconds, rate > 0 else { return silence }
    return max(silence, .milliseconds(3_000_000 / rate))
  }
}

/// Feeds a camera's frames to a ring, on a thread of its own, until a stop is asked for; then the
/// ring is finished. A camera that is not there, fails or goes away is opened again and again, with
/// pauses of 0.5 s that double up to 8 s; `status` says so meanwhile. One that falls silent gets its
/// stream started again before. Allocates only inside libv4l2, when it opens a camera.
public func runCamera(
  _ options: CameraOptions, into ring: borrowing FrameRing, status: borrowing CameraStatus
) {
  runCamera(
    options, CameraCalls(options.access), CapturePatience(), into: ring, status: status)
}

func runCamera(
  _ options: CameraOptions, _ calls: CameraCalls, _ patience: CapturePatience,
  into ring: borrowing FrameRing, status: borrowing CameraStatus
) {
  var pause = CapturePause(patience)
  while !status.isStopRequested {
    do {
      var stream = try CameraStream(options, calls, largestFrame: ring.slotBytes)
      try stream.start(lendsSlots: calls.access == .direct, from: ring)
      defer { stream.stop(ring) }
      try capture(
        from: &stream, calls.access, patience, into: ring, status: status, pause: &pause)
    } catch {
      status.set(.noCamera, fault: error)
      pause.wait(status)
    }
  }
  status.set(.stopped)
  ring.finish()
}

/// Whether the camera that `options` name can be worked with now; for a start that is better refused
/// than tried for ever.
/// - Parameter waits: a camera that may come is no error then; what never becomes one, such as a
///   file, is.
public func checkCamera(_ options: CameraOptions, waits: Bool) throws(CameraError) {
  do {
    _ = try findCamera(options, CameraCalls(options.access))
  } catch {
    // ENOTTY: no Video4Linux device. EISDIR: a folder.
    guard waits, error.errno?.code != 25, error.errno?.code != 21 else { throw error }
  }
}

/// Growing pauses between attempts.
struct CapturePause {
  private let patience: CapturePatience
  private(set) var next: Duration

  init(_ patience: CapturePatience) {
    self.patience = patience
    next = patience.shortestPause
  }

  /// Frames come: the next fault starts with the shortest pause again.
  mutating func reset() { next = patience.shortestPause }

  /// Waits, at most 0.1 s beyond a request to stop.
  mutating func wait(_ status: borrowing CameraStatus) {
    let end = Instant.now() + next
    while !status.isStopRequested {
      let left = end - Instant.now()
      if left <= .zero { break }
      sleep(for: min(left, .milliseconds(100)))
    }
    next = min(patience.longestPause, next + next)
  }
}

/// Frames into the ring until a stop is asked for or the camera fails. Damaged and short frames are
/// counted and left out. A silence, or a driver's passing error, starts the stream again, once until
/// frames come.
private func capture(
  from stream: inout CameraStream, _ access: CameraAccess, _ patience: CapturePatience,
  into ring: borrowing FrameRing, status: borrowing CameraStatus, pause: inout CapturePause
) throws(CameraError) {
  let allowed = patience.silence(at: stream.agreed.rate)
  let mostBroken = 30
  // What was waited in vain, and no difference of clocks: a program that was stopped, or got no
  // processor for a while, has no silent camera.
  var silence = Duration.zero
  var brokenInARow = 0
  var mayRestart = true
  var isFound = false
  while !status.isStopRequested {
    do throws(CameraError) {
      if silence > allowed { throw CameraError(.silent, path: stream.found.path) }
      guard try stream.waitForFrame(timeout: patience.look) else {
        silence += patience.look
        continue
      }
      switch try stream.take(into: ring) {
      case .nothing:
        // A driver may call the device ready for ever and have nothing.
        silence += patience.breath
        sleep(for: patience.breath)
        continue
      case .frame(let lost):
        status.count(lost: lost)
        brokenInARow = 0
        mayRestart = true
        pause.reset()
        // A camera that opens and stays silent is not found again and again.
        if !isFound { status.note(found: stream, access) }
        isFound = true
        status.set(.running)
      case .broken:
        status.countBroken()
        brokenInARow += 1
        if brokenInARow > mostBroken {
          throw CameraError(.malformed("frame after frame is broken"), path: stream.found.path)
        }
      }
      silence = .zero
    } catch {
      guard mayRestart, error.mayPass else { throw error }
      mayRestart = false
      status.countRestart()
      try stream.restart(ring)
      silence = .zero
      brokenInARow = 0
    }
  }
}

extension CameraError {
  /// Whether a fresh start of the stream may help: not when the device is gone.
  fileprivate var mayPass: Bool {
    switch fault {
    case .silent, .malformed: true
    case .call: errno.map { $0.code != 19 && $0.code != 6 && $0.code != 9 } ?? false
    default: false
    }
  }
}
