import Platform

/// Why the log could not be started.
public enum LogError: Error, Equatable, Sendable {
  /// The file or tty cannot be opened or set up.
  case target(FixedString<128>, Errno)
  /// No tty of ours runs at that speed.
  case baud(UInt32)
  /// The writer's thread did not start.
  case thread(Errno)

  /// Appends the message for a person.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    switch self {
    case .target(let path, let errno):
      text.append("log.target: ")
      text.append(path)
      text.append(": ")
      errno.describe(into: &text)
    case .baud(let rate):
      text.append("log.baud: ")
      text.append(Int64(rate))
      text.append(" is not a speed; allowed: ")
      Baud.describe(into: &text)
    case .thread(let errno):
      text.append("log: its thread does not start: ")
      errno.describe(into: &text)
    }
  }
}
