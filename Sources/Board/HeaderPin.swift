import Platform

/// A line of the 40-pin header that every Raspberry Pi here has; `board/header40.toml` is where this
/// comes from, pin by pin, with its sources.
public struct HeaderPin: Equatable, Sendable {
  /// What the board itself uses a line for.
  public enum Reservation: UInt8, Sendable {
    /// The boot firmware looks for add-on boards there.
    case eeprom
    /// Has a pull-up of 1.8 kΩ on the board.
    case i2c
    /// The log.
    case serial

    public var name: StaticString {
      switch self {
      case .eeprom: "eeprom"
      case .i2c: "i2c"
      case .serial: "serial"
      }
    }
  }

  /// Counted from 0 on the chip: the GPIO number.
  public let line: UInt32
  public let reservation: Reservation?
  /// Which way the chip's resistor draws the pin from the reset until something drives it.
  public let pull: Bias

  /// The pin of a line; nil for lines that the header does not have.
  public init?(line: UInt32) {
    guard line < 28 else { return nil }
    self.line = line
    reservation =
      switch line {
      case 0, 1: .eeprom
      case 2, 3: .i2c
      case 14, 15: .serial
      default: nil
      }
    pull = line <= 8 ? .up : .down
  }

  /// The pin that `place` means on the chip that `chip` names.
  /// - Parameter chip: as ``BoardOptions/chip``. Nil for every chip but `auto` and those that are
  ///   called as the header's chips are: of others nothing is known.
  public init?(_ place: LinePlace, chip: FixedString<64>) {
    guard
      chip == "auto" || chip == "pinctrl-bcm2835" || chip == "pinctrl-bcm2711"
        || chip == "pinctrl-rp1",
      let line = place.number
    else { return nil }
    self.init(line: line)
  }

  /// Whether what hangs on the pin is on from the reset until something drives it.
  public func isOnAtReset(activeLow: Bool) -> Bool { (pull == .up) != activeLow }
}

extension LinePlace {
  /// The line's number: its own, or that of a name such as GPIO17.
  var number: UInt32? {
    switch self {
    case .unused: return nil
    case .offset(let offset): return offset
    case .name(let name):
      let bytes = name.bytes
      let prefix: InlineArray<4, UInt8> = [71, 80, 73, 79]  // GPIO
      guard 5...6 ~= bytes.count else { return nil }
      for index in 0..<4 where bytes[index] != prefix[index] { return nil }
      var number: UInt32 = 0
      for index in 4..<bytes.count {
        guard 48...57 ~= bytes[index] else { return nil }
        number = number * 10 + UInt32(bytes[index] - 48)
      }
      return number
    }
  }
}
