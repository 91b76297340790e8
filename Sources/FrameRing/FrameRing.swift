import Platform
import Synchronization

/// Why a ring could not be made.
public enum FrameRingError: Error, Equatable, Sendable {
  /// Outside 2…16.
  case slotCount(Int)
  /// A slot must hold at least one byte and at most 1 GiB.
  case slotBytes(Int)
  /// The memory is smaller than ``FrameRing/byteCount(slots:slotBytes:)``.
  case memory(needed: Int, given: Int)
  /// The memory does not start at a page's edge.
  case alignment
}

/// What a wait ended with.
public enum FrameWait: UInt8, Sendable {
  /// A frame can be taken.
  case frame
  /// The time is over.
  case timedOut
  /// The producer has finished, or the ring was closed, and nothing is left to take.
  case ended
}

/// Totals since the ring was made. They never go back to 0.
public struct FrameRingCounts: Equatable, Sendable {
  /// Frames that the producer committed.
  public var produced: UInt64 = 0
  /// Frames that the consumer took.
  public var taken: UInt64 = 0
  /// Frames that the producer overwrote because no slot was free.
  public var overwritten: UInt64 = 0
  /// Frames that the consumer gave back unread because a newer one was there.
  public var skipped: UInt64 = 0

  /// Frames that nobody saw. With no frame waiting, `produced == taken + dropped`.
  public var dropped: UInt64 { overwritten + skipped }

  public init() {}
}

/// Frames on their way from one producer to one consumer, in fixed slots of memory that the caller
/// owns: no allocation, no lock.
///
/// Live, the newest frame wins: the producer never waits, with no free slot it overwrites the
/// oldest unread one, and the consumer takes the newest and gives older ones back. In lockstep, for
/// clips, the producer waits for a free slot and the consumer takes every frame in order.
///
/// Each slot has a word that holds its state and the ticket (a number that rises by one a frame) of
/// the frame in it. A slot changes hands only by that word: released by whoever leaves it, acquired
/// by whoever enters. Because a ticket is never used again, a compare-and-exchange cannot take one
/// frame for another. A frame leaves the ready state exactly once: taken, overwritten or skipped;
/// that is why the counts add up.
///
/// Methods do not mutate, so two threads may use one ring. It must outlive both.
public struct FrameRing: ~Copyable, @unchecked Sendable {
  /// Who waits for whom.
  public enum Mode: UInt8, Sendable {
    /// A camera: the newest frame wins, the producer never waits.
    case live
    /// A clip: every frame in order, the producer waits for the consumer.
    case lockstep
  }

  /// How many slots a ring may have.
  public static let slotCounts = 2...16
  static let pageBytes = 4096

  let control: UnsafeMutablePointer<RingControl>
  /// What the consumer sleeps on: a frame, the end.
  let consumerEvents: UnsafeMutablePointer<EventCount>
  /// What the producer sleeps on in lockstep: a free slot, the end.
  let producerEvents: UnsafeMutablePointer<EventCount>
  /// One a slot, written by whoever holds it, before its word is released.
  let infos: UnsafeMutablePointer<FrameInfo>
  let firstSlot: UnsafeMutableRawPointer
  /// Bytes from one slot to the next: `slotBytes` rounded up to whole pages.
  let slotStride: Int
  /// Frames that the ring holds, those that are written or read among them.
  public let slotCount: Int
  /// The largest frame that a slot holds, in bytes.
  public let slotBytes: Int
  /// Who waits for whom.
  public let mode: Mode

  /// Bytes of memory that a ring needs: a page for its words, then the slots in whole pages.
  public static func byteCount(slots: Int, slotBytes: Int) -> Int {
    pageBytes + slots * roundedToPages(slotBytes)
  }

