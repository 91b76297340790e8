import Board
import Liveness
import Platform

/// What the door shows and does because of the events. Knows nothing of pictures.
struct Door: ~Copyable {
  private var outputs: OutputsService
  private var state = OutputState.starting
  /// A verdict is shown until then.
  private var showUntil: Instant?
  private var isLocked = false

  static let verdictTime = Duration.seconds(2)

  init(outputs: consuming OutputsService) { self.outputs = outputs }

  var shown: OutputState { state }

  /// Whether no verdict is shown and no pulse runs; on a clip's clock.
  var isAtRest: Bool { showUntil == nil && !outputs.isPulsing }

  /// Says that the pipeline turns.
  func countTurn() { outputs.countTurn() }

  /// Takes an event of the frame at `now`.
  /// - Parameter seen: when that frame was taken, on the same clock.
  mutating func take(_ event: LivenessEvent, seen: Instant, at now: Instant) {
    switch event {
    case .verdictLive:
      show(.pass, until: now + Self.verdictTime)
      outputs.openDoor(seen: seen)
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

  /// Brings what is shown up to date; to be called with every turn of the pipeline.
  /// - Parameters:
  ///   - hasFace: whether somebody is there.
  ///   - hasCamera: whether frames come.
  mutating func tick(hasFace: Bool, hasCamera: Bool, at now: Instant) {
    if let showUntil, now >= showUntil {
      self.showUntil = nil
      state = hasFace ? .face : .ready
    }
    if showUntil == nil, !hasFace, case .face = state { state = .ready }
    outputs.show(
      !hasCamera ? .noCamera : isLocked && showUntil == nil ? .lockedOut : state, at: now)
  }

  /// Leaves every line at its level for the exit.
  mutating func end(at now: Instant) { outputs.end(at: now) }

  private mutating func show(_ verdict: OutputState, until end: Instant) {
    state = verdict
    showUntil = end
  }

  /// What holds from now on, shown once the verdict was seen.
  private mutating func settle(_ next: OutputState) {
    if showUntil == nil { state = next }
  }
}
