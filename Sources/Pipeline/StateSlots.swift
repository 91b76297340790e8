import CPlatform
import Liveness
import Platform

/// A small record in a raw partition (or a file of at least ``byteCount`` bytes), in two numbered,
/// checksummed slots that are written in turn: whatever a cut of power leaves of the one, the other
/// holds what was kept before. For places where no file system is written to.
///
/// A slot, little-endian: "LLS1", 64-bit number, 84 bytes of record, CRC-32 over all of that.
struct StateSlots {
  /// From the start of the first slot to the end of the second. Slots are far from each other
  /// because memory cards rewrite whole blocks of flash around what is written.
  static let byteCount = 1 << 20
  /// Written whole: what block devices take, and memory cards best.
  static let slotBytes = 4096
  static let secondSlot = byteCount - slotBytes
  static let recordBytes = LockoutState.recordByteCount
  private static let bodyBytes = 12 + recordBytes

  /// Whether the file at `path` is a place for slots.
  static func isPlace(_ path: FixedString<128>) -> Bool {
    do throws(Errno) {
      let size = try path.withCString { name throws(Errno) in
        try FileDescriptor.openForReading(name).seekToEnd()
      }
      return size >= byteCount
    } catch {
      return false
    }
  }

  private let path: FixedString<128>
  /// Number of the newest slot; 0: there is none.
  private(set) var number: UInt64 = 0
  private var newest = 1
  /// Whether the slots were looked at: what is written must be newer than what is there.
  private var isRead = false

  init(_ path: FixedString<128>) { self.path = path }

  /// The newest sound record; false leaves `record` alone. A slot that is not sound, or that the
  /// medium cannot read any more, is as if it were empty; throws where that leaves none.
  mutating func load(into record: inout InlineArray<84, UInt8>) throws(Errno) -> Bool {
    let file = try path.withCString { name throws(Errno) in
      try FileDescriptor.openForReading(name)
    }
    var unread: Errno?
    number = 0
    newest = 1
    for slot in 0..<2 {
      var bytes = InlineArray<100, UInt8>(repeating: 0)
      do throws(Errno) { try Self.read(slot, of: file, into: &bytes) } catch {
        unread = error
        continue
      }
      guard let found = Self.number(of: bytes.span), found > number else { continue }
      number = found
      newest = slot
      for index in 0..<Self.recordBytes { record[index] = bytes[12 + index] }
    }
    if number == 0, let unread { throw unread }
    isRead = true
    return number > 0
  }

  /// Bytes behind the end are zero.
  private static func read(
    _ slot: Int, of file: borrowing FileDescriptor, into bytes: inout InlineArray<100, UInt8>
  ) throws(Errno) {
    try file.seek(to: slot == 0 ? 0 : secondSlot)
    _ = try withUnsafeMutableBytes(of: &bytes) { bytes throws(Errno) in
      try file.readFully(into: bytes)
    }
  }

  /// Writes `record` over the older slot, and waits until it lies on the medium. A failure leaves
  /// the newest slot as it was.
  mutating func save(_ record: InlineArray<84, UInt8>) throws(Errno) {
    if !isRead {
      var unused = InlineArray<84, UInt8>(repeating: 0)
      _ = try load(into: &unused)
    }
    let slot = 1 - newest
    let next = number &+ 1
    let file = try open()
    try file.seek(to: slot == 0 ? 0 : Self.secondSlot)
    // Direct writes want an aligned address, which an array on the stack has somewhere within twice
    // its size.
    var room = InlineArray<8192, UInt8>(repeating: 0)
    try withUnsafeMutableBytes(of: &room) { room throws(Errno) in
      guard let start = room.baseAddress else { return }
      let skipped = -Int(bitPattern: start) & (Self.slotBytes - 1)
      let bytes = UnsafeMutableRawBufferPointer(rebasing: room[skipped..<skipped + Self.slotBytes])
      Self.fill(bytes, number: next, record: record.span)
      try file.writeFully(UnsafeRawBufferPointer(bytes))
    }
    try file.synchronize()
    number = next
    newest = slot
  }

  /// Past the kernel's cache where the file system or device has that.
  private func open() throws(Errno) -> FileDescriptor {
    try path.withCString { name throws(Errno) in
      do throws(Errno) {
        return try FileDescriptor.open(name, flags: O_WRONLY | platform_direct_flag())
      } catch {
        guard error.code == EINVAL else { throw error }
        return try FileDescriptor.open(name, flags: O_WRONLY)
      }
    }
  }

  private static func fill(
    _ bytes: UnsafeMutableRawBufferPointer, number: UInt64, record: Span<UInt8>
  ) {
    bytes.storeBytes(of: magic.littleEndian, toByteOffset: 0, as: UInt32.self)
    bytes.storeBytes(of: number.littleEndian, toByteOffset: 4, as: UInt64.self)
    for index in record.indices { bytes[12 + index] = record[index] }
    let body = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<bodyBytes])
    let sum = crc32(body.bindMemory(to: UInt8.self).span)
    bytes.storeBytes(of: sum.littleEndian, toByteOffset: bodyBytes, as: UInt32.self)
  }

  /// Nil when the slot is not sound.
  private static func number(of slot: Span<UInt8>) -> UInt64? {
    func word(_ at: Int, _ count: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in 0..<count { value |= UInt64(slot[at + index]) << UInt64(8 * index) }
      return value
    }
    guard word(0, 4) == UInt64(magic),
      word(bodyBytes, 4) == UInt64(crc32(slot.extracting(first: bodyBytes)))
    else { return nil }
    return word(4, 8)
  }

  /// "LLS1".
  private static let magic: UInt32 = 0x3153_4C4C
}
