import SelfTest

/// `livelatch self-test`.
struct SelfTestCommand {
  init(_ words: [String]) throws(UsageError) {
    let options = try CommandOptions(words, withValue: [], switches: [])
    guard options.operands.isEmpty else { throw UsageError(message: "self-test takes no operand") }
  }

  func run() throws {
    let passed = try runSelfTest { check in
      let verdict = check.failure == nil ? "equal" : "DIFFERENT"
      printToStandardOutput(
        "\(check.operation.string) \(check.variant.string), \(check.cases) cases: \(verdict)")
    }
    guard passed else { throw ToolError(message: "a kernel differs from its reference", status: 1) }
  }
}
