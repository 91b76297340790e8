import Imaging

/// Numbers of mesh points that have a name here. Left and right are the person's own.
///
/// Which of the 468 points stand for ML Kit's landmarks was found on pictures: they are the nearest
/// in meaning, as ML Kit publishes no such table.
enum MeshPoint {
  static let count = 468

  static let rightEyeOuter = 33
  static let rightEyeInner = 133
  static let rightEyeUpperLid = 159
  static let rightEyeLowerLid = 145
  static let leftEyeOuter = 263
  static let leftEyeInner = 362
  static let leftEyeUpperLid = 386
  static let leftEyeLowerLid = 374
  static let rightEar = 234
  static let leftEar = 454
  /// Beside the chin; they go down with the lower lip.
  static let rightJaw = 136
  static let leftJaw = 365
  static let rightCheek = 50
  static let leftCheek = 280
  static let noseBase = 2
  static let mouthRight = 61
  static let mouthLeft = 291
  static let mouthBottom = 17
  static let upperLipTop = 0
  static let upperLipBottom = 13
  static let lowerLipTop = 14
}

extension FaceLandmarks {
  /// From 468 mesh points.
  init(mesh: Span<Point3>) {
    func at(_ index: Int) -> Point { mesh[index].flat }
    /// The middle of the corners and the lids: the mesh has no pupils.
    func middle(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Point {
      (at(a) + at(b) + at(c) + at(d)) * 0.25
    }
    self.init(repeating: at(MeshPoint.noseBase))
    leftEye = middle(
      MeshPoint.leftEyeOuter, MeshPoint.leftEyeInner, MeshPoint.leftEyeUpperLid,
      MeshPoint.leftEyeLowerLid)
    rightEye = middle(
      MeshPoint.rightEyeOuter, MeshPoint.rightEyeInner, MeshPoint.rightEyeUpperLid,
      MeshPoint.rightEyeLowerLid)
    leftEar = at(MeshPoint.leftEar)
    rightEar = at(MeshPoint.rightEar)
    leftCheek = at(MeshPoint.leftCheek)
    rightCheek = at(MeshPoint.rightCheek)
    mouthLeft = at(MeshPoint.mouthLeft)
    mouthRight = at(MeshPoint.mouthRight)
    mouthBottom = at(MeshPoint.mouthBottom)
    upperLipBottom = at(MeshPoint.upperLipBottom)
    lowerLipTop = at(MeshPoint.lowerLipTop)
  }
}