  /// - Parameters:
  ///   - memory: page aligned, at least ``byteCount(slots:slotBytes:)``; must outlive the ring.
  ///   - slots: 2…16. With 2 the consumer can find nothing while the producer writes; from 3 on a
  ///     frame is always left.
  ///   - slotBytes: the largest frame, up to 1 GiB.
  public init(
    memory: UnsafeMutableRawBufferPointer, slots: Int = 4, slotBytes: Int, mode: Mode = .live
  ) throws(FrameRingError) {
    guard Self.slotCounts ~= slots else { throw .slotCount(slots) }
    guard 1...(1 << 30) ~= slotBytes else { throw .slotBytes(slotBytes) }
    let needed = Self.byteCount(slots: slots, slotBytes: slotBytes)
    guard let start = memory.baseAddress, memory.count >= needed else {
      throw .memory(needed: needed, given: memory.count)
    }
    guard UInt(bitPattern: start) % UInt(Self.pageBytes) == 0 else { throw .alignment }
    // A cache line for each thread's events, the words from 128 on, the infos from 1024 on.
    consumerEvents = start.bindMemory(to: EventCount.self, capacity: 1)
    consumerEvents.initialize(to: EventCount())
    producerEvents = (start + 64).bindMemory(to: EventCount.self, capacity: 1)
    producerEvents.initialize(to: EventCount())
    control = (start + 128).bindMemory(to: RingControl.self, capacity: 1)
    control.initialize(to: RingControl())
    infos = (start + 1024).bindMemory(to: FrameInfo.self, capacity: slots)
    let blank = FrameFormat(pixelFormat: .grey, width: 0, height: 0)
    infos.initialize(
      repeating: FrameInfo(sequence: 0, timestamp: .zero, format: blank, bytesUsed: 0),
      count: slots)
    firstSlot = start + Self.pageBytes
    slotStride = Self.roundedToPages(slotBytes)
    slotCount = slots
    self.slotBytes = slotBytes
    self.mode = mode
  }

  /// A look at the totals. While the threads run, the numbers may be one frame apart.
  public var counts: FrameRingCounts {
    var counts = FrameRingCounts()
    counts.taken = control.pointee.taken.load(ordering: .acquiring)
    counts.skipped = control.pointee.skipped.load(ordering: .acquiring)
    counts.overwritten = control.pointee.overwritten.load(ordering: .acquiring)
    counts.produced = control.pointee.produced.load(ordering: .acquiring)
    return counts
  }

  /// Ends the ring from either side: the producer gets no slot any more, the consumer no frame, and
  /// whoever waits wakes up.
  public borrowing func close() {
    control.pointee.isClosed.store(true, ordering: .sequentiallyConsistent)
    producerEvents.signal()
    consumerEvents.signal()
  }

  /// Whether ``close()`` was called, by either side.
  public var isClosed: Bool { control.pointee.isClosed.load(ordering: .acquiring) }

  func slot(_ index: Int) -> UnsafeMutableRawPointer { firstSlot + index * slotStride }

  static func roundedToPages(_ bytes: Int) -> Int {
    (bytes + pageBytes - 1) / pageBytes * pageBytes
  }
}

/// A slot's word: the state in the two lowest bits, the frame's ticket above.
struct SlotWord: Equatable {
  enum State: UInt64 {
    /// The producer may enter.
    case free = 0
    case writing = 1
    /// Holds a frame that nobody has taken.
    case ready = 2
    case reading = 3
  }

  var bits: UInt64

  init(bits: UInt64) { self.bits = bits }
  init(_ state: State, ticket: UInt64) { bits = ticket << 2 | state.rawValue }

  var ticket: UInt64 { bits >> 2 }
  func isIn(_ state: State) -> Bool { bits & 3 == state.rawValue }
}

/// The words that both threads use, at the start of the ring's memory, where they never move.
struct RingControl: ~Copyable {
  let words = InlineArray<16, Atomic<UInt64>> { _ in
    Atomic(SlotWord(.free, ticket: 0).bits)
  }

  // The producer's.
  let produced = Atomic<UInt64>(0)
  let overwritten = Atomic<UInt64>(0)
  let isFinished = Atomic(false)
  // The consumer's.
  let taken = Atomic<UInt64>(0)
  let skipped = Atomic<UInt64>(0)
  let isReading = Atomic(false)

  let isClosed = Atomic(false)
}

extension UnsafeMutablePointer where Pointee == RingControl {
  func word(_ index: Int) -> SlotWord {
    SlotWord(bits: pointee.words[index].load(ordering: .acquiring))
  }

  func setWord(_ index: Int, _ word: SlotWord) {
    pointee.words[index].store(word.bits, ordering: .releasing)
  }

  func exchangeWord(_ index: Int, _ old: SlotWord, _ new: SlotWord) -> Bool {
    pointee.words[index].compareExchange(
      expected: old.bits, desired: new.bits, ordering: .acquiringAndReleasing
    ).exchanged
  }
}
