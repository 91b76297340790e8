import CPlatform

/// The speeds of a tty.
public enum Baud {
  /// All of them, for messages.
  public static let list: StaticString =
    "9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1000000, 1500000"

  /// The termios code of a speed in bits a second; nil for one that is not in ``list``.
  public static func code(_ rate: UInt32) -> speed_t? {
    let code: Int32
    switch rate {
    case 9600: code = B9600
    case 19200: code = B19200
    case 38400: code = B38400
    case 57600: code = B57600
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
}
