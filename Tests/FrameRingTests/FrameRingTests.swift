import Platform
import Testing

@testable import FrameRing

/// A ring with its memory, whose frames are 100 equal bytes.
final class TestRing: @unchecked Sendable {
  static let frameBytes = 100
  let memory: MemoryMap
  let ring: FrameRing

  init(slots: Int, mode: FrameRing.Mode = .live) throws {
    memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: slots, slotBytes: 100))
    ring = try FrameRing(memory: memory.bytes, slots: slots, slotBytes: 100, mode: mode)
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
    let ring = try TestRing(slots: 3)
    #expect(ring.read() == nil)
    for value in UInt8(1)...5 { #expect(ring.write(value)) }
    #expect(ring.read() == 5)
    #expect(ring.read() == nil)
    #expect(ring.counts.produced == 5)
  }
}
