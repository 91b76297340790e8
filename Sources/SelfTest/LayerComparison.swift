import Kernels
import Platform

/// Runs the list of cases of one kind with `kernels` and with the reference, and stops at the first
/// difference.
func compareLayers(
  _ kind: LayerCase.Kind, _ kernels: KernelSet, _ memory: inout SelfTestMemory
) -> SelfTestCheck {
  var cases = 0
  var failure: SelfTestFailure?
  LayerCase.forEach(kind) { layer in
    failure = layer.firstDifference(kernels, cases, &memory)
    cases += 1
    return failure == nil
  }
  return SelfTestCheck(
    operation: kind == .convolution ? "convolution" : "depthwise", variant: kernels.name,
    cases: cases, failure: failure)
}

extension LayerCase {
  /// The inputs of a case, drawn from its number.
  struct Values {
    let weights: UnsafeMutableBufferPointer<Int8>
    let bias: UnsafeMutableBufferPointer<Int32>
    let input: UnsafeMutableBufferPointer<Int8>
    let residual: UnsafeMutableBufferPointer<Int8>
    let multipliers: UnsafeMutableBufferPointer<Int32>
    let shifts: UnsafeMutableBufferPointer<Int32>
    let requantisation: Requantisation
  }

  func firstDifference(
    _ kernels: KernelSet, _ number: Int, _ memory: inout SelfTestMemory
  ) -> SelfTestFailure? {
    memory.reset()
    let values = draw(number, &memory)
    if raw {
      let expected = memory.take(shape.output.count, of: Int32.self)
      let found = memory.take(shape.output.count, of: Int32.self)
      run(.reference, values, raw: expected, nil, &memory)
      run(kernels, values, raw: found, nil, &memory)
      return difference(number, shape, expected, found, memory)
    }
    let expected = memory.take(shape.output.count, of: Int8.self)
    let found = memory.take(shape.output.count, of: Int8.self)
    run(.reference, values, raw: nil, expected, &memory)
    run(kernels, values, raw: nil, found, &memory)
    return difference(number, shape, expected, found, memory)
  }

  private func run(
    _ kernels: KernelSet, _ values: Values, raw: UnsafeMutableBufferPointer<Int32>?,
    _ output: UnsafeMutableBufferPointer<Int8>?, _ memory: inout SelfTestMemory
  ) {
    let channels = shape.output.channels
    let factors = { (index: Int) -> (UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>) in
      let range = index * channels..<(index + 1) * channels
      return (
        UnsafeBufferPointer(rebasing: values.multipliers[range]),
        UnsafeBufferPointer(rebasing: values.shifts[range])
      )
    }
    let isConvolution = kind == .convolution
    let packedBytes =
      isConvolution
      ? Convolution.packedBytes(shape, kernels) : DepthwiseConvolution.packedBytes(shape, kernels)
    let scratchBytes =
      isConvolution
      ? Convolution.scratchBytes(shape, kernels) : DepthwiseConvolution.scratchBytes(shape, kernels)
    let packedMemory = UnsafeMutableRawBufferPointer(memory.take(packedBytes, of: UInt8.self))
    let scratchMemory = UnsafeMutableRawBufferPointer(memory.take(scratchBytes, of: UInt8.self))
    var packed = packedMemory.mutableBytes
    var scratch = scratchMemory.mutableBytes
    let (m0, s0) = factors(0)
    let (m1, s1) = factors(1)
    let (m2, s2) = factors(2)
    let positive = Scales(multipliers: m0.span, shifts: s0.span)
    let negative = Scales(multipliers: m1.span, shifts: s1.span)
    let accumulator = Scales(multipliers: m2.span, shifts: s2.span)
    let weights = UnsafeBufferPointer(values.weights).span
    let bias = UnsafeBufferPointer(values.bias).span
    let input = UnsafeBufferPointer(values.input).span
    let residual = UnsafeBufferPointer(values.residual).span
    if isConvolution {
      Convolution.pack(
        shape, weights: weights, bias: bias, positive: positive,
        negative: slopes ? negative : nil, accumulator: accumulator, into: &packed, kernels)
    } else {
      DepthwiseConvolution.pack(
        shape, weights: weights, bias: bias, positive: positive,
        negative: slopes ? negative : nil, accumulator: accumulator, into: &packed, kernels)
    }
    if let raw {
      var target = raw.mutableSpan
      if isConvolution {
        Convolution.runRaw(
          shape, inputZeroPoint: inputZeroPoint, input: input, packed: packed.bytes,
          into: &target, scratch: &scratch, kernels)
      } else {
        DepthwiseConvolution.runRaw(
          shape, inputZeroPoint: inputZeroPoint, input: input, packed: packed.bytes,
          into: &target, scratch: &scratch, kernels)
      }
    }
    if let output {
      var target = output.mutableSpan
      if isConvolution {
        Convolution.run(
          shape, values.requantisation, input: input, packed: packed.bytes, residual: residual,
          into: &target, scratch: &scratch, kernels)
      } else {
        DepthwiseConvolution.run(
          shape, values.requantisation, input: input, packed: packed.bytes, residual: residual,
          into: &target, scratch: &scratch, kernels)
      }
    }
  }

