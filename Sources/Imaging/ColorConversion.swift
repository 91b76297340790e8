import FrameRing

/// YUV to RGB by BT.601 in integers: components with 8 fractional bits, coefficients with 13, the
/// sum rounded to nearest and clamped to 0…255. Off the exact formula by less than 0.02 before
/// rounding.
struct YUVToRGB {
  let luma: Int32
  /// Black, with 8 fractional bits.
  let black: Int32
  let redV: Int32
  let greenU: Int32
  let greenV: Int32
  let blueU: Int32

  static let fraction: Int32 = 21

  init(_ range: ColorRange) {
    switch range {
    case .limited:
      // 255/219 for luma, 255/224 for chroma.
      luma = 9539
      black = 16 << 8
      redV = 13075
      greenU = 3209
      greenV = 6660
      blueU = 16525
    case .full:
      luma = 8192
      black = 0
      redV = 11485
      greenU = 2819
      greenV = 5850
      blueU = 14516
    }
  }

  @inline(__always)
  static func clamped(_ value: Int32) -> Int32 {
    max(0, min(255, (value &+ (1 << 20)) &>> fraction))
  }

  /// - Parameters: components times 256.
  @inline(__always)
  func rgb(_ y: Int32, _ u: Int32, _ v: Int32) -> (Int32, Int32, Int32) {
    let grey = luma &* (y &- black)
    let u = u &- (128 << 8)
    let v = v &- (128 << 8)
    return (
      Self.clamped(grey &+ redV &* v),
      Self.clamped(grey &- greenU &* u &- greenV &* v),
      Self.clamped(grey &+ blueU &* u)
    )
  }

  /// Luma alone, 0 to 255 whatever the range.
  @inline(__always)
  func grey(_ y: Int32) -> Int32 { Self.clamped(luma &* (y &- black)) }
}

/// Luma of R G B, all times 256: 0.299, 0.587, 0.114, rounded to nearest.
@inline(__always)
func lumaOfRGB(_ r: Int32, _ g: Int32, _ b: Int32) -> Int32 {
  (2449 &* r &+ 4809 &* g &+ 934 &* b &+ 4096) &>> 13
}

/// 8 fractional bits rounded away; for components that need no conversion.
@inline(__always)
func rounded(_ value: Int32) -> Int32 { (value &+ 128) &>> 8 }

/// A value 0…255 as a network wants it, less 128.
@inline(__always)
func quantized(_ value: Int32) -> Int8 { Int8(truncatingIfNeeded: value &- 128) }
