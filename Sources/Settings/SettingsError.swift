import Platform

/// One thing that is wrong with the settings.
public struct SettingsError: Equatable, Sendable {
  /// What kind of mistake it is.
  public enum Problem: UInt8, Sendable {
    /// The file cannot be opened or read.
    case unreadable
    /// It is longer than ``Settings/mostBytes``.
    case tooLarge
    /// It is no UTF-8 text.
    case encoding
    /// It is not TOML; a key that is there twice belongs here.
    case syntax
    /// A key or a section that nobody reads.
    case unknownKey
    /// A value of another type than its key takes.
    case wrongType
    /// A number beyond its bounds.
    case outOfRange
    /// A text that is none of those allowed, or too long.
    case notAllowed
    /// Settings that are right one by one but not together.
    case impossible
  }

  /// The kind of mistake.
  public let problem: Problem
  /// Place in the file, from 1, columns in characters; 0: the file as a whole.
  public let line: UInt32
  /// See ``line``.
  public let column: UInt32
  /// What is wrong and what is allowed, such as
  /// `relay.hold_ms = 90000 is out of range: 100 to 5000`.
  public let text: FixedString<256>
}

/// All that is wrong with the settings, in the order of the file.
///
/// Nine kilobytes that are filled in place and never copied: as an error that is thrown the
/// compiler moves it in single bytes, and takes minutes for that.
public struct SettingsReport: ~Copyable, Sendable {
  /// Errors that are kept; more are counted.
  public static let capacity = 32

  /// The file as it was named to ``Settings/load(_:report:)``, or its last part where that is long.
  public private(set) var file = FixedString<128>()
  private var errors = InlineArray<32, SettingsError>(
    repeating: SettingsError(problem: .syntax, line: 0, column: 0, text: FixedString()))
  /// Errors that are kept, at most ``capacity``.
  public private(set) var count = 0
  /// Errors beyond those.
  public private(set) var overflow = 0

  public init() {}

  /// Whether nothing is wrong.
  public var isEmpty: Bool { count == 0 }

  /// The error at `index`, below ``count``.
  public subscript(index: Int) -> SettingsError {
    precondition(index < count)
    return errors[index]
  }

  /// Appends the message for a person:
  /// `livelatch.toml:12:11: relay.hold_ms = 90000 is out of range: 100 to 5000`. At most 416 bytes.
  public func describe<let capacity: Int>(_ index: Int, into text: inout FixedString<capacity>) {
    let error = self[index]
    text.append(file)
    if error.line > 0 {
      text.append(":")
      text.append(Int64(error.line))
      text.append(":")
      text.append(Int64(error.column))
    }
    text.append(": ")
    text.append(error.text)
  }

  mutating func begin(_ file: FixedString<128>) {
    self.file = file
    count = 0
    overflow = 0
  }

  mutating func add(
    _ problem: SettingsError.Problem, line: UInt32 = 0, column: UInt32 = 0, _ text: FixedString<256>
  ) {
    add(SettingsError(problem: problem, line: line, column: column, text: text))
  }

  /// Keeps the order of the file; errors without a place come last. A full report counts the
  /// newcomer instead.
  private mutating func add(_ error: SettingsError) {
    guard count < Self.capacity else {
      overflow += 1
      return
    }
    var index = count
    while index > 0 && error.isBefore(errors[index - 1]) {
      errors[index] = errors[index - 1]
      index -= 1
    }
    errors[index] = error
    count += 1
  }
}

extension SettingsError {
  fileprivate func isBefore(_ other: SettingsError) -> Bool {
    if line == 0 || other.line == 0 { return line > 0 && other.line == 0 }
    return (line, column) < (other.line, other.column)
  }
}
