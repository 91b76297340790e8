import CPlatform

/// Where the samples of a crop lie in the camera's picture. A unit is a pixel or a block of 2x2
/// pixels; places are indices of units (0 is the middle of the first) with 24 fractional bits.
struct CropGrid {
  static let fraction = 24
  let usesBlocks: Bool
  /// Samples of an output pixel along one side: 1 << samplesShift.
  let samplesShift: Int
  let columns: Int
  let rows: Int
  /// Size of the camera's picture, in pixels.
  let frameWidth: Int
  let frameHeight: Int
  /// Units that the picture reaches into, and those that lie in it whole.
  let unitsAcross: Int
  let unitsDown: Int
  let wholeAcross: Int
  let wholeDown: Int
  /// The first sample, the steps to the next sample and to the next row of samples, in units.
  let x: Double
  let y: Double
  let stepX: Int
  let stepY: Int
  let rowX: Double
  let rowY: Double
  /// The last two as steps.
  let lineX: Int
  let lineY: Int

  init(
    _ region: CropRegion, layout: LayoutTransform, width: Int, height: Int
  ) throws(ImagingError) {
    let limit: Float = 1e6
    guard abs(region.center.x) <= limit, abs(region.center.y) <= limit,
      region.width > 0, region.width <= limit, region.height > 0, region.height <= limit,
      abs(region.angle) <= limit
    else { throw .region }
    let shrink = max(Double(region.width) / Double(width), Double(region.height) / Double(height))
    usesBlocks = shrink > 1.5
    var shift = 0
    while shift < 4 && shrink > 3 * Double(1 << shift) { shift += 1 }
    samplesShift = shift
    columns = width
    rows = height
    frameWidth = layout.width
    frameHeight = layout.height
    let unit = usesBlocks ? 2 : 1
    unitsAcross = (layout.width + unit - 1) / unit
    unitsDown = (layout.height + unit - 1) / unit
    wholeAcross = layout.width / unit
    wholeDown = layout.height / unit

    // Upright first: one step along the region's own axes, and the middle of the first sample.
    let samples = Double(1 << shift)
    let cosine = cos(Double(region.angle))
    let sine = sin(Double(region.angle))
    let across = Double(region.width) / (Double(width) * samples)
    let down = Double(region.height) / (Double(height) * samples)
    let left = across / 2 - Double(region.width) / 2
    let top = down / 2 - Double(region.height) / 2
    let firstX = Double(region.center.x) + left * cosine - top * sine
    let firstY = Double(region.center.y) + left * sine + top * cosine
    // Then as the camera has it.
    let signX: Double = layout.flipsX ? -1 : 1
    let signY: Double = layout.flipsY ? -1 : 1
    let originX = layout.flipsX ? Double(layout.uprightWidth) - firstX : firstX
    let originY = layout.flipsY ? Double(layout.uprightHeight) - firstY : firstY
    let alongX = signX * across * cosine
    let alongY = signY * across * sine
    let downX = -signX * down * sine
    let downY = signY * down * cosine
    let swaps = layout.orientation.swapsAxes
    let scale = 1 / Double(unit)
    x = (swaps ? originY : originX) * scale - 0.5
    y = (swaps ? originX : originY) * scale - 0.5
    rowX = (swaps ? downY : downX) * scale
    rowY = (swaps ? downX : downY) * scale
    lineX = Self.fixed(rowX)
    lineY = Self.fixed(rowY)
    stepX = Self.fixed((swaps ? alongY : alongX) * scale)
    stepY = Self.fixed((swaps ? alongX : alongY) * scale)
  }

  /// All values are far below 2^39, see the limit of a region.
  static func fixed(_ value: Double) -> Int { Int((value * Double(1 << fraction)).rounded()) }

  /// The place of the first sample in row `row` of samples.
  func start(ofRow row: Int) -> (x: Int, y: Int) {
    (Self.fixed(x + Double(row) * rowX), Self.fixed(y + Double(row) * rowY))
  }

  /// The columns of output pixels, of a row of samples, whose samples all have four whole units
  /// around them.
  func insideColumns(_ start: (x: Int, y: Int)) -> Range<Int> {
    let samples = columns << samplesShift
    let across = Self.inside(
      start.x, step: stepX, limit: (wholeAcross - 1) << Self.fraction, count: samples)
    let down = Self.inside(
      start.y, step: stepY, limit: (wholeDown - 1) << Self.fraction, count: samples)
    let first = (max(across.lowerBound, down.lowerBound) + (1 << samplesShift) - 1) >> samplesShift
    let end = min(across.upperBound, down.upperBound) >> samplesShift
    return first < end ? first..<end : 0..<0
  }

