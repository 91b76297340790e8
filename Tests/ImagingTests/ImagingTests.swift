import FrameRing
import Platform
import Testing

@testable import Imaging

/// The largest difference met, and where.
struct Worst {
  var difference = 0.0
  var place = ""

  mutating func note(_ a: Double, _ b: Double, _ place: @autoclosure () -> String) {
    if !(abs(a - b) <= difference) {
      difference = abs(a - b)
      self.place = "\(place()): \(a), should be \(b)"
    }
  }
}

/// One of every odd thing: sizes, padding, ranges.
func oddFormat(_ pixelFormat: PixelFormat, _ random: inout RandomSource) -> FrameFormat {
  let width = 1 + random.below(70)
  let packed = FrameFormat.packedRow(pixelFormat, width: width)
  return FrameFormat(
    pixelFormat: pixelFormat, width: width, height: 1 + random.below(60),
    bytesPerLine: packed + (random.below(2) == 0 ? 0 : random.below(40)),
    colorRange: random.below(2) == 0 ? .limited : .full)
}

struct DownscalerTests {
  /// Scales and compares every pixel with the exact result.
  func worst(
    _ frame: TestFrame, _ orientation: Orientation, width: Int, height: Int
  ) throws -> Worst {
    var worst = Worst()
    let scratch = try MemoryMap(
      byteCount: Downscaler.scratchByteCount(
        width: width, height: height, frameWidth: frame.format.width,
        frameHeight: frame.format.height))
    var downscaler = try Downscaler(width: width, height: height, scratch: scratch.bytes)
    var output = Guarded(count: width * height * 3)
    var box = Letterbox(scale: 0, offset: Point(x: 0, y: 0))
    try frame.view(orientation) { view in
      try output.write { span in box = try downscaler.scale(view, into: &span) }
    }
    #expect(output.isIntact)

    let size = frame.size(orientation)
    let scale = min(Double(width) / Double(size.width), Double(height) / Double(size.height))
    #expect(abs(Double(box.scale) - scale) < 1e-6 * scale)
    let placed = { (side: Int, limit: Int) in
      max(1, min(limit, Int((Double(side) * scale).rounded())))
    }
    let (across, down) = (placed(size.width, width), placed(size.height, height))
    let (left, top) = ((width - across) / 2, (height - down) / 2)
    #expect(box.offset == Point(x: Float(left), y: Float(top)))
    for y in 0..<height {
      for x in 0..<width {
        let inside = (left..<left + across).contains(x) && (top..<top + down).contains(y)
        var expected = SIMD3<Double>.zero
        if inside && scale <= 1 {
          let (x0, y0) = (Double(x - left) / scale, Double(y - top) / scale)
          expected = frame.rgb(
            frame.mean(
              orientation, x0...min(Double(size.width), x0 + 1 / scale),
              y0...min(Double(size.height), y0 + 1 / scale)))
        } else if inside {
          expected = frame.rgb(
            frame.bilinear(
              orientation, (Double(x - left) + 0.5) / scale, (Double(y - top) + 0.5) / scale))
        }
        for channel in 0..<3 {
          worst.note(
            Double(output[(y * width + x) * 3 + channel]), expected[channel],
            "x \(x), y \(y), channel \(channel) of \(frame.format), \(orientation)")
        }
      }
    }
    return worst
  }

  @Test(arguments: PixelFormat.allCases)
  func equalsExactArithmetic(_ pixelFormat: PixelFormat) throws {
    var random = RandomSource(seed: 71 + UInt64(pixelFormat.rawValue))
    var worst = Worst()
    for round in 0..<12 {
      for orientation in everyOrientation {
        let format = oddFormat(pixelFormat, &random)
        let frame =
          round % 2 == 0
          ? TestFrame.random(format, &random) : TestFrame.smooth(format, &random)
        let next = try self.worst(
          frame, orientation, width: 1 + random.below(40), height: 1 + random.below(40))
        if next.difference > worst.difference { worst = next }
      }
    }
    #expect(worst.difference <= 1, "\(worst.place)")
  }

