/// Convolution with int8 weights and int8 activations. `pack` runs once when a model is
/// configured; `run` takes what it wrote, for the same shape and kernel set.
public enum Convolution {
  /// Bytes that ``pack(_:weights:bias:positive:negative:accumulator:into:_:)`` writes.
  public static func packedBytes(_ shape: WindowShape, _ kernels: KernelSet) -> Int {
    checkedLayer(shape).packedBytes
  }

  /// Bytes that a run needs beside input, output and packed weights.
  public static func scratchBytes(_ shape: WindowShape, _ kernels: KernelSet) -> Int { 0 }

  /// Brings one layer into the order of the kernel set. Weights are in TFLite's order: output channel,
  /// kernel row, kernel column, input channel.
  /// Bias and scales have one element an output channel. `positive` may be
  /// absent where only raw sums are asked for, `negative` where there is no PReLU, `accumulator`
  /// where there is no residual (see ``Requantisation``).
  public static func pack(
    _ shape: WindowShape, weights: Span<Int8>, bias: Span<Int32>, positive: Scales? = nil,
    negative: Scales? = nil, accumulator: Scales? = nil, into packed: inout MutableRawSpan,
    _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape)
    precondition(weights.count == layer.kind.weights(shape), "weights do not fit the shape")
    precondition(bias.count == shape.output.channels, "bias does not fit the shape")
    precondition(packed.byteCount >= packedBytes(shape, kernels), "packed is too small")
    packed.withUnsafeMutableBytes { packed in
      layer.table.write(
        channels: shape.output.channels, positive: positive, negative: negative,
        accumulator: accumulator, into: packed)
      layer.pack(weights: weights, bias: bias, into: packed)
    }
  }

  /// Writes the whole output. `residual` is empty unless `requantisation` has one; then it has the
  /// output's height and width and the channels given there. Nothing may overlap.
  public static func run(
    _ shape: WindowShape, _ requantisation: Requantisation, input: Span<Int8>, packed: RawSpan,
    residual: Span<Int8> = Span(), into output: inout MutableSpan<Int8>,
    scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape)
    precondition(requantisation.isValid8(outputChannels: shape.output.channels))
    layer.check(input: input.count, output: output.count, packed: packed.byteCount)
    layer.check(requantisation, residual: residual.count)
    precondition(scratch.byteCount >= scratchBytes(shape, kernels), "scratch is too small")
    layer.run(
      requantisation, input: input, packed: packed, residual: residual, into: &output)
  }

  /// Writes the sums, bias included, without requantisation: for heads whose output is read as
  /// int32.
  public static func runRaw(
    _ shape: WindowShape, inputZeroPoint: Int32, input: Span<Int8>, packed: RawSpan,
    into output: inout MutableSpan<Int32>, scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    let layer = checkedLayer(shape)
    precondition((-128...127).contains(inputZeroPoint), "zero point outside int8")
    layer.check(input: input.count, output: output.count, packed: packed.byteCount)
    precondition(scratch.byteCount >= scratchBytes(shape, kernels), "scratch is too small")
    layer.runRaw(inputZeroPoint: inputZeroPoint, input: input, packed: packed, into: &output)
  }

  private static func checkedLayer(_ shape: WindowShape) -> ReferenceLayer {
    precondition(LayerKind.convolution.accept(shape), "inconsistent shape")
    return ReferenceLayer(.convolution, shape)
  }
}
