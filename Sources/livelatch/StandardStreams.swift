import Platform
import Synchronization

/// What became of the words on standard output.
enum StandardOutput {
  private static let code = Atomic<Int32>(0)

  /// Why they did not all arrive: a full disk, say. Commands go on; ``Main`` ends with an exit
  /// code.
  static var failure: Errno? {
    let code = code.load(ordering: .relaxed)
    return code == 0 ? nil : Errno(code: code)
  }

  fileprivate static func note(_ failure: Errno) { code.store(failure.code, ordering: .relaxed) }
}

private func write(_ text: String, to raw: Int32) throws(Errno) {
  let bytes = Array(text.utf8)
  try bytes.span.withUnsafeBytes { bytes throws(Errno) in
    try FileDescriptor(borrowing: raw).writeFully(bytes)
  }
}

/// Writes UTF-8 and a line feed to standard output. A failure is kept in ``StandardOutput``.
func printToStandardOutput(_ text: String) {
  do throws(Errno) { try write(text + "\n", to: 1) } catch { StandardOutput.note(error) }
}

/// Writes UTF-8 to standard error; nobody is left to tell of a failure.
func printToStandardError(_ text: String, terminator: String = "\n") {
  try? write(text + terminator, to: 2)
}
