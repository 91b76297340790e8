import Platform

/// Writes UTF-8 to a descriptor that stays open. False when that fails, as on a closed pipe.
func writeText(_ text: String, to raw: Int32) -> Bool {
  Array(text.utf8).withUnsafeBytes { bytes in
    (try? FileDescriptor(borrowing: raw).writeFully(bytes)) != nil
  }
}

/// Writes UTF-8 and a line feed to standard output. False when nobody reads it any more.
@discardableResult
func printToStandardOutput(_ text: String) -> Bool { writeText(text + "\n", to: 1) }

/// Writes UTF-8 to standard error.
func printToStandardError(_ text: String, terminator: String = "\n") {
  _ = writeText(text + terminator, to: 2)
}
