/// A layer with weights as the public entry points see it: checks sizes once, then hands over
/// to the reference or to a row-wise variant.
struct Layer {
  let shape: WindowShape
  let reference: ReferenceLayer
  let rows: RowLayer?

  init(
    _ kind: LayerKind, _ shape: WindowShape, _ kernels: KernelSet,
    _ arithmetic: LayerArithmetic = .narrow
  ) {
    precondition(kind.accept(shape), "inconsistent shape")
    precondition(kernels.isAvailable, "this processor does not have these kernels")
    self.shape = shape
    reference = ReferenceLayer(kind, shape, arithmetic.accumulator)
    rows = RowVariant(kernels, arithmetic).flatMap { RowLayer(kind, shape, $0, arithmetic) }
  }

  /// The set whose instructions run the layer: `kernels`, or the reference.
  func variant(_ kernels: KernelSet) -> KernelSet { rows == nil ? .reference : kernels }

  var packedBytes: Int { rows?.packedBytes ?? reference.packedBytes }
  var scratchBytes: Int { rows?.scratchBytes ?? 0 }

  func pack<Bias: FixedWidthInteger & BitwiseCopyable>(
    weights: Span<Int8>, bias: Span<Bias>, positive: Scales?, negative: Scales?,
    accumulator: Scales?, into packed: inout MutableRawSpan
  ) {
    reference.check(weights: weights, bias: bias.count)
    precondition(MemoryLayout<Bias>.size == reference.table.biasBytes, "bias of another type")
    precondition(packed.byteCount >= packedBytes, "packed is too small")
    packed.withUnsafeMutableBytes { packed in
      reference.table.write(
        channels: shape.output.channels, positive: positive, negative: negative,
        accumulator: accumulator, into: packed)
      if let rows {
        rows.pack(weights: weights, bias: bias, into: packed)
      } else {
        reference.pack(weights: weights, bias: bias, into: packed)
      }
    }
  }

  func run<Value: FixedWidthInteger & BitwiseCopyable>(
    _ requantisation: Requantisation, input: Span<Value>, packed: RawSpan, residual: Span<Value>,
    into output: inout MutableSpan<Value>, scratch: inout MutableRawSpan
  ) {
    precondition(
      requantisation.isValid(for: Value.self, outputChannels: shape.output.channels),
      "invalid requantisation")
    check(input.count, packed.byteCount, output.count, scratch.byteCount)
    reference.check(requantisation, residual: residual.count)
    guard let rows else {
      reference.run(
        requantisation, input: input, packed: packed, residual: residual, into: &output)
      return
    }
    rows.run(
      requantisation, input: input, packed: packed, residual: residual, into: &output,
      scratch: &scratch)
  }

  func runRaw<Value: FixedWidthInteger & BitwiseCopyable>(
    inputZeroPoint: Int32, input: Span<Value>, packed: RawSpan,
    into output: inout MutableSpan<Int32>, scratch: inout MutableRawSpan
  ) {
    precondition((-128...127).contains(inputZeroPoint), "zero point outside int8")
    check(input.count, packed.byteCount, output.count, scratch.byteCount)
    guard let rows else {
      reference.runRaw(
        inputZeroPoint: inputZeroPoint, input: input, packed: packed, into: &output)
      return
    }
    rows.runRaw(
      inputZeroPoint: inputZeroPoint, input: input, packed: packed, into: &output,
      scratch: &scratch)
  }

  private func check(_ input: Int, _ packed: Int, _ output: Int, _ scratch: Int) {
    reference.check(input: input, output: output)
    precondition(packed >= packedBytes, "packed is too small")
    precondition(scratch >= scratchBytes, "scratch is too small")
  }
}

extension ReferenceLayer {
  func check(weights: Span<Int8>, bias: Int) {
    precondition(weights.count == kind.weights(shape), "weights do not fit the shape")
    precondition(Convolution.areValid(weights: weights), "a weight of -128")
    precondition(bias == shape.output.channels, "bias does not fit the shape")
  }

  func check(input: Int, output: Int) {
    precondition(input == shape.input.count, "input does not fit the shape")
    precondition(output == shape.output.count, "output does not fit the shape")
  }

  func check(_ requantisation: Requantisation, residual: Int) {
    let channels = requantisation.residual?.channels ?? 0
    precondition(
      residual == shape.output.height * shape.output.width * channels,
      "residual does not fit the shape")
  }
}
