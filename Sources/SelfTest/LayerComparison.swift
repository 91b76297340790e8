import Kernels
import Platform

/// Runs the list of cases of one kind with `kernels` and with the reference, and stops at the first
/// difference.
func compareLayers(
  _ kind: LayerCase.Kind, isWide: Bool, _ kernels: KernelSet, _ memory: inout SelfTestMemory
) -> SelfTestCheck {
  var cases = 0
  var failure: SelfTestFailure?
  LayerCase.forEach(kind, isWide: isWide) { layer in
    failure = layer.firstDifference(kernels, cases, &memory)
    cases += 1
    return failure == nil
  }
  let operation: StaticString
  switch kind {
  case .convolution: operation = isWide ? "wide convolution" : "convolution"
  case .depthwise: operation = isWide ? "wide depthwise" : "depthwise"
  }
  return SelfTestCheck(
    operation: operation, variant: kernels.name, cases: cases, failure: failure)
}

extension LayerCase {
  func firstDifference(
    _ kernels: KernelSet, _ number: Int, _ memory: inout SelfTestMemory
  ) -> SelfTestFailure? {
    memory.reset()
    let (buffers, requantisation) = draw(number, &memory)
    let expected = run(.reference, buffers, requantisation, &memory)
    let found = run(kernels, buffers, requantisation, &memory)
    switch outputBytes {
    case 1: return difference(number, shape, expected, found, of: Int8.self, memory)
    case 2: return difference(number, shape, expected, found, of: Int16.self, memory)
    default: return difference(number, shape, expected, found, of: Int32.self, memory)
    }
  }

  private func run(
    _ kernels: KernelSet, _ buffers: LayerBuffers, _ requantisation: Requantisation,
    _ memory: inout SelfTestMemory
  ) -> UnsafeMutableRawBufferPointer {
    let packed = memory.takeBytes(packedBytes(kernels))
    let scratch = memory.takeBytes(scratchBytes(kernels))
    let output = memory.takeBytes(shape.output.count * outputBytes)
    pack(buffers, into: packed, kernels)
    run(requantisation, buffers, packed: packed, scratch: scratch, into: output, kernels)
    return output
  }

  private func difference<Value: FixedWidthInteger>(
    _ number: Int, _ shape: WindowShape, _ expected: UnsafeMutableRawBufferPointer,
    _ found: UnsafeMutableRawBufferPointer, of type: Value.Type, _ memory: borrowing SelfTestMemory
  ) -> SelfTestFailure? {
    SelfTest.difference(
      number, shape, expected.bindMemory(to: type), found.bindMemory(to: type), memory)
  }

  /// The inputs of a case, drawn from its number.
  private func draw(
    _ number: Int, _ memory: inout SelfTestMemory
  ) -> (LayerBuffers, Requantisation) {
    var random = RandomSource(seed: UInt64(truncatingIfNeeded: number))
    let channels = shape.output.channels
    let isExtreme = data == .extreme
    let weights = memory.take(weightCount, of: Int8.self)
    for index in 0..<weights.count {
      weights[index] =
        isExtreme ? (random.below(8) == 0 ? -127 : 127) : Int8(random.below(255) - 127)
    }
    let input = drawValues(shape.input.count, isExtreme: isExtreme, &random, &memory)
    let bias = drawBias(&random, &memory)
    // Sums with a residual in steps of the output's size, or in small ones as the packer makes them.
    let isFine = residualChannels > 0 && random.below(2) == 0
    let multipliers = memory.take(3 * channels, of: Int32.self)
    let shifts = memory.take(3 * channels, of: Int32.self)
    for index in 0..<multipliers.count {
      switch data {
      case .wild:
        // int64 sums bear smaller shifts.
        let highest =
          wide == .int64 && !(residualChannels > 0 && index / channels < 2)
          ? (rounding == .once ? 30 : 14) : rounding == .once ? 30 : 31
        multipliers[index] = max(Int32(truncatingIfNeeded: random.next()), -Int32.max)
        shifts[index] = Int32(random.below(highest + 32) - 31)
      case .usual, .extreme:
        let isNegative = index / channels == 1 && random.below(3) == 0
        let magnitude = Int32((1 << 30) + random.below(1 << 30))
        multipliers[index] = isNegative ? -magnitude : magnitude
        // Factors such that usual sums fill the output's range; with a residual, in two steps.
        let isFirstOfTwo = residualChannels > 0 && index / channels == 2
        shifts[index] = Int32(
          isFirstOfTwo
            ? (isFine ? 5 : -1) - random.below(3) : (isFine ? -13 : -6) - random.below(6))
      }
    }
    var residualStep: Residual?
    if residualChannels > 0 {
      let zeroPoint = Int32(random.nextInt8())
      residualStep = Residual(
        zeroPoint: wide == nil ? zeroPoint : 0,
        multiplier: data == .wild
          ? Int32(truncatingIfNeeded: random.next())
          : isFine ? 65_536 << Int32(random.below(2)) : Int32(random.below(4000)),
        channels: residualChannels)
    }
    let residual = drawValues(residualCount, isExtreme: false, &random, &memory)
    let buffers = LayerBuffers(
      weights: weights, bias: bias, multipliers: multipliers, shifts: shifts, input: input,
      residual: residual)
    return (
      buffers,
      Requantisation(
        inputZeroPoint: inputZeroPoint, outputZeroPoint: outputZeroPoint, minimum: minimum,
        maximum: maximum, rounding: rounding, residual: residualStep)
    )
  }

  private func drawValues(
    _ count: Int, isExtreme: Bool, _ random: inout RandomSource, _ memory: inout SelfTestMemory
  ) -> UnsafeMutableRawBufferPointer {
    let bytes = memory.takeBytes(count * valueBytes)
    for index in 0..<count {
      let isHigh = isExtreme && random.below(8) == 0
      if wide == nil {
        let value = isExtreme ? (isHigh ? 127 : -128) : random.nextInt8()
        bytes.storeBytes(of: value, toByteOffset: index, as: Int8.self)
      } else {
        let value: Int16 =
          isExtreme ? (isHigh ? 32767 : -32768) : Int16(truncatingIfNeeded: random.next())
        bytes.storeBytes(of: value, toByteOffset: 2 * index, as: Int16.self)
      }
    }
    return bytes
  }

  private func drawBias(
    _ random: inout RandomSource, _ memory: inout SelfTestMemory
  ) -> UnsafeMutableRawBufferPointer {
    let bytes = memory.takeBytes(shape.output.channels * biasBytes)
    for index in 0..<shape.output.channels {
      let usual = random.below(40_001) - 20_000
      let any = random.next()
      if wide == .int64 {
        // TFLite's accumulators stay within 48 bits.
        let value = data == .wild ? Int64(bitPattern: any) &>> 17 : Int64(usual << 8)
        bytes.storeBytes(of: value, toByteOffset: 8 * index, as: Int64.self)
      } else {
        let value = data == .wild ? Int32(truncatingIfNeeded: any) : Int32(usual)
        bytes.storeBytes(of: value, toByteOffset: 4 * index, as: Int32.self)
      }
    }
    return bytes
  }
}

extension RandomSource {
  mutating func nextInt8() -> Int8 { Int8(truncatingIfNeeded: next()) }
}
