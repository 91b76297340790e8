import CCamera
import CPlatform
import FrameRing
import Platform

/// A frame in one of the driver's buffers.
struct CapturedFrame {
  var index: UInt32
  var bytes: UnsafeRawBufferPointer
  var sequence: UInt32
  /// Zero when the driver stamps with another clock.
  var timestamp: Instant
  /// The driver says that it is damaged.
  var isBroken: Bool
}

/// What the capture loop needs of a camera; tests have one that follows a script.
protocol CaptureDevice: ~Copyable {
  /// Of every frame.
  var format: FrameFormat { get }
  borrowing func waitForFrame(timeout: Duration) throws(Errno) -> Bool
  borrowing func dequeue() throws(Errno) -> CapturedFrame
  borrowing func queue(_ index: UInt32) throws(Errno)
}

/// An open device of libv4l2 and the buffers that the driver made and we mapped. In `deinit` the
/// stream stops, the buffers go and the device is closed.
struct CameraHandle: ~Copyable {
  static let bufferCount = 4

  let raw: Int32
  var buffers = InlineArray<4, UnsafeMutableRawBufferPointer>(
    repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0))

  init(_ options: CameraOptions) throws(CameraError) {
    do {
      try plannedFault(.open)
      raw = try options.device.withCString { path throws(Errno) in
        try checked { camera_open(path) }
      }
    } catch { throw CameraError(.open, path: options.path, errno: error) }
  }

  deinit {
    _ = camera_stream(raw, 0)
    for index in 0..<Self.bufferCount where buffers[index].baseAddress != nil {
      _ = camera_unmap(buffers[index].baseAddress, buffers[index].count)
    }
    _ = camera_close(raw)
  }

  /// One call to the driver; EINTR is retried.
  borrowing func call(_ body: (Int32) -> Int32) throws(Errno) -> Int32 {
    try plannedFault(.ioctl, descriptor: raw)
    let raw = raw
    return try checked { body(raw) }
  }

  /// Maps and queues buffers, and starts the stream.
  mutating func start(fps: Int) throws(Errno) {
    // A camera without a settable rate still gives frames.
    _ = try? call { camera_set_rate($0, UInt32(truncatingIfNeeded: fps)) }
    let made = try call { camera_request($0, UInt32(Self.bufferCount)) }
    for index in 0..<min(Int(made), Self.bufferCount) {
      let number = UInt32(truncatingIfNeeded: index)
      var bytes = 0
      var start: UnsafeMutableRawPointer?
      _ = try call { fd in
        start = camera_map(fd, number, &bytes)
        return start == nil ? -1 : 0
      }
      buffers[index] = UnsafeMutableRawBufferPointer(start: start, count: bytes)
      _ = try call { camera_queue($0, number) }
    }
    _ = try call { camera_stream($0, 1) }
  }
}

/// A camera that streams.
struct V4L2Camera: ~Copyable, CaptureDevice {
  let handle: CameraHandle
  let format: FrameFormat

  /// Opens the device, sets format and rate, and starts the stream.
  /// - Parameter largestFrame: bytes of the place that frames are copied to.
  static func start(
    _ options: CameraOptions, largestFrame: Int
  ) throws(CameraError) -> V4L2Camera {
    var handle = try CameraHandle(options)
    let format = try configure(handle, options, largestFrame: largestFrame)
    do { try handle.start(fps: options.fps) } catch {
      throw CameraError(.call("the start of the stream"), path: options.path, errno: error)
    }
    return V4L2Camera(handle: handle, format: format)
  }

  borrowing func waitForFrame(timeout: Duration) throws(Errno) -> Bool {
    let device = FileDescriptor(borrowing: handle.raw)
    return try device.waitUntilReadable(timeout: timeout)
  }

  borrowing func dequeue() throws(Errno) -> CapturedFrame {
    var frame = camera_frame()
    _ = try handle.call { camera_dequeue($0, &frame) }
    let isKnown = frame.index < UInt32(CameraHandle.bufferCount)
    let buffer = handle.buffers[isKnown ? Int(frame.index) : 0]
    let count = min(Int(frame.bytes), buffer.count)
    return CapturedFrame(
      index: frame.index,
      bytes: UnsafeRawBufferPointer(start: buffer.baseAddress, count: count),
      sequence: frame.sequence, timestamp: Instant(nanoseconds: frame.nanoseconds),
      isBroken: frame.broken != 0 || !isKnown)
  }

  borrowing func queue(_ index: UInt32) throws(Errno) {
    _ = try handle.call { camera_queue($0, index) }
  }
}

extension CameraOptions {
  var path: FixedString<128> {
    var path = FixedString<128>()
    path.append(device)
    return path
  }
}
