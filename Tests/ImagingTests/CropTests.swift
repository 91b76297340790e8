import FrameRing
import Foundation
import Platform
import Testing

@testable import Imaging

struct CropTests {
  /// A region somewhere in or partly outside the picture.
  func region(_ size: (width: Int, height: Int), _ random: inout RandomSource) -> CropRegion {
    func part(_ bound: Float) -> Float { Float(random.below(1000)) / 1000 * bound }
    return CropRegion(
      center: Point(
        x: part(Float(size.width) * 1.4) - Float(size.width) * 0.2,
        y: part(Float(size.height) * 1.4) - Float(size.height) * 0.2),
      width: 1 + part(Float(size.width) * 2), height: 1 + part(Float(size.height) * 2),
      angle: part(12) - 6)
  }

  func worst(
    _ frame: TestFrame, _ orientation: Orientation, _ region: CropRegion, width: Int, height: Int,
    channels: CropChannels
  ) throws -> Worst {
    var worst = Worst()
    var output = Guarded(count: width * height * channels.count)
    try frame.view(orientation) { view in
      try output.write { span in
        try crop(
          view, region: region, into: &span, width: width, height: height, channels: channels)
      }
    }
    #expect(output.isIntact)

    let shrink = max(Double(region.width) / Double(width), Double(region.height) / Double(height))
    let unit = shrink > 1.5 ? 2 : 1
    var samples = 1
    while samples < 16 && shrink > 3 * Double(samples) { samples *= 2 }
    let (cosine, sine) = (cos(Double(region.angle)), sin(Double(region.angle)))
    for y in 0..<height {
      for x in 0..<width {
        var sum = SIMD3<Double>.zero
        for j in 0..<samples {
          for i in 0..<samples {
            // From -0.5 to 0.5 across the region.
            let u = (Double(x * samples + i) + 0.5) / Double(width * samples) - 0.5
            let v = (Double(y * samples + j) + 0.5) / Double(height * samples) - 0.5
            let (a, b) = (u * Double(region.width), v * Double(region.height))
            sum += frame.bilinear(
              orientation, unit: unit, Double(region.center.x) + a * cosine - b * sine,
              Double(region.center.y) + a * sine + b * cosine)
          }
        }
        let mean = sum / Double(samples * samples)
        let place = (y * width + x) * channels.count
        let note = "x \(x), y \(y) of \(frame.format), \(orientation), \(region), \(samples)"
        if channels == .grey {
          worst.note(Double(output[place]), frame.grey(mean), note)
        } else {
          let expected = frame.rgb(mean)
          for channel in 0..<3 {
            worst.note(Double(output[place + channel]), expected[channel], note)
          }
        }
      }
    }
    return worst
  }

  @Test(arguments: PixelFormat.allCases)
  func equalsExactArithmetic(_ pixelFormat: PixelFormat) throws {
    var random = RandomSource(seed: 171 + UInt64(pixelFormat.rawValue))
    var worst = Worst()
    for round in 0..<4 {
      for orientation in everyOrientation {
        let format = oddFormat(pixelFormat, &random)
        let frame =
          round % 2 == 0
          ? TestFrame.random(format, &random) : TestFrame.smooth(format, &random)
        let next = try self.worst(
          frame, orientation, region(frame.size(orientation), &random),
          width: 1 + random.below(30), height: 1 + random.below(30),
          channels: random.below(2) == 0 ? .rgb : .grey)
        if next.difference > worst.difference { worst = next }
      }
    }
    #expect(worst.difference <= 1, "\(worst.place)")
  }

  /// The whole picture at its own size, not turned, is the picture.
  @Test func wholePictureIsItself() throws {
    var random = RandomSource(seed: 3)
    for orientation in everyOrientation {
      let format = FrameFormat(pixelFormat: .rgb24, width: 23, height: 17)
      let frame = TestFrame.random(format, &random)
      let (width, height) = frame.size(orientation)
      var output = Guarded(count: width * height * 3)
      try frame.view(orientation) { view in
        try output.write { span in
          try crop(
            view,
            region: CropRegion(
              center: Point(x: Float(width) / 2, y: Float(height) / 2), width: Float(width),
              height: Float(height), angle: 0),
            into: &span, width: width, height: height, channels: .rgb)
        }
      }
      for y in 0..<height {
        for x in 0..<width {
          let expected = frame.upright(orientation, x, y)
          for channel in 0..<3 {
            #expect(output[(y * width + x) * 3 + channel] == Int(expected[channel]))
          }
        }
      }
    }
  }

