import FrameRing

/// Everything about a scaling that does not depend on the pixels, in the downscaler's scratch.
struct ScalePlan {
  let format: FrameFormat
  let orientation: Orientation
  /// Along the camera's axes; the output pixels are counted along the upright picture's.
  let across: TapTable
  let down: TapTable
  let chromaAcross: TapTable
  let chromaDown: TapTable
  /// Sums of a row, then the row itself with 8 fractional bits; all planes one after the other.
  let sums: UnsafeMutablePointer<UInt32>
  let row: UnsafeMutablePointer<UInt16>
  /// In the memory of those two; nil where the reference runs.
  let planes: PlanePlan?

  /// Bytes of a row of all planes at most, in any format.
  static func rowCount(frameWidth: Int) -> Int { 3 * frameWidth + 16 }

  static func byteCount(longestSide: Int, frameWidth: Int, frameHeight: Int) -> Int {
    let taps = MemoryLayout<Taps>.stride * longestSide
    let across = 2 * TapTable.weightCount(outputs: longestSide, inputs: frameWidth)
    let down = 2 * TapTable.weightCount(outputs: longestSide, inputs: frameHeight)
    let rows = 6 * rowCount(frameWidth: frameWidth) + 2 * 16
    let planes = PlanePlan.byteCount(longestSide: longestSide, frameWidth: frameWidth)
    // Each of the eight tables may need 15 bytes to be aligned.
    return 4 * taps + 2 * across + 2 * down + 8 * 16 + max(rows, planes)
  }

  init(
    format: FrameFormat, orientation: Orientation, box: PictureBox,
    scratch: UnsafeMutableRawBufferPointer, kernels: PictureKernels
  ) throws(ImagingError) {
    let swaps = orientation.swapsAxes
    let columns = swaps ? box.height : box.width
    let rows = swaps ? box.width : box.height
    let needed = Self.byteCount(
      longestSide: max(columns, rows), frameWidth: format.width, frameHeight: format.height)
    guard scratch.count >= needed, let base = scratch.baseAddress else {
      throw .scratchTooSmall(given: scratch.count, needed: needed)
    }
    var cursor = ScratchCursor(base)
    func table(_ count: Int, inputs: Int) -> TapTable {
      TapTable(
        taps: cursor.take(Taps.self, count),
        weights: cursor.take(UInt16.self, TapTable.weightCount(outputs: count, inputs: inputs)),
        count: count)
    }
    self.format = format
    self.orientation = orientation
    across = table(columns, inputs: format.width)
    chromaAcross = table(columns, inputs: format.width)
    down = table(rows, inputs: format.height)
    chromaDown = table(rows, inputs: format.height)
    var shared = cursor
    sums = cursor.take(UInt32.self, Self.rowCount(frameWidth: format.width))
    row = cursor.take(UInt16.self, Self.rowCount(frameWidth: format.width))

    let layout = LayoutTransform(
      width: format.width, height: format.height, orientation: orientation)
    let isReversed = swaps ? layout.flipsY : layout.flipsX
    across.fill(
      length: format.width, numerator: box.numerator, denominator: box.denominator,
      flips: isReversed)
    down.fill(
      length: format.height, numerator: box.numerator, denominator: box.denominator,
      flips: swaps ? layout.flipsX : layout.flipsY)
    chromaAcross.fill(halving: across)
    chromaDown.fill(halving: down)
    planes = RowSteps(kernels).map { [across, chromaAcross] steps in
      PlanePlan(
        steps, format, across: across, chromaAcross: chromaAcross, isReversed: isReversed,
        memory: &shared)
    }
  }
}
