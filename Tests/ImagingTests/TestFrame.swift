import FrameRing
import Platform

@testable import Imaging

/// A frame in memory of exactly its size between guard bytes, and slow, plain arithmetic on it.
final class TestFrame {
  let format: FrameFormat
  private(set) var bytes: [UInt8]

  init(_ format: FrameFormat, fill: (Int) -> UInt8) {
    self.format = format
    bytes = (0..<format.minimumByteCount).map(fill)
  }

  static func random(_ format: FrameFormat, _ random: inout RandomSource) -> TestFrame {
    TestFrame(format) { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Smooth: slopes and waves of a few pixels' length, as pictures have them.
  static func smooth(_ format: FrameFormat, _ random: inout RandomSource) -> TestFrame {
    let frame = TestFrame(format) { _ in 0 }
    let phase = Double(random.below(100))
    for y in 0..<format.height {
      for x in 0..<format.width {
        let value = 128 + 60 * wave(Double(x) / 9 + phase) + 50 * wave(Double(y) / 7 - phase)
        for place in frame.places(x, y) { frame.bytes[place] = UInt8(value) }
      }
    }
    return frame
  }

  /// A triangle wave of period 4 between -1 and 1.
  static func wave(_ x: Double) -> Double {
    let turn = x / 4 - (x / 4).rounded(.down)
    return turn < 0.5 ? 4 * turn - 1 : 3 - 4 * turn
  }

  func view<Result>(
    _ orientation: Orientation = .upright, _ body: (borrowing FrameView) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { raw in
      guard
        let view = try? FrameView(
          RawSpan(_unsafeBytes: raw), format: format, orientation: orientation)
      else { preconditionFailure("\(format) does not fit its own bytes") }
      return try body(view)
    }
  }

  /// The bytes of a camera pixel: Y U V, R G B, or Y.
  func places(_ x: Int, _ y: Int) -> [Int] {
    let line = y * format.bytesPerLine
    let planes = format.bytesPerLine * format.height
    let chromaLine = y / 2 * format.chromaBytesPerLine
    switch format.pixelFormat {
    case .yuyv: return [line + 2 * x, line + x / 2 * 4 + 1, line + x / 2 * 4 + 3]
    case .uyvy: return [line + 2 * x + 1, line + x / 2 * 4, line + x / 2 * 4 + 2]
    case .nv12:
      let pair = planes + chromaLine + x / 2 * 2
      return [line + x, pair, pair + 1]
    case .nv21:
      let pair = planes + chromaLine + x / 2 * 2
      return [line + x, pair + 1, pair]
    case .i420:
      let u = planes + chromaLine + x / 2
      return [line + x, u, u + format.chromaBytesPerLine * format.chromaHeight]
    case .grey: return [line + x]
    case .rgb24: return [line + 3 * x, line + 3 * x + 1, line + 3 * x + 2]
    case .bgr24: return [line + 3 * x + 2, line + 3 * x + 1, line + 3 * x]
    }
  }

  var isRGB: Bool { format.pixelFormat == .rgb24 || format.pixelFormat == .bgr24 }

  /// Components of a camera pixel as they are stored.
  func components(_ x: Int, _ y: Int) -> SIMD3<Double> {
    let places = places(x, y)
    if places.count == 1 { return [Double(bytes[places[0]]), 128, 128] }
    return [Double(bytes[places[0]]), Double(bytes[places[1]]), Double(bytes[places[2]])]
  }

  func size(_ orientation: Orientation) -> (width: Int, height: Int) {
    orientation.swapsAxes ? (format.height, format.width) : (format.width, format.height)
  }

  /// Components of a pixel of the upright picture; its orientation spelt out case by case.
  func upright(_ orientation: Orientation, _ x: Int, _ y: Int) -> SIMD3<Double> {
    let (width, height) = (format.width, format.height)
    let x = orientation.mirror ? size(orientation).width - 1 - x : x
    switch orientation.rotation {
    case .none: return components(x, y)
    case .clockwise90: return components(y, height - 1 - x)
    case .half: return components(width - 1 - x, height - 1 - y)
    case .clockwise270: return components(width - 1 - y, x)
    }
  }

  /// R G B, 0 to 255, by the exact formula.
  func rgb(_ components: SIMD3<Double>) -> SIMD3<Double> {
    if isRGB { return components }
    let limited = format.colorRange == .limited
    let y = limited ? (components.x - 16) * 255 / 219 : components.x
    let scale = limited ? 255.0 / 224 : 1
    let u = (components.y - 128) * scale
    let v = (components.z - 128) * scale
    let (kr, kg, kb) = (0.299, 0.587, 0.114)
    let r = y + 2 * (1 - kr) * v
    let b = y + 2 * (1 - kb) * u
    let g = (y - kr * r - kb * b) / kg
    return SIMD3(r, g, b).clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
  }

  func grey(_ components: SIMD3<Double>) -> Double {
    if isRGB { return 0.299 * components.x + 0.587 * components.y + 0.114 * components.z }
    let y = format.colorRange == .limited ? (components.x - 16) * 255 / 219 : components.x
    return max(0, min(255, y))
  }

  /// The mean of a block of `unit` x `unit` pixels, counted in the camera's picture; edges repeated.
  func block(_ x: Int, _ y: Int, unit: Int) -> SIMD3<Double> {
    var sum = SIMD3<Double>.zero
    for j in 0..<unit {
      for i in 0..<unit {
        sum += components(
          min(format.width - 1, x * unit + i), min(format.height - 1, y * unit + j))
      }
    }
    return sum / Double(unit * unit)
  }

  /// Bilinear between blocks at a place of the upright picture, edges repeated.
  func bilinear(
    _ orientation: Orientation, unit: Int = 1, _ x: Double, _ y: Double
  ) -> SIMD3<Double> {
    var (x, y) = (x, y)
    if orientation.mirror { x = Double(size(orientation).width) - x }
    let (width, height) = (Double(format.width), Double(format.height))
    switch orientation.rotation {
    case .none: break
    case .clockwise90: (x, y) = (y, height - x)
    case .half: (x, y) = (width - x, height - y)
    case .clockwise270: (x, y) = (width - y, x)
    }
    let across = (format.width + unit - 1) / unit
    let down = (format.height + unit - 1) / unit
    x = max(0, min(Double(across - 1), x / Double(unit) - 0.5))
    y = max(0, min(Double(down - 1), y / Double(unit) - 0.5))
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(across - 1, left + 1), min(down - 1, top + 1))
    let (fx, fy) = (x - Double(left), y - Double(top))
    let upper =
      block(left, top, unit: unit) * (1 - fx) + block(right, top, unit: unit) * fx
    let lower =
      block(left, bottom, unit: unit) * (1 - fx) + block(right, bottom, unit: unit) * fx
    return upper * (1 - fy) + lower * fy
  }

  /// Mean over a rectangle of the upright picture.
  func mean(
    _ orientation: Orientation, _ xs: ClosedRange<Double>, _ ys: ClosedRange<Double>
  ) -> SIMD3<Double> {
    let (width, height) = size(orientation)
    var sum = SIMD3<Double>.zero
    var area = 0.0
    for y in Int(ys.lowerBound)..<min(height, Int(ys.upperBound.rounded(.up))) {
      let tall = min(ys.upperBound, Double(y + 1)) - max(ys.lowerBound, Double(y))
      for x in Int(xs.lowerBound)..<min(width, Int(xs.upperBound.rounded(.up))) {
        let wide = min(xs.upperBound, Double(x + 1)) - max(xs.lowerBound, Double(x))
        sum += upright(orientation, x, y) * (wide * tall)
        area += wide * tall
      }
    }
    return sum / area
  }
}

let everyOrientation = Orientation.Rotation.allCases.flatMap {
  [Orientation(rotation: $0), Orientation(rotation: $0, mirror: true)]
}

/// Values between guard values that must stay as they are.
struct Guarded {
  static let margin = 64
  var values: [Int8]
  let count: Int

  init(count: Int) {
    self.count = count
    values = Array(repeating: 0x5A, count: count + 2 * Self.margin)
  }

  mutating func write(_ body: (inout MutableSpan<Int8>) throws -> Void) rethrows {
    try values.withUnsafeMutableBufferPointer { buffer in
      let inner = UnsafeMutableBufferPointer(rebasing: buffer[Self.margin..<Self.margin + count])
      var span = MutableSpan(_unsafeElements: inner)
      try body(&span)
    }
  }

  var isIntact: Bool {
    values.prefix(Self.margin).allSatisfy { $0 == 0x5A }
      && values.suffix(Self.margin).allSatisfy { $0 == 0x5A }
  }

  /// As u8.
  subscript(index: Int) -> Int { Int(values[Self.margin + index]) + 128 }
}
