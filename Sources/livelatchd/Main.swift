import CPlatform
import Platform

/// The firmware's program. Its exit codes are those of sysexits.h: 0 all well, 1 a check failed,
/// 64 a command line that is not understood, 65 and 66 input that cannot be used or is not there,
/// 70 it hung when it was to end, 71 and 74 the system refuses, 78 wrong settings.
@main
enum Main {
  static func main() {
    exit(run())
  }

  static func run() -> Int32 {
    if asksForHelp {
      return write(usage, to: 1) ? 0 : 74
    }
    if Arguments.word(0, is: "--version") {
      var line = FixedString<64>("livelatchd ")
      line.append(programVersion)
      line.append("\n")
      return write(line, to: 1) ? 0 : 74
    }
    if Arguments.word(0, is: "self-test") {
      guard Arguments.count == 1 else {
        write("livelatchd: self-test takes no operand\n", to: 2)
        return 64
      }
      return selfTest()
    }
    if Arguments.word(0, is: "check-config") { return checkConfig() }
    if Arguments.word(0, is: "make-safe") { return makeSafe(firstOption: 1) }
    if Arguments.word(0, is: "run") { return runDoor(firstOption: 1) }
    if Arguments.count == 0 || Arguments.wordIsOption(0) { return runDoor(firstOption: 0) }
    complain(0, "is not known")
    write(usage, to: 2)
    return 64
  }

  private static var asksForHelp: Bool {
    if Arguments.word(0, is: "help") { return true }
    for index in 0..<Arguments.count where Arguments.word(index, is: "--help") { return true }
    return false
  }
}

let usage: StaticString = """
  usage: livelatchd [run] [OPTION…]
           --config FILE   settings (default: /etc/livelatch/livelatch.toml)
           --models FOLDER another folder of models than that of the settings
           --camera DEVICE another camera than that of the settings
           --clip FILE     a Y4M file or pipe instead of a camera
           --seed N        draws the challenges; for clips only
           --simulate      no GPIO: changes of the lines are only logged
           --once          wrong settings end it at once, with 78; without this it stays, tells them
                           every 30 s and blinks the light for faults
           --fault-light N that light's line while the settings are wrong (default: none)
         livelatchd check-config [FILE]
         livelatchd make-safe [--config FILE] [--simulate]
                           leaves every line at its level for the exit, and ends
         livelatchd self-test
         livelatchd --version

  """

/// Writes all of `text` to a stream of the process; false when that failed.
@discardableResult
func write<let capacity: Int>(_ text: FixedString<capacity>, to raw: Int32) -> Bool {
  write(text.bytes, to: raw)
}

@discardableResult
func write(_ text: StaticString, to raw: Int32) -> Bool {
  text.withUTF8Buffer { write($0.span, to: raw) }
}

private func write(_ bytes: Span<UInt8>, to raw: Int32) -> Bool {
  let stream = FileDescriptor(borrowing: raw)
  do throws(Errno) {
    try bytes.withUnsafeBytes { (bytes) throws(Errno) in try stream.writeFully(bytes) }
    return true
  } catch {
    return false
  }
}
