import Platform

extension LogLine {
  /// Appends `key=value` for a whole number.
  public mutating func add(_ key: StaticString, _ value: Int) {
    whole(key) { $0.append(value) }
  }

  /// Appends `key=value` for a whole number.
  public mutating func add(_ key: StaticString, _ value: Int64) {
    whole(key) { $0.append(value) }
  }

  /// Appends `key=value` for a whole number.
  public mutating func add(_ key: StaticString, _ value: UInt32) {
    whole(key) { $0.append(Int64(value)) }
  }

  /// Appends 1 or 0.
  public mutating func add(_ key: StaticString, _ value: Bool) {
    whole(key) { $0.append(byte: value ? UInt8(ascii: "1") : UInt8(ascii: "0")) }
  }

  /// Appends a fraction rounded to `decimals` places, 0 to 9.
  public mutating func add(_ key: StaticString, _ value: Float, decimals: Int) {
    whole(key) { $0.append(value, decimals: decimals) }
  }

  /// Appends whole milliseconds, rounded towards zero. By habit the key ends in `_ms`.
  public mutating func add(_ key: StaticString, milliseconds value: Duration) {
    whole(key) { $0.append(value.wholeMilliseconds) }
  }

  /// Appends `digits` hexadecimal digits, lower case.
  public mutating func add(_ key: StaticString, hex value: UInt64, digits: Int) {
    whole(key) { $0.append(hex: value, digits: digits) }
  }

  /// Appends whole numbers with commas between: `box=212,96,180,180`.
  public mutating func add<let count: Int>(_ key: StaticString, _ values: InlineArray<count, Int>) {
    whole(key) {
      for index in 0..<count {
        if index > 0 { $0.append(byte: UInt8(ascii: ",")) }
        $0.append(values[index])
      }
    }
  }

  /// Appends fractions with commas between: `pose=1.5,-20.0,0.3`.
  public mutating func add<let count: Int>(
    _ key: StaticString, _ values: InlineArray<count, Float>, decimals: Int
  ) {
    whole(key) {
      for index in 0..<count {
        if index > 0 { $0.append(byte: UInt8(ascii: ",")) }
        $0.append(values[index], decimals: decimals)
      }
    }
  }

  /// Appends a text, quoted where it must be.
  public mutating func add(_ key: StaticString, _ value: StaticString) {
    value.withUTF8Buffer { add(key, $0.span) }
  }

  /// Appends a text, quoted where it must be.
  public mutating func add<let count: Int>(_ key: StaticString, _ value: FixedString<count>) {
    add(key, value.bytes)
  }

  /// Appends any bytes as a text; those that are no UTF-8 are escaped.
  public mutating func add(_ key: StaticString, _ value: Span<UInt8>) {
    let start = text.count
    begin(key)
    let isQuoted = Self.needsQuotes(value)
    // The closing mark needs its place too.
    let limit = Self.roomForValues - (isQuoted ? 1 : 0)
    if isQuoted { text.append(byte: UInt8(ascii: "\"")) }
    // A key with no room for a piece of its value says nothing.
    guard text.count < limit || (value.isEmpty && text.count == limit) else {
      return cut(to: start)
    }
    var index = 0
    while index < value.count {
      let length = Self.characterLength(value, at: index)
      guard append(value, at: index, length: length, limit: limit) else {
        isCut = true
        break
      }
      index += max(1, length)
    }
    if isQuoted { text.append(byte: UInt8(ascii: "\"")) }
  }

  /// Appends a value that is only right when it is whole.
  private mutating func whole(
    _ key: StaticString, _ value: (inout FixedString<512>) -> Void
  ) {
    let start = text.count
    begin(key)
    value(&text)
    if text.isTruncated || text.count > Self.roomForValues { cut(to: start) }
  }

  private mutating func begin(_ key: StaticString) {
    text.append(byte: UInt8(ascii: " "))
    text.append(key)
    text.append(byte: UInt8(ascii: "="))
  }

  private mutating func cut(to count: Int) {
    text.truncate(to: count)
    isCut = true
  }

  /// Appends one character (or, with `length` 0, the one bad byte) in the form it has inside a
  /// value; false, with nothing appended, where it does not fit below `limit`.
  private mutating func append(
    _ value: Span<UInt8>, at index: Int, length: Int, limit: Int
  ) -> Bool {
    let byte = value[index]
    let escape: UInt8? =
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
      case UInt8(ascii: "\n"): UInt8(ascii: "n")
      case UInt8(ascii: "\r"): UInt8(ascii: "r")
      case UInt8(ascii: "\t"): UInt8(ascii: "t")
      default: nil
      }
    if let escape {
      guard text.count + 2 <= limit else { return false }
      text.append(byte: UInt8(ascii: "\\"))
      text.append(byte: escape)
    } else if length == 0 || byte < 0x20 || byte == 0x7F {
      guard text.count + 4 <= limit else { return false }
      text.append("\\x")
      text.append(hex: UInt64(byte), digits: 2)
    } else {
      guard text.count + length <= limit else { return false }
      text.append(value.extracting(index..<index + length))
    }
    return true
  }

  private static func needsQuotes(_ value: Span<UInt8>) -> Bool {
    if value.isEmpty { return true }
    var index = 0
    while index < value.count {
      let byte = value[index]
      let length = characterLength(value, at: index)
      if length == 0 || byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"")
        || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\\")
      {
        return true
      }
      index += length
    }
    return false
  }

  /// Bytes of the UTF-8 character that begins at `index`; 0 where none does (RFC 3629, table of
  /// section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF).
  static func characterLength(_ value: Span<UInt8>, at index: Int) -> Int {
    let first = value[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard index + length <= value.count, second ~= value[index + 1] else { return 0 }
    var next = index + 2
    while next < index + length {
      guard value[next] & 0xC0 == 0x80 else { return 0 }
      next += 1
    }
    return length
  }
}
