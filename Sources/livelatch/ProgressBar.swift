import Platform

/// How far long work is, on standard error when that is a terminal; silent otherwise.
struct ProgressBar {
  let label: String
  /// nil: the end is not known, only what is done is shown.
  let total: Int?
  private let isShown = FileDescriptor(borrowing: 2).isTerminal
  private var lastPercent = -1
  private var lastTime = Instant.zero

  init(_ label: String, total: Int?) {
    self.label = label
    self.total = total
  }

  mutating func show(_ done: Int) {
    guard isShown else { return }
    let now = Instant.now()
    guard now - lastTime > .milliseconds(100) else { return }
    lastTime = now
    guard let total, total > 0 else {
      return printToStandardError("\r\(label) \(done)", terminator: "")
    }
    let percent = min(100, done * 100 / total)
    guard percent != lastPercent else { return }
    lastPercent = percent
    let bar = String(repeating: "#", count: percent / 4)
    let rest = String(repeating: ".", count: 25 - percent / 4)
    printToStandardError("\r\(label) [\(bar)\(rest)] \(percent) %", terminator: "")
  }

  /// Clears the line.
  mutating func finish() {
    guard isShown, lastTime != .zero else { return }
    printToStandardError("\r\u{1B}[2K", terminator: "")
  }
}