  /// The steps, of `count`, whose places are in 0..<limit.
  static func inside(_ start: Int, step: Int, limit: Int, count: Int) -> Range<Int> {
    guard step != 0 else { return 0 <= start && start < limit ? 0..<count : 0..<0 }
    // Backwards is forwards from the other end.
    let start = step > 0 ? start : start + (count - 1) * step
    let stride = abs(step)
    let first = start >= 0 ? 0 : (stride - 1 - start) / stride
    let end = start >= limit ? 0 : min(count, (limit - start + stride - 1) / stride)
    guard first < end else { return 0..<0 }
    return step > 0 ? first..<end : count - end..<count - first
  }
}

/// How samples near the edge are looked up.
protocol CropBorder {
  static var replicates: Bool { get }
}

/// All four units lie in the picture whole.
enum InsideOnly: CropBorder {
  static var replicates: Bool { false }
}

enum Replicating: CropBorder {
  static var replicates: Bool { true }
}

/// What the bilinear weights are put on.
protocol CropUnit {
  /// Bits of a weight along one axis: with both axes and the unit's own bits 30 in all.
  static var weightBits: Int { get }
  static func components<Reader: PixelReader, Border: CropBorder>(
    _ reader: Reader, _ border: Border.Type, _ grid: CropGrid, x: Int, y: Int
  ) -> (Int32, Int32, Int32)
  static func luma<Reader: PixelReader, Border: CropBorder>(
    _ reader: Reader, _ border: Border.Type, _ grid: CropGrid, x: Int, y: Int
  ) -> Int32
}

enum PixelUnit: CropUnit {
  static var weightBits: Int { 11 }

  @inline(__always)
  static func components<Reader: PixelReader, Border: CropBorder>(
    _ reader: Reader, _ border: Border.Type, _ grid: CropGrid, x: Int, y: Int
  ) -> (Int32, Int32, Int32) { reader.components(x: x, y: y) }

  @inline(__always)
  static func luma<Reader: PixelReader, Border: CropBorder>(
    _ reader: Reader, _ border: Border.Type, _ grid: CropGrid, x: Int, y: Int
  ) -> Int32 { reader.luma(x: x, y: y) }
}

/// Sums of 2x2 pixels. Where the picture's size is odd, the last ones repeat its edge.
enum BlockUnit: CropUnit {
  static var weightBits: Int { 10 }

  @inline(__always)
  static func components<Reader: PixelReader, Border: CropBorder>(
    _ reader: Reader, _ border: Border.Type, _ grid: CropGrid, x: Int, y: Int
  ) -> (Int32, Int32, Int32) {
    if Border.replicates && (x >= grid.wholeAcross || y >= grid.wholeDown) {
      let (left, top) = (x &* 2, y &* 2)
      let right = min(left &+ 1, grid.frameWidth &- 1)
      let bottom = min(top &+ 1, grid.frameHeight &- 1)
      let a = reader.components(x: left, y: top)
      let b = reader.components(x: right, y: top)
      let c = reader.components(x: left, y: bottom)
      let d = reader.components(x: right, y: bottom)
      return (
        a.0 &+ b.0 &+ c.0 &+ d.0, a.1 &+ b.1 &+ c.1 &+ d.1, a.2 &+ b.2 &+ c.2 &+ d.2
      )
    }
    return reader.block(x: x, y: y)
  }

  @inline(__always)
  static func luma<Reader: PixelReader, Border: CropBorder>(
    _ reader: Reader, _ border: Border.Type, _ grid: CropGrid, x: Int, y: Int
  ) -> Int32 {
    if Border.replicates && (x >= grid.wholeAcross || y >= grid.wholeDown) {
      let (left, top) = (x &* 2, y &* 2)
      let right = min(left &+ 1, grid.frameWidth &- 1)
      let bottom = min(top &+ 1, grid.frameHeight &- 1)
      return reader.luma(x: left, y: top) &+ reader.luma(x: right, y: top)
        &+ reader.luma(x: left, y: bottom) &+ reader.luma(x: right, y: bottom)
    }
    return reader.lumaBlock(x: x, y: y)
  }
}
