/// Convolution with int8 weights and int16 activations, whose zero points are 0. Bias and sums
/// are int32 or int64, and round differently (see ``FixedPoint``). All kernel sets run the reference.
public enum WideConvolution {
  /// Bytes that `pack` writes.
  public static func packedBytes(
    _ shape: WindowShape, _ accumulator: Accumulator, _ kernels: KernelSet
  ) -> Int { checkedLayer(shape, accumulator).packedBytes }

  /// Bytes that a run needs beside input, output and packed weights.
  public static func scratchBytes(
    _ shape: WindowShape, _ accumulator: Accumulator, _ kernels: KernelSet
  ) -> Int { 0 }

  /// As of ``Convolution``; int32 accumulators.
  public static func pack(
    _ shape: WindowShape, weights: Span<Int8>, bias: Span<Int32>, positive: Scales? = nil,
    negative: Scales? = nil, accumulator: Scales? = nil, into packed: inout MutableRawSpan,
    _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape, .int32)
    layer.check(weights: weights, bias: bias.count)
    precondition(packed.byteCount >= layer.packedBytes, "packed is too small")
    packed.withUnsafeMutableBytes { packed in
      layer.table.write(
        channels: shape.output.channels, positive: positive, negative: negative,
        accumulator: accumulator, into: packed)
      layer.pack(weights: weights, bias: bias, into: packed)
    }
  }

  /// As of ``Convolution``; int64 accumulators, whose shifts are in −31...14.
  public static func pack(
    _ shape: WindowShape, weights: Span<Int8>, bias: Span<Int64>, positive: Scales? = nil,
    negative: Scales? = nil, accumulator: Scales? = nil, into packed: inout MutableRawSpan,
    _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape, .int64)
    layer.check(weights: weights, bias: bias.count)
    precondition(packed.byteCount >= layer.packedBytes, "packed is too small")
    packed.withUnsafeMutableBytes { packed in
      layer.table.write(
        channels: shape.output.channels, positive: positive, negative: negative,
        accumulator: accumulator, into: packed)
      layer.pack(weights: weights, bias: bias, into: packed)
    }
  }

  /// Writes the whole output. `residual` is empty unless `requantisation` has one.
  public static func run(
    _ shape: WindowShape, _ requantisation: Requantisation, _ accumulator: Accumulator,
    input: Span<Int16>, packed: RawSpan, residual: Span<Int16> = Span(),
    into output: inout MutableSpan<Int16>, scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape, accumulator)
    precondition(
      requantisation.isValid16(outputChannels: shape.output.channels), "invalid requantisation")
    layer.check(input: input.count, output: output.count)
    precondition(packed.byteCount >= layer.packedBytes, "packed is too small")
    layer.check(requantisation, residual: residual.count)
    layer.run(
      requantisation, input: input, packed: packed, residual: residual, into: &output)
  }

  /// Writes the sums, bias included, saturated to int32.
  public static func runRaw(
    _ shape: WindowShape, _ accumulator: Accumulator, input: Span<Int16>, packed: RawSpan,
    into output: inout MutableSpan<Int32>, scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape, accumulator)
    layer.check(input: input.count, output: output.count)
    precondition(packed.byteCount >= layer.packedBytes, "packed is too small")
    layer.runRaw(inputZeroPoint: 0, input: input, packed: packed, into: &output)
  }

  private static func checkedLayer(
    _ shape: WindowShape, _ accumulator: Accumulator
  ) -> ReferenceLayer {
    precondition(LayerKind.convolution.accept(shape), "inconsistent shape")
    return ReferenceLayer(.convolution, shape, accumulator)
  }
}
