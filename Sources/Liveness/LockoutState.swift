import Platform

/// What must survive a restart of the program: failures that count, and a lock that runs. Time in
/// which the program does not run does not count, so that switching it off never shortens a lock.
public struct LockoutState: Equatable, Sendable {
  /// Failures that can be remembered.
  public static let capacity = 16
  /// Locks beyond this many last as long as the longest.
  public static let mostLocks = 32

  /// Locks so far since the last live verdict or long calm; the next is `first` times 2 to this.
  public var locks = 0
  /// What is left of the lock that runs; nil when none does.
  public var remaining: Duration?
  /// Time since the last failure that counted; nil when there was none.
  public var calm: Duration?
  /// Age of each failure that counts, oldest first.
  var ages = InlineArray<16, Duration>(repeating: .zero)
  public private(set) var failureCount = 0

  public init() {}

  /// Age of a failure that counts; 0 is the oldest.
  public func failureAge(_ index: Int) -> Duration {
    precondition(index < failureCount)
    return ages[index]
  }

  /// Adds a failure younger than those there are; without room the oldest is forgotten.
  public mutating func appendFailure(age: Duration) {
    if failureCount == Self.capacity {
      for index in 1..<Self.capacity { ages[index - 1] = ages[index] }
      failureCount -= 1
    }
    ages[failureCount] = age
    failureCount += 1
  }

  public static func == (a: LockoutState, b: LockoutState) -> Bool {
    guard a.locks == b.locks, a.remaining == b.remaining, a.calm == b.calm,
      a.failureCount == b.failureCount
    else { return false }
    for index in 0..<a.failureCount where a.ages[index] != b.ages[index] { return false }
    return true
  }
}

extension LockoutState {
  /// Bytes of ``record``.
  public static let recordByteCount = 84

  /// The state as bytes to keep in a file: "LLK1", locks, failures, flags, then little-endian
  /// 32-bit milliseconds (rounded up, so that nothing gets shorter) and a CRC-32 over all of it.
  public var record: InlineArray<84, UInt8> {
    var writer = RecordWriter()
    writer.put(bytes: 0x4C, 0x4C, 0x4B, 0x31)
    writer.put(
      bytes: UInt8(clamping: locks), UInt8(clamping: failureCount), remaining == nil ? 0 : 1,
      calm == nil ? 0 : 1)
    writer.put(milliseconds: remaining ?? .zero)
    writer.put(milliseconds: calm ?? .zero)
    for index in 0..<Self.capacity {
      writer.put(milliseconds: index < failureCount ? ages[index] : .zero)
    }
    writer.put(crc32(writer.bytes.span.extracting(first: writer.count)))
    return writer.bytes
  }

  /// Reads a record; nil when it is not one, was cut or was changed.
  public init?(record: Span<UInt8>) {
    let bodyCount = Self.recordByteCount - 4
    guard record.count == Self.recordByteCount,
      Self.word(record, at: 0) == 0x314B_4C4C,
      Self.word(record, at: bodyCount) == crc32(record.extracting(first: bodyCount)),
      Int(record[4]) <= Self.mostLocks, Int(record[5]) <= Self.capacity,
      record[6] <= 1, record[7] <= 1
    else { return nil }
    locks = Int(record[4])
    remaining = record[6] == 1 ? .milliseconds(Self.word(record, at: 8)) : nil
    calm = record[7] == 1 ? .milliseconds(Self.word(record, at: 12)) : nil
    for index in 0..<Int(record[5]) {
      appendFailure(age: .milliseconds(Self.word(record, at: 16 + 4 * index)))
    }
  }

  private static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in 0..<4 { value |= UInt32(bytes[offset + index]) << UInt32(8 * index) }
    return value
  }
}

/// Fills a record from the front.
private struct RecordWriter {
  var bytes = InlineArray<84, UInt8>(repeating: 0)
  var count = 0

  mutating func put(bytes a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
    put(UInt32(a) | UInt32(b) << 8 | UInt32(c) << 16 | UInt32(d) << 24)
  }

  mutating func put(milliseconds duration: Duration) {
    let nanoseconds = max(0, duration.wholeNanoseconds)
    let whole = nanoseconds / 1_000_000
    put(UInt32(clamping: nanoseconds % 1_000_000 == 0 ? whole : whole + 1))
  }

  mutating func put(_ word: UInt32) {
    for index in 0..<4 {
      bytes[count + index] = UInt8(truncatingIfNeeded: word >> UInt32(8 * index))
    }
    count += 4
  }
}

/// CRC-32 as in IEEE 802.3, bit by bit: records are small and rare. Costs 8 steps a byte.
public func crc32(_ bytes: Span<UInt8>) -> UInt32 {
  var remainder: UInt32 = 0xFFFF_FFFF
  for index in bytes.indices {
    remainder ^= UInt32(bytes[index])
    for _ in 0..<8 {
      remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
    }
  }
  return ~remainder
}
