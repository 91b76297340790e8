import CImaging
import FrameRing

/// Cutting in row steps: what ``CropWork`` does pixel by pixel, in vectors.
///
/// A part of a row of samples at a time: its samples become three short rows of components, which are
/// then converted, or first averaged with those of the rows below. The few samples that no step takes
/// are taken as the reference takes them.
struct CropRows {
  /// Most samples in a part, and outputs: a whole number of outputs at any ``CropGrid/samplesShift``.
  static let part = 256

  let steps: RowSteps
  let grid: CropGrid
  let conversion: YUVToRGB
  let channels: CropChannels
  let stride: Int
  /// Where the first Y is in a group of four bytes.
  let firstY: Int

  /// nil for what only the reference cuts: a format that is not packed 4:2:2, or its kernels.
  init?(
    _ format: FrameFormat, _ grid: CropGrid, _ conversion: YUVToRGB, _ channels: CropChannels,
    _ kernels: PictureKernels
  ) {
    guard let steps = RowSteps(kernels),
      format.pixelFormat == .yuyv || format.pixelFormat == .uyvy
    else { return nil }
    self.steps = steps
    stride = format.bytesPerLine
    firstY = format.pixelFormat == .yuyv ? 0 : 1
    self.grid = grid
    self.conversion = conversion
    self.channels = channels
  }

  func run(_ frame: UnsafeRawPointer, into output: UnsafeMutablePointer<Int8>) {
    var memory = CropMemory()
    withUnsafeMutablePointer(to: &memory) { memory in
      let parts = CropParts(UnsafeMutableRawPointer(memory))
      let reader = PackedYUVReader(base: frame, stride: stride, firstY: firstY)
      for row in 0..<grid.rows { write(reader, row: row, to: output, parts) }
    }
  }

  private func write(
    _ reader: PackedYUVReader, row: Int, to output: UnsafeMutablePointer<Int8>, _ parts: CropParts
  ) {
    let step = Self.part &>> grid.samplesShift
    var column = 0
    while column < grid.columns {
      let count = min(step, grid.columns &- column)
      if grid.samplesShift == 0 {
        sample(reader, row: row, from: column, count: count, into: parts)
      } else {
        average(reader, row: row, from: column, count: count, into: parts)
      }
      let place = output + (row &* grid.columns &+ column) &* channels.count
      store(parts, count: count, to: place)
      column &+= count
    }
  }

  private func store(_ parts: CropParts, count: Int, to place: UnsafeMutablePointer<Int8>) {
    switch channels {
    case .rgb:
      steps.convert(
        Planes(
          first: UnsafePointer(parts.y), second: UnsafePointer(parts.u),
          third: UnsafePointer(parts.v)),
        count: count, isReversed: false, conversion.shifted, into: place)
    case .grey:
      for index in 0..<count {
        place[index] = quantized(conversion.grey(Int32(parts.y[index]) &+ 32768))
      }
    }
  }

  /// The means of squares of samples, one for each of `count` outputs.
  private func average(
    _ reader: PackedYUVReader, row: Int, from column: Int, count: Int, into parts: CropParts
  ) {
    let shift = grid.samplesShift
    let side = 1 &<< shift
    let samples = count &<< shift
    parts.clearSums(samples)
    for line in 0..<side {
      sample(
        reader, row: row &<< shift, line: line, from: column &<< shift, count: samples, into: parts)
      parts.addToSums(samples)
    }
    parts.average(count: count, shift: shift)
  }

  /// `count` samples of a row of samples, or of a row `line` below it.
  private func sample(
    _ reader: PackedYUVReader, row: Int, line: Int = 0, from first: Int, count: Int,
    into parts: CropParts
  ) {
    let start = grid.start(ofRow: row)
    let x = start.x &+ line &* grid.lineX &+ first &* grid.stepX
    let y = start.y &+ line &* grid.lineY &+ first &* grid.stepY
    let inside = grid.packedSamples((x, y), count: count)
    sample(reader, 0..<inside.lowerBound, x, y, repeatsEdge: true, into: parts)
    sample(reader, inside, x, y, repeatsEdge: false, into: parts)
    sample(reader, inside.upperBound..<count, x, y, repeatsEdge: true, into: parts)
  }

