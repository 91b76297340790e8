import Platform

/// What went wrong with a camera, a clip or a picture.
public enum CameraFault: Error, Sendable {
  /// The file or device cannot be opened.
  case open
  /// The device is there but does not capture video; what it is instead, where it says so.
  case notACamera(StaticString?)
  /// No camera has that name.
  case noSuchName
  /// The camera has no pixel format that is understood here; what it has instead, where that is
  /// known.
  case noFormat(StaticString?)
  /// A sensor without what makes pictures of what it sees: that is libcamera's work.
  case rawSensor
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
    case .notACamera(nil): text.append("is not a camera that captures video")
    case .notACamera(let kind?):
      text.append("is no camera but ")
      text.append(kind)
    case .noSuchName: text.append("no camera has that name")
    case .noFormat(nil): text.append("gives no picture format that is understood here")
    case .noFormat(let formats?):
      text.append("gives ")
      text.append(formats)
    case .rawSensor: text.append("is a bare sensor: it gives raw Bayer pictures only")
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
  private var isDevice: Bool { path.hasPrefix("/dev/") }

  /// A word for the log that stands for the fault.
  public var reason: StaticString {
    switch fault {
    case .open: "open"
    case .notACamera: "not-a-camera"
    case .noSuchName: "no-such-name"
    case .noFormat, .unsupported: "no-format"
    case .rawSensor: "raw-sensor"
    case .size: "size"
    case .call, .transfer, .programMissing, .programFailed: "driver"
    case .silent, .truncated: "silent"
    case .malformed: "broken"
    }
  }

  /// What a person can do about it; nil where it is plain.
  var hint: StaticString? {
    switch (fault, errno?.code, isDevice) {
    case (.open, 2, true), (.open, 6, true), (.open, 19, true):
      "check the path and the plug; v4l2-ctl --list-devices shows the cameras"
    case (.open, 13, true): "the user must be in the group video"
    case (.open, 16, _), (.call, 16, _): "another program uses it"
    case (.notACamera, _, _), (.noSuchName, _, _): "v4l2-ctl --list-devices shows the cameras"
    case (.noFormat(_?), _, _): "camera.access = \"libv4l2\" converts that"
    case (.rawSensor, _, _): "start livelatch with libcamerify, or take a USB camera"
    case (.size, _, true): "camera.width and camera.height can ask for another size"
    case (.programMissing, _, _): "install it, for example: apt install ffmpeg"
    default: nil
    }
  }
}
