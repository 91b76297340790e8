import Platform

/// A command line that is not understood; the text says what is wrong and what is allowed.
struct UsageError: Error {
  let message: String
}

/// The words after the command, taken apart: options with values, switches, the rest in order.
struct CommandOptions {
  private var values: [String: String] = [:]
  private var switches: Set<String> = []
  private(set) var operands: [String] = []

  /// Options may stand anywhere; after `--` everything is an operand, and so is a lone `-`.
  /// - Parameters:
  ///   - withValue: options that take a value (`--config FILE` or `--config=FILE`).
  ///   - switches: options that take none.
  init(_ words: [String], withValue: Set<String>, switches known: Set<String>) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-") && word.count > 1 else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if known.contains(name) {
        guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
        switches.insert(name)
      } else if withValue.contains(name) {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw UsageError(message: "\(name) needs a value")
        }
        guard values.updateValue(value, forKey: name) == nil else {
          throw UsageError(message: "\(name) is given twice")
        }
      } else {
        let all = withValue.union(known).union(["--help"]).sorted().joined(separator: " ")
        throw UsageError(message: "unknown option \(name); allowed: \(all)")
      }
    }
  }

  func has(_ name: String) -> Bool { switches.contains(name) }

  func value(_ name: String) -> String? { values[name] }

  /// A whole number within `range`, or nil where the option is absent.
  func number<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(UsageError) -> Number? {
    guard let text = values[name] else { return nil }
    guard let number = Number(text), range.contains(number) else {
      throw UsageError(
        message: "\(name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Exactly one operand.
  func operand(_ what: String) throws(UsageError) -> String {
    guard operands.count == 1 else {
      throw UsageError(message: "one \(what) is needed, \(operands.count) are given")
    }
    return operands[0]
  }
}
