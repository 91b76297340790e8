import Imaging

extension Face {
  /// The same face in a picture of the given width (pixels) whose left and right changed places.
  /// The person's own left and right stay.
  mutating func mirror(width: Float) {
    box.x = width - box.maxX
    pose?.yaw.negate()
    pose?.roll.negate()
    landmarks?.mirror(width: width)
  }
}

extension FaceLandmarks {
  mutating func mirror(width: Float) {
    func flip(_ point: inout Point) { point.x = width - point.x }
    flip(&leftEye)
    flip(&rightEye)
    flip(&leftEar)
    flip(&rightEar)
    flip(&leftCheek)
    flip(&rightCheek)
    flip(&noseBase)
    flip(&mouthLeft)
    flip(&mouthRight)
    flip(&mouthBottom)
    flip(&upperLipBottom)
    flip(&lowerLipTop)
  }
}