  private func draw(_ number: Int, _ memory: inout SelfTestMemory) -> Values {
    var random = RandomSource(seed: UInt64(truncatingIfNeeded: number))
    let channels = shape.output.channels
    let isExtreme = data == .extreme
    let weights = memory.take(
      kind == .convolution ? shape.convolutionWeights : shape.depthwiseWeights, of: Int8.self)
    for index in 0..<weights.count {
      weights[index] =
        isExtreme ? (random.below(8) == 0 ? -127 : 127) : Int8(random.below(255) - 127)
    }
    let input = memory.take(shape.input.count, of: Int8.self)
    for index in 0..<input.count {
      input[index] = isExtreme ? (random.below(8) == 0 ? 127 : -128) : random.nextInt8()
    }
    let bias = memory.take(channels, of: Int32.self)
    for index in 0..<channels {
      bias[index] =
        data == .wild
        ? Int32(truncatingIfNeeded: random.next()) : Int32(random.below(40_001) - 20_000)
    }
    let multipliers = memory.take(3 * channels, of: Int32.self)
    let shifts = memory.take(3 * channels, of: Int32.self)
    for index in 0..<multipliers.count {
      switch data {
      case .wild:
        multipliers[index] = max(Int32(truncatingIfNeeded: random.next()), -Int32.max)
        shifts[index] = Int32(random.below(63) - 31)
      case .usual, .extreme:
        let isNegative = index / channels == 1 && random.below(3) == 0
        let magnitude = Int32((1 << 30) + random.below(1 << 30))
        multipliers[index] = isNegative ? -magnitude : magnitude
        // Factors such that usual sums fill the output's range; with a residual, in two steps.
        let isFirstOfTwo = residualChannels > 0 && index / channels == 2
        shifts[index] = Int32(isFirstOfTwo ? -1 - random.below(3) : -6 - random.below(6))
      }
    }
    var residualStep: Residual?
    if residualChannels > 0 {
      residualStep = Residual(
        zeroPoint: Int32(random.nextInt8()),
        multiplier: data == .wild
          ? Int32(truncatingIfNeeded: random.next()) : Int32(random.below(4000)),
        channels: residualChannels)
    }
    let residual = memory.take(
      shape.output.height * shape.output.width * residualChannels, of: Int8.self)
    for index in 0..<residual.count { residual[index] = random.nextInt8() }
    return Values(
      weights: weights, bias: bias, input: input, residual: residual, multipliers: multipliers,
      shifts: shifts,
      requantisation: Requantisation(
        inputZeroPoint: inputZeroPoint, outputZeroPoint: outputZeroPoint, minimum: minimum,
        maximum: maximum, rounding: rounding, residual: residualStep))
  }
}

extension RandomSource {
  mutating func nextInt8() -> Int8 { Int8(truncatingIfNeeded: next()) }
}
