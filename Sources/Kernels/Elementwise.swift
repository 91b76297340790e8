/// TFLite's quantised addition of two tensors of one size. The packer computes the multipliers as
/// TFLite does: `leftShift` 20 for int8, 15 for int16; all other shifts are at most 0.
public struct Addition: Equatable, Sendable {
  public var leftShift: Int32
  public var first: Term
  public var second: Term
  public var output: Term
  /// Bounds of the output, within its type.
  public var minimum: Int32
  public var maximum: Int32

  /// The zero point and factor of one of the three tensors.
  public struct Term: Equatable, Sendable {
    public var zeroPoint: Int32
    public var multiplier: Int32
    /// In −31...0.
    public var shift: Int32

    public init(zeroPoint: Int32, multiplier: Int32, shift: Int32) {
      self.zeroPoint = zeroPoint
      self.multiplier = multiplier
      self.shift = shift
    }

    var isValid: Bool { multiplier > .min && (-31...0).contains(shift) }
  }

  public init(
    leftShift: Int32, first: Term, second: Term, output: Term, minimum: Int32, maximum: Int32
  ) {
    self.leftShift = leftShift
    self.first = first
    self.second = second
    self.output = output
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Whether every number is within its bounds. Kernels demand it; a loader asks first.
  public var isValid: Bool {
    (0...20).contains(leftShift) && first.isValid && second.isValid && output.isValid
      && minimum <= maximum
  }

  /// All three spans have the same count.
  public func run(
    _ a: Span<Int8>, _ b: Span<Int8>, into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) { reference(a, b, &output) }

  /// As for int8. All kernel sets run the reference.
  public func run(
    _ a: Span<Int16>, _ b: Span<Int16>, into output: inout MutableSpan<Int16>,
    _ kernels: KernelSet
  ) { reference(a, b, &output) }

  private func reference<Value: FixedWidthInteger>(
    _ a: Span<Value>, _ b: Span<Value>, _ output: inout MutableSpan<Value>
  ) {
    precondition(isValid && a.count == output.count && b.count == output.count)
    for index in 0..<output.count {
      let left = (Int32(a[index]) &- first.zeroPoint) &<< leftShift
      let right = (Int32(b[index]) &- second.zeroPoint) &<< leftShift
      let sum =
        FixedPoint.scale(left, multiplier: first.multiplier, shift: first.shift)
        &+ FixedPoint.scale(right, multiplier: second.multiplier, shift: second.shift)
      let value =
        FixedPoint.scale(sum, multiplier: self.output.multiplier, shift: self.output.shift)
        &+ self.output.zeroPoint
      output[index] = Value(truncatingIfNeeded: max(minimum, min(value, maximum)))
    }
  }
}

/// TFLite's quantised PReLU with one slope a channel (of the last axis).
public struct SlopedRectifier: Equatable, Sendable {
  public var inputZeroPoint: Int32
  public var slopeZeroPoint: Int32
  public var outputZeroPoint: Int32
  /// Factor of inputs ≥ 0.
  public var positiveMultiplier: Int32
  public var positiveShift: Int32
  /// Factor of input times slope.
  public var negativeMultiplier: Int32
  public var negativeShift: Int32

  public init(
    inputZeroPoint: Int32, slopeZeroPoint: Int32, outputZeroPoint: Int32,
    positiveMultiplier: Int32, positiveShift: Int32, negativeMultiplier: Int32,
    negativeShift: Int32
  ) {
    self.inputZeroPoint = inputZeroPoint
    self.slopeZeroPoint = slopeZeroPoint
    self.outputZeroPoint = outputZeroPoint
    self.positiveMultiplier = positiveMultiplier
    self.positiveShift = positiveShift
    self.negativeMultiplier = negativeMultiplier
    self.negativeShift = negativeShift
  }

  /// Whether every number is within its bounds. Kernels demand it; a loader asks first.
  public var isValid: Bool {
    (-31...31).contains(positiveShift) && (-31...31).contains(negativeShift)
  }

  /// Input and output have the same count, a multiple of the slopes'.
  public func run(
    _ input: Span<Int8>, slopes: Span<Int8>, into output: inout MutableSpan<Int8>,
    _ kernels: KernelSet
  ) { reference(input, slopes, &output) }

  /// As for int8; slopes stay int8. All kernel sets run the reference.
  public func run(
    _ input: Span<Int16>, slopes: Span<Int8>, into output: inout MutableSpan<Int16>,
    _ kernels: KernelSet
  ) { reference(input, slopes, &output) }

  private func reference<Value: FixedWidthInteger>(
    _ input: Span<Value>, _ slopes: Span<Int8>, _ output: inout MutableSpan<Value>
  ) {
    precondition(isValid && input.count == output.count)
    precondition(input.isEmpty || (slopes.count > 0 && input.count % slopes.count == 0))
    for index in 0..<output.count {
      let value = Int32(input[index]) &- inputZeroPoint
      var scaled: Int32
      if value >= 0 {
        scaled = FixedPoint.scale(value, multiplier: positiveMultiplier, shift: positiveShift)
      } else {
        let slope = Int32(slopes[index % slopes.count]) &- slopeZeroPoint
        scaled = FixedPoint.scale(
          value &* slope, multiplier: negativeMultiplier, shift: negativeShift)
      }
      output[index] = Value(clamping: scaled &+ outputZeroPoint)
    }
  }
}

/// From one scale and zero point to another, with bounds: TFLite's QUANTIZE between integer types,
/// and its RELU and RELU6 where they stand alone.
public struct Rescaling: Equatable, Sendable {
  public var inputZeroPoint: Int32
  public var outputZeroPoint: Int32
  public var multiplier: Int32
  /// In −31...31.
  public var shift: Int32
  /// Bounds of the output, within its type.
  public var minimum: Int32
  public var maximum: Int32

  public init(
    inputZeroPoint: Int32, outputZeroPoint: Int32, multiplier: Int32, shift: Int32,
    minimum: Int32, maximum: Int32
  ) {
    self.inputZeroPoint = inputZeroPoint
    self.outputZeroPoint = outputZeroPoint
    self.multiplier = multiplier
    self.shift = shift
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Whether every number is within its bounds. Kernels demand it; a loader asks first.
  public var isValid: Bool { (-31...31).contains(shift) && minimum <= maximum }

  public func run(
    _ input: Span<Int8>, into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) { reference(input, &output) }

  public func run(
    _ input: Span<Int16>, into output: inout MutableSpan<Int16>, _ kernels: KernelSet
  ) { reference(input, &output) }

  public func run(
    _ input: Span<Int8>, into output: inout MutableSpan<Int16>, _ kernels: KernelSet
  ) { reference(input, &output) }

  public func run(
    _ input: Span<Int16>, into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) { reference(input, &output) }

  private func reference<Input: FixedWidthInteger, Output: FixedWidthInteger>(
    _ input: Span<Input>, _ output: inout MutableSpan<Output>
  ) {
    precondition(isValid && input.count == output.count)
    for index in 0..<output.count {
      let value =
        FixedPoint.scale(
          Int32(input[index]) &- inputZeroPoint, multiplier: multiplier, shift: shift)
        &+ outputZeroPoint
      output[index] = Output(clamping: max(minimum, min(value, maximum)))
    }
  }
}
