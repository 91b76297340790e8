import CKernels
import KernelsAVX2

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
  ) {
    precondition(isValid && -128 <= minimum && maximum <= 127, "invalid addition")
    precondition(a.count == output.count && b.count == output.count, "counts differ")
    let done = vectors(a, b, &output, kernels)
    var rest = output._mutatingExtracting(done..<output.count)
    reference(a.extracting(done..<a.count), b.extracting(done..<b.count), &rest)
  }

  /// As much as fits whole vectors; returns how many values.
  private func vectors(
    _ a: Span<Int8>, _ b: Span<Int8>, _ target: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) -> Int {
    let count = kernels == .reference ? 0 : target.count & ~7
    guard count > 0, kernels.isAvailable else { return 0 }
    let job = kernels_addition(
      left_shift: leftShift, first_zero_point: first.zeroPoint, first_multiplier: first.multiplier,
      first_shift: first.shift, second_zero_point: second.zeroPoint,
      second_multiplier: second.multiplier, second_shift: second.shift,
      output_zero_point: output.zeroPoint, output_multiplier: output.multiplier,
      output_shift: output.shift, minimum: minimum, maximum: maximum)
    target.withUnsafeMutableBufferPointer { target in
      a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in
          guard let a = a.baseAddress, let b = b.baseAddress, let target = target.baseAddress
          else { return }
          #if arch(x86_64)
            add_s8_x8_avx2(job, a, b, count: count, into: target)
          #elseif arch(arm64)
            add_s8_x8_neon(job, a, b, count: count, into: target)
          #endif
        }
      }
    }
    return count
  }

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
      let value = FixedPoint.scale(
        sum, multiplier: self.output.multiplier, shift: self.output.shift)
      output[index] = Value(
        truncatingIfNeeded: FixedPoint.bounded(
          value, zeroPoint: self.output.zeroPoint, minimum: minimum, maximum: maximum))
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
      output[index] = Value(
        truncatingIfNeeded: FixedPoint.bounded(
          scaled, zeroPoint: outputZeroPoint, minimum: Int32(Value.min),
          maximum: Int32(Value.max)))
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
      let value = FixedPoint.scale(
        Int32(input[index]) &- inputZeroPoint, multiplier: multiplier, shift: shift)
      output[index] = Output(
        clamping: FixedPoint.bounded(
          value, zeroPoint: outputZeroPoint, minimum: minimum, maximum: maximum))
    }
  }
}
