import CPlatform
import FrameRing
import Platform

/// Feeds a camera's frames to a ring, on a thread of its own, until a stop is asked for; then the
/// ring is finished. A camera that fails or goes away is opened again and again, with pauses of 0.5 s
/// that double up to 8 s; `status` says so meanwhile. Allocates only inside libv4l2, when it opens a
/// camera.
public func runCamera(
  _ options: CameraOptions, into ring: borrowing FrameRing, status: borrowing CameraStatus
) {
  var pause = CapturePause()
  while !status.isStopRequested {
    do {
      let camera = try V4L2Camera.start(options, largestFrame: ring.slotBytes)
      try capture(from: camera, path: options.path, into: ring, status: status, pause: &pause)
    } catch {
      status.set(.noCamera, fault: error)
      pause.wait(status)
    }
  }
  status.set(.stopped)
  ring.finish()
}

/// Growing pauses between attempts.
struct CapturePause {
  static let shortest = Duration.milliseconds(500)
  static let longest = Duration.seconds(8)

  private(set) var next = shortest

  /// Frames come: the next fault starts with the shortest pause again.
  mutating func reset() { next = Self.shortest }

  /// Waits, at most 0.1 s beyond a request to stop.
  mutating func wait(_ status: borrowing CameraStatus) {
    let end = Instant.now() + next
    while !status.isStopRequested {
      let left = end - Instant.now()
      if left <= .zero { break }
      sleep(for: min(left, .milliseconds(100)))
    }
    next = min(Self.longest, next + next)
  }
}

/// Copies frames into the ring until a stop is asked for or the camera fails. Damaged and short
/// frames are counted and left out.
func capture<Device: CaptureDevice & ~Copyable>(
  from device: borrowing Device, path: FixedString<128>, into ring: borrowing FrameRing,
  status: borrowing CameraStatus, pause: inout CapturePause
) throws(CameraError) {
  /// A camera may take a second or two to set its exposure before the first frame.
  let patience = Duration.seconds(3)
  let mostBroken = 30
  var lastFrame = Instant.now()
  var brokenInARow = 0
  while !status.isStopRequested {
    guard let frame = try nextFrame(of: device, path: path) else {
      if Instant.now() - lastFrame > patience { throw CameraError(.silent, path: path) }
      continue
    }
    lastFrame = .now()
    if copy(frame, format: device.format, into: ring) {
      brokenInARow = 0
      pause.reset()
      status.set(.running)
    } else {
      status.countBroken()
      brokenInARow += 1
    }
    do { try device.queue(frame.index) } catch {
      throw CameraError(.call("VIDIOC_QBUF"), path: path, errno: error)
    }
    guard brokenInARow <= mostBroken else {
      throw CameraError(.malformed("frame after frame is broken"), path: path)
    }
  }
}

/// Waits a quarter of a second for a frame; nil when none came.
private func nextFrame<Device: CaptureDevice & ~Copyable>(
  of device: borrowing Device, path: FixedString<128>
) throws(CameraError) -> CapturedFrame? {
  do {
    guard try device.waitForFrame(timeout: .milliseconds(250)) else { return nil }
    return try device.dequeue()
  } catch {
    // Nothing there after all.
    if error.code == EAGAIN { return nil }
    throw CameraError(.call("VIDIOC_DQBUF"), path: path, errno: error)
  }
}

/// False for a frame that is damaged or too short.
private func copy(
  _ frame: CapturedFrame, format: FrameFormat, into ring: borrowing FrameRing
) -> Bool {
  guard !frame.isBroken, frame.bytes.count >= format.minimumByteCount else { return false }
  guard let lease = ring.beginWrite() else { return true }
  let count = min(frame.bytes.count, min(format.byteCount, lease.buffer.count))
  lease.buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: frame.bytes[..<count]))
  lease.commit(
    FrameInfo(
      sequence: frame.sequence, timestamp: frame.timestamp == .zero ? .now() : frame.timestamp,
      format: format, bytesUsed: count))
  return true
}
