import FrameRing

/// Turns frames into a network's int8 RGB input: scaled, turned upright, mirrored, letterboxed and
/// converted in one pass over the frame, without a full-size picture in between.
///
/// Shrinking, each output pixel is the mean of the part of the frame that it covers, with edge pixels
/// weighted by their share (area average); growing, it is bilinear between pixel centres. Where
/// chroma is shared by several pixels, each of them has it. Averages are taken in Y U V and then
/// converted: the same as averaging R G B, but for clamping.
///
/// Fixed point: an axis' weights are multiples of 2^-15 that add up to exactly 1, so a constant
/// picture stays constant; rows are summed first and kept with 8 fractional bits, then columns. The
/// result is within 1 of the exact one.
///
/// One output row at a time: the rows of the frame that it covers are summed into one row that stays
/// in the first-level cache, then its columns are summed and the pixels stored where the turn puts
/// them. Tables are made again only when the frame's size, format or orientation changes.
///
/// The loops are there twice: plainly, as the reference, and in row steps for vectors, which give the
/// same bytes (see ``PictureKernels``).
///
/// Cost: one core of a PC with AVX2 takes 640x480 YUYV to 160x120 in 0.04 ms, to 320x240 in 0.08 ms,
/// to 256x192 in 0.17 ms: a scale of 1/2 or 1/4 needs no weights. The reference takes 0.3 to 0.7 ms.
public struct Downscaler: ~Copyable {
  /// The output's size, in pixels.
  public let width: Int
  public let height: Int
  let scratch: UnsafeMutableRawBufferPointer
  let kernels: PictureKernels
  /// What the tables were made for; nil before the first frame.
  var plan: ScalePlan?

  /// Bytes of scratch for frames up to the given size (of the camera's picture), in any format and
  /// orientation.
  public static func scratchByteCount(
    width: Int, height: Int, frameWidth: Int, frameHeight: Int
  ) -> Int {
    ScalePlan.byteCount(
      longestSide: max(width, height), frameWidth: frameWidth, frameHeight: frameHeight)
  }

  /// - Parameters:
  ///   - width, height: of the output, 1…16384 pixels.
  ///   - scratch: at least ``scratchByteCount(width:height:frameWidth:frameHeight:)`` for the largest
  ///     frame, 16-byte aligned; must outlive the downscaler.
  ///   - kernels: an available set.
  public init(
    width: Int, height: Int, scratch: UnsafeMutableRawBufferPointer,
    kernels: PictureKernels = .detect()
  ) throws(ImagingError) {
    guard FrameView.sides ~= width, FrameView.sides ~= height else {
      throw .size(width: width, height: height)
    }
    self.width = width
    self.height = height
    self.scratch = scratch
    self.kernels = kernels
  }

  /// Scales the whole upright picture into the middle of the output, aspect kept; black (-128)
  /// around it.
  /// - Parameter output: height x width x 3, q = u8 - 128, R G B; values beyond are left alone.
  /// - Returns: where the picture lies in the output.
  /// - Throws: ``ImagingError/outputTooSmall(given:needed:)``,
  ///   ``ImagingError/scratchTooSmall(given:needed:)``.
  @export(interface)
  public mutating func scale(
    _ frame: borrowing FrameView, into output: inout MutableSpan<Int8>
  ) throws(ImagingError) -> Letterbox {
    let needed = width * height * 3
    guard output.count >= needed else { throw .outputTooSmall(given: output.count, needed: needed) }
    let box = PictureBox(layout: frame.layout, width: width, height: height)
    let current = try plan(for: frame.format, orientation: frame.orientation, box: box)
    let (width, height) = (width, height)
    output.withUnsafeMutableBufferPointer { buffer in
      // Neither is empty: both sides are at least 1.
      let start = buffer.baseAddress.unsafelyUnwrapped
      box.blacken(around: start, width: width, height: height)
      frame.bytes.withUnsafeBytes { raw in
        let source = raw.baseAddress.unsafelyUnwrapped
        let place = start + (box.top &* width &+ box.left) &* 3
        if let planes = current.planes {
          current.run(planes, source, into: place, outputWidth: width)
        } else {
          current.run(source, into: place, outputWidth: width)
        }
      }
    }
    return Letterbox(
      scale: Float(box.numerator) / Float(box.denominator),
      offset: Point(x: Float(box.left), y: Float(box.top)))
  }

  private mutating func plan(
    for format: FrameFormat, orientation: Orientation, box: PictureBox
  ) throws(ImagingError) -> ScalePlan {
    if let plan, plan.format == format, plan.orientation == orientation { return plan }
    plan = nil
    let made = try ScalePlan(
      format: format, orientation: orientation, box: box, scratch: scratch, kernels: kernels)
    plan = made
    return made
  }
}

/// The place of the scaled picture in the output, in whole pixels. The scale is a ratio of whole
/// numbers, so that no rounding moves one side of the picture against the other.
struct PictureBox {
  /// scale = numerator / denominator: one output side over the same side of the picture.
  let numerator: Int
  let denominator: Int
  let left: Int
  let top: Int
  let width: Int
  let height: Int

  init(layout: LayoutTransform, width: Int, height: Int) {
    let pictureWidth = layout.uprightWidth
    let pictureHeight = layout.uprightHeight
    if width * pictureHeight <= height * pictureWidth {
      (numerator, denominator) = (width, pictureWidth)
    } else {
      (numerator, denominator) = (height, pictureHeight)
    }
    self.width = Self.scaled(pictureWidth, numerator, denominator, limit: width)
    self.height = Self.scaled(pictureHeight, numerator, denominator, limit: height)
    left = (width - self.width) / 2
    top = (height - self.height) / 2
  }

  static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int, limit: Int) -> Int {
    max(1, min(limit, (side * numerator * 2 + denominator) / (denominator * 2)))
  }

  func blacken(around output: UnsafeMutablePointer<Int8>, width outputWidth: Int, height: Int) {
    func blacken(_ pixels: Range<Int>) {
      (output + pixels.lowerBound * 3).update(repeating: -128, count: pixels.count * 3)
    }
    blacken(0..<top * outputWidth)
    blacken((top + self.height) * outputWidth..<height * outputWidth)
    guard width < outputWidth else { return }
    for row in top..<top + self.height {
      blacken(row * outputWidth..<row * outputWidth + left)
      blacken(row * outputWidth + left + width..<(row + 1) * outputWidth)
    }
  }
}
