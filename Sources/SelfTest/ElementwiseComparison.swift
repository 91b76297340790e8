import Kernels
import Platform

/// Additions of 0 to 67 values, with factors as networks have them and with any.
func compareAdditions(_ kernels: KernelSet, _ memory: inout SelfTestMemory) -> SelfTestCheck {
  var failure: SelfTestFailure?
  var cases = 0
  while failure == nil && cases < 4 * 68 {
    let count = cases / 4
    var random = RandomSource(seed: UInt64(cases))
    let addition = drawAddition(isWild: cases % 4 == 3, &random)
    memory.reset()
    let a = memory.take(count, of: Int8.self)
    let b = memory.take(count, of: Int8.self)
    for index in 0..<count {
      a[index] = random.nextInt8()
      b[index] = random.nextInt8()
    }
    let expected = memory.take(count, of: Int8.self)
    let found = memory.take(count, of: Int8.self)
    var expectedSpan = expected.mutableSpan
    var foundSpan = found.mutableSpan
    let first = UnsafeBufferPointer(a).span
    let second = UnsafeBufferPointer(b).span
    addition.run(first, second, into: &expectedSpan, .reference)
    addition.run(first, second, into: &foundSpan, kernels)
    failure = difference(
      cases, WindowShape(inputs: count, outputs: count), expected, found, memory)
    cases += 1
  }
  return SelfTestCheck(
    operation: "addition", variant: kernels.name, cases: cases, failure: failure)
}

private func drawAddition(isWild: Bool, _ random: inout RandomSource) -> Addition {
  func term(_ random: inout RandomSource, lowestShift: Int) -> Addition.Term {
    let multiplier =
      isWild
      ? max(Int32(truncatingIfNeeded: random.next()), -Int32.max)
      : Int32((1 << 30) + random.below(1 << 30))
    return Addition.Term(
      zeroPoint: Int32(random.nextInt8()), multiplier: multiplier,
      shift: Int32(isWild ? -random.below(32) : lowestShift - random.below(3)))
  }
  let isBounded = random.below(3) == 0
  return Addition(
    leftShift: isWild ? Int32(random.below(21)) : 20, first: term(&random, lowestShift: 0),
    second: term(&random, lowestShift: 0), output: term(&random, lowestShift: -17),
    minimum: isBounded ? -90 : -128, maximum: isBounded ? 80 : 127)
}

/// Pools over all windows up to 3 by 3 with every stride and padding, and 1 to 66 channels; every
/// fourth over 2 by 2 side by side and whole vectors of channels, as the networks have them.
func comparePools(
  isMean: Bool, _ kernels: KernelSet, _ memory: inout SelfTestMemory
) -> SelfTestCheck {
  var random = RandomSource(seed: 7)
  var failure: SelfTestFailure?
  var cases = 0
  while failure == nil && cases < 300 {
    let shape = cases % 4 == 0 ? drawPairs(&random) : drawWindows(channels: 1 + cases % 66, &random)
    let isBounded = random.below(3) == 0
    let minimum: Int32 = isBounded ? -50 : -128
    let maximum: Int32 = isBounded ? 70 : 127
    memory.reset()
    let values = memory.take(shape.input.count, of: Int8.self)
    for index in 0..<values.count { values[index] = random.nextInt8() }
    let expected = memory.take(shape.output.count, of: Int8.self)
    let found = memory.take(shape.output.count, of: Int8.self)
    var expectedSpan = expected.mutableSpan
    var foundSpan = found.mutableSpan
    let source = UnsafeBufferPointer(values).span
    if isMean {
      Pool.average(
        shape, minimum: minimum, maximum: maximum, source, into: &expectedSpan, .reference)
      Pool.average(shape, minimum: minimum, maximum: maximum, source, into: &foundSpan, kernels)
    } else {
      Pool.maximum(
        shape, minimum: minimum, maximum: maximum, source, into: &expectedSpan, .reference)
      Pool.maximum(shape, minimum: minimum, maximum: maximum, source, into: &foundSpan, kernels)
    }
    failure = difference(cases, shape, expected, found, memory)
    cases += 1
  }
  return SelfTestCheck(
    operation: isMean ? "average pool" : "maximum pool", variant: kernels.name, cases: cases,
    failure: failure)
}

private func drawWindows(channels: Int, _ random: inout RandomSource) -> WindowShape {
  let window = Window(
    height: 1 + random.below(3), width: 1 + random.below(3),
    verticalStride: 1 + random.below(3), horizontalStride: 1 + random.below(3))
  let input = Extent(
    height: 1 + random.below(7), width: 1 + random.below(7), channels: channels)
  var shape = WindowShape(input: input, output: input, window: window)
  shape.window.padTop = random.below(window.height)
  shape.window.padLeft = random.below(window.width)
  shape.output.height = (input.height + shape.window.padTop - 1) / window.verticalStride + 1
  shape.output.width = (input.width + shape.window.padLeft - 1) / window.horizontalStride + 1
  return shape
}

/// Sometimes with a row or a column more, of which no window has anything.
private func drawPairs(_ random: inout RandomSource) -> WindowShape {
  let output = Extent(
    height: 1 + random.below(4), width: 1 + random.below(5), channels: 16 + 16 * random.below(4))
  var input = output
  input.height = 2 * output.height + random.below(2)
  input.width = 2 * output.width + random.below(2)
  return WindowShape(
    input: input, output: output,
    window: Window(height: 2, width: 2, verticalStride: 2, horizontalStride: 2))
}

/// Doublings of maps up to 4 by 5 with 1 to 66 channels.
func compareDoublings(_ kernels: KernelSet, _ memory: inout SelfTestMemory) -> SelfTestCheck {
  var random = RandomSource(seed: 11)
  var failure: SelfTestFailure?
  var cases = 0
  while failure == nil && cases < 66 {
    let doubling = Doubling(
      input: Extent(
        height: 1 + random.below(4), width: 1 + random.below(5), channels: 1 + cases))
    memory.reset()
    let values = memory.take(doubling.input.count, of: Int8.self)
    for index in 0..<values.count { values[index] = random.nextInt8() }
    let expected = memory.take(doubling.output.count, of: Int8.self)
    let found = memory.take(doubling.output.count, of: Int8.self)
    var expectedSpan = expected.mutableSpan
    var foundSpan = found.mutableSpan
    let source = UnsafeBufferPointer(values).span
    doubling.run(source, into: &expectedSpan, .reference)
    doubling.run(source, into: &foundSpan, kernels)
    let shape = WindowShape(
      input: doubling.input, output: doubling.output, window: Window(height: 1, width: 1))
    failure = difference(cases, shape, expected, found, memory)
    cases += 1
  }
  return SelfTestCheck(
    operation: "doubling", variant: kernels.name, cases: cases, failure: failure)
}
