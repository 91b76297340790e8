import Platform

/// The command line of `livelatchd run`.
struct DoorOptions {
  static var defaultConfig: UnsafePointer<CChar> {
    ("/etc/livelatch/livelatch.toml" as StaticString).cString
  }

  var config = Self.defaultConfig
  var models: UnsafePointer<CChar>?
  var camera: UnsafePointer<CChar>?
  var clip: UnsafePointer<CChar>?
  var seed: UInt64?
  var isSimulated = false
  /// Wrong settings end the program instead of being told again and again.
  var runsOnce = false
  /// The line that blinks while the settings are wrong.
  var faultLight: UInt32?

  /// Reads the words from `index` on. Nil after saying what is wrong with them.
  init?(firstOption index: Int) {
    var index = index
    while index < Arguments.count {
      if Arguments.word(index, is: "--simulate") {
        isSimulated = true
        index += 1
        continue
      }
      if Arguments.word(index, is: "--once") {
        runsOnce = true
        index += 1
        continue
      }
      guard let option = Option(at: index) else {
        complain(index, "is not known; see --help")
        return nil
      }
      guard let value = Arguments.word(index + 1) else {
        complain(index, "needs a value")
        return nil
      }
      switch option {
      case .config: config = value
      case .models: models = value
      case .camera: camera = value
      case .clip: clip = value
      case .seed:
        guard let number = Self.number(value) else {
          complain(index, "takes a whole number from 0 to 18446744073709551615")
          return nil
        }
        seed = number
      case .faultLight:
        guard let number = Self.number(value).flatMap({ UInt32(exactly: $0) }) else {
          complain(index, "takes the number of a line")
          return nil
        }
        faultLight = number
      }
      index += 2
    }
    if clip != nil && camera != nil {
      write("livelatchd: --clip and --camera exclude each other\n", to: 2)
      return nil
    }
    if seed != nil && clip == nil {
      write("livelatchd: --seed is for clips: on a camera it would tell what comes\n", to: 2)
      return nil
    }
  }

  /// What takes a value.
  private enum Option {
    case config, models, camera, clip, seed, faultLight

    init?(at index: Int) {
      if Arguments.word(index, is: "--config") {
        self = .config
      } else if Arguments.word(index, is: "--models") {
        self = .models
      } else if Arguments.word(index, is: "--camera") {
        self = .camera
      } else if Arguments.word(index, is: "--clip") {
        self = .clip
      } else if Arguments.word(index, is: "--seed") {
        self = .seed
      } else if Arguments.word(index, is: "--fault-light") {
        self = .faultLight
      } else {
        return nil
      }
    }
  }

  private static func number(_ text: UnsafePointer<CChar>) -> UInt64? {
    var value: UInt64 = 0
    var index = 0
    while text[index] != 0 {
      let digit = UInt8(bitPattern: text[index])
      guard 48...57 ~= digit else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(UInt64(digit - 48))
      guard !isTooLarge, !overflows else { return nil }
      value = sum
      index += 1
    }
    return index > 0 ? value : nil
  }
}

/// Says on standard error what is wrong with the word at `index`.
func complain(_ index: Int, _ what: StaticString) {
  var text = FixedString<256>("livelatchd: ")
  if let word = Arguments.word(index) { text.append(cString: word) }
  text.append(" ")
  text.append(what)
  text.append("\n")
  write(text, to: 2)
}

extension Arguments {
  /// Whether the word at `index` begins with two hyphens.
  static func wordIsOption(_ index: Int) -> Bool {
    guard let word = word(index) else { return false }
    return word[0] == 45 && word[1] == 45
  }
}
