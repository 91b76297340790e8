import CGPIO
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

/// The state of a line that somebody else owns and releases. ``Line`` owns one, ``Lights`` many: an
/// array of owners cannot be destroyed outside of this module in Embedded Swift 6.3 (the compiler
/// asks for metadata, and stops).
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
    backing = try Self.take(
      output, options, chip: chip, isOn: isOn, isSimulated: isSimulated)
    level = isOn
  }

  mutating func set(_ isOn: Bool) throws(BoardError) {
    level = nil
    do {
      try plannedFault(.ioctl)
      if case .held(let line) = backing { _ = try checked { cgpio_set(line, isOn ? 1 : 0) } }
    } catch {
      throw .line(output, error)
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

  private static func take(
    _ output: Output, _ options: LineOptions, chip: FixedString<64>, isOn: Bool, isSimulated: Bool
  ) throws(BoardError) -> Backing {
    if options.place == .unused { return .unused }
    do {
      try plannedFault(.open)
    } catch {
      throw .line(output, error)
    }
    if isSimulated { return .simulated }
    var failure = cgpio_failure()
    let line = chip.withCString { chip -> OpaquePointer? in
      switch options.place {
      case .unused: nil
      case .offset(let offset):
        cgpio_request(chip, nil, offset, options.activeLow ? 1 : 0, isOn ? 1 : 0, &failure)
      case .name(let name):
        name.withCString {
          cgpio_request(chip, $0, 0, options.activeLow ? 1 : 0, isOn ? 1 : 0, &failure)
        }
      }
    }
    if let line { return .held(line) }
    throw error(failure, output, options.place, wanted: chip)
  }

  private static func error(
    _ failure: cgpio_failure, _ output: Output, _ place: LinePlace, wanted: FixedString<64>
  ) -> BoardError {
    let errno = Errno(code: failure.code)
    let chip: FixedString<64> = text(failure.chip)
    return switch failure.problem {
    case CGPIO_UNKNOWN_CHIP: .unknownChip(wanted, existing: text(failure.text))
    case CGPIO_NO_PERMISSION: .permission(path: chip)
    case CGPIO_CHIP_FAILED: .chip(chip, errno)
    case CGPIO_UNKNOWN_LINE:
      .unknownLine(output, place, chip: chip, lineCount: failure.line_count)
    case CGPIO_BUSY: .busy(output, place, consumer: text(failure.text))
    default: .line(output, errno)
    }
  }

  /// A zero-terminated text out of a C struct's array.
  private static func text<Characters, let capacity: Int>(
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
}
