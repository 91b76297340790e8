import Faces
import Imaging

/// The numbers that gestures are judged by.
enum Measure: Int {
  /// Positive towards the person's own left. Degrees, or points in the book's view.
  case turn
  /// Greater when the head is higher, or lower. Degrees, or points in the book's view.
  case headUp, headDown
  /// Lips apart: distances between the eyes, or points in the book's view.
  case mouth
  /// Probability.
  case smile

  static let count = 5
}

/// What a frame's face measures, in the units of a rule set; nil where it cannot be known.
struct FaceMeasures {
  private var values = InlineArray<5, Float?>(repeating: nil)
  var leftEye: Float?
  var rightEye: Float?

  /// Beyond this yaw the mouth is seen from the side, and what is read off it means little.
  static let widestYaw: Float = 35

  subscript(measure: Measure) -> Float? {
    get { values[measure.rawValue] }
    // What is no number counts as not measured.
    set { values[measure.rawValue] = newValue.flatMap { $0.isFinite ? $0 : nil } }
  }

  init(_ face: Face, _ observation: Observation, _ options: LivenessOptions) {
    guard face.unseenFrames == 0 else { return }
    let sideways = face.pose.map { abs($0.yaw) } ?? 0
    if sideways <= Self.widestYaw {
      self[.smile] = face.smilingProbability
      leftEye = face.leftEyeOpenProbability.flatMap { $0.isFinite ? $0 : nil }
      rightEye = face.rightEyeOpenProbability.flatMap { $0.isFinite ? $0 : nil }
    }
    // The upright picture's right is the person's own left, or, in a looking glass, the own right.
    let towardsOwnLeft: Float = observation.mirrored ? -1 : 1
    switch options.rules {
    case .pose:
      guard let pose = face.pose else { return }
      self[.turn] = pose.yaw * towardsOwnLeft
      self[.headUp] = pose.pitch
      self[.headDown] = -pose.pitch
      if sideways <= Self.widestYaw {
        // A turned face shows its eyes closer together, and its mouth as high as ever.
        self[.mouth] = face.mouthOpening.map { $0 * cosine(degrees: pose.yaw) }
      }
    case .book:
      guard let landmarks = face.landmarks else { return }
      let scale = options.book.pointsPerPixel(observation)
      // The book: (nose.x − leftCheek.x) − (rightCheek.x − nose.x), where "left" is the cheek at the
      // view's left. That is positive when the nose goes to the view's right, so the sum serves
      // whichever cheek is whose, and only the looking glass decides which turn it is.
      let turn = 2 * landmarks.noseBase.x - landmarks.leftCheek.x - landmarks.rightCheek.x
      self[.turn] = turn * scale * towardsOwnLeft
      self[.headUp] = (landmarks.leftEye.y - landmarks.noseBase.y) * scale
      self[.headDown] = (landmarks.noseBase.y - landmarks.rightCheek.y) * scale
      self[.mouth] = (landmarks.lowerLipTop.y - landmarks.upperLipBottom.y) * scale
    }
  }
}

extension BookRules {
  /// Points of the view for a pixel of the picture, which fills the view and keeps its aspect.
  func pointsPerPixel(_ observation: Observation) -> Float {
    max(
      viewWidth / Float(max(1, observation.pictureWidth)),
      viewHeight / Float(max(1, observation.pictureHeight)))
  }
}

/// Cosine by its series: within 1e-4 for the ±60° in which it is asked for here, and no call.
private func cosine(degrees: Float) -> Float {
  let square = degrees * degrees * (Float.pi / 180) * (Float.pi / 180)
  return 1 - square / 2 * (1 - square / 12 * (1 - square / 30))
}
