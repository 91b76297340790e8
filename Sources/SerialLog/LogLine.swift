import Platform

/// One line of the log, built in place:
/// `<6>t=12.345 ev=face.found id=3 box=212,96,180,180`.
///
/// Keys are static text of the alphabet `a-z0-9._-`. A value is quoted only when it is empty or
/// holds a space, a quotation mark, `=`, a backslash or a control character; inside quotes `"` and
/// `\` are escaped by a backslash, line feed, carriage return and tab are `\n`, `\r` and `\t`,
/// other control characters `\xNN`. UTF-8 is kept as it is; a byte that is no part of valid UTF-8
/// becomes `\xNN` too. What does not fit in ``capacity`` bytes is left out whole (a text: cut at a
/// character's edge), and `cut=1` ends the line.
public struct LogLine: Sendable {
  /// Bytes of the longest line, its line feed included.
  public static let capacity = 512

  /// Text up to here; the rest is kept free for ` cut=1` and the line feed.
  static let roomForValues = capacity - 7

  /// How much it matters.
  public let level: LogLevel
  var text = FixedString<512>()
  var isCut = false

  /// Begins a line.
  /// - Parameters:
  ///   - event: what happened, in words and dots, such as `face.found`.
  ///   - time: shown in seconds with three decimals, rounded down.
  public init(_ event: StaticString, _ level: LogLevel = .info, at time: Instant) {
    self.level = level
    text.append(byte: UInt8(ascii: "<"))
    text.append(Int64(level.rawValue))
    text.append(">t=")
    let milliseconds = time.nanoseconds / 1_000_000
    if milliseconds < 0 { text.append(byte: UInt8(ascii: "-")) }
    text.append(Int64(milliseconds.magnitude / 1000))
    text.append(byte: UInt8(ascii: "."))
    text.append(Int64(milliseconds.magnitude % 1000), digits: 3)
    text.append(" ev=")
    text.append(event)
  }

  /// The line so far, without its end.
  public var bytes: Span<UInt8> {
    @_addressableSelf
    @_lifetime(borrow self)
    get { text.bytes }
  }

  /// The whole line with its line feed.
  func ended() -> FixedString<512> {
    var whole = text
    if isCut { whole.append(" cut=1") }
    whole.append(byte: UInt8(ascii: "\n"))
    return whole
  }
}
