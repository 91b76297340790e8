import Platform

/// What a line drives. The relay, the lights everyone has, and one light a challenge for those who
/// have them.
public enum Output: UInt8, Sendable {
  case relay
  case ready, face, prompt, pass, fail, fault
  case promptSmile, promptTurn, promptTurnLeft, promptTurnRight, promptMouthOpen, promptNod
  case promptHeadUp, promptHeadDown, promptBlink

  /// How many there are.
  public static let count = 16
  /// How many challenges have a light of their own, and a blink code on the shared one.
  public static let promptCount = 9

  /// The light of one challenge; `code` is the challenge's raw value, 0 to 8. Nil beyond.
  public static func prompt(_ code: UInt8) -> Output? {
    code < promptCount ? Output(rawValue: Output.promptSmile.rawValue + code) : nil
  }

  /// The challenge that the light belongs to; nil for the others.
  var promptCode: UInt8? {
    rawValue >= Output.promptSmile.rawValue ? rawValue - Output.promptSmile.rawValue : nil
  }

  /// The name in settings (a table, as in `[led.ready]`) and log.
  public var name: StaticString {
    switch self {
    case .relay: "relay"
    case .ready: "led.ready"
    case .face: "led.face"
    case .prompt: "led.prompt"
    case .pass: "led.pass"
    case .fail: "led.fail"
    case .fault: "led.fault"
    case .promptSmile: "led.prompt_smile"
    case .promptTurn: "led.prompt_turn"
    case .promptTurnLeft: "led.prompt_turn_left"
    case .promptTurnRight: "led.prompt_turn_right"
    case .promptMouthOpen: "led.prompt_mouth_open"
    case .promptNod: "led.prompt_nod"
    case .promptHeadUp: "led.prompt_head_up"
    case .promptHeadDown: "led.prompt_head_down"
    case .promptBlink: "led.prompt_blink"
    }
  }
}

/// Where a line is found on its chip.
public enum LinePlace: Equatable, Sendable {
  /// Not wired.
  case unused
  /// Counted from 0 on the chip, as `gpioinfo` prints it.
  case offset(UInt32)
  /// The name that the kernel gives the line, such as GPIO17; at most 31 bytes, as there.
  case name(FixedString<32>)
}

/// One line of the GPIO chip that is driven. The chip's own resistor draws it to its level for the
/// exit, where there is one.
public struct LineOptions: Equatable, Sendable {
  public var place = LinePlace.unused
  /// The line is on while its pin is low.
  public var activeLow = false
  /// A high pin is not driven: somebody else's resistor pulls it up.
  public var openDrain = false

  public init() {}
}

/// The relay's times and levels. The line itself is ``BoardOptions/subscript(_:)`` `.relay`.
public struct RelayOptions: Equatable, Sendable {
  /// How long one verdict powers the relay.
  public var hold = Duration.milliseconds(3000)
  /// However long was asked for, the power ends after this.
  public var longestHold = Duration.milliseconds(5000)
  /// Whether the relay has power from the moment its line is taken until the outputs are applied
  /// for the first time, while a fault holds, and when the program ends. All off is fail-secure: a
  /// lock that opens by power stays shut.
  public var onAtRequest = false
  public var onAtFault = false
  public var onAtExit = false
  /// The relay may have power from the reset until the program takes its line.
  public var acceptsBootGlitch = false

  public init() {}
}

/// The chip, its lines and what they do.
public struct BoardOptions: Equatable, Sendable {
  /// The chip's label, its name (`gpiochip0`) or its path. `auto` is the first chip whose label
  /// begins with `pinctrl-`: on every Raspberry Pi that is the one behind the pin header.
  public var chip = FixedString<64>("auto")
  public var relay = RelayOptions()
  /// Whether no verdict opens while the case is open, or its contact cannot be read.
  public var tamperBlocks = true
  var lines = InlineArray<16, LineOptions>(repeating: LineOptions())
  var inputs: InlineArray<3, InputOptions> = [
    InputOptions(.exitButton), InputOptions(.doorContact), InputOptions(.tamper),
  ]

  public init() {}

  public subscript(output: Output) -> LineOptions {
    get { lines[Int(output.rawValue)] }
    set { lines[Int(output.rawValue)] = newValue }
  }

  public subscript(input: Input) -> InputOptions {
    get { inputs[Int(input.rawValue)] }
    set { inputs[Int(input.rawValue)] = newValue }
  }

  public static func == (a: BoardOptions, b: BoardOptions) -> Bool {
    for index in 0..<Output.count where a.lines[index] != b.lines[index] { return false }
    for index in 0..<Input.count where a.inputs[index] != b.inputs[index] { return false }
    return a.chip == b.chip && a.relay == b.relay && a.tamperBlocks == b.tamperBlocks
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Output: CaseIterable {}
#endif
