import Imaging

/// The ten places ML Kit names, and the inner lips that mouth gestures need. In pixels of the
/// upright picture; "left" and "right" are the person's own.
public struct FaceLandmarks: Equatable, Sendable {
  /// Middle of each eye's corners and lids.
  public var leftEye, rightEye: Point
  /// Where the face ends before the ear.
  public var leftEar, rightEar: Point
  /// Below the eye, beside the nose.
  public var leftCheek, rightCheek: Point
  /// Under the nose.
  public var noseBase: Point
  /// Corners of the mouth, and the lower edge of the lower lip.
  public var mouthLeft, mouthRight, mouthBottom: Point
  /// Middle of the lower edge of the upper lip, and of the upper edge of the lower lip.
  public var upperLipBottom, lowerLipTop: Point

  /// All at one place, to be put right one by one.
  public init(repeating point: Point) {
    leftEye = point
    rightEye = point
    leftEar = point
    rightEar = point
    leftCheek = point
    rightCheek = point
    noseBase = point
    mouthLeft = point
    mouthRight = point
    mouthBottom = point
    upperLipBottom = point
    lowerLipTop = point
  }
}

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
  /// a head
  /// - or the picture of one that turns.
  public var relief: Float?

  /// A face of which nothing else is known.
  public init(box: Rect, score: Float) {
    self.box = box
    self.score = score
  }
}

/// Fast or accurate networks.
public enum PerformanceMode: UInt8, Sendable { case fast, accurate }

/// The detector's picture, in pixels. Faces below about 10 pixels there are missed.
public enum DetectorInput: UInt8, Sendable { case w160h120, w320h240 }

/// What to compute for each face, after ML Kit's options.
public struct FaceOptions: Equatable, Sendable {
  /// Which networks look.
  public var performance: PerformanceMode = .fast
  /// Size of the detector's picture: larger finds smaller faces and costs more.
  public var detectorInput: DetectorInput = .w320h240
  /// Whether ``Face/landmarks`` and what is measured from them are computed.
  public var landmarks = true
  /// Whether smile, open eyes and gender are computed.
  public var classification = true
  /// Whether faces are followed and have IDs; off for single pictures.
  public var tracking = true
  /// Smallest head width as a share of the picture's width, 0.03 to 1.
  public var minFaceSize: Float = 0.1
  /// A face must be found in `framesToAppear` of the last `appearWindow` frames.
  public var framesToAppear = 3
  /// See ``framesToAppear``; 1 to 32.
  public var appearWindow = 5
  /// Frames without it until a face is lost.
  public var framesToLose = 10
  /// The detector runs at least every so many frames while faces are followed.
  public var detectEvery = 5
  /// The detector's threshold, 0 to 1.
  public var detectThreshold: Float = 0.6
  /// The mesh, and all that comes from it, is computed for at most so many faces a frame, most
  /// prominent first: 0 to 8.
  public var meshes = 2

  public init() {}
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Gender.Label: CaseIterable {}
  extension PerformanceMode: CaseIterable {}
  extension DetectorInput: CaseIterable {}
#endif
