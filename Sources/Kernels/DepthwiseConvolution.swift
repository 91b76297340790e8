/// Depthwise convolution with int8 weights and int8 activations. `pack` runs once when a model is
/// configured; `run` takes what it wrote, for the same shape and kernel set.
public enum DepthwiseConvolution {
  /// The set whose instructions run such a layer: `kernels`, or the reference where that has none
  /// for it.
  public static func variant(_ shape: WindowShape, _ kernels: KernelSet) -> KernelSet {
    Layer(.depthwise, shape, kernels).variant(kernels)
  }

  /// Bytes that `pack` writes.
  public static func packedBytes(_ shape: WindowShape, _ kernels: KernelSet) -> Int {
    Layer(.depthwise, shape, kernels).packedBytes
  }

  /// Bytes that a run needs beside input, output and packed weights.
  public static func scratchBytes(_ shape: WindowShape, _ kernels: KernelSet) -> Int {
    Layer(.depthwise, shape, kernels).scratchBytes
  }

  /// Brings one layer into the order of the kernel set. Weights are in −127...127 and in TFLite's
  /// order: kernel row, kernel column, output channel. Bias and scales have one
  /// element an output channel. `positive` may be absent where only raw sums are asked for,
  /// `negative` where there is no PReLU, `accumulator` where there is no residual (see
  /// ``Requantisation``).
  public static func pack(
    _ shape: WindowShape, weights: Span<Int8>, bias: Span<Int32>, positive: Scales? = nil,
    negative: Scales? = nil, accumulator: Scales? = nil, into packed: inout MutableRawSpan,
    _ kernels: KernelSet
  ) {
    Layer(.depthwise, shape, kernels).pack(
      weights: weights, bias: bias, positive: positive, negative: negative,
      accumulator: accumulator, into: &packed)
  }

  /// Writes the whole output. `residual` is empty unless `requantisation` has one; then it has the
  /// output's height and width and the channels given there. Nothing may overlap.
  public static func run(
    _ shape: WindowShape, _ requantisation: Requantisation, input: Span<Int8>, packed: RawSpan,
    residual: Span<Int8> = Span(), into output: inout MutableSpan<Int8>,
    scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    Layer(.depthwise, shape, kernels).run(
      requantisation, input: input, packed: packed, residual: residual, into: &output,
      scratch: &scratch)
  }

  /// Writes the sums, bias included, without requantisation: for heads whose output is read as
  /// int32.
  public static func runRaw(
    _ shape: WindowShape, inputZeroPoint: Int32, input: Span<Int8>, packed: RawSpan,
    into output: inout MutableSpan<Int32>, scratch: inout MutableRawSpan, _ kernels: KernelSet
  ) {
    Layer(.depthwise, shape, kernels).runRaw(
      inputZeroPoint: inputZeroPoint, input: input, packed: packed, into: &output,
      scratch: &scratch)
  }
}
