/// The rounding arithmetic of the TFLite reference kernels. A real factor is an int32 multiplier,
/// understood as multiplier / 2^31, and a shift: positive to the left, negative to the right.
public enum FixedPoint {
  /// a * b / 2^31, the half rounded up, saturated in the one case that overflows.
  @inline(__always)
  static func roundingDoublingHigh(_ a: Int32, _ b: Int32) -> Int32 {
    if a == .min && b == .min { return .max }
    return Int32(truncatingIfNeeded: (Int64(a) &* Int64(b) &+ (1 << 30)) &>> 31)
  }

  /// x / 2^exponent, the half rounded away from 0. `exponent` is in 0...31.
  @inline(__always)
  static func roundingShiftRight(_ x: Int32, _ exponent: Int32) -> Int32 {
    let mask = Int32(truncatingIfNeeded: (Int64(1) &<< Int64(exponent)) &- 1)
    let threshold = (mask &>> 1) &+ (x < 0 ? 1 : 0)
    return (x &>> exponent) &+ ((x & mask) > threshold ? 1 : 0)
  }

  /// x * multiplier * 2^(shift - 31), rounded twice, as TFLite does for int32 accumulators. Bits
  /// that a left shift pushes out are lost. `shift` is in −31...31.
  @inline(__always)
  public static func scale(_ x: Int32, multiplier: Int32, shift: Int32) -> Int32 {
    let left = max(shift, 0)
    return roundingShiftRight(roundingDoublingHigh(x &<< left, multiplier), left &- shift)
  }

  /// As ``scale(_:multiplier:shift:)-(Int32,_,_)`` for int64 accumulators: the multiplier is cut
  /// to 16 bits, the result rounded once, the half up, and saturated. `shift` is in −31...14.
  @inline(__always)
  public static func scale(_ x: Int64, multiplier: Int32, shift: Int32) -> Int32 {
    let reduced =
      multiplier < 0x7FFF_0000 ? (Int64(multiplier) &+ (1 << 15)) &>> 16 : 0x7FFF
    let right = Int64(15 &- shift)
    let rounded = (x &* reduced &+ (1 &<< (right &- 1))) &>> right
    return Int32(truncatingIfNeeded: max(Int64(Int32.min), min(rounded, Int64(Int32.max))))
  }

  /// x * multiplier * 2^(shift - 31), rounded once, the half up. Bits beyond int32 are lost. `shift`
  /// is in −31...30. TFLite's fully connected layer rounds so, whatever its accumulator.
  @inline(__always)
  public static func scaleOnce(_ x: Int64, multiplier: Int32, shift: Int32) -> Int32 {
    let right = Int64(31 &- shift)
    return Int32(truncatingIfNeeded: (x &* Int64(multiplier) &+ (1 &<< (right &- 1))) &>> right)
  }

  /// value + zeroPoint, within bounds; no sum is too large.
  @inline(__always)
  static func bounded(
    _ value: Int32, zeroPoint: Int32, minimum: Int32, maximum: Int32
  ) -> Int32 {
    let shifted = Int64(value) + Int64(zeroPoint)
    return Int32(truncatingIfNeeded: max(Int64(minimum), min(shifted, Int64(maximum))))
  }
}
