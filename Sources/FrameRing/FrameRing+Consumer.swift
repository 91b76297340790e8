import Platform
import Synchronization

extension FrameRing {
  /// The next frame to look at. Live it is the newest, and older unread ones are given back and
  /// counted as skipped; in lockstep it is the oldest. Tickets only rise. Does not wait.
  /// - Returns: nil when no frame waits, once the ring is closed, or while the last lease is held.
  public borrowing func take() -> ReadLease? {
    guard !isClosed, !control.pointee.isReading.load(ordering: .relaxed) else { return nil }
    while let (index, word) = nextReady() {
      guard control.exchangeWord(index, word, SlotWord(.reading, ticket: word.ticket)) else {
        // The producer was quicker, so there is, or soon will be, a newer frame.
        continue
      }
      control.pointee.isReading.store(true, ordering: .relaxed)
      if mode == .live { skip(before: word.ticket) }
      control.pointee.taken.wrappingAdd(1, ordering: .releasing)
      return ReadLease(
        control: control, producerEvents: producerEvents, index: index,
        start: UnsafeRawPointer(slot(index)), info: infos[index])
    }
    return nil
  }

  /// Sleeps until ``take()`` has something to give, at most `timeout`.
  public borrowing func waitForFrame(timeout: Duration) -> FrameWait {
    let limit = Instant.now() + timeout
    while true {
      let seen = consumerEvents.current
      if isClosed { return .ended }
      // Read before the look: what was committed before the end is then seen by it.
      let finished = control.pointee.isFinished.load(ordering: .acquiring)
      if nextReady() != nil { return .frame }
      if finished { return .ended }
      if Instant.now() >= limit { return .timedOut }
      consumerEvents.wait(after: seen, until: limit)
    }
  }

  /// The ready slot whose turn it is: the newest live, the oldest in lockstep.
  private borrowing func nextReady() -> (index: Int, word: SlotWord)? {
    mode == .live ? newestReady() : followingReady()
  }

  /// The slots are not looked at in one instant, so a newer frame may come meanwhile. No harm: what
  /// is older than the frame taken is skipped then, and the newer one is the next.
  private borrowing func newestReady() -> (index: Int, word: SlotWord)? {
    var newest: (index: Int, word: SlotWord)?
    for index in 0..<slotCount {
      let word = control.word(index)
      guard word.isIn(.ready) else { continue }
      if let known = newest, known.word.ticket > word.ticket { continue }
      newest = (index, word)
    }
    return newest
  }

  /// The frame after the last one taken, by its ticket. The oldest that a look at the slots finds
  /// would not do: while one is looked at, a frame may be committed in a slot that was passed, and
  /// the one after it in a slot still to come.
  private borrowing func followingReady() -> (index: Int, word: SlotWord)? {
    // Nothing is dropped, so the number of frames taken is the last one's ticket.
    let following = SlotWord(
      .ready, ticket: control.pointee.taken.load(ordering: .relaxed) + 1)
    for index in 0..<slotCount where control.word(index) == following {
      return (index, following)
    }
    return nil
  }

  /// Gives back unread frames older than `ticket`. All of them are visible by now: they were
  /// committed before the one that was taken.
  private borrowing func skip(before ticket: UInt64) {
    for index in 0..<slotCount {
      let word = control.word(index)
      guard word.isIn(.ready), word.ticket < ticket else { continue }
      if control.exchangeWord(index, word, SlotWord(.free, ticket: word.ticket)) {
        control.pointee.skipped.wrappingAdd(1, ordering: .releasing)
      }
    }
  }
}

/// The right to read one frame, within the life of the ring. Its end gives the slot back.
public struct ReadLease: ~Copyable {
  let control: UnsafeMutablePointer<RingControl>
  let producerEvents: UnsafeMutablePointer<EventCount>
  let index: Int
  let start: UnsafeRawPointer
  /// As the producer committed it.
  public let info: FrameInfo

  init(
    control: UnsafeMutablePointer<RingControl>, producerEvents: UnsafeMutablePointer<EventCount>,
    index: Int, start: UnsafeRawPointer, info: FrameInfo
  ) {
    self.control = control
    self.producerEvents = producerEvents
    self.index = index
    self.start = start
    self.info = info
  }

  /// The frame: the valid bytes of the slot.
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let span = RawSpan(_unsafeStart: start, byteCount: info.bytesUsed)
      return _overrideLifetime(span, borrowing: self)
    }
  }

  /// Gives the slot back before the end of its scope.
  public consuming func giveBack() {}

  deinit {
    control.setWord(index, SlotWord(.free, ticket: 0))
    control.pointee.isReading.store(false, ordering: .relaxed)
    producerEvents.signal()
  }
}
