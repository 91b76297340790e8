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
