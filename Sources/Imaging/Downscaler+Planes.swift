import CImaging
import FrameRing

/// Scaling in row steps: what ``ScalePlan/run(_:into:outputWidth:)`` does value by value, in vectors.
///
/// The rows of the frame that an output row covers are averaged into one row of components, as they
/// lie in the frame; that is taken apart into a row for each component; the means of their columns
/// are converted and stored.
struct PlanePlan {
  let steps: RowSteps
  let luma: ColumnMeans
  let chroma: ColumnMeans
  /// Whether the means are in the order of the frame and go to the output in reverse.
  let isReversed: Bool
  /// A row as the frame has it.
  let packed: UnsafeMutablePointer<Int16>
  /// A row of each component, and its means.
  let rows: InlineArray<3, UnsafeMutablePointer<Int16>>
  let means: InlineArray<3, UnsafeMutablePointer<Int16>>
  /// Pixels of an output row that is a column of the output.
  let column: UnsafeMutablePointer<Int8>

  static func byteCount(longestSide: Int, frameWidth: Int) -> Int {
    let row = 2 * (frameWidth + RowSteps.slack)
    let means = 2 * (longestSide + RowSteps.slack)
    let tables =
      4 * ColumnMeans.firstCount(outputs: longestSide)
      + 2 * ColumnMeans.weightCount(outputs: longestSide, inputs: frameWidth)
    return packedByteCount(frameWidth: frameWidth) + 3 * row + 3 * means + 2 * tables
      + 3 * longestSide + 12 * 16
  }

  private static func packedByteCount(frameWidth: Int) -> Int {
    2 * (ScalePlan.rowCount(frameWidth: frameWidth) + 3 * RowSteps.slack)
  }

  init(
    _ steps: RowSteps, _ format: FrameFormat, across: TapTable, chromaAcross: TapTable,
    isReversed: Bool, memory: inout ScratchCursor
  ) {
    self.steps = steps
    let width = format.width
    packed = memory.take(Int16.self, Self.packedByteCount(frameWidth: width) / 2)
    func row() -> UnsafeMutablePointer<Int16> {
      memory.take(Int16.self, width + RowSteps.slack)
    }
    rows = [row(), row(), row()]
    func mean() -> UnsafeMutablePointer<Int16> {
      memory.take(Int16.self, across.count + RowSteps.slack)
    }
    means = [mean(), mean(), mean()]
    column = memory.take(Int8.self, 3 * across.count)

    func firsts() -> UnsafeMutablePointer<Int32> {
      memory.take(Int32.self, ColumnMeans.firstCount(outputs: across.count))
    }
    func weights() -> UnsafeMutablePointer<Int16> {
      memory.take(Int16.self, ColumnMeans.weightCount(outputs: across.count, inputs: width))
    }
    // Chroma of its own size is what luma is.
    let isShared = format.pixelFormat == .rgb24 || format.pixelFormat == .bgr24
    let second = isShared ? across : chromaAcross
    if let kinds = ColumnMeans.evenKinds(across, second, isReversed: isReversed) {
      self.isReversed = isReversed
      luma = ColumnMeans(kinds.0, count: across.count, firsts: firsts(), weights: weights())
      chroma = ColumnMeans(kinds.1, count: across.count, firsts: firsts(), weights: weights())
    } else {
      self.isReversed = false
      luma = ColumnMeans(across, length: width, firsts: firsts(), weights: weights())
      chroma = ColumnMeans(
        second, length: isShared ? width : (width + 1) / 2, firsts: firsts(), weights: weights())
    }
  }
}

extension ScalePlan {
  /// As ``run(_:into:outputWidth:)``, in row steps.
  func run(
    _ planes: PlanePlan, _ frame: UnsafeRawPointer, into output: UnsafeMutablePointer<Int8>,
    outputWidth: Int
  ) {
    let conversion = YUVToRGB(format.colorRange).shifted
    let isRGB = format.pixelFormat == .rgb24 || format.pixelFormat == .bgr24
    if format.pixelFormat == .grey {
      // No colour.
      planes.means[1].update(repeating: 0, count: across.count + RowSteps.slack)
      planes.means[2].update(repeating: 0, count: across.count + RowSteps.slack)
    }
    for index in 0..<down.count {
      let means = means(planes, frame, index)
      let swaps = orientation.swapsAxes
      let place = swaps ? planes.column : output + index &* outputWidth &* 3
      if isRGB {
        planes.steps.round(
          means, count: across.count, isReversed: planes.isReversed, into: place)
      } else {
        planes.steps.convert(
          means, count: across.count, isReversed: planes.isReversed, conversion, into: place)
      }
      if swaps { scatter(planes.column, into: output + index &* 3, step: outputWidth &* 3) }
    }
  }

