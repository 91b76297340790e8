/// What a block of 16 output channels needs on its way from sums to outputs, computed once when a
/// layer is packed: rows of 16 int32, one a channel, but for the last one.
public enum BlockConstants: Int, Sendable {
  /// For sums that are not negative: multiplier, shift to the right, and what rounding adds to the
  /// high half of the product.
  case positiveMultiplier, positiveRight, positiveRounding
  /// For negative sums.
  case negativeMultiplier, negativeRight, negativeRounding
  /// 31 where the positive shift is not 0, otherwise 32: turns a sum into 1 where it is negative and
  /// rounding must make a difference.
  case signShift
  /// From a sum to the sum with a residual: one more than the shift to the left, and the multiplier.
  case residualLeft, residualMultiplier
  /// Two int32: which of ``Finish`` give exact outputs, as bits; the largest absolute value that a sum
  /// has once it is in the residual's steps.
  case summary

  public var offset: Int { 64 * rawValue }

  /// Bytes of a block's constants.
  public static var byteCount: Int { summary.offset + 64 }
  /// Bits of the summary.
  public static var plainBit: Int32 { 1 }
  public static var slopesBit: Int32 { 2 }
  public static var residualBit: Int32 { 4 }
}
