import CPlatform

/// A failed system call, as the kernel named it.
public struct Errno: Error, Equatable, Sendable {
  /// The `errno` value, such as 2 for ENOENT.
  public let code: Int32

  public init(code: Int32) { self.code = code }

  /// The symbolic name where it is one that a person meets here; nil otherwise.
  public var name: StaticString? {
    switch code {
    case EPERM: "EPERM"
    case ENOENT: "ENOENT"
    case EINTR: "EINTR"
    case EIO: "EIO"
    case ENXIO: "ENXIO"
    case EBADF: "EBADF"
    case EAGAIN: "EAGAIN"
    case ENOMEM: "ENOMEM"
    case EACCES: "EACCES"
    case EBUSY: "EBUSY"
    case ENODEV: "ENODEV"
    case EISDIR: "EISDIR"
    case EINVAL: "EINVAL"
    case EMFILE: "EMFILE"
    case ENOTTY: "ENOTTY"
    case EFBIG: "EFBIG"
    case ENOSPC: "ENOSPC"
    case EPIPE: "EPIPE"
    case ETIMEDOUT: "ETIMEDOUT"
    default: nil
    }
  }

  /// Appends the symbolic name, or the number of one without.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    if let name {
      text.append(name)
    } else {
      text.append("errno ")
      text.append(Int64(code))
    }
  }
}

/// Runs a call that answers -1 on failure. EINTR is retried here and only here, `attempts` times.
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