  /// Pixels to places that are `step` bytes apart.
  private func scatter(
    _ pixels: UnsafePointer<Int8>, into output: UnsafeMutablePointer<Int8>, step: Int
  ) {
    var from = pixels
    var to = output
    for _ in 0..<across.count {
      to[0] = from[0]
      to[1] = from[1]
      to[2] = from[2]
      from += 3
      to += step
    }
  }

  /// The components of output row `index`.
  private func means(_ plan: PlanePlan, _ frame: UnsafeRawPointer, _ index: Int) -> Planes {
    let steps = plan.steps
    let stride = format.bytesPerLine
    let chromaStride = format.chromaBytesPerLine
    let width = format.width
    let chromaWidth = (width + 1) / 2
    let planes = frame + stride &* format.height
    let (first, second, third) = (plan.rows[0], plan.rows[1], plan.rows[2])
    switch format.pixelFormat {
    case .yuyv, .uyvy:
      sumRows(plan, frame, stride, down, index, count: chromaWidth &* 4, into: plan.packed)
      let isLumaFirst = format.pixelFormat == .yuyv
      // Chroma waits where the packed row was.
      steps.splitPairs(
        plan.packed, count: 2 &* chromaWidth, isLumaFirst ? first : plan.packed,
        isLumaFirst ? plan.packed : first)
      steps.splitPairs(plan.packed, count: chromaWidth, second, third)
    case .nv12, .nv21:
      let isUFirst = format.pixelFormat == .nv12
      sumRows(plan, frame, stride, down, index, count: width, into: first)
      sumRows(
        plan, planes, chromaStride, chromaDown, index, count: 2 &* chromaWidth, into: plan.packed)
      steps.splitPairs(
        plan.packed, count: chromaWidth, isUFirst ? second : third, isUFirst ? third : second)
    case .i420:
      sumRows(plan, frame, stride, down, index, count: width, into: first)
      sumRows(plan, planes, chromaStride, chromaDown, index, count: chromaWidth, into: second)
      sumRows(
        plan, planes + chromaStride &* format.chromaHeight, chromaStride, chromaDown, index,
        count: chromaWidth, into: third)
    case .grey:
      sumRows(plan, frame, stride, down, index, count: width, into: first)
      let grey = steps.means(first, plan.luma, into: plan.means[0])
      return Planes(first: grey, second: plan.means[1], third: plan.means[2])
    case .rgb24, .bgr24:
      let isRedFirst = format.pixelFormat == .rgb24
      sumRows(plan, frame, stride, down, index, count: 3 &* width, into: plan.packed)
      steps.splitTriples(
        plan.packed, count: width, isRedFirst ? first : third, second, isRedFirst ? third : first)
    }
    return Planes(
      first: steps.means(first, plan.luma, into: plan.means[0]),
      second: steps.means(second, plan.chroma, into: plan.means[1]),
      third: steps.means(third, plan.chroma, into: plan.means[2]))
  }

  private func sumRows(
    _ plan: PlanePlan, _ plane: UnsafeRawPointer, _ stride: Int, _ table: TapTable, _ index: Int,
    count: Int, into row: UnsafeMutablePointer<Int16>
  ) {
    let taps = table.taps[index]
    plan.steps.sumRows(
      plane + Int(taps.first) &* stride, stride: stride, taps: Int(taps.count),
      weights: table.weights + Int(taps.weights), count: count, into: row)
  }
}

/// Gives out parts of a scratch, each at a multiple of 16 bytes. The owner has counted them.
struct ScratchCursor {
  private var place: UnsafeMutableRawPointer

  init(_ start: UnsafeMutableRawPointer) { place = start }

  mutating func take<Element: BitwiseCopyable>(
    _ type: Element.Type, _ count: Int
  ) -> UnsafeMutablePointer<Element> {
    let start = place.alignedUp(toMultipleOf: 16)
    place = start + count * MemoryLayout<Element>.stride
    return start.bindMemory(to: type, capacity: count)
  }
}
