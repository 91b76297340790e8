import Platform

/// The door's relay. Power comes in pulses whose end is set before the power, is never later than
/// ``RelayOptions/longestHold`` after it, and is not moved by asking again.
public struct Relay: ~Copyable {
  private var line: Line
  private let options: RelayOptions
  /// When the running pulse ends; nil without one.
  public private(set) var releaseAt: Instant?

  public init(
    _ options: RelayOptions, line: LineOptions, chip: FixedString<64>, isSimulated: Bool
  ) throws(BoardError) {
    self.options = options
    self.line = try Line(
      .relay, line, chip: chip, isOn: options.onAtRequest, onAtExit: options.onAtExit,
      isSimulated: isSimulated)
  }

  /// The level that was set last; nil when it is not known.
  public var level: Bool? { line.level }

  var isWired: Bool { line.isWired }

  /// Powers the relay for `hold`, but no longer than the longest hold. Nothing happens while a
  /// pulse runs, and for a hold of zero or less.
  public mutating func pulse(for hold: Duration, at now: Instant) throws(BoardError) {
    guard releaseAt == nil, hold > .zero else { return }
    releaseAt = now + min(hold, options.longestHold)
    try line.set(true)
  }

  /// Ends a pulse whose time is over. To be called often: the pulse ends with the first call after
  /// its time. A release that fails is tried again by the next call.
  /// - Parameter isFault: whether the level without a pulse is that for a fault.
  public mutating func tick(at now: Instant, isFault: Bool = false) throws(BoardError) {
    let rest = isFault && options.onAtFault
    if let releaseAt {
      guard now >= releaseAt else { return }
      try line.set(rest)
      self.releaseAt = nil
    } else if line.level != rest {
      try line.set(rest)
    }
  }

  /// Drives the level for a fault and forgets the pulse.
  public mutating func makeSafe() throws(BoardError) {
    releaseAt = nil
    if line.level != options.onAtFault { try line.set(options.onAtFault) }
  }

  /// Drives the level for the exit and forgets the pulse.
  public mutating func end() throws(BoardError) {
    releaseAt = nil
    if line.level != options.onAtExit { try line.set(options.onAtExit) }
  }
}
