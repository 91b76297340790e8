import Faces
import Imaging
import Platform

/// Notices a face in which nothing moves though the frames differ: a picture before the camera. A
/// living head sways by some hundredths of the distance between the eyes within seconds, and blinks.
struct StillWatch {
  /// Share of a new value in the mean that is compared: takes the networks' tremble out.
  private static let smoothing: Float = 0.3
  /// How far a probability may wander.
  private static let probabilityRange: Float = 0.05

  private var mean = InlineArray<10, Float>(repeating: 0)
  private var anchor = InlineArray<10, Float>(repeating: 0)
  private var since: Instant?
  private var track: UInt32?
  private var unit: Float = 1

  /// How long nothing has moved, up to the latest frame.
  private(set) var stillness: Duration = .zero

  mutating func update(_ face: Face?, at time: Instant, _ options: SpoofOptions) {
    guard let face, face.unseenFrames == 0, let landmarks = face.landmarks,
      let eyeDistance = face.eyeDistance, eyeDistance > 0
    else {
      since = nil
      stillness = .zero
      return
    }
    if since == nil || track != face.track {
      unit = eyeDistance
      mean = Self.values(face, landmarks, unit)
      track = face.track
      return start(at: time)
    }
    let values = Self.values(face, landmarks, unit)
    var hasMoved = false
    for index in 0..<10 {
      mean[index] += Self.smoothing * (values[index] - mean[index])
      let range = index < 6 ? options.stillness : Self.probabilityRange
      // Written so that what is no number has moved.
      if !(abs(mean[index] - anchor[index]) <= range) { hasMoved = true }
    }
    if hasMoved {
      unit = eyeDistance
      mean = Self.values(face, landmarks, unit)
      return start(at: time)
    }
    if let since { stillness = time - since }
  }

  private mutating func start(at time: Instant) {
    anchor = mean
    since = time
    stillness = .zero
  }

  /// Six places in distances between the eyes, then four shares.
  private static func values(
    _ face: Face, _ landmarks: FaceLandmarks, _ unit: Float
  ) -> InlineArray<10, Float> {
    [
      landmarks.noseBase.x / unit, landmarks.noseBase.y / unit,
      landmarks.leftEye.x / unit, landmarks.leftEye.y / unit,
      landmarks.rightEye.x / unit, landmarks.rightEye.y / unit,
      face.mouthOpening ?? 0, face.smilingProbability ?? 0,
      face.leftEyeOpenProbability ?? 0, face.rightEyeOpenProbability ?? 0,
    ]
  }
}
