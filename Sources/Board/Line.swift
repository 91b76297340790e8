import Platform

/// One output line, taken with a level from the first moment and held until `deinit`, which leaves
/// it at its level for the exit. "On" is what the settings call so, whatever the pin's polarity.
public struct Line: ~Copyable {
  private var held: HeldLine

  /// Takes the line.
  /// - Parameters:
  ///   - chip: as ``BoardOptions/chip``.
  ///   - isOn: the level from the first moment.
  public init(
    _ output: Output, _ options: LineOptions, chip: FixedString<64>, isOn: Bool, onAtExit: Bool,
    isSimulated: Bool
  ) throws(BoardError) {
    held = try HeldLine(
      output, options, chip: chip, isOn: isOn, onAtExit: onAtExit, isSimulated: isSimulated)
  }

  public var output: Output { held.output }

  /// The level that was accepted last; nil after a failure, when it is not known.
  public var level: Bool? { held.level }

  /// Sets the level. A failure leaves the pin as nobody knows.
  public mutating func set(_ isOn: Bool) throws(BoardError) { try held.set(isOn) }

  var isWired: Bool { held.isWired }

  deinit { held.release() }
}
