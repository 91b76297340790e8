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
  /// As ``byteCount(_:frameWidth:frameHeight:)``, for a plan that is made before the networks are.
  public static func byteCount(
    _ options: FaceOptions, frameWidth: Int, frameHeight: Int
  ) -> Int {
    let input = options.detectorInput.size
    return Downscaler.scratchByteCount(
      width: input.width, height: input.height, frameWidth: frameWidth, frameHeight: frameHeight)
      + meshBytes + 2 * alignment
  }
}
