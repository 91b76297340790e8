import Kernels

/// The memory of one case, each part with the size that the case says. Three times as many
/// multipliers and shifts as output channels: positive, negative, of the accumulator.
public struct LayerBuffers {
  public var weights: UnsafeMutableBufferPointer<Int8>
  /// int32 or int64.
  public var bias: UnsafeMutableRawBufferPointer
  public var multipliers: UnsafeMutableBufferPointer<Int32>
  public var shifts: UnsafeMutableBufferPointer<Int32>
  /// int8 or int16, as the residual.
  public var input: UnsafeMutableRawBufferPointer
  public var residual: UnsafeMutableRawBufferPointer

  public init(
    weights: UnsafeMutableBufferPointer<Int8>, bias: UnsafeMutableRawBufferPointer,
    multipliers: UnsafeMutableBufferPointer<Int32>, shifts: UnsafeMutableBufferPointer<Int32>,
    input: UnsafeMutableRawBufferPointer, residual: UnsafeMutableRawBufferPointer
  ) {
    self.weights = weights
    self.bias = bias
    self.multipliers = multipliers
    self.shifts = shifts
    self.input = input
    self.residual = residual
  }
}

extension LayerCase {
  /// Brings weights and constants into the order of the kernel set.
  public func pack(
    _ buffers: LayerBuffers, into memory: UnsafeMutableRawBufferPointer, _ kernels: KernelSet
  ) {
    let channels = shape.output.channels
    let weights = UnsafeBufferPointer(buffers.weights).span
    let multipliers = UnsafeBufferPointer(buffers.multipliers).span
    let shifts = UnsafeBufferPointer(buffers.shifts).span
    let positive = Scales(
      multipliers: multipliers.extracting(0..<channels), shifts: shifts.extracting(0..<channels))
    let negative = Scales(
      multipliers: multipliers.extracting(channels..<2 * channels),
      shifts: shifts.extracting(channels..<2 * channels))
    let accumulator = Scales(
      multipliers: multipliers.extracting(2 * channels..<3 * channels),
      shifts: shifts.extracting(2 * channels..<3 * channels))
    let slope = slopes ? negative : nil
    var packed = memory.mutableBytes
    let bias = UnsafeRawBufferPointer(buffers.bias)
    switch (kind, wide) {
    case (.convolution, nil):
      Convolution.pack(
        shape, weights: weights, bias: bias.bindMemory(to: Int32.self).span, positive: positive,
        negative: slope, accumulator: accumulator, into: &packed, kernels)
    case (.depthwise, nil):
      DepthwiseConvolution.pack(
        shape, weights: weights, bias: bias.bindMemory(to: Int32.self).span, positive: positive,
        negative: slope, accumulator: accumulator, into: &packed, kernels)
    case (.convolution, .int32):
      WideConvolution.pack(
        shape, weights: weights, bias: bias.bindMemory(to: Int32.self).span, positive: positive,
        negative: slope, accumulator: accumulator, into: &packed, kernels)
    case (.convolution, .int64):
      WideConvolution.pack(
        shape, weights: weights, bias: bias.bindMemory(to: Int64.self).span, positive: positive,
        negative: slope, accumulator: accumulator, into: &packed, kernels)
    case (.depthwise, .int32):
      WideDepthwiseConvolution.pack(
        shape, weights: weights, bias: bias.bindMemory(to: Int32.self).span, positive: positive,
        negative: slope, accumulator: accumulator, into: &packed, kernels)
    case (.depthwise, .int64):
      WideDepthwiseConvolution.pack(
        shape, weights: weights, bias: bias.bindMemory(to: Int64.self).span, positive: positive,
        negative: slope, accumulator: accumulator, into: &packed, kernels)
    }
  }

  /// Runs the layer once; `output` has elements of ``outputBytes``.
  public func run(
    _ requantisation: Requantisation, _ buffers: LayerBuffers,
    packed: UnsafeMutableRawBufferPointer, scratch: UnsafeMutableRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer, _ kernels: KernelSet
  ) {
    let packed = UnsafeRawBufferPointer(packed).bytes
    var scratch = scratch.mutableBytes
    if raw {
      var sums = output.bindMemory(to: Int32.self).mutableSpan
      switch (kind, wide) {
      case (.convolution, nil):
        Convolution.runRaw(
          shape, inputZeroPoint: inputZeroPoint, input: buffers.input.values(Int8.self),
          packed: packed, into: &sums, scratch: &scratch, kernels)
      case (.depthwise, nil):
        DepthwiseConvolution.runRaw(
          shape, inputZeroPoint: inputZeroPoint, input: buffers.input.values(Int8.self),
          packed: packed, into: &sums, scratch: &scratch, kernels)
      case (.convolution, let wide?):
        WideConvolution.runRaw(
          shape, wide, input: buffers.input.values(Int16.self), packed: packed, into: &sums,
          scratch: &scratch, kernels)
      case (.depthwise, let wide?):
        WideDepthwiseConvolution.runRaw(
          shape, wide, input: buffers.input.values(Int16.self), packed: packed, into: &sums,
          scratch: &scratch, kernels)
      }
      return
    }
    switch (kind, wide) {
    case (.convolution, nil):
      var target = output.bindMemory(to: Int8.self).mutableSpan
      Convolution.run(
        shape, requantisation, input: buffers.input.values(Int8.self), packed: packed,
        residual: buffers.residual.values(Int8.self), into: &target, scratch: &scratch, kernels)
    case (.depthwise, nil):
      var target = output.bindMemory(to: Int8.self).mutableSpan
      DepthwiseConvolution.run(
        shape, requantisation, input: buffers.input.values(Int8.self), packed: packed,
        residual: buffers.residual.values(Int8.self), into: &target, scratch: &scratch, kernels)
    case (.convolution, let wide?):
      var target = output.bindMemory(to: Int16.self).mutableSpan
      WideConvolution.run(
        shape, requantisation, wide, input: buffers.input.values(Int16.self), packed: packed,
        residual: buffers.residual.values(Int16.self), into: &target, scratch: &scratch, kernels)
    case (.depthwise, let wide?):
      var target = output.bindMemory(to: Int16.self).mutableSpan
      WideDepthwiseConvolution.run(
        shape, requantisation, wide, input: buffers.input.values(Int16.self), packed: packed,
        residual: buffers.residual.values(Int16.self), into: &target, scratch: &scratch, kernels)
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  @_lifetime(borrow self)
  fileprivate func values<Value: BitwiseCopyable>(_ type: Value.Type) -> Span<Value> {
    let span = UnsafeRawBufferPointer(self).bindMemory(to: type).span
    return _overrideLifetime(span, borrowing: self)
  }
}
