import Platform

/// How much a line matters. The raw value is syslog's priority, lower is graver.
public enum LogLevel: UInt8, Comparable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7

  /// The name in the settings.
  public var name: StaticString {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .notice: "notice"
    case .info: "info"
    case .debug: "debug"
    }
  }

  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// Where the log goes and how much of it.
public struct LogOptions: Equatable, Sendable {
  /// `stdout`, or the path of a file (lines are appended) or of a tty.
  public var target = FixedString<128>("stdout")
  /// Bits a second of a tty; files and pipes do not care. One of ``Baud/rates``.
  public var baud: UInt32 = 115_200
  /// Lines less grave than this are left out.
  public var level = LogLevel.info

  public init() {}
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension LogLevel: CaseIterable {}
#endif
