import Faces
import Imaging
import Liveness
import Platform

extension Face {
  /// All that was computed; what was not is null.
  var json: JSONLine {
    var line = JSONLine()
    line.add("id", trackingID.map(Int.init))
    line.add("box", [box.x, box.y, box.width, box.height])
    line.add("score", score)
    line.add("unseen_frames", unseenFrames)
    line.add("euler_x", pose?.pitch)
    line.add("euler_y", pose?.yaw)
    line.add("euler_z", pose?.roll)
    line.add("smiling", smilingProbability)
    line.add("left_eye_open", leftEyeOpenProbability)
    line.add("right_eye_open", rightEyeOpenProbability)
    line.add("mouth_opening", mouthOpening)
    line.add("eye_distance", eyeDistance)
    line.add("relief", relief)
    line.add("gender", gender.map { $0.label == .man ? "man" : "woman" })
    line.add("gender_probability", gender?.probability)
    if let landmarks {
      var points = JSONLine()
      for (name, point) in landmarks.named { points.add(name, [point.x, point.y]) }
      line.add("landmarks", points)
    }
    return line
  }
}

extension FaceLandmarks {
  /// ML Kit's names and places, in its order.
  var named: [(String, Point)] {
    [
      ("left_eye", leftEye), ("right_eye", rightEye), ("left_ear", leftEar),
      ("right_ear", rightEar), ("left_cheek", leftCheek), ("right_cheek", rightCheek),
      ("nose_base", noseBase), ("mouth_left", mouthLeft), ("mouth_right", mouthRight),
      ("mouth_bottom", mouthBottom),
    ]
  }
}

extension LivenessEvent {
  /// The event as in the log, keys and all.
  func json(at time: Instant) -> JSONLine {
    var line = JSONLine()
    line.add("t", Float(time.nanoseconds) * 1e-9)
    switch self {
    case .faceFound(let track):
      line.add("event", "face.found")
      line.add("id", Int(track))
    case .faceLost(let track):
      line.add("event", "face.lost")
      line.add("id", Int(track))
    case .greeting(let greeting, let track):
      line.add("event", "greeting")
      line.add("id", Int(track))
      line.add("who", greeting.name.string)
    case .gate(let gate):
      line.add("event", "gate")
      line.add("state", gate == nil ? "open" : "closed")
      line.add("reason", gate?.name.string)
    case .sessionStarted(let track, let challenges):
      line.add("event", "session.started")
      line.add("id", Int(track))
      line.add("challenges", challenges)
    case .prompt(let challenge, let index):
      line.add("event", "prompt")
      line.add("challenge", challenge.name.string)
      line.add("number", index + 1)
    case .passed(let challenge, let index, let after):
      line.add("event", "passed")
      line.add("challenge", challenge.name.string)
      line.add("number", index + 1)
      line.add("after_ms", Int(after.wholeMilliseconds))
    case .verdictLive(let track):
      line.add("event", "verdict")
      line.add("verdict", "live")
      line.add("id", Int(track))
    case .verdictFailed(let failure, let track):
      line.add("event", "verdict")
      line.add("verdict", "failed")
      line.add("reason", failure.name.string)
      line.add("id", Int(track))
    case .lockedOut(let duration):
      line.add("event", "lockout.started")
      line.add("for_ms", Int(duration.wholeMilliseconds))
    case .lockEnded:
      line.add("event", "lockout.ended")
    }
    return line
  }
}
