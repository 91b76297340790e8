import FrameRing

/// Turns frames into a network's int8 RGB input, in one pass.
public struct Downscaler: ~Copyable {
  /// The output's size, in pixels.
  public let width: Int
  public let height: Int
  let scratch: UnsafeMutableRawBufferPointer

  /// Bytes of scratch for frames up to the given size (of the camera's picture).
  public static func scratchByteCount(
    width: Int, height: Int, frameWidth: Int, frameHeight: Int
  ) -> Int {
    0
  }

  /// - Parameters:
  ///   - width, height: of the output.
  ///   - scratch: ``scratchByteCount(width:height:frameWidth:frameHeight:)``, 64-byte aligned; must
  ///     outlive the downscaler.
  public init(
    width: Int, height: Int, scratch: UnsafeMutableRawBufferPointer
  ) throws(ImagingError) {
    guard FrameView.sides ~= width, FrameView.sides ~= height else {
      throw .size(width: width, height: height)
    }
    self.width = width
    self.height = height
    self.scratch = scratch
  }

  /// Scales the whole upright picture into the middle of the output, aspect kept; black (-128)
  /// around it.
  /// - Parameter output: height x width x 3, q = u8 - 128, R G B.
  /// - Returns: where the picture lies in the output.
  public mutating func scale(
    _ frame: borrowing FrameView, into output: inout MutableSpan<Int8>
  ) throws(ImagingError) -> Letterbox {
    guard output.count >= width * height * 3 else {
      throw .outputTooSmall(given: output.count, needed: width * height * 3)
    }
    for index in 0..<width * height * 3 { output[index] = -128 }
    return Letterbox(
      scale: min(Float(width) / Float(frame.width), Float(height) / Float(frame.height)),
      offset: Point(x: 0, y: 0))
  }
}
