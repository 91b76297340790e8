/// A sample's components, times 256.
struct CropSample {
  var first: Int32
  var second: Int32
  var third: Int32

  @inline(__always)
  static func &+= (a: inout CropSample, b: CropSample) {
    a.first &+= b.first
    a.second &+= b.second
    a.third &+= b.third
  }
}

/// How components become output values.
protocol CropOutput {
  static var channels: Int { get }
  static func store<Reader: PixelReader>(
    _ sample: CropSample, _ reader: Reader.Type, _ conversion: YUVToRGB,
    at place: UnsafeMutablePointer<Int8>)
}

enum RGBOutput: CropOutput {
  static var channels: Int { 3 }

  @inline(__always)
  static func store<Reader: PixelReader>(
    _ sample: CropSample, _ reader: Reader.Type, _ conversion: YUVToRGB,
    at place: UnsafeMutablePointer<Int8>
  ) {
    let (r, g, b) =
      Reader.isRGB
      ? (rounded(sample.first), rounded(sample.second), rounded(sample.third))
      : conversion.rgb(sample.first, sample.second, sample.third)
    place[0] = quantized(r)
    place[1] = quantized(g)
    place[2] = quantized(b)
  }
}

enum GreyOutput: CropOutput {
  static var channels: Int { 1 }

  @inline(__always)
  static func store<Reader: PixelReader>(
    _ sample: CropSample, _ reader: Reader.Type, _ conversion: YUVToRGB,
    at place: UnsafeMutablePointer<Int8>
  ) {
    place[0] = quantized(
      Reader.isRGB
        ? rounded(lumaOfRGB(sample.first, sample.second, sample.third))
        : conversion.grey(sample.first))
  }
}

struct CropWork<Output: CropOutput>: PixelWork {
  let output: UnsafeMutablePointer<Int8>
  let grid: CropGrid
  let conversion: YUVToRGB

  func run<Reader: PixelReader>(_ reader: Reader) {
    for row in 0..<grid.rows {
      let place = output + row &* grid.columns &* Output.channels
      if grid.samplesShift > 0 {
        writeMeans(reader, row: row, to: place)
      } else if grid.usesBlocks {
        writeRow(reader, BlockUnit.self, from: grid.start(ofRow: row), to: place)
      } else {
        writeRow(reader, PixelUnit.self, from: grid.start(ofRow: row), to: place)
      }
    }
  }

  /// One sample a pixel.
  @inline(__always)
  func writeRow<Reader: PixelReader, Unit: CropUnit>(
    _ reader: Reader, _ unit: Unit.Type, from start: (x: Int, y: Int),
    to place: UnsafeMutablePointer<Int8>
  ) {
    let inside = grid.insideColumns(start)
    let outside = Replicating.self
    writeColumns(0..<inside.lowerBound, reader, outside, unit, from: start, to: place)
    writeColumns(inside, reader, InsideOnly.self, unit, from: start, to: place)
    writeColumns(inside.upperBound..<grid.columns, reader, outside, unit, from: start, to: place)
  }

  func writeColumns<Reader: PixelReader, Border: CropBorder, Unit: CropUnit>(
    _ columns: Range<Int>, _ reader: Reader, _ border: Border.Type, _ unit: Unit.Type,
    from start: (x: Int, y: Int), to row: UnsafeMutablePointer<Int8>
  ) {
    var x = start.x &+ columns.lowerBound &* grid.stepX
    var y = start.y &+ columns.lowerBound &* grid.stepY
    var place = row + columns.lowerBound &* Output.channels
    for _ in columns {
      let sample = grid.sample(Output.self, reader, border, unit, x, y)
      Output.store(sample, Reader.self, conversion, at: place)
      place += Output.channels
      x &+= grid.stepX
      y &+= grid.stepY
    }
  }

  /// A square of block samples a pixel.
  @inline(__always)
  func writeMeans<Reader: PixelReader>(
    _ reader: Reader, row: Int, to place: UnsafeMutablePointer<Int8>
  ) {
    let start = grid.start(ofRow: row &<< grid.samplesShift)
    var inside = 0..<grid.columns
    for line in 0..<1 &<< grid.samplesShift {
      inside = inside.clamped(
        to: grid.insideColumns(
          (start.x &+ line &* grid.lineX, start.y &+ line &* grid.lineY)))
    }
    let outside = Replicating.self
    writeMeans(0..<inside.lowerBound, reader, outside, from: start, to: place)
    writeMeans(inside, reader, InsideOnly.self, from: start, to: place)
    writeMeans(inside.upperBound..<grid.columns, reader, outside, from: start, to: place)
  }

