import Settings

/// `livelatch check-config`.
struct CheckConfigCommand {
  private let options: CommandOptions

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(words, withValue: [], switches: [])
    guard options.operands.count <= 1 else {
      throw UsageError(message: "one file at a time")
    }
  }

  func run() throws {
    let path = options.operands.first ?? usualSettings
    _ = try readSettings(path)
    printToStandardOutput("\(path): the settings are right")
  }
}
