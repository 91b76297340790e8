import Faces
import Imaging
import Liveness
import Platform
import SerialLog
import Settings

extension LivenessEvent {
  /// The event as a line of the log. Failures are named; no score ever appears.
  /// - Parameters:
  ///   - greetings: the texts for a greeting's line.
  ///   - face: of the event's track, where it has one.
  func logLine(at time: Instant, face: Face?, greetings: GreetingTexts) -> LogLine {
    switch self {
    case .faceFound(let track):
      var line = LogLine("face.found", at: time)
      line.add("id", track)
      if let face {
        line.add(
          "box",
          [
            face.box.x.inPixels, face.box.y.inPixels, face.box.width.inPixels,
            face.box.height.inPixels,
          ] as InlineArray<4, Int>)
      }
      return line
    case .faceLost(let track):
      var line = LogLine("face.lost", at: time)
      line.add("id", track)
      return line
    case .greeting(let greeting, let track):
      var line = LogLine("greeting", at: time)
      line.add("id", track)
      line.add("who", greeting.name)
      line.add("text", greetings.text(of: greeting))
      return line
    case .gate(let gate):
      var line = LogLine("gate", at: time)
      line.add("state", gate == nil ? "open" : "closed")
      if let gate { line.add("reason", gate.name) }
      return line
    case .sessionStarted(let track, let challenges):
      var line = LogLine("session.started", at: time)
      line.add("id", track)
      line.add("challenges", challenges)
      return line
    case .prompt(let challenge, let index):
      var line = LogLine("prompt", at: time)
      line.add("challenge", challenge.name)
      line.add("number", index + 1)
      return line
    case .passed(let challenge, let index, let after):
      var line = LogLine("passed", at: time)
      line.add("challenge", challenge.name)
      line.add("number", index + 1)
      line.add("after_ms", milliseconds: after)
      return line
    case .verdictLive(let track):
      var line = LogLine("verdict", .notice, at: time)
      line.add("verdict", "live")
      line.add("id", track)
      return line
    case .verdictFailed(let failure, let track):
      var line = LogLine("verdict", .notice, at: time)
      line.add("verdict", "failed")
      line.add("reason", failure.name)
      line.add("id", track)
      return line
    case .lockedOut(let duration):
      var line = LogLine("lockout.started", .warning, at: time)
      line.add("for_ms", milliseconds: duration)
      return line
    case .lockEnded:
      return LogLine("lockout.ended", .notice, at: time)
    }
  }

  /// The track that the event speaks of.
  var track: UInt32? {
    switch self {
    case .faceFound(let track), .faceLost(let track), .greeting(_, let track),
      .sessionStarted(let track, _), .verdictLive(let track), .verdictFailed(_, let track):
      track
    case .gate, .prompt, .passed, .lockedOut, .lockEnded: nil
    }
  }
}

extension Float {
  /// To the nearest whole pixel; places far outside any picture, and what is no number, become 0.
  var inPixels: Int { isFinite && magnitude < 1e6 ? Int(rounded()) : 0 }
}
