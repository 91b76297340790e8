import CGPIO
import Platform

/// The state of an output line that somebody else owns and releases. ``Line`` owns one, ``Lights``
/// many: an array of owners cannot be destroyed outside of this module in Embedded Swift 6.3 (the
/// compiler asks for metadata, and stops).
struct HeldLine {
  enum Backing {
    /// Not wired: every level is accepted and nothing happens.
    case unused
    /// `--simulate`: as a real line, without hardware.
    case simulated
    case held(OpaquePointer)
  }

  let output: Output
  private let backing: Backing
  private let onAtExit: Bool
  private(set) var level: Bool?

  init(
    _ output: Output, _ options: LineOptions, chip: FixedString<64>, isOn: Bool, onAtExit: Bool,
    isSimulated: Bool
  ) throws(BoardError) {
    self.output = output
    self.onAtExit = onAtExit
    if options.place == .unused {
      backing = .unused
    } else {
      var config = cgpio_config()
      config.active_low = options.activeLow ? 1 : 0
      config.open_drain = options.openDrain ? 1 : 0
      config.is_on = isOn ? 1 : 0
      config.is_on_at_exit = onAtExit ? 1 : 0
      // Whoever drives the pin or nobody: it is drawn to where it is to be without us.
      config.bias = Bias.towards(onAtExit, activeLow: options.activeLow).inC
      let line = try takeLine(
        .output(output), options.place, chip: chip, config, isSimulated: isSimulated)
      if line != nil { beforeSuddenEnd(cgpio_leave_outputs) }
      backing = line.map { .held($0) } ?? .simulated
    }
    level = isOn
  }

  mutating func set(_ isOn: Bool) throws(BoardError) {
    level = nil
    do {
      try plannedFault(.ioctl)
      if case .held(let line) = backing { _ = try checked { cgpio_set(line, isOn ? 1 : 0) } }
    } catch {
      throw .line(.output(output), error)
    }
    level = isOn
  }

  var isWired: Bool {
    if case .unused = backing { false } else { true }
  }

  /// Leaves the line at its level for the exit and gives it back; once.
  func release() {
    if case .held(let line) = backing {
      // Nobody is left to tell of a failure; the kernel takes the line back in any case.
      _ = cgpio_set(line, onAtExit ? 1 : 0)
      cgpio_release(line)
    }
  }
}

extension Bias {
  /// The one that draws a pin to the level of on, or of off.
  static func towards(_ isOn: Bool, activeLow: Bool) -> Bias { isOn == activeLow ? .down : .up }

  var inC: cgpio_bias {
    switch self {
    case .none: CGPIO_BIAS_NONE
    case .up: CGPIO_BIAS_UP
    case .down: CGPIO_BIAS_DOWN
    }
  }
}

/// Takes a line of the chip; nil where it is only simulated.
/// - Parameter chip: as ``BoardOptions/chip``.
func takeLine(
  _ use: LineUse, _ place: LinePlace, chip: FixedString<64>, _ config: cgpio_config,
  isSimulated: Bool
) throws(BoardError) -> OpaquePointer? {
  do {
    try plannedFault(.open)
  } catch {
    throw .line(use, error)
  }
  if isSimulated { return nil }
  var failure = cgpio_failure()
  var config = config
  let line = chip.withCString { chip -> OpaquePointer? in
    switch place {
    case .unused: nil
    case .offset(let offset): cgpio_request(chip, nil, offset, &config, &failure)
    case .name(let name): name.withCString { cgpio_request(chip, $0, 0, &config, &failure) }
    }
  }
  if let line { return line }
  throw error(failure, use, place, wanted: chip)
}

private func error(
  _ failure: cgpio_failure, _ use: LineUse, _ place: LinePlace, wanted: FixedString<64>
) -> BoardError {
  let errno = Errno(code: failure.code)
  let chip: FixedString<64> = text(failure.chip)
  return switch failure.problem {
  case CGPIO_UNKNOWN_CHIP: .unknownChip(wanted, existing: text(failure.text))
  case CGPIO_NO_PERMISSION: .permission(path: chip)
  case CGPIO_CHIP_FAILED: .chip(chip, errno)
  case CGPIO_UNKNOWN_LINE: .unknownLine(use, place, chip: chip, lineCount: failure.line_count)
  case CGPIO_BUSY: .busy(use, place, consumer: text(failure.text))
  default: .line(use, errno)
  }
}

/// A zero-terminated text out of a C struct's array.
private func text<Characters, let capacity: Int>(
  _ characters: Characters
) -> FixedString<capacity> {
  var text = FixedString<capacity>()
  withUnsafeBytes(of: characters) { bytes in
    for byte in bytes {
      if byte == 0 { break }
      text.append(byte: byte)
    }
  }
  return text
}
