import CGPIO
import Platform

/// An input that took another level.
public struct InputChange: Equatable, Sendable {
  public let input: Input
  public let isOn: Bool
  /// The first level since the start or since it could not be read; no edge.
  public let isFirst: Bool
}

/// The lines that are read. Given the time by its caller, as ``Outputs`` are. The kernel debounces
/// where it can; where it cannot, it is done here, out of what ``look(_:at:)`` sees.
public struct Inputs: ~Copyable {
  /// How often to look while anything is wired: often enough for the shortest debouncing that
  /// matters, and for a finger.
  public static let pace = Duration.milliseconds(10)

  enum Backing {
    case unused
    /// `--simulate`, and tests: the level that somebody set.
    case simulated(Bool)
    case held(OpaquePointer)
  }

  private var backings = InlineArray<3, Backing>(repeating: .unused)
  private var debouncers = InlineArray<3, Debouncer>(repeating: Debouncer(.zero))

  /// Takes all lines that the options name, or none.
  public init(_ options: BoardOptions, isSimulated: Bool) throws(BoardError) {
    var backings = InlineArray<3, Backing>(repeating: .unused)
    var debouncers = InlineArray<3, Debouncer>(repeating: Debouncer(.zero))
    for index in 0..<Input.count {
      guard let input = Input(rawValue: UInt8(index)) else { continue }
      do {
        backings[index] = try Self.take(
          input, options[input], chip: options.chip, isSimulated: isSimulated)
      } catch {
        for taken in 0..<index { Self.release(backings[taken]) }
        throw error
      }
      var isDebounced = false
      if case .held(let line) = backings[index] { isDebounced = cgpio_is_debounced(line) != 0 }
      debouncers[index] = Debouncer(isDebounced ? .zero : options[input].debounce)
    }
    self.backings = backings
    self.debouncers = debouncers
  }

  /// Whether there is anything to look at.
  public var isEmpty: Bool {
    for index in 0..<Input.count { if case .unused = backings[index] {} else { return false } }
    return true
  }

  /// The level that counts; nil where nothing is wired and while it is not known.
  public func level(_ input: Input) -> Bool? { debouncers[Int(input.rawValue)].level }

  /// Whether the line is wired and not known to be off.
  public func mayBeOn(_ input: Input) -> Bool {
    if case .unused = backings[Int(input.rawValue)] { false } else { level(input) != false }
  }

  /// Reads one line. A level that cannot be read is not known until it can.
  /// - Returns: the change; nil when there is none, or nothing is wired.
  public mutating func look(_ input: Input, at now: Instant) throws(BoardError) -> InputChange? {
    let index = Int(input.rawValue)
    let isOn: Bool
    do {
      switch backings[index] {
      case .unused: return nil
      case .simulated(let level):
        try plannedFault(.ioctl)
        isOn = level
      case .held(let line):
        try plannedFault(.ioctl)
        isOn = try checked { cgpio_get(line) } == 1
      }
    } catch {
      debouncers[index].forget()
      throw .line(.input(input), error)
    }
    let isFirst = debouncers[index].level == nil
    guard debouncers[index].look(isOn, at: now) else { return nil }
    return InputChange(input: input, isOn: isOn, isFirst: isFirst)
  }

  /// Gives a simulated line another level.
  mutating func simulate(_ input: Input, _ isOn: Bool) {
    if case .simulated = backings[Int(input.rawValue)] {
      backings[Int(input.rawValue)] = .simulated(isOn)
    }
  }

  private static func take(
    _ input: Input, _ options: InputOptions, chip: FixedString<64>, isSimulated: Bool
  ) throws(BoardError) -> Backing {
    if options.place == .unused { return .unused }
    var config = cgpio_config()
    config.is_input = 1
    config.active_low = options.activeLow ? 1 : 0
    config.bias = options.bias.inC
    config.debounce_us = UInt32(max(0, options.debounce.wholeNanoseconds / 1000))
    let line = try takeLine(
      .input(input), options.place, chip: chip, config, isSimulated: isSimulated)
    return line.map { .held($0) } ?? .simulated(false)
  }

  private static func release(_ backing: Backing) {
    if case .held(let line) = backing { cgpio_release(line) }
  }

  deinit { for index in 0..<Input.count { Self.release(backings[index]) } }
}