  private func sample(
    _ reader: PackedYUVReader, _ samples: Range<Int>, _ x: Int, _ y: Int, repeatsEdge: Bool,
    into parts: CropParts
  ) {
    guard samples.count >= RowSteps.fewestSamples, !repeatsEdge || grid.repeatsEdgeInSteps else {
      plainlySample(reader, samples, x, y, into: parts)
      return
    }
    let first = samples.lowerBound
    let line = imaging_line(
      base: reader.base, stride: reader.stride, first_luma: Int32(reader.firstY),
      x: Int64(x &+ first &* grid.stepX), y: Int64(y &+ first &* grid.stepY),
      step_x: Int64(grid.stepX), step_y: Int64(grid.stepY), repeats_edge: repeatsEdge ? 1 : 0,
      last_x: Int32(truncatingIfNeeded: grid.unitsAcross &- 1),
      last_y: Int32(truncatingIfNeeded: grid.unitsDown &- 1),
      last_pair: Int32(truncatingIfNeeded: (grid.frameWidth &+ 1) / 2 &- 2))
    steps.sample(
      line, isBlocks: grid.usesBlocks, count: samples.count, parts.y + first, parts.u + first,
      parts.v + first)
  }

  private func plainlySample(
    _ reader: PackedYUVReader, _ samples: Range<Int>, _ x: Int, _ y: Int, into parts: CropParts
  ) {
    for index in samples {
      let (x, y) = (x &+ index &* grid.stepX, y &+ index &* grid.stepY)
      let sample =
        grid.usesBlocks
        ? grid.sample(RGBOutput.self, reader, Replicating.self, BlockUnit.self, x, y)
        : grid.sample(RGBOutput.self, reader, Replicating.self, PixelUnit.self, x, y)
      parts.y[index] = Int16(truncatingIfNeeded: sample.first &- 32768)
      parts.u[index] = Int16(truncatingIfNeeded: sample.second &- 32768)
      parts.v[index] = Int16(truncatingIfNeeded: sample.third &- 32768)
    }
  }
}

extension CropGrid {
  /// The samples, of `count` from a place on, for which both groups of four bytes that a step reads
  /// lie in the row, and all its rows in the picture.
  func packedSamples(_ start: (x: Int, y: Int), count: Int) -> Range<Int> {
    let columns = usesBlocks ? wholeAcross - 1 : min(wholeAcross - 1, (frameWidth - 1) / 2 * 2)
    let across = Self.inside(
      start.x, step: stepX, limit: columns << Self.fraction, count: count)
    let down = Self.inside(
      start.y, step: stepY, limit: (wholeDown - 1) << Self.fraction, count: count)
    let both = across.clamped(to: down)
    return both.isEmpty ? 0..<0 : both
  }

  /// Whether a step can repeat the picture's edge: there are two groups of four bytes in a row, and
  /// no block is cut.
  var repeatsEdgeInSteps: Bool {
    frameWidth > 2
      && (!usesBlocks || (wholeAcross == unitsAcross && wholeDown == unitsDown))
  }
}

/// Room for a part: components of its samples, and their sums.
struct CropMemory {
  var components = InlineArray<960, Int16>(repeating: 0)
  var sums = InlineArray<768, Int32>(repeating: 0)
}

/// The rows in a ``CropMemory``.
struct CropParts {
  let y, u, v: UnsafeMutablePointer<Int16>
  let sums: UnsafeMutablePointer<Int32>

  /// - Parameter memory: of a ``CropMemory``.
  init(_ memory: UnsafeMutableRawPointer) {
    let row = CropRows.part + RowSteps.slack
    y = memory.assumingMemoryBound(to: Int16.self)
    u = y + row
    v = u + row
    sums = (memory + 2 * 3 * row).assumingMemoryBound(to: Int32.self)
  }

  func clearSums(_ count: Int) {
    for part in 0..<3 { (sums + part * CropRows.part).update(repeating: 0, count: count) }
  }

  func addToSums(_ count: Int) {
    @inline(__always)
    func add(_ values: UnsafeMutablePointer<Int16>, _ sums: UnsafeMutablePointer<Int32>) {
      for index in 0..<count { sums[index] &+= Int32(values[index]) }
    }
    add(y, sums)
    add(u, sums + CropRows.part)
    add(v, sums + 2 * CropRows.part)
  }

  /// Means of squares of 1 << shift samples, each square's columns already summed.
  func average(count: Int, shift: Int) {
    let side = 1 &<< shift
    let bits = Int32(truncatingIfNeeded: 2 &* shift)
    @inline(__always)
    func average(_ sums: UnsafeMutablePointer<Int32>, _ means: UnsafeMutablePointer<Int16>) {
      for index in 0..<count {
        var sum = Int32(1) &<< (bits &- 1)
        for sample in 0..<side { sum &+= sums[index &* side &+ sample] }
        means[index] = Int16(truncatingIfNeeded: sum &>> bits)
      }
    }
    average(sums, y)
    average(sums + CropRows.part, u)
    average(sums + 2 * CropRows.part, v)
  }
}
