import FrameRing

/// Reads single pixels, or sums of 2x2 pixels, of one kind of format. Where chroma is shared by
/// several pixels, each of them has it: this is the picture that the downscaler and the crop average
/// and interpolate.
///
/// One struct for formats that differ by offsets alone, so that loops over pixels are compiled for
/// each kind and hold no switch. Coordinates are the camera's and must lie inside.
protocol PixelReader {
  /// Whether components are R G B; else Y U V.
  static var isRGB: Bool { get }
  /// Y U V (128, 128 for grey) or R G B, 0 to 255.
  func components(x: Int, y: Int) -> (Int32, Int32, Int32)
  /// Y as it is stored, or luma of R G B, 0 to 255.
  func luma(x: Int, y: Int) -> Int32
  /// Sums of the components of the pixels (2x, 2y) to (2x + 1, 2y + 1).
  func block(x: Int, y: Int) -> (Int32, Int32, Int32)
  /// The sum of their luma.
  func lumaBlock(x: Int, y: Int) -> Int32
}

extension PixelReader {
  @inline(__always)
  func lumaBlock(x: Int, y: Int) -> Int32 {
    let (left, top) = (x &* 2, y &* 2)
    return luma(x: left, y: top) &+ luma(x: left &+ 1, y: top)
      &+ luma(x: left, y: top &+ 1) &+ luma(x: left &+ 1, y: top &+ 1)
  }
}

/// YUYV and UYVY.
struct PackedYUVReader: PixelReader {
  static var isRGB: Bool { false }
  let base: UnsafeRawPointer
  let stride: Int
  /// Where the first Y is in a group of four bytes; U and V follow from it.
  let firstY: Int

  @inline(__always)
  func components(x: Int, y: Int) -> (Int32, Int32, Int32) {
    let row = base + y &* stride
    let pair = (x &>> 1) &* 4 &- firstY
    return (row.byte(x &* 2 &+ firstY), row.byte(pair &+ 1), row.byte(pair &+ 3))
  }

  @inline(__always)
  func luma(x: Int, y: Int) -> Int32 { (base + y &* stride).byte(x &* 2 &+ firstY) }

  /// Two groups of four bytes, added in 16-bit lanes of a word.
  @inline(__always)
  func block(x: Int, y: Int) -> (Int32, Int32, Int32) {
    let place = y &* 2 &* stride &+ x &* 4
    let upper = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    let lower = UInt32(
      littleEndian: base.loadUnaligned(fromByteOffset: place &+ stride, as: UInt32.self))
    let lanes: UInt32 = 0x00FF_00FF
    let toY = UInt32(truncatingIfNeeded: firstY &* 8)
    let luma = ((upper &>> toY) & lanes) &+ ((lower &>> toY) & lanes)
    let chroma = ((upper &>> (8 &- toY)) & lanes) &+ ((lower &>> (8 &- toY)) & lanes)
    return (
      Int32(truncatingIfNeeded: (luma & 0xFFFF) &+ (luma &>> 16)),
      Int32(truncatingIfNeeded: (chroma & 0xFFFF) &* 2),
      Int32(truncatingIfNeeded: (chroma &>> 16) &* 2)
    )
  }
}

/// NV12, NV21 and I420.
struct PlanarYUVReader: PixelReader {
  static var isRGB: Bool { false }
  let base: UnsafeRawPointer
  let stride: Int
  let planeU: UnsafeRawPointer
  let planeV: UnsafeRawPointer
  let chromaStride: Int
  /// Bytes from one sample of a chroma plane to the next.
  let chromaStep: Int

  init(base: UnsafeRawPointer, format: FrameFormat) {
    self.base = base
    stride = format.bytesPerLine
    chromaStride = format.chromaBytesPerLine
    let chroma = base + stride * format.height
    switch format.pixelFormat {
    case .nv12:
      (planeU, planeV, chromaStep) = (chroma, chroma + 1, 2)
    case .nv21:
      (planeU, planeV, chromaStep) = (chroma + 1, chroma, 2)
    default:
      (planeU, planeV, chromaStep) = (chroma, chroma + chromaStride * format.chromaHeight, 1)
    }
  }

