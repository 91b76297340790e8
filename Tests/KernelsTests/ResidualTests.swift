import Kernels
import Testing

/// The fused addition against its definition, in numbers small enough to follow.
@Suite struct ResidualTests {
  @Test(arguments: KernelSet.allCases.filter(\.isAvailable))
  func sumsAreAddedBeforeTheActivation(_ kernels: KernelSet) {
    // One pixel, one input channel, three outputs of which two have a residual.
    let shape = WindowShape(inputs: 1, outputs: 3)
    let weights: [Int8] = [10, -10, 10]
    let bias: [Int32] = [0, 0, -400]
    // Sums times 16 into t, t / 16 where positive, t / 32 where negative.
    let half = [Int32](repeating: 1 << 30, count: 3)
    let toT = [Int32](repeating: 5, count: 3)
    let positive = [Int32](repeating: -3, count: 3)
    let negative = [Int32](repeating: -4, count: 3)
    var packed = [UInt8](repeating: 0, count: Convolution.packedBytes(shape, kernels))
    var scratch = [UInt8](repeating: 0, count: Convolution.scratchBytes(shape, kernels))
    var output = [Int8](repeating: 0, count: 3)
    let input: [Int8] = [9]
    let residual: [Int8] = [20, 7]
    var packedElements = packed.mutableSpan
    var packedSpan = packedElements.mutableBytes
    Convolution.pack(
      shape, weights: weights.span, bias: bias.span,
      positive: Scales(multipliers: half.span, shifts: positive.span),
      negative: Scales(multipliers: half.span, shifts: negative.span),
      accumulator: Scales(multipliers: half.span, shifts: toT.span), into: &packedSpan, kernels)
    var outputSpan = output.mutableSpan
    var scratchElements = scratch.mutableSpan
    var scratchSpan = scratchElements.mutableBytes
    Convolution.run(
      shape,
      Requantisation(
        inputZeroPoint: 4, outputZeroPoint: 1, minimum: -128, maximum: 127,
        residual: Residual(zeroPoint: 2, multiplier: 8, channels: 2)),
      input: input.span, packed: packed.span.bytes, residual: residual.span, into: &outputSpan,
      scratch: &scratchSpan, kernels)
    // 50 * 16 + 18 * 8 = 944; / 16 = 59.
    // -50 * 16 + 5 * 8 = -760; / 32 = -23.75.
    // (50 - 400) * 16 = -5600; / 32 = -175: bounded.
    #expect(output == [60, -23, -128])
  }
}
