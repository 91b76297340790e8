/// Convolution with int8 weights and int16 activations, whose zero points are 0. Bias and sums
/// are int32 or int64, and round differently (see ``FixedPoint``).
public enum WideConvolution {
  /// As of ``Convolution``.
  public static func variant(
    _ shape: WindowShape, _ accumulator: Accumulator, _ kernels: KernelSet
  ) -> KernelSet { layer(shape, accumulator, kernels).variant(kernels) }

  /// Bytes that `pack` writes.
  public static func packedBytes(
    _ shape: WindowShape, _ accumulator: Accumulator, _ kernels: KernelSet
  ) -> Int { layer(shape, accumulator, kernels).packedBytes }

  /// Bytes that a run needs beside input, output and packed weights.
  public static func scratchBytes(
    _ shape: WindowShape, _ accumulator: Accumulator, _ kernels: KernelSet
  ) -> Int { layer(shape, accumulator, kernels).scratchBytes }

  /// As of ``Convolution``; int32 accumulators.
  public static func pack(
    _ shape: WindowShape, weights: Span<Int8>, bias: Span<Int32>, positive: Scales? = nil,
    negative: Scales? = nil, accumulator: Scales? = nil, into packed: inout MutableRawSpan,
    _ kernels: KernelSet
  ) {
    layer(shape, .int32, kernels).pack(
      weights: weights, bias: bias, positive: positive, negative: negative,
      accumulator: accumulator, into: &packed)
  }

  /// As of ``Convolution``; int64 accumulators, whose shifts are in −31...14.
  public static func pack(
    _ shape: WindowShape, weights: Span<Int8>, bias: Span<Int64>, positive: Scales? = nil,
    negative: Scales? = nil, accumulator: Scales? = nil, into packed: inout MutableRawSpan,
    _ kernels: KernelSet
  ) {
    layer(shape, .int64, kernels).pack(
      weights: weights, bias: bias, positive: positive, negative: negative,
      accumulator: accumulator, into: &packed)
  }

  /// Writes the whole output. `residual` is empty unless `requantisation` has one.
  public static func run(
    _ shape: WindowShape, _ requantisation: Requantisation, _ accumulator: Accumulator,
    input: Span<Int16>, packed: RawSpan, residual: Span<Int16> = Span(),
    into output: inout MutableSpan<Int16>, scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    layer(shape, accumulator, kernels).run(
      requantisation, input: input, packed: packed, residual: residual, into: &output,
      scratch: &scratch)
  }

  /// Writes the sums, bias included, saturated to int32.
  public static func runRaw(
    _ shape: WindowShape, _ accumulator: Accumulator, input: Span<Int16>, packed: RawSpan,
    into output: inout MutableSpan<Int32>, scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    layer(shape, accumulator, kernels).runRaw(
      inputZeroPoint: 0, input: input, packed: packed, into: &output, scratch: &scratch)
  }

  private static func layer(
    _ shape: WindowShape, _ accumulator: Accumulator, _ kernels: KernelSet
  ) -> Layer { Layer(.convolution, shape, kernels, .wide(accumulator)) }
}