  @inline(__always)
  func components(x: Int, y: Int) -> (Int32, Int32, Int32) {
    let place = (y &>> 1) &* chromaStride &+ (x &>> 1) &* chromaStep
    return (luma(x: x, y: y), planeU.byte(place), planeV.byte(place))
  }

  @inline(__always)
  func luma(x: Int, y: Int) -> Int32 { (base + y &* stride).byte(x) }

  @inline(__always)
  func block(x: Int, y: Int) -> (Int32, Int32, Int32) {
    let place = y &* chromaStride &+ x &* chromaStep
    return (lumaBlock(x: x, y: y), planeU.byte(place) &* 4, planeV.byte(place) &* 4)
  }
}

struct GreyReader: PixelReader {
  static var isRGB: Bool { false }
  let base: UnsafeRawPointer
  let stride: Int

  @inline(__always)
  func components(x: Int, y: Int) -> (Int32, Int32, Int32) { (luma(x: x, y: y), 128, 128) }

  @inline(__always)
  func luma(x: Int, y: Int) -> Int32 { (base + y &* stride).byte(x) }

  @inline(__always)
  func block(x: Int, y: Int) -> (Int32, Int32, Int32) { (lumaBlock(x: x, y: y), 512, 512) }
}

/// RGB24 and BGR24.
struct RGBReader: PixelReader {
  static var isRGB: Bool { true }
  let base: UnsafeRawPointer
  let stride: Int
  /// Where R is among the three bytes; B is at the other end.
  let red: Int

  @inline(__always)
  func components(x: Int, y: Int) -> (Int32, Int32, Int32) {
    let place = y &* stride &+ x &* 3
    let pixel = base + place
    return (pixel.byte(red), pixel.byte(1), pixel.byte(2 &- red))
  }

  @inline(__always)
  func luma(x: Int, y: Int) -> Int32 {
    let (r, g, b) = components(x: x, y: y)
    return rounded(lumaOfRGB(r &<< 8, g &<< 8, b &<< 8))
  }

  @inline(__always)
  func block(x: Int, y: Int) -> (Int32, Int32, Int32) {
    let place = y &* 2 &* stride &+ x &* 6
    let upper = base + place
    let lower = upper + stride
    @inline(__always)
    func sum(_ offset: Int) -> Int32 {
      upper.byte(offset) &+ upper.byte(offset &+ 3)
        &+ lower.byte(offset) &+ lower.byte(offset &+ 3)
    }
    return (sum(red), sum(1), sum(2 &- red))
  }
}

extension UnsafeRawPointer {
  @inline(__always)
  func byte(_ offset: Int) -> Int32 { Int32(load(fromByteOffset: offset, as: UInt8.self)) }
}

/// Work on pixels, whatever their format.
protocol PixelWork {
  associatedtype Result
  mutating func run<Reader: PixelReader>(_ reader: Reader) -> Result
}

extension FrameView {
  /// Runs `work` with the reader of the frame's format.
  func perform<Work: PixelWork>(_ work: inout Work) -> Work.Result {
    let format = format
    return bytes.withUnsafeBytes { raw in
      // A view of no bytes cannot be made.
      let base = raw.baseAddress.unsafelyUnwrapped
      let stride = format.bytesPerLine
      switch format.pixelFormat {
      case .yuyv: return work.run(PackedYUVReader(base: base, stride: stride, firstY: 0))
      case .uyvy: return work.run(PackedYUVReader(base: base, stride: stride, firstY: 1))
      case .nv12, .nv21, .i420: return work.run(PlanarYUVReader(base: base, format: format))
      case .grey: return work.run(GreyReader(base: base, stride: stride))
      case .rgb24: return work.run(RGBReader(base: base, stride: stride, red: 0))
      case .bgr24: return work.run(RGBReader(base: base, stride: stride, red: 2))
      }
    }
  }
}