  @Test func realSizes() throws {
    var random = RandomSource(seed: 5)
    for (width, height) in [(640, 480), (720, 1280), (641, 479)] {
      let format = FrameFormat(pixelFormat: .yuyv, width: width, height: height)
      let frame = TestFrame.random(format, &random)
      for (across, down) in [(160, 120), (320, 240)] {
        let worst = try worst(frame, .upright, width: across, height: down)
        #expect(worst.difference <= 1, "\(worst.place)")
      }
    }
  }

  @Test func constantStaysConstant() throws {
    var random = RandomSource(seed: 9)
    for pixelFormat in PixelFormat.allCases {
      for _ in 0..<20 {
        let value = UInt8(random.below(256))
        let format = oddFormat(pixelFormat, &random)
        let frame = TestFrame(format) { _ in value }
        let expected = frame.rgb(frame.components(0, 0))
        let (width, height) = (1 + random.below(90), 1 + random.below(90))
        let scratch = try MemoryMap(
          byteCount: Downscaler.scratchByteCount(
            width: width, height: height, frameWidth: format.width, frameHeight: format.height))
        var downscaler = try Downscaler(width: width, height: height, scratch: scratch.bytes)
        var output = Guarded(count: width * height * 3)
        var box = Letterbox(scale: 0, offset: Point(x: 0, y: 0))
        try frame.view { view in
          try output.write { span in box = try downscaler.scale(view, into: &span) }
        }
        let first = (Int(box.offset.y) * width + Int(box.offset.x)) * 3
        let color = (0..<3).map { output[first + $0] }
        for channel in 0..<3 { #expect(abs(Double(color[channel]) - expected[channel]) <= 0.52) }
        for index in 0..<width * height {
          let pixel = (0..<3).map { output[index * 3 + $0] }
          #expect(pixel == color || pixel == [0, 0, 0])
        }
      }
    }
  }

  /// One downscaler for frames that change their size, format and orientation.
  @Test func followsTheFrame() throws {
    var random = RandomSource(seed: 31)
    let scratch = try MemoryMap(
      byteCount: Downscaler.scratchByteCount(
        width: 24, height: 20, frameWidth: 70, frameHeight: 60))
    var shared = try Downscaler(width: 24, height: 20, scratch: scratch.bytes)
    for _ in 0..<60 {
      let pixelFormat = PixelFormat.allCases[random.below(PixelFormat.allCases.count)]
      let frame = TestFrame.random(oddFormat(pixelFormat, &random), &random)
      let orientation = everyOrientation[random.below(8)]
      var first = Guarded(count: 24 * 20 * 3)
      var second = first
      let own = try MemoryMap(byteCount: scratch.bytes.count)
      var fresh = try Downscaler(width: 24, height: 20, scratch: own.bytes)
      try frame.view(orientation) { view in
        try first.write { _ = try shared.scale(view, into: &$0) }
        try first.write { _ = try shared.scale(view, into: &$0) }
        try second.write { _ = try fresh.scale(view, into: &$0) }
      }
      #expect(first.values == second.values)
    }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let frame = TestFrame(FrameFormat(pixelFormat: .grey, width: 64, height: 48)) { _ in 7 }
    let needed = Downscaler.scratchByteCount(
      width: 16, height: 12, frameWidth: 64, frameHeight: 48)
    let scratch = try MemoryMap(byteCount: needed)
    var downscaler = try Downscaler(width: 16, height: 12, scratch: scratch.bytes)
    var output = Guarded(count: 16 * 12 * 3 - 1)
    #expect(throws: ImagingError.outputTooSmall(given: 575, needed: 576)) {
      try frame.view { view in
        try output.write { _ = try downscaler.scale(view, into: &$0) }
      }
    }
    var starved = try Downscaler(
      width: 16, height: 12, scratch: UnsafeMutableRawBufferPointer(rebasing: scratch.bytes[..<99]))
    output = Guarded(count: 16 * 12 * 3)
    #expect(throws: ImagingError.scratchTooSmall(given: 99, needed: needed)) {
      try frame.view { view in
        try output.write { _ = try starved.scale(view, into: &$0) }
      }
    }
    #expect(throws: ImagingError.size(width: 0, height: 12)) {
      _ = try Downscaler(width: 0, height: 12, scratch: scratch.bytes)
    }
  }
}