  @Test func constantStaysConstant() throws {
    var random = RandomSource(seed: 19)
    for pixelFormat in PixelFormat.allCases {
      for _ in 0..<30 {
        let value = UInt8(random.below(256))
        let frame = TestFrame(oddFormat(pixelFormat, &random)) { _ in value }
        var output = Guarded(count: 20 * 20 * 3)
        let region = region(frame.size(.upright), &random)
        try frame.view { view in
          try output.write {
            try crop(view, region: region, into: &$0, width: 20, height: 20, channels: .rgb)
          }
        }
        let exact = frame.rgb(frame.components(0, 0))
        for index in 0..<1200 {
          #expect(output[index] == output[index % 3])
          #expect(abs(Double(output[index]) - exact[index % 3]) <= 0.52)
        }
      }
    }
  }

  /// A turn to the right by a quarter: the region's x axis points down the picture.
  @Test func angleIsClockwise() throws {
    let format = FrameFormat(pixelFormat: .grey, width: 8, height: 8, colorRange: .full)
    let frame = TestFrame(format) { UInt8($0 / 8 * 30) }
    var output = Guarded(count: 64)
    try frame.view { view in
      try output.write {
        try crop(
          view, region: CropRegion(center: Point(x: 4, y: 4), side: 8, angle: .pi / 2), into: &$0,
          width: 8, height: 8, channels: .grey)
      }
    }
    for x in 0..<8 { #expect(output[3 * 8 + x] == 30 * x) }
  }

  @Test func refusesWhatIsNoRegion() throws {
    let frame = TestFrame(FrameFormat(pixelFormat: .grey, width: 8, height: 8)) { _ in 7 }
    let center = Point(x: 4, y: 4)
    let bad = [
      CropRegion(center: Point(x: .nan, y: 4), side: 8, angle: 0),
      CropRegion(center: Point(x: 4, y: .infinity), side: 8, angle: 0),
      CropRegion(center: Point(x: 3e38, y: 4), side: 8, angle: 0),
      CropRegion(center: center, side: 0, angle: 0),
      CropRegion(center: center, side: -1, angle: 0),
      CropRegion(center: center, side: .nan, angle: 0),
      CropRegion(center: center, side: 8, angle: .nan),
      CropRegion(center: center, width: 8, height: .infinity, angle: 0),
    ]
    for region in bad {
      var output = Guarded(count: 64)
      #expect(throws: ImagingError.region) {
        try frame.view { view in
          try output.write {
            try crop(view, region: region, into: &$0, width: 8, height: 8, channels: .grey)
          }
        }
      }
    }
    // The largest that is allowed, far outside: the nearest edge, no trap.
    var output = Guarded(count: 64)
    try frame.view { view in
      try output.write {
        try crop(
          view, region: CropRegion(center: Point(x: -1e6, y: 1e6), side: 1e6, angle: -1e6),
          into: &$0, width: 8, height: 8, channels: .grey)
      }
    }
    #expect(output.isIntact)
  }
}

struct FrameViewTests {
  @Test func checksTheLayout() throws {
    for pixelFormat in PixelFormat.allCases {
      let format = FrameFormat(pixelFormat: pixelFormat, width: 7, height: 5, bytesPerLine: 40)
      let frame = TestFrame(format) { _ in 0 }
      let needed = frame.bytes.count
      frame.bytes.withUnsafeBytes { raw in
        let bytes = RawSpan(_unsafeBytes: raw)
        #expect(throws: ImagingError.bytesMissing(given: needed - 1, needed: needed)) {
          _ = try FrameView(bytes.extracting(first: needed - 1), format: format)
        }
        var bad = format
        bad.bytesPerLine = 6
        let row = FrameFormat.packedRow(pixelFormat, width: 7)
        #expect(throws: ImagingError.bytesPerLine(given: 6, needed: row)) {
          _ = try FrameView(bytes, format: bad)
        }
        for (width, height) in [(0, 5), (-7, 5), (7, 0), (16385, 1), (.max, .max), (7, .min)] {
          bad = format
          bad.width = width
          bad.height = height
          #expect(throws: ImagingError.size(width: width, height: height)) {
            _ = try FrameView(bytes, format: bad)
          }
        }
        bad = format
        bad.bytesPerLine = .max
        #expect(throws: ImagingError.bytesPerLine(given: .max, needed: row)) {
          _ = try FrameView(bytes, format: bad)
        }
      }
    }
  }

  /// A pixel's middle goes where the pixel goes, and back.
  @Test func placesFollowTheOrientation() {
    for orientation in everyOrientation {
      let frame = TestFrame(FrameFormat(pixelFormat: .grey, width: 5, height: 3)) { UInt8($0) }
      let layout = frame.view(orientation) { $0.layout }
      let (width, height) = frame.size(orientation)
      #expect(layout.uprightWidth == width && layout.uprightHeight == height)
      for y in 0..<height {
        for x in 0..<width {
          let place = Point(x: Float(x) + 0.5, y: Float(y) + 0.5)
          let camera = layout.toCamera(place)
          let value = frame.components(Int(camera.x), Int(camera.y)).x
          #expect(value == frame.upright(orientation, x, y).x)
          #expect(layout.toUpright(camera) == place)
        }
      }
    }
  }
}
