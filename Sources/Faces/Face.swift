import Imaging

/// Head pose in degrees, with ML Kit's signs.
public struct Pose: Equatable, Sendable {
  /// Euler X: up is positive.
  public var pitch: Float
  /// Euler Y: positive when the face turns towards the right of the picture.
  public var yaw: Float
  /// Euler Z: positive counter-clockwise as seen in the picture.
  public var roll: Float

  public init(pitch: Float, yaw: Float, roll: Float) {
    self.pitch = pitch
    self.yaw = yaw
    self.roll = roll
  }
}

/// What a greeting is chosen by; never more than that.
public struct Gender: Equatable, Sendable {
  /// The classes that the network knows.
  public enum Label: UInt8, Sendable { case woman, man }

  /// The likelier one.
  public var label: Label
  /// Of that label, 0.5 to 1.
  public var probability: Float

  public init(label: Label, probability: Float) {
    self.label = label
    self.probability = probability
  }
}

/// A mesh point in pixels of the upright picture.
public struct Point3: Equatable, Sendable {
  /// To the right.
  public var x: Float
  /// Down.
  public var y: Float
  /// Depth in the same unit, from an unknown origin; smaller is nearer to the camera.
  public var z: Float

  public init(x: Float, y: Float, z: Float) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The place in the picture, without the depth.
  public var flat: Point { Point(x: x, y: y) }
}

/// A face in one frame. What was not computed is nil, never 0. All places are in pixels of the
/// upright picture (mirrored where the settings mirror it).
public struct Face: Equatable, Sendable {
  /// Stays the same while the face is followed and is never used again; nil without tracking.
  public var trackingID: UInt32?
  /// Upright rectangle from the forehead to the chin; smoothed while the face is followed.
  public var box: Rect
  /// The detector's or the mesh's confidence, 0 to 1.
  public var score: Float
  /// 0 when the face was found in this frame. Otherwise how many frames ago it was last found: the
  /// track still lives, `box` is where it was, and everything measured is nil.
  public var unseenFrames = 0
  /// Unsmoothed; nil without a mesh, or where the options do not ask.
  public var landmarks: FaceLandmarks?
  /// Smoothed; nil while the mesh is not trusted, as in profile.
  public var pose: Pose?
  /// 0 to 1, unsmoothed.
  public var smilingProbability: Float?
  /// 0 to 1, unsmoothed: a blink lasts three frames.
  public var leftEyeOpenProbability: Float?
  /// 0 to 1, unsmoothed.
  public var rightEyeOpenProbability: Float?
  /// By all chips of the track so far; nil before the first.
  public var gender: Gender?
  /// Gap between the inner lips over the distance between the outer eye corners; unsmoothed.
  public var mouthOpening: Float?
  /// Distance between the outer eye corners, in pixels.
  public var eyeDistance: Float?
  /// How much of the foreshortening seen while the face turned is explained by the turn that the
  /// mesh reads; nil until enough was seen. Little (below 0.4) is a turned print or screen, about 1
  /// a head, or the picture of one that turns.
  public var relief: Float?

  /// A face of which nothing else is known.
  public init(box: Rect, score: Float) {
    self.box = box
    self.score = score
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Gender.Label: CaseIterable {}
#endif
