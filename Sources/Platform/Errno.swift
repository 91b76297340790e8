import CPlatform

/// A failed system call, as the kernel named it.
public struct Errno: Error, Equatable, Sendable {
  /// The `errno` value, such as 2 for ENOENT.
  public let code: Int32

  /// - Parameter code: the `errno` value, positive.
  public init(code: Int32) { self.code = code }

  /// The symbolic name where it is one that a person meets here; nil otherwise.
  public var name: StaticString? { known?.name }

  /// The error's symbolic name and what it means; nil for one that nobody is likely to meet here.
  private var known: (name: StaticString, meaning: StaticString)? {
    switch code {
    case EPERM: ("EPERM", "not permitted")
    case ENOENT: ("ENOENT", "no such file or folder")
    case EINTR: ("EINTR", "interrupted")
    case EIO: ("EIO", "input or output failed")
    case ENXIO: ("ENXIO", "no such device")
    case EBADF: ("EBADF", "not open")
    case EAGAIN: ("EAGAIN", "not possible at the moment")
    case ENOMEM: ("ENOMEM", "not enough memory")
    case EACCES: ("EACCES", "permission denied")
    case EBUSY: ("EBUSY", "in use")
    case EEXIST: ("EEXIST", "already there")
    case ENODEV: ("ENODEV", "no such device")
    case ENOTDIR: ("ENOTDIR", "a part of the path is no folder")
    case EISDIR: ("EISDIR", "it is a folder")
    case EINVAL: ("EINVAL", "not possible here")
    case EMFILE: ("EMFILE", "too many open files")
    case ENOTTY: ("ENOTTY", "not a device of that kind")
    case EFBIG: ("EFBIG", "too large")
    case ENOSPC: ("ENOSPC", "no space left")
    case EROFS: ("EROFS", "the file system is read-only")
    case EPIPE: ("EPIPE", "nobody reads it any more")
    case ENAMETOOLONG: ("ENAMETOOLONG", "the name is too long")
    case ELOOP: ("ELOOP", "too many links")
    case ETIMEDOUT: ("ETIMEDOUT", "no answer in time")
    default: nil
    }
  }

  /// Appends the symbolic name, or the number of one without: short and stable, as for a log's key.
  public func appendName<let capacity: Int>(to text: inout FixedString<capacity>) {
    if let name {
      text.append(name)
    } else {
      text.append("errno ")
      text.append(Int64(code))
    }
  }

  /// Appends what it means and its name, for a person: `no such file or folder (ENOENT)`, or the
  /// number of one that is not known here.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    guard let known else { return appendName(to: &text) }
    text.append(known.meaning)
    text.append(" (")
    text.append(known.name)
    text.append(")")
  }
}

/// Runs a call that answers -1 on failure, `attempts` times at most: EINTR is retried, here and
/// only here.
@inline(__always)
public func checked(attempts: Int = 4, _ call: () -> Int32) throws(Errno) -> Int32 {
  Int32(truncatingIfNeeded: try checkedCount(attempts: attempts) { Int(call()) })
}

/// As ``checked(attempts:_:)``, for calls that answer a count of bytes.
@inline(__always)
public func checkedCount(attempts: Int = 4, _ call: () -> Int) throws(Errno) -> Int {
  for attempt in 1...attempts {
    let result = call()
    if result >= 0 { return result }
    let code = platform_errno()
    if code != EINTR || attempt == attempts { throw Errno(code: code) }
  }
  preconditionFailure("attempts is at least 1")
}
