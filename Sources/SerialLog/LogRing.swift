import Platform
import Synchronization

/// One place for a line. `sequence` says whose turn it is: equal to a producer's ticket, the place
/// is free for that ticket; one more, the line is whole; a lap more, it has been written out.
struct LogSlot: ~Copyable {
  let sequence: Atomic<UInt32>
  /// Lines that found no place since the last one that did.
  var lostBefore: UInt32 = 0
  var line = FixedString<512>()

  init(sequence: UInt32) { self.sequence = Atomic(sequence) }
}

/// What producers and the writer share, at the start of the memory the service was given.
///
/// The queue is D. Vyukov's bounded one: a producer takes a ticket by compare-and-swap, fills the
/// place and publishes it. No lock, so a producer that is interrupted halfway delays only the
/// writer, never another producer.
struct LogRing: ~Copyable {
  static let capacity: UInt32 = 64

  let level: LogLevel
  let isSynchronous: Bool
  private let slots: UnsafeMutablePointer<LogSlot>
  /// Signalled with every line; the writer sleeps on it.
  private let events: UnsafeMutablePointer<EventCount>
  private let writer: UnsafeMutablePointer<LogWriter>
  private let ticket = Atomic<UInt32>(0)
  private let written = Atomic<UInt32>(0)
  private let lost = Atomic<UInt32>(0)
  private let lostInAll = Atomic<UInt32>(0)
  private let isStopping = Atomic<Bool>(false)
  private let isWriting = Atomic<Bool>(false)

  /// Bytes of all the memory, at an alignment of 64.
  static var byteCount: Int {
    offsetOfSlots + MemoryLayout<LogSlot>.stride * Int(capacity)
  }
  private static var offsetOfEvents: Int { (MemoryLayout<LogRing>.size + 63) & ~63 }
  private static var offsetOfWriter: Int { offsetOfEvents + 64 }
  private static var offsetOfSlots: Int {
    offsetOfWriter + (MemoryLayout<LogWriter>.size + 63) & ~63
  }

  init(
    level: LogLevel, isSynchronous: Bool, writer: consuming LogWriter,
    memory: UnsafeMutableRawBufferPointer
  ) {
    self.level = level
    self.isSynchronous = isSynchronous
    let start = memory.baseAddress.unsafelyUnwrapped
    events = (start + Self.offsetOfEvents).bindMemory(to: EventCount.self, capacity: 1)
    events.initialize(to: EventCount())
    self.writer = (start + Self.offsetOfWriter).bindMemory(to: LogWriter.self, capacity: 1)
    self.writer.initialize(to: writer)
    slots = (start + Self.offsetOfSlots)
      .bindMemory(to: LogSlot.self, capacity: Int(Self.capacity))
    for index in 0..<Self.capacity {
      (slots + Int(index)).initialize(to: LogSlot(sequence: index))
    }
  }

  deinit {
    writer.deinitialize(count: 1)
    slots.deinitialize(count: Int(Self.capacity))
    events.deinitialize(count: 1)
  }

  var lostCount: UInt32 { lostInAll.load(ordering: .relaxed) }

  /// Whether the writer has put out every line that was taken so far.
  var isIdle: Bool {
    written.load(ordering: .acquiring) == ticket.load(ordering: .acquiring)
      && lost.load(ordering: .relaxed) == 0
  }

  // MARK: Producers

  func put(_ line: borrowing LogLine) {
    guard line.level <= level else { return }
    isSynchronous ? writeNow(line.ended()) : enqueue(line.ended())
  }

  private func enqueue(_ line: FixedString<512>) {
    var mine = ticket.load(ordering: .relaxed)
    while true {
      let slot = slots + Int(mine % Self.capacity)
      let turn = slot.pointee.sequence.load(ordering: .acquiring)
      let ahead = Int32(bitPattern: turn &- mine)
      if ahead < 0 { return countAsLost(1) }
      if ahead > 0 {
        mine = ticket.load(ordering: .relaxed)
        continue
      }
      let taken = ticket.weakCompareExchange(
        expected: mine, desired: mine &+ 1, ordering: .relaxed)
      guard taken.exchanged else {
        mine = taken.original
        continue
      }
      slot.pointee.lostBefore = lost.exchange(0, ordering: .relaxed)
      slot.pointee.line = line
      slot.pointee.sequence.store(mine &+ 1, ordering: .releasing)
      return events.signal()
    }
  }

  private func writeNow(_ line: FixedString<512>) {
    while isWriting.exchange(true, ordering: .acquiring) { sleep(for: .microseconds(50)) }
    defer { isWriting.store(false, ordering: .releasing) }
    if !writer.pointee.write(line, mayWait: { true }) { countAsLost(1) }
  }

  private func countAsLost(_ count: UInt32) {
    lost.add(count, ordering: .relaxed)
    lostInAll.add(count, ordering: .relaxed)
  }

  // MARK: The writer's thread

  /// The longest that a stop waits for a target that takes nothing.
  static let stopPatience = Duration.seconds(1)

  func stop() {
    isStopping.store(true, ordering: .releasing)
    events.signal()
  }

  /// The writer looks at least so often, as lines that found no place are counted without a signal.
  private static let longestSleep = Duration.seconds(1)

  /// Runs until ``stop()``; then puts out what is left, within ``stopPatience``.
  func run() {
    var position: UInt32 = 0
    var giveUpAt: Instant?
    while true {
      let seen = events.current
      let isLast = isStopping.load(ordering: .acquiring)
      while writeNext(position, &giveUpAt) { position &+= 1 }
      reportLost(lost.exchange(0, ordering: .relaxed), &giveUpAt)
      if isLast { return }
      events.wait(after: seen, until: .now() + Self.longestSleep)
    }
  }

  /// Writes the line at `position` out; false where there is none yet.
  private func writeNext(_ position: UInt32, _ giveUpAt: inout Instant?) -> Bool {
    let slot = slots + Int(position % Self.capacity)
    guard slot.pointee.sequence.load(ordering: .acquiring) == position &+ 1 else { return false }
    reportLost(slot.pointee.lostBefore, &giveUpAt)
    if !writer.pointee.write(slot.pointee.line, mayWait: { mayWait(&giveUpAt) }) { countAsLost(1) }
    slot.pointee.sequence.store(position &+ Self.capacity, ordering: .releasing)
    written.store(position &+ 1, ordering: .releasing)
    return true
  }

  private func reportLost(_ count: UInt32, _ giveUpAt: inout Instant?) {
    guard count > 0 else { return }
    var line = LogLine("log.dropped", .warning, at: .now())
    line.add("count", count)
    if let failure = writer.pointee.takeFailure() {
      var cause = FixedString<32>()
      failure.appendName(to: &cause)
      line.add("cause", cause)
    }
    // Not told: the next line that gets through tells of them.
    if !writer.pointee.write(line.ended(), mayWait: { mayWait(&giveUpAt) }) {
      lost.add(count, ordering: .relaxed)
    }
  }

  private func mayWait(_ giveUpAt: inout Instant?) -> Bool {
    guard isStopping.load(ordering: .acquiring) else { return true }
    let now = Instant.now()
    if let giveUpAt { return now < giveUpAt }
    giveUpAt = now + Self.stopPatience
    return true
  }
}

/// The thread's body.
func runLogWriter(_ context: UnsafeMutableRawPointer?) {
  context?.assumingMemoryBound(to: LogRing.self).pointee.run()
}
