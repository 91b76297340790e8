import Platform

/// What went wrong with a camera, a clip or a picture.
public enum CameraFault: Error, Sendable {
  /// The file or device cannot be opened.
  case open
  /// The device is there but does not capture video.
  case notACamera
  /// The camera has no pixel format that is understood here.
  case noFormat
  /// The camera's or clip's frames do not fit: larger than a slot, or than what is allowed.
  case size(width: Int, height: Int)
  /// A call to the driver failed.
  case call(StaticString)
  /// No frame came in time.
  case silent
  /// Reading or writing failed.
  case transfer
  /// The file's contents are not what they should be.
  case malformed(StaticString)
  /// The file ends in the middle of a frame or picture.
  case truncated
  /// A kind of clip or picture that is not supported.
  case unsupported(StaticString)
  /// A program that is needed is not installed.
  case programMissing(StaticString)
  /// A program that was started failed; the detail is what it said.
  case programFailed(StaticString)
}

/// A fault, where it happened and what the kernel or a library said to it.
public struct CameraError: Error, Sendable {
  public let fault: CameraFault
  /// The device or file.
  public let path: FixedString<128>
  public let errno: Errno?
  /// Further words from a library or program.
  public let detail: FixedString<160>

  public init(
    _ fault: CameraFault, path: FixedString<128>, errno: Errno? = nil,
    detail: FixedString<160> = FixedString()
  ) {
    self.fault = fault
    self.path = path
    self.errno = errno
    self.detail = detail
  }

  /// Appends a sentence for a person: what, where, and what to do.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    text.append(path)
    text.append(": ")
    switch fault {
    case .open: text.append("cannot be opened")
    case .notACamera: text.append("is not a camera that captures video")
    case .noFormat: text.append("gives no picture format that is understood here")
    case .size(let width, let height):
      text.append("frames of ")
      text.append(width)
      text.append("x")
      text.append(height)
      text.append(" are too large or too small")
    case .call(let name):
      text.append(name)
      text.append(" failed")
    case .silent: text.append("gives no frames")
    case .transfer: text.append("reading or writing failed")
    case .malformed(let what):
      text.append("is damaged: ")
      text.append(what)
    case .truncated: text.append("ends too early")
    case .unsupported(let what):
      text.append("is not supported: ")
      text.append(what)
    case .programMissing(let name):
      text.append("needs the program ")
      text.append(name)
      text.append(", which is not installed")
    case .programFailed(let name):
      text.append(name)
      text.append(" failed")
    }
    if let errno {
      text.append(" (")
      if let name = errno.name {
        text.append(name)
      } else {
        text.append("errno ")
        text.append(Int(errno.code))
      }
      text.append(")")
    }
    if !detail.isEmpty {
      text.append(": ")
      text.append(detail)
    }
    if let hint {
      text.append("; ")
      text.append(hint)
    }
  }

  /// Whether the path is that of a device file, and not a clip's or picture's.
  private var isDevice: Bool {
    let prefix: StaticString = "/dev/"
    return prefix.withUTF8Buffer { prefix in
      guard path.count > prefix.count else { return false }
      for index in 0..<prefix.count where path[index] != prefix[index] { return false }
      return true
    }
  }

  /// What a person can do about it; nil where it is plain.
  var hint: StaticString? {
    switch (fault, errno?.code, isDevice) {
    case (.open, 2, true), (.open, 6, true), (.open, 19, true):
      "check the path and the plug; v4l2-ctl --list-devices shows the cameras"
    case (.open, 13, true): "the user must be in the group video"
    case (.open, 16, _), (.call, 16, _): "another program uses it"
    case (.notACamera, _, _), (.open, 25, _): "v4l2-ctl --list-devices shows the cameras"
    case (.programMissing, _, _): "install it, for example: apt install ffmpeg"
    default: nil
    }
  }
}
