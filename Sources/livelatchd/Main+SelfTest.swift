import Kernels
import Platform
import SelfTest
import SerialLog

/// Compares this processor's kernels with the reference and says how that went, a line for each
/// operation and variant. Returns an exit code.
func selfTest() -> Int32 {
  guard textArrives() else {
    write("self-test FAILED: a text in a log line is not the one that was given\n", to: 2)
    return 1
  }
  var checks = 0
  var isWritten = true
  do throws(Errno) {
    let passed = try runSelfTest { check in
      checks += 1
      if !write(line(for: check), to: check.failure == nil ? 1 : 2) { isWritten = false }
    }
    var last = FixedString<256>(passed ? "self-test passed: " : "self-test FAILED: ")
    last.append(checks)
    last.append(" kernels compared with the reference\n")
    if !write(last, to: passed ? 1 : 2) { isWritten = false }
    return passed ? (isWritten ? 0 : 74) : 1
  } catch {
    return complain("memory for the self-test", error)
  }
}

private struct Labelled {
  var number = 1
  var label = FixedString<64>("pinctrl-bcm2711")
}

/// Whether a text inside a structure reaches a log line. Embedded Swift's optimiser once made a
/// copy of such a text, and what was logged lay where the copy had been; ordinary Swift did not.
private func textArrives() -> Bool {
  var line = LogLine("self-test", at: .zero)
  add(Labelled(), to: &line)
  let written = line.bytes
  let wanted: StaticString = "label=pinctrl-bcm2711"
  return wanted.withUTF8Buffer { wanted in
    guard written.count >= wanted.count else { return false }
    let start = written.count - wanted.count
    for index in 0..<wanted.count where written[start + index] != wanted[index] { return false }
    return true
  }
}

@inline(never)
private func add(_ labelled: borrowing Labelled, to line: inout LogLine) {
  line.add("label", labelled.label)
}

private func line(for check: SelfTestCheck) -> FixedString<256> {
  var text = FixedString<256>("self-test: ")
  text.append(check.operation)
  text.append(" ")
  text.append(check.variant)
  text.append(", ")
  text.append(check.cases)
  guard let failure = check.failure else {
    text.append(" cases: equal\n")
    return text
  }
  text.append(" cases: case ")
  text.append(failure.caseIndex)
  text.append(", ")
  append(failure.shape.input, to: &text)
  text.append(" to ")
  append(failure.shape.output, to: &text)
  guard let index = failure.index else {
    text.append(": wrote outside of its output\n")
    return text
  }
  text.append(", output ")
  text.append(index)
  text.append(" is ")
  text.append(Int(failure.found))
  text.append(", not ")
  text.append(Int(failure.expected))
  text.append("\n")
  return text
}

private func append(_ extent: Extent, to text: inout FixedString<256>) {
  text.append(extent.height)
  text.append("x")
  text.append(extent.width)
  text.append("x")
  text.append(extent.channels)
}
