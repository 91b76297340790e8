import Platform

/// A light's course in steps of 100 ms, again and again.
public struct Pattern: Equatable, Sendable {
  /// One step.
  public static let step = Duration.milliseconds(100)

  /// Bit 0 is the first step.
  let steps: UInt32
  /// 1 to 32.
  let count: Int64

  init(steps: UInt32, count: Int64) {
    self.steps = steps
    self.count = count
  }

  public static let off = Pattern(steps: 0, count: 1)
  public static let steady = Pattern(steps: 1, count: 1)
  /// Half a second on, half a second off.
  public static let slow = Pattern(steps: 0b00000_11111, count: 10)
  /// 5 flashes a second.
  public static let fast = Pattern(steps: 0b01, count: 2)
  /// Two flashes, then a pause: 1.5 s in all.
  public static let double = Pattern(steps: 0b101, count: 15)

  /// The code of a challenge on the shared light. Long flashes (600 ms) are for the head, short
  /// ones (200 ms) for the face; 200 ms between flashes, 800 ms between repeats.
  ///
  ///     smile            short
  ///     mouth_open       short short
  ///     blink            short short short
  ///     turn             long
  ///     turn_left        long short
  ///     turn_right       long short short
  ///     nod              long long
  ///     head_up          long long short
  ///     head_down        long long short short
  ///
  /// `code` is the challenge's raw value; beyond 8 the light stays on.
  public static func prompt(_ code: UInt8) -> Pattern {
    switch Output.prompt(code) {
    case .promptSmile: flashes(long: 0, short: 1)
    case .promptMouthOpen: flashes(long: 0, short: 2)
    case .promptBlink: flashes(long: 0, short: 3)
    case .promptTurn: flashes(long: 1, short: 0)
    case .promptTurnLeft: flashes(long: 1, short: 1)
    case .promptTurnRight: flashes(long: 1, short: 2)
    case .promptNod: flashes(long: 2, short: 0)
    case .promptHeadUp: flashes(long: 2, short: 1)
    case .promptHeadDown: flashes(long: 2, short: 2)
    default: .steady
    }
  }

  private static func flashes(long: Int, short: Int) -> Pattern {
    var steps: UInt32 = 0
    var count: Int64 = 0
    for index in 0..<long + short {
      let length: Int64 = index < long ? 6 : 2
      steps |= ((1 << UInt32(length)) - 1) << UInt32(count)
      count += length + 2
    }
    return Pattern(steps: steps, count: count + 6)
  }

  /// Whether the light is on so long after the state began. Computed from the beginning, so that
  /// nothing adds up however long a state lasts.
  public func isOn(after elapsed: Duration) -> Bool {
    let step = max(0, elapsed.wholeNanoseconds) / Self.step.wholeNanoseconds
    return steps >> UInt32(step % count) & 1 == 1
  }

  /// The table of patterns: what a light shows in a state.
  public static func of(_ output: Output, in state: OutputState) -> Pattern {
    switch (output, state) {
    case (.ready, .starting): .slow
    case (.ready, .ready), (.ready, .adjust), (.ready, .face), (.ready, .prompt): .steady
    case (.face, .adjust): .slow
    case (.face, .face), (.face, .prompt), (.face, .pass): .steady
    case (.prompt, .prompt(let code)): .prompt(code)
    case (.pass, .pass): .steady
    case (.fail, .fail): .steady
    case (.fail, .lockedOut): .slow
    case (.fault, .noCamera): .double
    case (.fault, .fault): .fast
    case (_, .prompt(let code)): output == Output.prompt(code) ? .steady : .off
    default: .off
    }
  }
}
