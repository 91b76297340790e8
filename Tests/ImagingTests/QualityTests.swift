import FrameRing
import Platform
import Testing

@testable import Imaging

struct QualityTests {
  static let format = FrameFormat(
    pixelFormat: .grey, width: 200, height: 150, colorRange: .full)
  static let whole = Rect(x: 0, y: 0, width: 200, height: 150)

  func measure(_ frame: TestFrame, _ part: Rect, _ orientation: Orientation = .upright)
    -> PictureQuality?
  {
    frame.view(orientation) { measureQuality($0, within: part) }
  }

  @Test func lightIsMeasured() throws {
    // A third dark, a third in between, a third bright.
    let frame = TestFrame(Self.format) { [10, 128, 250][$0 % 200 * 3 / 200] }
    let quality = try #require(measure(frame, Self.whole))
    #expect(abs(quality.meanLuma - 129.3) < 3)
    #expect(abs(quality.darkShare - 0.333) < 0.02)
    #expect(abs(quality.brightShare - 0.333) < 0.02)
  }

  @Test func limitedRangeIsWidened() throws {
    var format = Self.format
    format.colorRange = .limited
    let black = try #require(measure(TestFrame(format) { _ in 16 }, Self.whole))
    #expect(black.meanLuma == 0 && black.darkShare == 1)
    let white = try #require(measure(TestFrame(format) { _ in 235 }, Self.whole))
    #expect(white.meanLuma == 255 && white.brightShare == 1)
  }

  /// The same scene, out of focus, darker, or seen larger.
  @Test func sharpnessFollowsFocusAlone() throws {
    func scene(_ size: Int, blur: Int, gain: Double) -> TestFrame {
      var random = RandomSource(seed: 8)
      // Squares of random grey, 10 to a side, then a box blur.
      let squares = (0..<400).map { _ in Double(random.below(200)) }
      func value(_ x: Int, _ y: Int) -> Double {
        let x = max(0, min(size - 1, x)) * 10 / size
        let y = max(0, min(size - 1, y)) * 10 / size
        return squares[y * 20 + x]
      }
      let format = FrameFormat(
        pixelFormat: .grey, width: size, height: size, colorRange: .full)
      return TestFrame(format) { place in
        var sum = 0.0
        for j in -blur...blur {
          for i in -blur...blur { sum += value(place % size + i, place / size + j) }
        }
        return UInt8(20 + gain * sum / Double((2 * blur + 1) * (2 * blur + 1)))
      }
    }
    func sharpness(_ size: Int, blur: Int, gain: Double = 1) throws -> Float {
      let part = Rect(x: 0, y: 0, width: Float(size), height: Float(size))
      return try #require(measure(scene(size, blur: blur, gain: gain), part)).sharpness
    }
    let sharp = try sharpness(180, blur: 0)
    let soft = try sharpness(180, blur: 3)
    let blurred = try sharpness(180, blur: 8)
    #expect(sharp > 2 * soft && soft > 2 * blurred && blurred > 0)
    #expect(abs(try sharpness(180, blur: 0, gain: 0.3) / sharp - 1) < 0.05)
    #expect(abs(try sharpness(90, blur: 0) / sharp - 1) < 0.25)
    #expect(try #require(measure(TestFrame(Self.format) { _ in 90 }, Self.whole)).sharpness == 0)
  }

  @Test func partsFollowTheOrientation() throws {
    for orientation in everyOrientation {
      var format = Self.format
      format.pixelFormat = .nv12
      let frame = TestFrame(format) { UInt8(($0 % 200) / 2 + 20) }
      let size = frame.size(orientation)
      for y in [10, 60] {
        for x in [5, 70] {
          let part = Rect(x: Float(x), y: Float(y), width: 40, height: 30)
          var sum = 0.0
          for j in y..<y + 30 {
            for i in x..<x + 40 { sum += frame.grey(frame.upright(orientation, i, j)) }
          }
          let quality = try #require(measure(frame, part, orientation))
          #expect(abs(Double(quality.meanLuma) - sum / 1200) < 0.6, "\(size)")
        }
      }
    }
  }

  @Test func oddPartsAreSafe() {
    var random = RandomSource(seed: 12)
    for pixelFormat in PixelFormat.allCases {
      for _ in 0..<200 {
        let frame = TestFrame.random(oddFormat(pixelFormat, &random), &random)
        let part = Rect(
          x: Float(random.below(160)) - 80, y: Float(random.below(160)) - 80,
          width: Float(random.below(200)) - 20, height: Float(random.below(200)) - 20)
        if let quality = measure(frame, part, everyOrientation[random.below(8)]) {
          #expect((0...255).contains(quality.meanLuma) && quality.sharpness >= 0)
        }
      }
    }
    let frame = TestFrame(Self.format) { _ in 1 }
    for part in [
      Rect(x: .nan, y: 0, width: 9, height: 9), Rect(x: 0, y: 0, width: .infinity, height: 9),
      Rect(x: 3e38, y: 0, width: 3e38, height: 9), Rect(x: 0, y: 0, width: 2, height: 9),
    ] { #expect(measure(frame, part) == nil) }
  }
}

struct FrameSignatureTests {
  @Test func repeatsAreEqualAndNoiseIsNot() {
    var random = RandomSource(seed: 2)
    for pixelFormat in PixelFormat.allCases {
      let format = FrameFormat(pixelFormat: pixelFormat, width: 320, height: 240)
      let frame = TestFrame.smooth(format, &random)
      let noisy = TestFrame(format) { place in
        let change = random.below(3) - 1
        return UInt8(clamping: Int(frame.bytes[place]) + change)
      }
      let first = frame.view { signature(of: $0) }
      let again = frame.view(Orientation(rotation: .half)) { signature(of: $0) }
      let other = noisy.view { signature(of: $0) }
      #expect(first == again && first.difference(to: again) == 0)
      #expect(first.hash != other.hash && first.difference(to: other) < 1.5)
    }
  }

  @Test func differenceIsMeanOfCells() {
    let format = FrameFormat(pixelFormat: .grey, width: 160, height: 120)
    let dark = TestFrame(format) { _ in 50 }
    // The left half is lighter by 100.
    let half = TestFrame(format) { $0 % 160 < 80 ? 150 : 50 }
    let a = dark.view { signature(of: $0) }
    let b = half.view { signature(of: $0) }
    #expect(a.difference(to: b) == 50)
    #expect(a.grid[0] == 50 && b.grid[7] == 150 && b.grid[8] == 50)
  }

  @Test func tinyFrames() {
    for (width, height) in [(1, 1), (3, 2), (64, 1)] {
      let frame = TestFrame(FrameFormat(pixelFormat: .yuyv, width: width, height: height)) { _ in 9
      }
      #expect(frame.view { signature(of: $0) }.grid[191] == 9)
    }
  }
}
