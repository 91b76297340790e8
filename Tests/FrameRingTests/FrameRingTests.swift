import Platform
import Testing

@testable import FrameRing

/// A ring with its memory, whose frames are 100 equal bytes.
final class TestRing: @unchecked Sendable {
  static let frameBytes = 100
  let memory: MemoryMap
  let ring: FrameRing

  init(slots: Int, mode: FrameRing.Mode = .live) throws {
    memory = try MemoryMap(
      byteCount: FrameRing.byteCount(slots: slots, slotBytes: Self.frameBytes))
    ring = try FrameRing(
      memory: memory.bytes, slots: slots, slotBytes: Self.frameBytes, mode: mode)
  }

  var counts: FrameRingCounts { ring.counts }

  /// Writes one frame; false when there is no slot.
  func write(_ value: UInt8) -> Bool {
    guard var lease = ring.beginWrite() else { return false }
    var bytes = lease.bytes
    for index in 0..<Self.frameBytes {
      bytes.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
    }
    lease.commit(Self.info(value))
    return true
  }

  /// Takes a frame and answers its value; nil when there is none.
  func read() -> UInt8? {
    guard let lease = ring.take() else { return nil }
    return Self.value(of: lease)
  }

  static func info(_ value: UInt8) -> FrameInfo {
    FrameInfo(
      sequence: UInt32(value), timestamp: Instant(nanoseconds: Int64(value)),
      format: FrameFormat(pixelFormat: .grey, width: 10, height: 10), bytesUsed: frameBytes)
  }

  static func value(of lease: borrowing ReadLease) -> UInt8 {
    let bytes = lease.bytes
    let value = bytes.unsafeLoad(as: UInt8.self)
    #expect(lease.info == info(value) && bytes.byteCount == frameBytes)
    for index in 0..<frameBytes {
      let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      if byte != value { Issue.record("a torn frame: \(value), \(byte) at \(index)") }
    }
    return value
  }
}

