import Platform
import Synchronization

extension FrameRing {
  /// A slot to write the next frame into. Hold one at a time, or lend them (``WriteLease/lend()``):
  /// two must be left, which the consumer may hold and find the next frame in.
  ///
  /// Live it comes at once: a free slot, else the oldest unread one, whose frame is counted as
  /// overwritten. In lockstep it waits until the consumer gives a slot back.
  /// - Returns: nil once the ring is closed.
  public borrowing func beginWrite() -> WriteLease? {
    guard let index = mode == .live ? takeSlotLive() : takeSlotInLockstep() else { return nil }
    return WriteLease(
      control: control, consumerEvents: consumerEvents, info: infos + index, index: index,
      buffer: UnsafeMutableRawBufferPointer(start: slot(index), count: slotBytes))
  }

  /// The lease of a slot that was lent, once its borrower is done with it.
  /// - Parameter slot: what ``WriteLease/lend()`` answered; once for each time.
  public borrowing func reclaim(_ slot: Int) -> WriteLease {
    precondition(
      0..<slotCount ~= slot && control.word(slot).isIn(.writing), "no slot that was lent")
    return WriteLease(
      control: control, consumerEvents: consumerEvents, info: infos + slot, index: slot,
      buffer: UnsafeMutableRawBufferPointer(start: self.slot(slot), count: slotBytes))
  }

  /// Says that no frame follows. The consumer still gets those that wait.
  public borrowing func finish() {
    control.pointee.isFinished.store(true, ordering: .sequentiallyConsistent)
    consumerEvents.signal()
  }

  /// A failed exchange means that the consumer moved on meanwhile, and it takes one frame at a
  /// time: so the loop ends after a few turns, whatever the consumer does.
  private borrowing func takeSlotLive() -> Int? {
    while !isClosed {
      if let index = takeFreeSlot() { return index }
      var oldest: (index: Int, word: SlotWord)?
      for index in 0..<slotCount {
        let word = control.word(index)
        guard word.isIn(.ready) else { continue }
        if let known = oldest, known.word.ticket < word.ticket { continue }
        oldest = (index, word)
      }
      if let (index, word) = oldest,
        control.exchangeWord(index, word, SlotWord(.writing, ticket: word.ticket))
      {
        control.pointee.overwritten.wrappingAdd(1, ordering: .releasing)
        return index
      }
    }
    return nil
  }

  private borrowing func takeSlotInLockstep() -> Int? {
    while !isClosed {
      let seen = producerEvents.current
      if let index = takeFreeSlot() { return index }
      if !isClosed { producerEvents.wait(after: seen) }
    }
    return nil
  }

  /// Only the producer takes free slots, so no exchange is needed.
  private borrowing func takeFreeSlot() -> Int? {
    for index in 0..<slotCount {
      let word = control.word(index)
      if word.isIn(.free) {
        control.setWord(index, SlotWord(.writing, ticket: word.ticket))
        return index
      }
    }
    return nil
  }
}

/// The right to write one slot, within the life of the ring. Ends with ``commit(_:)``, or gives the
/// slot back unused.
public struct WriteLease: ~Copyable {
  let control: UnsafeMutablePointer<RingControl>
  let consumerEvents: UnsafeMutablePointer<EventCount>
  let info: UnsafeMutablePointer<FrameInfo>
  let index: Int
  /// What the slot's word becomes when the lease ends.
  var leaving = SlotWord(.free, ticket: 0)
  /// The whole slot, page aligned. Valid as long as the lease.
  public let buffer: UnsafeMutableRawBufferPointer

  init(
    control: UnsafeMutablePointer<RingControl>, consumerEvents: UnsafeMutablePointer<EventCount>,
    info: UnsafeMutablePointer<FrameInfo>, index: Int, buffer: UnsafeMutableRawBufferPointer
  ) {
    self.control = control
    self.consumerEvents = consumerEvents
    self.info = info
    self.index = index
    self.buffer = buffer
  }

  /// The whole slot; the bytes are those of an earlier frame.
  public var bytes: MutableRawSpan {
    @_lifetime(&self)
    mutating get {
      let span = MutableRawSpan(_unsafeBytes: buffer)
      return _overrideLifetime(span, mutating: &self)
    }
  }

  /// Hands the frame to the consumer.
  /// - Parameter info: `bytesUsed` is at most the slot's size.
  public consuming func commit(_ info: FrameInfo) {
    precondition(0...buffer.count ~= info.bytesUsed, "a frame is larger than its slot")
    self.info.pointee = info
    let ticket = control.pointee.produced.load(ordering: .relaxed) + 1
    control.pointee.produced.store(ticket, ordering: .releasing)
    leaving = SlotWord(.ready, ticket: ticket)
  }

  /// Keeps the slot for somebody who writes into it without holding the lease, as a camera's driver
  /// does. ``FrameRing/reclaim(_:)`` turns the answer into a lease again; without that the slot is
  /// lost to the ring.
  public consuming func lend() -> Int {
    // The lease ends, and leaves the slot's word as it is.
    leaving = control.word(index)
    return index
  }

  deinit {
    control.setWord(index, leaving)
    if leaving.isIn(.ready) { consumerEvents.signal() }
  }
}
