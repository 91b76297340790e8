import CPlatform
import Platform

/// The speeds of a tty.
public enum Baud {
  /// All of them, in bits a second.
  public static var rates: InlineArray<10, Int> {
    [9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_000_000, 1_500_000]
  }

  /// The termios code of a speed in bits a second; nil for one that is not in ``rates``.
  public static func code(_ rate: UInt32) -> speed_t? {
    let code: Int32
    switch rate {
    case 9600: code = B9600
    case 19_200: code = B19200
    case 38_400: code = B38400
    case 57_600: code = B57600
    case 115_200: code = B115200
    case 230_400: code = B230400
    case 460_800: code = B460800
    case 921_600: code = B921600
    case 1_000_000: code = B1000000
    case 1_500_000: code = B1500000
    default: return nil
    }
    return speed_t(code)
  }

  /// Appends the speeds with commas between.
  static func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    for index in rates.indices {
      if index > 0 { text.append(", ") }
      text.append(rates[index])
    }
  }
}
