import CPlatform
import Platform

/// The firmware's program. Its exit codes are those of sysexits.h: 0 all well, 1 a check failed,
/// 64 a command line that is not understood.
@main
enum Main {
  static func main() {
    exit(run())
  }

  static func run() -> Int32 {
    if Arguments.word(0, is: "--version") {
      var line = FixedString<64>("livelatchd ")
      line.append(programVersion)
      line.append("\n")
      return write(line, to: 1) ? 0 : 1
    }
    if Arguments.word(0, is: "self-test") { return selfTest() }
    write(FixedString<64>("usage: livelatchd self-test | --version\n"), to: 2)
    return 64
  }
}

/// Writes all of `text` to a stream of the process; false when that failed.
@discardableResult
func write<let capacity: Int>(_ text: FixedString<capacity>, to raw: Int32) -> Bool {
  let stream = FileDescriptor(borrowing: raw)
  let bytes = text.bytes
  do throws(Errno) {
    try bytes.withUnsafeBytes { (bytes) throws(Errno) in try stream.writeFully(bytes) }
    return true
  } catch {
    return false
  }
}
