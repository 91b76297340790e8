/// One factor a channel, in the form of ``FixedPoint``. Multipliers are in −(2^31 − 1)...2^31 − 1,
/// shifts in −31...31.
public struct Scales: ~Escapable {
  public let multipliers: Span<Int32>
  public let shifts: Span<Int32>

  @_lifetime(copy multipliers, copy shifts)
  public init(multipliers: Span<Int32>, shifts: Span<Int32>) {
    self.multipliers = multipliers
    self.shifts = shifts
  }

  /// Whether there are `channels` of both and each is within its bounds. Kernels demand it.
  public func isValid(channels: Int) -> Bool {
    guard multipliers.count == channels && shifts.count == channels else { return false }
    for index in 0..<channels {
      guard multipliers[index] > .min && (-31...31).contains(shifts[index]) else { return false }
    }
    return true
  }
}

/// How an accumulator becomes an output. With `a` the accumulator (bias included) of channel c:
///
///     t = a                                                        without a residual
///     t = scale(a, accumulator[c]) + (residual − zeroPoint) * multiplier       with one
///     v = t ≥ 0 ? scale(t, positive[c]) : scale(t, negative[c])
///     output = clamp(v + outputZeroPoint, minimum, maximum)
///
/// `negative` is `positive` but for a fused PReLU. Sums wrap; a packer that keeps all of it below
/// 2^31 never sees that. `scale` is ``FixedPoint``'s for the accumulator's type and ``rounding``.
/// Without a residual and a PReLU this is TFLite's arithmetic.
public struct Requantisation: Equatable, Sendable {
  /// Subtracted from every input; what padding holds. 0 with int16 activations.
  public var inputZeroPoint: Int32
  public var outputZeroPoint: Int32
  /// Bounds of the output, within its type. A fused ReLU is a bound.
  public var minimum: Int32
  public var maximum: Int32
  /// `.once` for a fully connected layer of TFLite; without a residual only.
  public var rounding: Rounding
  public var residual: Residual?

  public init(
    inputZeroPoint: Int32, outputZeroPoint: Int32, minimum: Int32, maximum: Int32,
    rounding: Rounding = .perType, residual: Residual? = nil
  ) {
    self.inputZeroPoint = inputZeroPoint
    self.outputZeroPoint = outputZeroPoint
    self.minimum = minimum
    self.maximum = maximum
    self.rounding = rounding
    self.residual = residual
  }
}

extension Requantisation {
  /// For sums that are not scaled at all.
  static func raw(zeroPoint: Int32) -> Requantisation {
    Requantisation(inputZeroPoint: zeroPoint, outputZeroPoint: 0, minimum: 0, maximum: 0)
  }
}

/// How a sum is scaled. TFLite's layers differ.
public enum Rounding: UInt8, Equatable, Sendable {
  /// As TFLite's convolutions: twice for int32 sums, once with a short multiplier for int64 sums.
  case perType
  /// As TFLite's fully connected layer: once, with the full multiplier.
  case once
}

/// A second input of a convolution, of the output's height and width, that is added before the
/// activation.
public struct Residual: Equatable, Sendable {
  public var zeroPoint: Int32
  /// Whole number of steps of `t` that one step of the residual is worth.
  public var multiplier: Int32
  /// Channels of the residual, at most those of the output. To the others nothing is added.
  public var channels: Int

  public init(zeroPoint: Int32, multiplier: Int32, channels: Int) {
    self.zeroPoint = zeroPoint
    self.multiplier = multiplier
    self.channels = channels
  }
}

/// The type of bias and accumulator with int16 activations. The two round differently.
public enum Accumulator: UInt8, Equatable, Sendable {
  case int32
  case int64
}

extension Requantisation {
  /// The last line: `v` to the output.
  @inline(__always)
  func bounded(_ value: Int32) -> Int32 {
    FixedPoint.bounded(value, zeroPoint: outputZeroPoint, minimum: minimum, maximum: maximum)
  }

  /// Whether bounds and zero points are within the types. Kernels demand it; a loader asks first.
  func isValid<Value: FixedWidthInteger>(for type: Value.Type, outputChannels: Int) -> Bool {
    let values = Int32(Value.min)...Int32(Value.max)
    guard values.contains(inputZeroPoint) && values.contains(outputZeroPoint),
      values.contains(minimum) && values.contains(maximum) && minimum <= maximum
    else { return false }
    if Value.bitWidth > 8 {
      guard inputZeroPoint == 0 && outputZeroPoint == 0, residual?.zeroPoint ?? 0 == 0 else {
        return false
      }
    }
    guard let residual else { return true }
    return rounding == .perType && values.contains(residual.zeroPoint)
      && (1...outputChannels).contains(residual.channels)
  }

  /// Whether the numbers suit int8 activations and an output of so many channels.
  public func isValid8(outputChannels: Int) -> Bool {
    isValid(for: Int8.self, outputChannels: outputChannels)
  }

  /// Whether the numbers suit int16 activations, which have no zero points, and an output of so many channels.
  public func isValid16(outputChannels: Int) -> Bool {
    isValid(for: Int16.self, outputChannels: outputChannels)
  }
}
