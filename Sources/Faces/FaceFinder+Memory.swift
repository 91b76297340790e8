import Imaging

extension DetectorInput {
  /// Width and height of the network's input, in pixels: the picture and the rows around it that
  /// make both sides multiples of 32.
  public var size: (width: Int, height: Int) {
    switch self {
    case .w160h120: (160, 128)
    case .w320h240: (320, 256)
    }
  }
}

extension FaceFinder {
  /// Bytes that a finder takes from its arena beyond the networks'.
  /// - Parameters:
  ///   - frameWidth, frameHeight: of the camera's picture, before it is turned.
  public static func byteCount(
    _ options: FaceOptions, frameWidth: Int, frameHeight: Int
  ) -> Int {
    Detector.byteCount(options.detectorInput, frameWidth: frameWidth, frameHeight: frameHeight)
      + meshBytes + 2 * alignment
  }
}
