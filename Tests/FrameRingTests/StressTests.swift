import Foundation
import Platform
import Testing

@testable import FrameRing

/// Two threads, a million frames. Every frame is stamped all over with its number and carries it in
/// its info too, so a frame that two threads touched at once shows.
///
/// LIVELATCH_STRESS_FRAMES sets another count: the thread sanitizer is some twenty times slower.
final class Stress: @unchecked Sendable {
  static let words = 64
  static let frames =
    UInt64(
      ProcessInfo.processInfo.environment["LIVELATCH_STRESS_FRAMES"] ?? "") ?? 1_000_000

  let memory: MemoryMap
  let ring: FrameRing
  let pauses: Bool
  let frames: UInt64

  /// - Parameter pauses: the producer lets go of its core now and then, so that the consumer waits.
  init(slots: Int, mode: FrameRing.Mode, pauses: Bool) throws {
    // In lockstep many frames are a wait.
    frames = mode == .live ? Self.frames : Self.frames / 4
    let bytes = Self.words * 8
    memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: slots, slotBytes: bytes))
    ring = try FrameRing(memory: memory.bytes, slots: slots, slotBytes: bytes, mode: mode)
    self.pauses = pauses
  }

  /// A word that tells frame and place.
  static func stamp(_ frame: UInt64, _ word: Int) -> UInt64 {
    frame &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(word) &* 0xC2B2_AE3D_27D4_EB4F
  }

  func produce() {
    let format = FrameFormat(pixelFormat: .grey, width: 8 * Self.words, height: 1)
    for frame in 1...frames {
      if pauses && frame % 512 == 0 { sleep(for: .microseconds(20)) }
      guard let lease = ring.beginWrite() else { return }
      let words = lease.buffer.bindMemory(to: UInt64.self)
      for word in 0..<Self.words { words[word] = Self.stamp(frame, word) }
      lease.commit(
        FrameInfo(
          sequence: UInt32(truncatingIfNeeded: frame),
          timestamp: Instant(nanoseconds: Int64(frame)), format: format,
          bytesUsed: 8 * Self.words))
    }
    ring.finish()
  }

  struct Seen {
    var frames: UInt64 = 0
    var last: UInt64 = 0
    var torn = 0
    var disordered = 0
    var gaps = 0
    var waits = 0
  }

  func consume() -> Seen {
    var seen = Seen()
    while true {
      guard let lease = ring.take() else {
        seen.waits += 1
        switch ring.waitForFrame(timeout: .seconds(60)) {
        case .frame: continue
        case .ended: return seen
        case .timedOut:
          Issue.record("nothing came for a minute")
          return seen
        }
      }
      let frame = UInt64(lease.info.timestamp.nanoseconds)
      let bytes = lease.bytes
      for word in 0..<Self.words
      where bytes.unsafeLoad(fromByteOffset: 8 * word, as: UInt64.self) != Self.stamp(frame, word) {
        seen.torn += 1
      }
      if lease.info.sequence != UInt32(truncatingIfNeeded: frame) { seen.torn += 1 }
      if frame <= seen.last { seen.disordered += 1 }
      if frame != seen.last + 1 { seen.gaps += 1 }
      seen.last = frame
      seen.frames += 1
    }
  }
}

func produceBody(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Stress>.fromOpaque(context).takeUnretainedValue().produce()
}

@Suite(.serialized) struct StressTests {
  func run(_ stress: Stress) throws -> Stress.Seen {
    let thread = try Thread(
      name: "producer", context: Unmanaged.passUnretained(stress).toOpaque(), body: produceBody)
    let seen = stress.consume()
    _ = consume thread
    return seen
  }

  @Test(arguments: [2, 3, 4, 16], [false, true])
  func aMillionFramesLive(_ slots: Int, _ pauses: Bool) throws {
    let stress = try Stress(slots: slots, mode: .live, pauses: pauses)
    let seen = try run(stress)
    let counts = stress.ring.counts
    #expect(seen.torn == 0 && seen.disordered == 0)
    #expect(counts.produced == stress.frames && counts.taken == seen.frames)
    #expect(counts.taken + counts.dropped == counts.produced)
    // The last frame is the newest for ever: it cannot be missed.
    #expect(seen.last == stress.frames)
  }

  @Test(arguments: [2, 4], [false, true])
  func manyFramesInLockstep(_ slots: Int, _ pauses: Bool) throws {
    let stress = try Stress(slots: slots, mode: .lockstep, pauses: pauses)
    let seen = try run(stress)
    #expect(seen.torn == 0 && seen.gaps == 0 && seen.frames == stress.frames)
    #expect(stress.ring.counts.dropped == 0)
  }
}