struct FrameRingTests {
  @Test func newestWins() throws {
    for slots in FrameRing.slotCounts {
      let ring = try TestRing(slots: slots)
      #expect(ring.read() == nil)
      for value in UInt8(1)...40 { #expect(ring.write(value)) }
      #expect(ring.read() == 40)
      #expect(ring.read() == nil)
      #expect(ring.counts.produced == 40 && ring.counts.taken == 1)
      #expect(ring.counts.overwritten == 40 - UInt64(slots))
      #expect(ring.counts.skipped == UInt64(slots) - 1)
      #expect(ring.counts.dropped == 39)
    }
  }

  /// The slot that is read is never written, however much is produced meanwhile.
  @Test func aFrameInUseStays() throws {
    for slots in FrameRing.slotCounts {
      let ring = try TestRing(slots: slots)
      #expect(ring.write(1))
      let lease = ring.ring.take()
      for value in UInt8(2)...60 { #expect(ring.write(value)) }
      // One lease at a time.
      let second = ring.read()
      #expect(second == nil)
      if let lease {
        #expect(TestRing.value(of: lease) == 1)
        lease.giveBack()
      } else {
        Issue.record("no frame")
      }
      #expect(ring.read() == 60)
      #expect(ring.counts.taken == 2 && ring.counts.dropped == 58)
    }
  }

  @Test func anAbandonedWriteIsNoFrame() throws {
    let ring = try TestRing(slots: 2)
    for _ in 0..<5 { _ = ring.ring.beginWrite() }
    #expect(ring.read() == nil && ring.counts.produced == 0)
    #expect(ring.write(9))
    #expect(ring.read() == 9)
  }

  /// As a driver has them: some slots are lent all the time, and come back in any order.
  @Test func lentSlotsComeBack() throws {
    let ring = try TestRing(slots: 4)
    func lend() -> Int { ring.ring.beginWrite()?.lend() ?? -1 }
    var lent = [lend(), lend()]
    #expect(Set(lent).count == 2)
    for value in UInt8(1)...20 {
      let slot = lent.remove(at: Int(value) % 2)
      var lease = ring.ring.reclaim(slot)
      #expect(lease.buffer.baseAddress == ring.ring.slot(slot))
      var bytes = lease.bytes
      for index in 0..<TestRing.frameBytes {
        bytes.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
      }
      lease.commit(TestRing.info(value))
      lent.append(lend())
      // Read every third one: those between are overwritten, those lent are not.
      if value % 3 == 0 { #expect(ring.read() == value) }
    }
    #expect(ring.counts.produced == 20)
    for slot in lent { _ = ring.ring.reclaim(slot) }
    // Nothing is lost to the ring.
    #expect(ring.read() == 20)
    for value in UInt8(21)...24 { #expect(ring.write(value)) }
    #expect(ring.read() == 24)
  }

  @Test func lockstepKeepsOrder() throws {
    let ring = try TestRing(slots: 4, mode: .lockstep)
    for value in UInt8(1)...4 { #expect(ring.write(value)) }
    for value in UInt8(1)...20 {
      #expect(ring.read() == value)
      #expect(ring.write(value + 4))
    }
    #expect(ring.counts.dropped == 0)
  }

  /// The consumer has looked at the first slot, then both frames are committed, then it looks at
  /// the second one: it must not take frame 2 before frame 1.
  @Test func lockstepNeverTakesALaterFrameFirst() throws {
    let ring = try TestRing(slots: 2, mode: .lockstep)
    #expect(ring.write(1) && ring.write(2))
    let control = ring.ring.control
    let first = control.word(0)
    control.setWord(0, SlotWord(.writing, ticket: 0))
    #expect(ring.read() == nil)
    #expect(ring.ring.waitForFrame(timeout: .zero) == .timedOut)
    control.setWord(0, first)
    #expect(ring.read() == 1)
    #expect(ring.read() == 2)
  }

  @Test func theEndComesAfterTheLastFrame() throws {
    for mode in [FrameRing.Mode.live, .lockstep] {
      let ring = try TestRing(slots: 2, mode: mode)
      #expect(ring.ring.waitForFrame(timeout: .zero) == .timedOut)
      #expect(ring.write(1))
      ring.ring.finish()
      #expect(ring.ring.waitForFrame(timeout: .zero) == .frame)
      #expect(ring.read() == 1)
      #expect(ring.ring.waitForFrame(timeout: .seconds(100)) == .ended)
    }
  }

  @Test func closingEndsBothSides() throws {
    let ring = try TestRing(slots: 2, mode: .lockstep)
    #expect(ring.write(1) && ring.write(2))
    ring.ring.close()
    // No slot is free: without the close this would wait for ever.
    #expect(!ring.write(3))
    #expect(ring.read() == nil)
    #expect(ring.ring.waitForFrame(timeout: .seconds(100)) == .ended)
  }

  @Test func refusesBadMemory() throws {
    let memory = try MemoryMap(byteCount: 1 << 16)
    func error(_ bytes: UnsafeMutableRawBufferPointer, _ slots: Int, _ size: Int)
      -> FrameRingError?
    {
      do throws(FrameRingError) {
        _ = try FrameRing(memory: bytes, slots: slots, slotBytes: size)
        return nil
      } catch { return error }
    }
    #expect(error(memory.bytes, 1, 10) == .slotCount(1))
    #expect(error(memory.bytes, 17, 10) == .slotCount(17))
    #expect(error(memory.bytes, 2, 0) == .slotBytes(0))
    #expect(error(memory.bytes, 2, .max) == .slotBytes(.max))
    #expect(error(memory.bytes, 16, 4096) == .memory(needed: 17 << 12, given: 1 << 16))
    #expect(error(memory.bytes, 15, 4096) == nil)
    let shifted = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[8...])
    #expect(error(shifted, 2, 10) == .alignment)
    #expect(FrameRing.byteCount(slots: 4, slotBytes: 614_400) == 4096 + 4 * 614_400)
  }

  @Test func slotsAreWholePages() throws {
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 3, slotBytes: 5000))
    let ring = try FrameRing(memory: memory.bytes, slots: 3, slotBytes: 5000)
    for _ in 0..<9 {
      guard let lease = ring.beginWrite() else { continue }
      let offset = UInt(bitPattern: lease.buffer.baseAddress) % 4096
      let count = lease.buffer.count
      #expect(offset == 0 && count == 5000)
      lease.commit(TestRing.info(1))
    }
  }
}
