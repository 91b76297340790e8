import Kernels

/// One operator as it runs: the layer's numbers with addresses instead of offsets.
struct Step {
  var layer: Layer
  var first: UnsafeRawBufferPointer
  var second: UnsafeRawBufferPointer
  var output: UnsafeMutableRawBufferPointer
  /// Weights in the kernel's order, or the slopes of a PReLU.
  var packed: UnsafeRawBufferPointer

  /// Bytes of ``packed``.
  static func packedBytes(_ layer: Layer, _ kernels: KernelSet) -> Int {
    switch (layer.kind, layer.type) {
    case (.convolution, .int16):
      WideConvolution.packedBytes(layer.shape, layer.accumulator, kernels)
    case (.convolution, _): Convolution.packedBytes(layer.shape, kernels)
    case (.depthwise, .int16):
      WideDepthwiseConvolution.packedBytes(layer.shape, layer.accumulator, kernels)
    case (.depthwise, _): DepthwiseConvolution.packedBytes(layer.shape, kernels)
    case (.prelu, _): layer.weightCount
    default: 0
    }
  }

  static func scratchBytes(_ layer: Layer, _ kernels: KernelSet) -> Int {
    switch (layer.kind, layer.type) {
    case (.convolution, .int16):
      WideConvolution.scratchBytes(layer.shape, layer.accumulator, kernels)
    case (.convolution, _): Convolution.scratchBytes(layer.shape, kernels)
    case (.depthwise, .int16):
      WideDepthwiseConvolution.scratchBytes(layer.shape, layer.accumulator, kernels)
    case (.depthwise, _): DepthwiseConvolution.scratchBytes(layer.shape, kernels)
    default: 0
    }
  }

  /// - Parameter packed: of ``packedBytes(_:_:)``; is filled here.
  init(
    _ layer: Layer, _ model: borrowing Model, activations: UnsafeMutableRawBufferPointer,
    packed: UnsafeMutableRawBufferPointer, _ kernels: KernelSet
  ) {
    func bytes(_ tensor: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: activations[model.tensor(tensor).arenaRange])
    }
    self.layer = layer
    first = UnsafeRawBufferPointer(bytes(layer.first))
    second = UnsafeRawBufferPointer(start: nil, count: 0)
    if layer.second >= 0 { second = UnsafeRawBufferPointer(bytes(layer.second)) }
    output = bytes(layer.output)
    self.packed = UnsafeRawBufferPointer(packed)
    switch layer.kind {
    case .convolution, .depthwise: Self.pack(layer, model, packed, kernels)
    case .prelu:
      let slopes = model.elements(UInt8.self, at: layer.weights, count: packed.count)
      for index in packed.indices { packed[index] = slopes[index] }
    default: break
    }
  }

  private static func pack(
    _ layer: Layer, _ model: borrowing Model, _ bytes: UnsafeMutableRawBufferPointer,
    _ kernels: KernelSet
  ) {
    let channels = layer.shape.output.channels
    let weights = model.elements(Int8.self, at: layer.weights, count: layer.weightCount)
    let positive = model.scalesIfAny(at: layer.positive, channels: channels)
    let negative = model.scalesIfAny(at: layer.negative, channels: channels)
    let accumulator = model.scalesIfAny(at: layer.accumulatorScales, channels: channels)
    var packed = MutableRawSpan(_unsafeBytes: bytes)
    if layer.accumulator == .int64 {
      let bias = model.elements(Int64.self, at: layer.bias, count: channels)
      if layer.kind == .convolution {
        WideConvolution.pack(
          layer.shape, weights: weights, bias: bias, positive: positive, negative: negative,
          accumulator: accumulator, into: &packed, kernels)
      } else {
        WideDepthwiseConvolution.pack(
          layer.shape, weights: weights, bias: bias, positive: positive, negative: negative,
          accumulator: accumulator, into: &packed, kernels)
      }
      return
    }
    let bias = model.elements(Int32.self, at: layer.bias, count: channels)
    switch (layer.kind, layer.type) {
    case (.convolution, .int16):
      WideConvolution.pack(
        layer.shape, weights: weights, bias: bias, positive: positive, negative: negative,
        accumulator: accumulator, into: &packed, kernels)
    case (.convolution, _):
      Convolution.pack(
        layer.shape, weights: weights, bias: bias, positive: positive, negative: negative,
        accumulator: accumulator, into: &packed, kernels)
    case (_, .int16):
      WideDepthwiseConvolution.pack(
        layer.shape, weights: weights, bias: bias, positive: positive, negative: negative,
        accumulator: accumulator, into: &packed, kernels)
    default:
      DepthwiseConvolution.pack(
        layer.shape, weights: weights, bias: bias, positive: positive, negative: negative,
        accumulator: accumulator, into: &packed, kernels)
    }
  }
}
