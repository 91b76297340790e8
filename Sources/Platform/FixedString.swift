/// UTF-8 text of at most `capacity` bytes, held in place. What does not fit is cut at a character's
/// edge and ``isTruncated`` says so.
public struct FixedString<let capacity: Int>: Sendable {
  var storage = InlineArray<capacity, UInt8>(repeating: 0)
  /// Bytes of the text, 0 to `capacity`.
  public private(set) var count = 0
  /// Whether something did not fit; then nothing more is appended until there is room again.
  public private(set) var isTruncated = false

  public init() {}

  /// As much of `text` as fits.
  public init(_ text: StaticString) { append(text) }

  /// Whether it has no bytes.
  public var isEmpty: Bool { count == 0 }

  /// The text's bytes, without a terminating zero.
  public var bytes: Span<UInt8> {
    // Without its own address, the optimiser may hand a copy to a specialised getter, and the span
    // then points to where that copy was.
    @_addressableSelf
    @_lifetime(borrow self)
    get { storage.span.extracting(first: count) }
  }

  /// The byte at `index`, below ``count``.
  public subscript(index: Int) -> UInt8 {
    precondition(index < count)
    return storage[index]
  }

  /// Empties it and makes room again.
  public mutating func removeAll() {
    count = 0
    isTruncated = false
  }

  /// Whether it begins with `text`.
  public func hasPrefix(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      guard text.count <= count else { return false }
      for index in 0..<text.count where storage[index] != text[index] { return false }
      return true
    }
  }

  /// Keeps the first `count` bytes, which must end at a character's edge, and makes room again.
  public mutating func truncate(to count: Int) {
    precondition(0...self.count ~= count)
    self.count = count
    isTruncated = false
  }

  /// Appends as much of `text` as fits.
  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append($0.span) }
  }

  /// Appends UTF-8; a character that does not fit whole is left out, and all after it.
  public mutating func append(_ text: Span<UInt8>) {
    guard !isTruncated else { return }
    var fitting = min(text.count, capacity - count)
    if fitting < text.count {
      isTruncated = true
      while fitting > 0 && text[fitting] & 0xC0 == 0x80 { fitting -= 1 }
    }
    for index in 0..<fitting { storage[count + index] = text[index] }
    count += fitting
  }

  /// Appends as much of `text` as fits.
  public mutating func append<let other: Int>(_ text: FixedString<other>) { append(text.bytes) }

  /// Appends a zero-terminated text.
  public mutating func append(cString text: UnsafePointer<CChar>) {
    var length = 0
    while text[length] != 0 { length += 1 }
    let bytes = UnsafeRawBufferPointer(start: text, count: length)
    append(bytes.bindMemory(to: UInt8.self).span)
  }

  /// One byte that is a character on its own (ASCII).
  public mutating func append(byte: UInt8) {
    guard !isTruncated, count < capacity else {
      isTruncated = true
      return
    }
    storage[count] = byte
    count += 1
  }

  /// A decimal number, with zeros in front up to `digits`.
  public mutating func append(_ value: Int64, digits: Int = 1) {
    var reversed = InlineArray<20, UInt8>(repeating: 48)
    var rest = value.magnitude
    var length = 0
    while rest > 0 || length == 0 || (length < digits && length < 20) {
      reversed[length] = 48 + UInt8(rest % 10)
      rest /= 10
      length += 1
    }
    if value < 0 { append(byte: 45) }
    while length > 0 {
      length -= 1
      append(byte: reversed[length])
    }
  }

  /// As the one for 64 bits.
  public mutating func append(_ value: Int, digits: Int = 1) {
    append(Int64(value), digits: digits)
  }

  /// A decimal fraction, rounded to `decimals` places (0 to 9). Values that are not finite become
  /// `nan`; those beyond ±9e9 are held there.
  public mutating func append(_ value: Float, decimals: Int) {
    precondition(0...9 ~= decimals)
    guard value.isFinite else { return append("nan") }
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let bounded = max(-9e9, min(9e9, Double(value)))
    let scaled = Int64((bounded * Double(scale)).rounded())
    if scaled < 0 { append(byte: 45) }
    append(Int64(scaled.magnitude) / scale)
    if decimals > 0 {
      append(byte: 46)
      append(Int64(scaled.magnitude) % scale, digits: decimals)
    }
  }

  /// Hexadecimal, lower case, `digits` wide.
  public mutating func append(hex value: UInt64, digits: Int) {
    var place = digits
    while place > 0 {
      place -= 1
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(4 * place)) & 15
      append(byte: nibble < 10 ? 48 + nibble : 87 + nibble)
    }
  }

  /// Runs `body` with the text as a zero-terminated C string.
  public borrowing func withCString<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var terminated = TerminatedBytes<capacity>(storage: storage)
    terminated.terminate(at: count)
    return try terminated.with(body)
  }

  public static func == (a: FixedString, b: FixedString) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a.storage[index] != b.storage[index] { return false }
    return true
  }

  public static func == (a: FixedString, b: StaticString) -> Bool {
    b.withUTF8Buffer { text in
      guard a.count == text.count else { return false }
      for index in 0..<a.count where a.storage[index] != text[index] { return false }
      return true
    }
  }
}

extension FixedString: Equatable {}

/// A copy of a fixed string with room for the terminating zero, which only C wants.
struct TerminatedBytes<let capacity: Int> {
  var storage: InlineArray<capacity, UInt8>
  var zero: UInt8 = 0

  mutating func terminate(at count: Int) {
    if count < capacity { storage[count] = 0 }
  }

  mutating func with<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(of: &self) { raw throws(Failure) -> Result in
      // `zero` follows the last byte of `storage`: both have the alignment of a byte.
      try body(raw.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
  }
}

extension StaticString {
  /// The text as a zero-terminated C string; it lives for ever.
  public var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
