import Faces
import Imaging
import Platform

/// Watches what must hold before a session may begin, and says what does not.
struct GateKeeper {
  /// What was last said; `nothing` before anything was.
  private enum Said: Equatable { case nothing, gate(Gate), open }

  /// Good frames in a row.
  private(set) var goodFrames = 0
  private var closed: (gate: Gate, since: Instant)?
  private var said = Said.nothing

  /// Takes the gate that is closed in this frame; nil when all are open.
  mutating func update(_ gate: Gate?, at time: Instant, _ options: GateOptions) {
    if let gate {
      goodFrames = 0
      if closed?.gate != gate { closed = (gate, time) }
    } else {
      goodFrames = min(goodFrames + 1, options.framesToOpen)
      closed = nil
    }
  }

  func isOpen(_ options: GateOptions) -> Bool { goodFrames >= options.framesToOpen }

  /// What there is to say now, if it is something new: a gate that was closed long enough, or that
  /// all are open.
  mutating func announce(at time: Instant, _ options: GateOptions) -> LivenessEvent? {
    let now: Said
    if isOpen(options) {
      now = .open
    } else if let closed, time.isAtLeast(options.patience, after: closed.since) {
      now = .gate(closed.gate)
    } else {
      return nil
    }
    guard now != said else { return nil }
    said = now
    if case .gate(let gate) = now { return .gate(gate) }
    return .gate(nil)
  }

  /// Everything is worth saying again, as after a session.
  mutating func forgetWhatWasSaid() { said = .nothing }
}

extension GateOptions {
  func isFrontal(_ pose: Pose) -> Bool {
    abs(pose.yaw) <= yaw && abs(pose.pitch) <= pitch && abs(pose.roll) <= roll
  }

  /// The first gate that is closed, those first that hide the others.
  /// - Parameters:
  ///   - face: the most prominent one.
  ///   - rate: frames a second, where known.
  func closedGate(
    _ observation: Observation, face: Face?, faces: Span<Face>, rate: Float?
  ) -> Gate? {
    if let quality = observation.quality {
      if quality.meanLuma < darkestLuma || quality.darkShare > darkShare { return .tooDark }
      if quality.meanLuma > brightestLuma || quality.brightShare > brightShare { return .tooBright }
    }
    guard let face, face.unseenFrames == 0 else { return .noFace }
    if let rate, rate < framesPerSecond { return .frameRateLow }
    if faces.hasSecond(to: face, share: secondFace) { return .severalFaces }
    let width = Float(max(1, observation.pictureWidth))
    let height = Float(max(1, observation.pictureHeight))
    // Written so that a box that is no number closes the gate.
    guard face.box.width >= narrowestFace * width else { return .tooFar }
    guard face.box.width <= widestFace * width else { return .tooNear }
    let inside = Rect(
      x: (guide.x * width) - overhang * face.box.width,
      y: (guide.y * height) - overhang * face.box.height,
      width: guide.width * width + 2 * overhang * face.box.width,
      height: guide.height * height + 2 * overhang * face.box.height)
    guard inside.contains(face.box) else { return .outsideGuide }
    if let quality = observation.quality, quality.sharpness < sharpness { return .blurred }
    guard let pose = face.pose, isFrontal(pose) else { return .notFrontal }
    return nil
  }
}

extension Span where Element == Face {
  /// The widest face, those first that were seen in this frame.
  var mostProminent: Face? {
    var best: Face?
    for index in indices {
      let face = self[index]
      guard let current = best else {
        best = face
        continue
      }
      let isSeen = face.unseenFrames == 0
      let currentIsSeen = current.unseenFrames == 0
      if isSeen == currentIsSeen ? face.box.area > current.box.area : isSeen { best = face }
    }
    return best
  }

  /// Whether another face than `face` is in this frame and at least `share` as wide.
  func hasSecond(to face: Face, share: Float) -> Bool {
    var isItself = true
    for index in indices {
      let other = self[index]
      // Without tracking all faces have the same ID; one of them is `face`.
      if other.track == face.track && isItself {
        isItself = false
      } else if other.unseenFrames == 0 && other.box.width >= share * face.box.width {
        return true
      }
    }
    return false
  }

  func face(on track: UInt32) -> Face? {
    var best: Face?
    for index in indices where self[index].track == track {
      if let current = best, current.box.area >= self[index].box.area { continue }
      best = self[index]
    }
    return best
  }
}
