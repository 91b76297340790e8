import Platform

/// What a line tells. "On" is what the settings call so, whatever the pin's polarity.
public enum Input: UInt8, Sendable {
  /// Somebody inside asks to be let out: on is pressed.
  case exitButton
  /// On is an open door.
  case doorContact
  /// On is an opened case.
  case tamper

  /// How many there are.
  public static let count = 3

  /// The name in settings (a table, as in `[exit_button]`) and log.
  public var name: StaticString {
    switch self {
    case .exitButton: "exit_button"
    case .doorContact: "door_contact"
    case .tamper: "tamper"
    }
  }
}

/// Which way a pin is drawn by the chip while nobody drives it. Left out where the chip has no
/// resistors for it.
public enum Bias: UInt8, Sendable {
  case none, up, down

  /// The name in the settings.
  public var name: StaticString {
    switch self {
    case .none: "none"
    case .up: "up"
    case .down: "down"
    }
  }
}

/// One line that is read. As they stand: the exit button closes to ground; door and case have
/// contacts that are closed to ground while all is well, so that a cut wire reads as on.
public struct InputOptions: Equatable, Sendable {
  public var place = LinePlace.unused
  /// The line is on while its pin is low.
  public var activeLow: Bool
  public var bias = Bias.up
  /// How long a level must stand to count; zero: at once.
  public var debounce = Duration.milliseconds(30)

  public init(_ input: Input) { activeLow = input == .exitButton }
}

/// A line's use, in messages.
public enum LineUse: Equatable, Sendable {
  case output(Output)
  case input(Input)

  public var name: StaticString {
    switch self {
    case .output(let output): output.name
    case .input(let input): input.name
    }
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Input: CaseIterable {}
#endif
