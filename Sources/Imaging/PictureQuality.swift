import FrameRing

/// How well a part of a picture is lit and focused.
public struct PictureQuality: Equatable, Sendable {
  /// Mean luma, 0 to 255 (full range whatever the format's).
  public var meanLuma: Float
  /// Share of pixels below 20, and of those above 235, 0 to 1.
  public var darkShare: Float
  public var brightShare: Float
  /// Variance of a Laplacian over the variance of the luma, both of a grid of at most 96 x 96 cells
  /// spread over the part, so that it does not depend on the part's size or contrast: near 0 when
  /// blurred or flat, 20 for pure noise. Middles of 40 webcam pictures, 640x480, parts of 128 and
  /// 256 pixels: 0.09 to 0.8; after a Gaussian blur of sigma 2, 4, 8 pixels 0.02 to 0.16, 0.006 to
  /// 0.04, 0.002 to 0.009.
  public var sharpness: Float

  public init(meanLuma: Float, darkShare: Float, brightShare: Float, sharpness: Float) {
    self.meanLuma = meanLuma
    self.darkShare = darkShare
    self.brightShare = brightShare
    self.sharpness = sharpness
  }
}

/// Measures a part of the upright picture; what lies outside the picture is left out. A cell is one
/// pixel, or the mean of 2x2 where the part is larger than the grid. About 30 µs on one core of a PC.
/// - Returns: nil when less than 3x3 pixels of `part` lie in the picture.
@export(interface)
public func measureQuality(
  _ frame: borrowing FrameView, within part: Rect
) -> PictureQuality? {
  let layout = frame.layout
  guard part.x.isFinite, part.y.isFinite, part.width.isFinite, part.height.isFinite else {
    return nil
  }
  let whole = Rect(
    x: 0, y: 0, width: Float(layout.uprightWidth), height: Float(layout.uprightHeight))
  let inside = whole.intersection(part)
  guard inside.width >= 3, inside.height >= 3 else { return nil }
  let a = layout.toCamera(Point(x: inside.x, y: inside.y))
  let b = layout.toCamera(Point(x: inside.maxX, y: inside.maxY))
  let left = max(0, Int(min(a.x, b.x)))
  let top = max(0, Int(min(a.y, b.y)))
  let right = min(layout.width, Int(max(a.x, b.x).rounded(.up)))
  let bottom = min(layout.height, Int(max(a.y, b.y).rounded(.up)))
  let step = max(
    (right - left + QualityWork.side - 1) / QualityWork.side,
    (bottom - top + QualityWork.side - 1) / QualityWork.side)
  let range = YUVToRGB(frame.format.colorRange)
  var work = QualityWork(
    left: left, top: top, columns: (right - left) / step, rows: (bottom - top) / step, step: step,
    range: range)
  guard work.columns >= 3, work.rows >= 3 else { return nil }
  return frame.perform(&work)
}

struct QualityWork: PixelWork {
  static let side = 96

  let left: Int
  let top: Int
  let columns: Int
  let rows: Int
  /// Pixels from cell to cell.
  let step: Int
  let range: YUVToRGB

  func run<Reader: PixelReader>(_ reader: Reader) -> PictureQuality {
    // Luma times 4.
    var cells = InlineArray<9216, Int16>(repeating: 0)
    return withUnsafeMutablePointer(to: &cells) { cells in
      let cells = UnsafeMutableRawPointer(cells).assumingMemoryBound(to: Int16.self)
      read(reader, into: cells)
      return measure(cells)
    }
  }

  @inline(__always)
  func read<Reader: PixelReader>(_ reader: Reader, into cells: UnsafeMutablePointer<Int16>) {
    @inline(__always)
    func luma(_ x: Int, _ y: Int) -> Int32 {
      let stored = reader.luma(x: x, y: y)
      return Reader.isRGB ? stored : range.grey(stored &<< 8)
    }
    for row in 0..<rows {
      let y = top &+ row &* step
      for column in 0..<columns {
        let x = left &+ column &* step
        let sum =
          step == 1
          ? luma(x, y) &* 4
          : luma(x, y) &+ luma(x &+ 1, y) &+ luma(x, y &+ 1) &+ luma(x &+ 1, y &+ 1)
        cells[row &* columns &+ column] = Int16(truncatingIfNeeded: sum)
      }
    }
  }

  func measure(_ cells: UnsafeMutablePointer<Int16>) -> PictureQuality {
    let count = columns * rows
    var (sum, squares, dark, bright) = (0, 0, 0, 0)
    for cell in 0..<count {
      let value = Int(cells[cell])
      sum &+= value
      squares &+= value &* value
      dark &+= value < 20 * 4 ? 1 : 0
      bright &+= value > 235 * 4 ? 1 : 0
    }
    var (edges, edgeSquares) = (0, 0)
    for row in 1..<rows - 1 {
      let line = cells + row * columns
      for column in 1..<columns - 1 {
        let cell = line + column
        let around =
          Int(cell[-1]) &+ Int(cell[1]) &+ Int(cell[-columns]) &+ Int(cell[columns])
        let edge = 4 &* Int(cell[0]) &- around
        edges &+= edge
        edgeSquares &+= edge &* edge
      }
    }
    let variance = Self.variance(sum, squares, count)
    let detail = Self.variance(edges, edgeSquares, (columns - 2) * (rows - 2))
    return PictureQuality(
      meanLuma: Float(sum) / Float(4 * count), darkShare: Float(dark) / Float(count),
      brightShare: Float(bright) / Float(count),
      // A part whose luma varies by less than one step is flat, not sharp.
      sharpness: variance < 16 ? 0 : Float(detail / variance))
  }

  static func variance(_ sum: Int, _ squares: Int, _ count: Int) -> Double {
    let mean = Double(sum) / Double(count)
    return Double(squares) / Double(count) - mean * mean
  }
}
