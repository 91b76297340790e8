import CCamera
import FrameRing
import Platform

/// The functions that reach a camera. Tests have others than those of the settings.
struct CameraCalls: @unchecked Sendable {
  /// To look who is there; does not complain about what is no camera, as libv4l2 does.
  let look: UnsafePointer<camera_calls>
  /// To work with.
  let work: UnsafePointer<camera_calls>
  let access: CameraAccess

  init(_ access: CameraAccess) {
    let access = access.inEffect
    self.init(
      look: camera_directly(),
      work: access == .direct ? camera_directly() : camera_through_libv4l2(), access: access)
  }

  init(
    look: UnsafePointer<camera_calls>, work: UnsafePointer<camera_calls>, access: CameraAccess
  ) {
    self.look = look
    self.work = work
    self.access = access
  }

  /// Who is behind `path`.
  func identify(_ path: FixedString<128>) throws(Errno) -> camera_identity {
    var identity = camera_identity()
    try plannedFault(.open)
    try path.withCString { path throws(Errno) in
      _ = try checked { camera_identify(look, path, &identity) }
    }
    return identity
  }
}

/// An open device. In `deinit` it is closed.
struct CameraHandle: ~Copyable {
  let calls: UnsafePointer<camera_calls>
  let raw: Int32

  init(_ calls: UnsafePointer<camera_calls>, _ path: FixedString<128>) throws(Errno) {
    try plannedFault(.open)
    raw = try path.withCString { path throws(Errno) in try checked { camera_open(calls, path) } }
    self.calls = calls
  }

  deinit { _ = camera_close(calls, raw) }

  /// One call to the driver; EINTR is retried.
  borrowing func call(
    _ body: (UnsafePointer<camera_calls>, Int32) -> Int32
  ) throws(Errno) -> Int32 {
    try plannedFault(.ioctl, descriptor: raw)
    let (calls, raw) = (calls, raw)
    return try checked { body(calls, raw) }
  }

  /// Maps the driver's buffer of that number.
  borrowing func map(_ index: UInt32) throws(Errno) -> UnsafeMutableRawBufferPointer {
    try plannedFault(.map)
    let (calls, raw) = (calls, raw)
    var bytes = 0
    var start: UnsafeMutableRawPointer?
    _ = try checked {
      start = camera_map(calls, raw, index, &bytes)
      return start == nil ? -1 : 0
    }
    return UnsafeMutableRawBufferPointer(start: start, count: bytes)
  }
}
