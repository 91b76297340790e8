import Board
import Platform
import SerialLog

/// Drives the outputs as the pipeline wants them, and safe when it does not turn any more. Says in
/// the log what the lines do. Given the time by its caller, like the outputs.
struct OutputsDriver: ~Copyable {
  private var outputs: Outputs
  var inputs: Inputs?
  private let tamperBlocks: Bool
  private let log: Log
  /// Nil while a clip's clock counts: between its frames no time passes.
  private var watch: StallWatch?
  /// A verdict on an older frame opens nothing.
  private let staleAfter: Duration?
  private var saidFault: BoardError?
  /// Inputs whose fault was said, a bit each.
  private var faultyInputs: UInt8 = 0

  /// - Parameters:
  ///   - inputs: nil where none are looked at.
  ///   - tamperBlocks: as ``BoardOptions/tamperBlocks``.
  ///   - limit: how long the pipeline may go without a turn; nil on a clip's clock.
  init(
    outputs: consuming Outputs, inputs: consuming Inputs?, tamperBlocks: Bool, log: Log,
    stallsAfter limit: Duration?
  ) {
    self.outputs = outputs
    self.inputs = inputs
    self.tamperBlocks = tamperBlocks
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
    if let opening, !isStalled { open(seen: opening, at: now) }
    do { try outputs.apply(state, at: now) } catch { report(error, at: now) }
    let hasInputs = lookAtInputs(at: now)
    logChanges()
    var next = outputs.nextChange(after: now)
    if let deadline = watch?.deadline { next = min(next, deadline) }
    return hasInputs ? min(next, now + Inputs.pace) : next
  }

  /// Leaves every line at its level for the exit.
  mutating func end(at now: Instant) {
    outputs.end(at: now)
    logChanges()
    if let fault = outputs.fault { report(fault, at: now) }
  }

  /// Opens for a verdict.
  private mutating func open(seen: Instant, at now: Instant) {
    if isTampered {
      var line = LogLine("open.refused", .warning, at: now)
      line.add("reason", Input.tamper.name)
      return log.write(line)
    }
    if let staleAfter, now - seen >= staleAfter {
      var line = LogLine("open.refused", .warning, at: now)
      line.add("reason", "late")
      line.add("age_ms", milliseconds: now - seen)
      return log.write(line)
    }
    do { try outputs.openDoor(at: now) } catch { report(error, at: now) }
  }

  /// Whether the case is open, or nobody knows, and that matters.
  private var isTampered: Bool { tamperBlocks && (inputs?.mayBeOn(.tamper) ?? false) }

  /// Whether there are any.
  private mutating func lookAtInputs(at now: Instant) -> Bool {
    guard let isEmpty = inputs?.isEmpty, !isEmpty else { return false }
    var code: UInt8 = 0
    while let input = Input(rawValue: code) {
      do throws(BoardError) {
        let change = try inputs?.look(input, at: now) ?? nil
        faultyInputs &= ~(1 << code)
        if let change { take(change, at: now) }
      } catch {
        if faultyInputs >> code & 1 == 0 { say(error, at: now) }
        faultyInputs |= 1 << code
      }
      code += 1
    }
    return true
  }

  private mutating func take(_ change: InputChange, at now: Instant) {
    var line = LogLine("input", change.input == .tamper && change.isOn ? .warning : .info, at: now)
    line.add("name", change.input.name)
    line.add("value", change.isOn ? "on" : "off")
    log.write(line)
    // A button that is held from the start on was not pressed. Who is inside may leave whatever the
    // pipeline does, and whatever state the case is in.
    guard change.input == .exitButton, change.isOn, !change.isFirst else { return }
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
    say(error, at: now)
  }

  private func say(_ error: BoardError, at now: Instant) {
    var text = FixedString<256>()
    error.describe(into: &text)
    var line = LogLine("board.fault", .error, at: now)
    line.add("text", text)
    log.write(line)
  }
}
