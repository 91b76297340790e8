import Board
import Liveness
import Platform
import SerialLog

/// What the door shows and does because of the events: lights, relay, log. Knows nothing of pictures.
struct Door: ~Copyable {
  var outputs: Outputs
  private let log: Log
  private var state = OutputState.starting
  /// A verdict is shown until then.
  private var showUntil: Instant?
  private var isLocked = false
  private var saidFault: BoardError?

  static let verdictTime = Duration.seconds(2)

  init(outputs: consuming Outputs, log: Log) {
    self.outputs = outputs
    self.log = log
  }

  var shown: OutputState { state }

  /// Whether no verdict is shown and the relay has no power.
  var isAtRest: Bool { showUntil == nil && outputs.relayLevel != true }

  /// Takes an event of the frame at `now`.
  mutating func take(_ event: LivenessEvent, at now: Instant) {
    switch event {
    case .verdictLive:
      show(.pass, until: now + Self.verdictTime)
      openDoor(at: now)
    case .verdictFailed: show(.fail, until: now + Self.verdictTime)
    case .prompt(let challenge, _):
      // A new prompt means a new session: nobody waits for the old verdict's light.
      showUntil = nil
      state = .prompt(challenge.rawValue)
    case .passed, .sessionStarted: settle(.face)
    case .gate(let gate): settle(gate.map { $0 == .noFace ? .ready : .adjust } ?? .face)
    case .lockedOut: isLocked = true
    case .lockEnded:
      isLocked = false
      settle(.ready)
    case .faceFound, .faceLost, .greeting: break
    }
  }

  /// Drives lights and relay; to be called with every frame and at least every 100 ms.
  /// - Parameters:
  ///   - hasFace: whether somebody is there.
  ///   - hasCamera: whether frames come.
  mutating func tick(hasFace: Bool, hasCamera: Bool, at now: Instant) {
    if let showUntil, now >= showUntil {
      self.showUntil = nil
      state = hasFace ? .face : .ready
    }
    if showUntil == nil, !hasFace, case .face = state { state = .ready }
    let visible: OutputState =
      if !hasCamera { .noCamera } else if isLocked && showUntil == nil { .lockedOut } else { state }
    do {
      try outputs.apply(visible, at: now)
    } catch {
      report(error, at: now)
    }
    logChanges()
  }

  /// Drives everything safe, for a stall or another fault.
  mutating func makeSafe(at now: Instant) {
    outputs.makeSafe(at: now)
    logChanges()
  }

  /// Leaves every line at its level for the exit.
  mutating func end(at now: Instant) {
    outputs.end(at: now)
    logChanges()
    if let fault = outputs.fault { report(fault, at: now) }
  }

  private mutating func openDoor(at now: Instant) {
    do {
      try outputs.openDoor(at: now)
    } catch {
      report(error, at: now)
    }
  }

  private mutating func show(_ verdict: OutputState, until end: Instant) {
    state = verdict
    showUntil = end
  }

  /// What holds from now on, shown once the verdict was seen.
  private mutating func settle(_ next: OutputState) {
    if showUntil == nil { state = next }
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