  /// At most 256 samples of 16 bits each, so 24 bits hold their sum.
  func writeMeans<Reader: PixelReader, Border: CropBorder>(
    _ columns: Range<Int>, _ reader: Reader, _ border: Border.Type, from start: (x: Int, y: Int),
    to row: UnsafeMutablePointer<Int8>
  ) {
    let samples = 1 &<< grid.samplesShift
    let shift = Int32(truncatingIfNeeded: 2 &* grid.samplesShift)
    let half = Int32(1) &<< (shift &- 1)
    for column in columns {
      var sum = CropSample(first: half, second: half, third: half)
      for line in 0..<samples {
        var x = start.x &+ column &* samples &* grid.stepX &+ line &* grid.lineX
        var y = start.y &+ column &* samples &* grid.stepY &+ line &* grid.lineY
        for _ in 0..<samples {
          sum &+= grid.sample(Output.self, reader, border, BlockUnit.self, x, y)
          x &+= grid.stepX
          y &+= grid.stepY
        }
      }
      let mean = CropSample(
        first: sum.first &>> shift, second: sum.second &>> shift, third: sum.third &>> shift)
      Output.store(mean, Reader.self, conversion, at: row + column &* Output.channels)
    }
  }
}

extension CropGrid {
  /// The sample at a place; luma alone where the output wants no more.
  @inline(__always)
  func sample<
    Output: CropOutput, Reader: PixelReader, Border: CropBorder, Unit: CropUnit
  >(
    _ output: Output.Type, _ reader: Reader, _ border: Border.Type, _ unit: Unit.Type, _ x: Int,
    _ y: Int
  ) -> CropSample {
    var (x, y) = (x, y)
    if Border.replicates {
      x = max(0, min((unitsAcross &- 1) &<< Self.fraction, x))
      y = max(0, min((unitsDown &- 1) &<< Self.fraction, y))
    }
    let left = x &>> Self.fraction
    let top = y &>> Self.fraction
    let right = Border.replicates ? min(left &+ 1, unitsAcross &- 1) : left &+ 1
    let bottom = Border.replicates ? min(top &+ 1, unitsDown &- 1) : top &+ 1
    let bits = Unit.weightBits
    let toRight = Self.weight(x, bits)
    let toBottom = Self.weight(y, bits)

    // Four weights whose sum is 1 << 2 * bits; a value and a weight have 30 bits.
    let both = toRight &* toBottom
    let rightOnly = (toRight &<< Int32(bits)) &- both
    let bottomOnly = (toBottom &<< Int32(bits)) &- both
    let neither = (1 &<< Int32(2 &* bits)) &- both &- rightOnly &- bottomOnly
    @inline(__always)
    func mix(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int32 {
      // Of 22 fractional bits 8 stay.
      let sum = neither &* a &+ rightOnly &* b &+ bottomOnly &* c &+ both &* d
      return (sum &+ (1 << 13)) &>> 14
    }
    if Reader.isRGB || Output.channels == 3 {
      let a = Unit.components(reader, border, self, x: left, y: top)
      let b = Unit.components(reader, border, self, x: right, y: top)
      let c = Unit.components(reader, border, self, x: left, y: bottom)
      let d = Unit.components(reader, border, self, x: right, y: bottom)
      return CropSample(
        first: mix(a.0, b.0, c.0, d.0), second: mix(a.1, b.1, c.1, d.1),
        third: mix(a.2, b.2, c.2, d.2))
    }
    let a = Unit.luma(reader, border, self, x: left, y: top)
    let b = Unit.luma(reader, border, self, x: right, y: top)
    let c = Unit.luma(reader, border, self, x: left, y: bottom)
    let d = Unit.luma(reader, border, self, x: right, y: bottom)
    return CropSample(first: mix(a, b, c, d), second: 0, third: 0)
  }

  /// The highest fractional bits of a place.
  @inline(__always)
  static func weight(_ place: Int, _ bits: Int) -> Int32 {
    Int32(truncatingIfNeeded: (place &>> (Self.fraction &- bits)) & ((1 &<< bits) &- 1))
  }
}
