import Kernels

extension Network {
  /// Runs all operators once. Cost: that of the kernels; nothing is allocated or computed anew.
  public mutating func invoke() {
    for index in steps.indices { run(steps[index]) }
  }

  func run(_ step: borrowing Step) {
    if step.layer.kind == .view { return }
    if step.layer.type == .int16 {
      runWide(step)
    } else {
      runNarrow(step)
    }
  }

  private func runNarrow(_ step: borrowing Step) {
    let layer = step.layer
    let first = step.first.elements(Int8.self)
    let second = step.second.elements(Int8.self)
    let packed = RawSpan(_unsafeBytes: step.packed)
    var scratch = MutableRawSpan(_unsafeBytes: scratch)
    if layer.isRaw {
      var sums = step.output.elements(Int32.self)
      if layer.kind == .convolution {
        Convolution.runRaw(
          layer.shape, inputZeroPoint: layer.inputZeroPoint, input: first, packed: packed,
          into: &sums, scratch: &scratch, kernels)
      } else {
        DepthwiseConvolution.runRaw(
          layer.shape, inputZeroPoint: layer.inputZeroPoint, input: first, packed: packed,
          into: &sums, scratch: &scratch, kernels)
      }
      return
    }
    var output = step.output.elements(Int8.self)
    switch layer.kind {
    case .convolution:
      Convolution.run(
        layer.shape, layer.requantisation, input: first, packed: packed, residual: second,
        into: &output, scratch: &scratch, kernels)
    case .depthwise:
      DepthwiseConvolution.run(
        layer.shape, layer.requantisation, input: first, packed: packed, residual: second,
        into: &output, scratch: &scratch, kernels)
    case .addition: layer.addition.run(first, second, into: &output, kernels)
    case .prelu:
      layer.rectifier.run(
        first, slopes: step.packed.elements(Int8.self), into: &output, kernels)
    case .maximumPool:
      Pool.maximum(
        layer.shape, minimum: layer.minimum, maximum: layer.maximum, first, into: &output, kernels)
    case .averagePool:
      Pool.average(
        layer.shape, minimum: layer.minimum, maximum: layer.maximum, first, into: &output, kernels)
    case .padding: layer.padding.run(first, into: &output, kernels)
    case .doubling: layer.doubling.run(first, into: &output, kernels)
    case .view: break
    }
  }

  private func runWide(_ step: borrowing Step) {
    let layer = step.layer
    let first = step.first.elements(Int16.self)
    let second = step.second.elements(Int16.self)
    let packed = RawSpan(_unsafeBytes: step.packed)
    var scratch = MutableRawSpan(_unsafeBytes: scratch)
    if layer.isRaw {
      var sums = step.output.elements(Int32.self)
      if layer.kind == .convolution {
        WideConvolution.runRaw(
          layer.shape, layer.accumulator, input: first, packed: packed, into: &sums,
          scratch: &scratch, kernels)
      } else {
        WideDepthwiseConvolution.runRaw(
          layer.shape, layer.accumulator, input: first, packed: packed, into: &sums,
          scratch: &scratch, kernels)
      }
      return
    }
    var output = step.output.elements(Int16.self)
    switch layer.kind {
    case .convolution:
      WideConvolution.run(
        layer.shape, layer.requantisation, layer.accumulator, input: first, packed: packed,
        residual: second, into: &output, scratch: &scratch, kernels)
    case .depthwise:
      WideDepthwiseConvolution.run(
        layer.shape, layer.requantisation, layer.accumulator, input: first, packed: packed,
        residual: second, into: &output, scratch: &scratch, kernels)
    case .addition: layer.addition.run(first, second, into: &output, kernels)
    case .prelu:
      layer.rectifier.run(
        first, slopes: step.packed.elements(Int8.self), into: &output, kernels)
    case .maximumPool:
      Pool.maximum(
        layer.shape, minimum: layer.minimum, maximum: layer.maximum, first, into: &output, kernels)
    case .averagePool:
      Pool.average(
        layer.shape, minimum: layer.minimum, maximum: layer.maximum, first, into: &output, kernels)
    case .padding: layer.padding.run(first, into: &output, kernels)
    case .doubling: layer.doubling.run(first, into: &output, kernels)
    case .view: break
    }
  }
}

// A step's memory is at a multiple of 64 and lives as long as the network, which is longer than any
// of these spans.
extension UnsafeRawBufferPointer {
  @_lifetime(borrow self)
  func elements<Element: BitwiseCopyable>(_ type: Element.Type) -> Span<Element> {
    let span = RawSpan(_unsafeBytes: self)._unsafeView(as: type)
    return _overrideLifetime(span, borrowing: self)
  }
}

extension UnsafeMutableRawBufferPointer {
  @_lifetime(borrow self)
  func elements<Element: BitwiseCopyable>(_ type: Element.Type) -> MutableSpan<Element> {
    let count = self.count / MemoryLayout<Element>.stride
    let start = baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
    let span = MutableSpan<Element>(_unsafeStart: start, count: count)
    return _overrideLifetime(span, borrowing: self)
  }
}
