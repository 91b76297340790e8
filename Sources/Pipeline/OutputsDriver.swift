import Board
import Platform
import SerialLog

/// Drives the outputs as the pipeline wants them, and safe when it does not turn any more. Says in
/// the log what the lines do. Given the time by its caller, like the outputs.
struct OutputsDriver: ~Copyable {
  private var outputs: Outputs
  private let log: Log
  /// Nil while a clip's clock counts: between its frames no time passes.
  private var watch: StallWatch?
  /// A verdict on an older frame opens nothing.
  private let staleAfter: Duration?
  private var saidFault: BoardError?

  /// - Parameter limit: how long the pipeline may go without a turn; nil on a clip's clock.
  init(outputs: consuming Outputs, log: Log, stallsAfter limit: Duration?) {
    self.outputs = outputs
    self.log = log
    watch = limit.map { StallWatch(limit: $0, startLimit: TimeBudget.start) }
    staleAfter = limit
  }

  var isPulsing: Bool { outputs.isPulsing }

  /// Whether the pipeline has stopped turning.
  var isStalled: Bool { watch?.isStalled ?? false }

  /// Looks what is wanted and does it.
  /// - Returns: when to look again at the latest.
  mutating func step(_ wanted: borrowing WantedOutputs, at now: Instant) -> Instant {
    supervise(wanted.turnCount, at: now)
    let state = isStalled ? .fault : wanted.state
    // Taken while it stalls too: who stood there may be gone when it turns again.
    let opening = wanted.takeOpening()
    if let opening, !isStalled { openDoor(seen: opening, at: now) }
    do { try outputs.apply(state, at: now) } catch { report(error, at: now) }
    logChanges()
    let next = outputs.nextChange(after: now)
    return watch?.deadline.map { min(next, $0) } ?? next
  }

  /// Leaves every line at its level for the exit.
  mutating func end(at now: Instant) {
    outputs.end(at: now)
    logChanges()
    if let fault = outputs.fault { report(fault, at: now) }
  }

  private mutating func openDoor(seen: Instant, at now: Instant) {
    if let staleAfter, now - seen >= staleAfter {
      var line = LogLine("open.refused", .warning, at: now)
      line.add("reason", "late")
      line.add("age_ms", milliseconds: now - seen)
      return log.write(line)
    }
    do { try outputs.openDoor(at: now) } catch { report(error, at: now) }
  }

  /// A stall is said once, and so is its end.
  private mutating func supervise(_ turns: UInt32, at now: Instant) {
    switch watch?.look(turns, at: now) {
    case nil: break
    case .stalled: log.write(LogLine("board.stall", .error, at: now))
    case .resumed(let after):
      var line = LogLine("board.resumed", .notice, at: now)
      line.add("after_ms", milliseconds: after)
      log.write(line)
    }
  }

  private mutating func logChanges() {
    while let change = outputs.takeChange() {
      var line = LogLine("line", at: change.at)
      line.add("name", change.output.name)
      line.add("value", change.isOn ? "on" : "off")
      log.write(line)
    }
  }

  /// Said once until it changes.
  private mutating func report(_ error: BoardError, at now: Instant) {
    guard saidFault != error else { return }
    saidFault = error
    var text = FixedString<256>()
    error.describe(into: &text)
    var line = LogLine("board.fault", .error, at: now)
    line.add("text", text)
    log.write(line)
  }
}
