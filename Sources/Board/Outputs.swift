import Platform

/// A line that took another level.
public struct LineChange: Equatable, Sendable {
  public let output: Output
  public let isOn: Bool
  public let at: Instant
}

/// The relay and the lights. Given the time by its caller, so that an hour of them can be tested in
/// no time and a replay switches as the clip's clock says.
///
/// The first level that cannot be set makes everything safe: the relay goes to its level for a
/// fault, the lights go out but the one for faults. It stays so for the life of this value, and
/// ``fault`` says why; safe levels that could not be set are tried again by every ``apply(_:at:)``.
/// `deinit` leaves every line at its level for the exit.
public struct Outputs: ~Copyable {
  private var relay: Relay
  private var lights: Lights
  private let hold: Duration
  private var state = OutputState.starting
  private var since: Instant?
  private var changes = ChangeQueue()
  /// The first level that could not be set.
  public private(set) var fault: BoardError?

  /// Takes all lines that the options name, or none: when one cannot be had, those taken before go
  /// to their level for the exit.
  public init(_ options: BoardOptions, isSimulated: Bool) throws(BoardError) {
    let relay = try Relay(
      options.relay, line: options[.relay], chip: options.chip, isSimulated: isSimulated)
    let lights = try Lights(options, isSimulated: isSimulated)
    self.relay = relay
    self.lights = lights
    hold = options.relay.hold
  }

  /// Whether the relay has power; nil when that is not known.
  public var relayLevel: Bool? { relay.level }

  /// Shows `state` and ends the relay's pulse when its time is over. To be called whenever the state
  /// may have changed, and at ``nextChange(after:)``; patterns begin when the state changes. When
  /// the state becomes a fault the pulse ends, and while it is one the relay has its level for that.
  public mutating func apply(_ state: OutputState, at now: Instant) throws(BoardError) {
    if fault != nil { return makeSafe(at: now) }
    let isNew = state != self.state || since == nil
    if isNew {
      self.state = state
      since = now
    }
    do {
      let before = relay.level
      if isNew && state == .fault { try relay.makeSafe() }
      try relay.tick(at: now, isFault: state == .fault)
      noteRelay(before, at: now)
      try showLights(at: now)
    } catch {
      fail(error, at: now)
      throw error
    }
  }

  /// When ``apply(_:at:)`` has something to do again at the latest: the next step of the patterns,
  /// counted from the beginning of the state so that nothing adds up, or the end of the pulse.
  public func nextChange(after now: Instant) -> Instant {
    guard fault == nil, let since else { return now + Pattern.step }
    let step = Pattern.step.wholeNanoseconds
    let next = since + .nanoseconds((max(0, (now - since).wholeNanoseconds) / step + 1) * step)
    guard let end = relay.releaseAt, end > now else { return next }
    return min(next, end)
  }

  /// Whether a pulse runs.
  public var isPulsing: Bool { relay.releaseAt != nil }

  /// Powers the relay for the settings' hold. Refused after a line has failed; nothing happens while
  /// a pulse runs.
  public mutating func openDoor(at now: Instant) throws(BoardError) {
    if let fault { throw fault }
    do {
      let before = relay.level
      try relay.pulse(for: hold, at: now)
      noteRelay(before, at: now)
    } catch {
      fail(error, at: now)
      throw error
    }
  }

  /// Drives every line to its level for a fault, whatever the state; the next ``apply(_:at:)``
  /// drives the lines again unless one of them failed here.
  private mutating func makeSafe(at now: Instant) {
    let before = relay.level
    do {
      try relay.makeSafe()
    } catch {
      fault = fault ?? error
    }
    noteRelay(before, at: now)
    for index in lights.indices { tryLight(index, isOn: Lights.output(index) == .fault, at: now) }
  }

  /// Drives every line to its level for the exit, while somebody can still log it.
  public mutating func end(at now: Instant) {
    let before = relay.level
    do {
      try relay.end()
    } catch {
      fault = fault ?? error
    }
    noteRelay(before, at: now)
    for index in lights.indices { tryLight(index, isOn: false, at: now) }
  }

  /// The next change that nobody has taken yet. The queue keeps ``ChangeQueue/capacity`` of them.
  public mutating func takeChange() -> LineChange? { changes.take() }

  /// Changes that found the queue full.
  public var lostChanges: UInt32 { changes.lost }

  private mutating func showLights(at now: Instant) throws(BoardError) {
    let elapsed = since.map { now - $0 } ?? .zero
    for index in lights.indices {
      let isOn = Pattern.of(Lights.output(index), in: state).isOn(after: elapsed)
      guard lights[index].level != isOn else { continue }
      try lights[index].set(isOn)
      if lights[index].isWired { note(Lights.output(index), isOn, at: now) }
    }
  }

  private mutating func tryLight(_ index: Int, isOn: Bool, at now: Instant) {
    guard lights[index].level != isOn else { return }
    do {
      try lights[index].set(isOn)
      if lights[index].isWired { note(Lights.output(index), isOn, at: now) }
    } catch {
      fault = fault ?? error
    }
  }

  private mutating func fail(_ error: BoardError, at now: Instant) {
    fault = error
    makeSafe(at: now)
  }

  private mutating func noteRelay(_ before: Bool?, at now: Instant) {
    if relay.isWired, let level = relay.level, level != before { note(.relay, level, at: now) }
  }

  private mutating func note(_ output: Output, _ isOn: Bool, at now: Instant) {
    changes.put(LineChange(output: output, isOn: isOn, at: now))
  }
}

/// All lines but the relay's, off at first and at the exit.
public struct Lights: ~Copyable {
  private static let count = 15
  private var lines: InlineArray<15, HeldLine>

  /// Takes all of them, or none.
  init(_ options: BoardOptions, isSimulated: Bool) throws(BoardError) {
    func take(_ index: Int) throws(BoardError) -> HeldLine {
      let output = Self.output(index)
      return try HeldLine(
        output, options[output], chip: options.chip, isOn: false, onAtExit: false,
        isSimulated: isSimulated)
    }
    var lines = InlineArray<15, HeldLine>(repeating: try take(0))
    for index in 1..<Self.count {
      do {
        lines[index] = try take(index)
      } catch {
        for taken in 0..<index { lines[taken].release() }
        throw error
      }
    }
    self.lines = lines
  }

  static func output(_ index: Int) -> Output { Output(rawValue: UInt8(index) + 1) ?? .fault }

  var indices: Range<Int> { 0..<Self.count }

  subscript(index: Int) -> HeldLine {
    get { lines[index] }
    set { lines[index] = newValue }
  }

  deinit { for index in 0..<Self.count { lines[index].release() } }
}

/// Changes on their way to the log, first in, first out.
struct ChangeQueue {
  static let capacity = 32

  private var storage = InlineArray<32, LineChange>(
    repeating: LineChange(output: .relay, isOn: false, at: .zero))
  private var first = 0
  private var count = 0
  private(set) var lost: UInt32 = 0

  /// A full queue counts the newcomer as lost.
  mutating func put(_ change: LineChange) {
    guard count < Self.capacity else {
      lost &+= 1
      return
    }
    storage[(first + count) % Self.capacity] = change
    count += 1
  }

  mutating func take() -> LineChange? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % Self.capacity
      count -= 1
    }
    return storage[first]
  }
}
