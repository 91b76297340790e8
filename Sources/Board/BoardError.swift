import Platform

/// Why a line could not be had, set or read.
public enum BoardError: Error, Equatable, Sendable {
  /// No chip has that label, name or path; `existing` lists those there are.
  case unknownChip(FixedString<64>, existing: FixedString<256>)
  /// The chip has no such line; `chip` is its label, with `lineCount` lines.
  case unknownLine(LineUse, LinePlace, chip: FixedString<64>, lineCount: UInt32)
  /// The line is held already by `consumer` (empty: not known).
  case busy(LineUse, LinePlace, consumer: FixedString<32>)
  /// The kernel does not let this user open the chip at `path`.
  case permission(path: FixedString<64>)
  /// Another system error while the chip was opened.
  case chip(FixedString<64>, Errno)
  /// Another system error while the line was taken, set or read.
  case line(LineUse, Errno)

  /// Appends the message for a person.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    switch self {
    case .unknownChip(let wanted, let existing):
      text.append("board.chip: no GPIO chip ")
      text.append(wanted)
      if existing.isEmpty {
        text.append("; this machine has none")
      } else {
        text.append("; there are: ")
        text.append(existing)
      }
    case .unknownLine(let use, let place, let chip, let lineCount):
      text.append(use.name)
      text.append(": chip ")
      text.append(chip)
      text.append(" has no line ")
      place.describe(into: &text)
      text.append("; it has 0 to ")
      text.append(Int64(lineCount) - 1)
    case .busy(let use, let place, let consumer):
      text.append(use.name)
      text.append(": line ")
      place.describe(into: &text)
      text.append(" is in use")
      if !consumer.isEmpty {
        text.append(" by ")
        text.append(consumer)
      }
    case .permission(let path):
      text.append("board.chip: no permission to open ")
      text.append(path)
      text.append("; the user must be in its group (gpio)")
    case .chip(let chip, let errno):
      text.append("board.chip: ")
      text.append(chip)
      text.append(": ")
      errno.describe(into: &text)
    case .line(let use, let errno):
      text.append(use.name)
      text.append(": ")
      errno.describe(into: &text)
    }
  }
}

extension LinePlace {
  /// Appends the offset or the name.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    switch self {
    case .unused: text.append("none")
    case .offset(let offset): text.append(Int64(offset))
    case .name(let name): text.append(name)
    }
  }
}
