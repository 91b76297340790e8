import Kernels

/// One operator of a network, for listings and measurements.
public struct LayerDescription: Sendable {
  /// Such as `convolution`; `view` runs nothing.
  public let name: StaticString
  /// Of its activations.
  public let type: ElementType
  /// Input, output and window.
  public let shape: WindowShape
  /// Products of one run; for operators without weights, values that it reads.
  public let work: Int
  /// A second input is added before the activation.
  public let hasResidual: Bool
  /// The set whose instructions run it.
  public let kernels: KernelSet
}

extension Network {
  /// Operators, views among them.
  public var layerCount: Int { steps.count }

  /// What the operator at `index`, 0 to ``layerCount`` - 1, does and what runs it.
  public func layerDescription(_ index: Int) -> LayerDescription {
    let layer = steps[index].layer
    return LayerDescription(
      name: layer.kind.name, type: layer.type, shape: layer.shape, work: layer.work,
      hasResidual: layer.second >= 0 && layer.kind != .addition,
      kernels: layer.variant(kernels))
  }

  /// Runs one operator alone, on whatever its inputs hold. For measurements.
  public mutating func invokeLayer(_ index: Int) { run(steps[index]) }
}

extension ModelFormat.Kind {
  var name: StaticString {
    switch self {
    case .convolution: "convolution"
    case .depthwise: "depthwise"
    case .addition: "addition"
    case .prelu: "prelu"
    case .maximumPool: "maximum pool"
    case .averagePool: "average pool"
    case .padding: "padding"
    case .doubling: "doubling"
    case .view: "view"
    }
  }
}

extension Layer {
  /// The set whose instructions run the layer with a network of `kernels`.
  fileprivate func variant(_ kernels: KernelSet) -> KernelSet {
    switch (kind, type) {
    case (.convolution, .int16): WideConvolution.variant(shape, accumulator, kernels)
    case (.convolution, _): Convolution.variant(shape, kernels)
    case (.depthwise, .int16): WideDepthwiseConvolution.variant(shape, accumulator, kernels)
    case (.depthwise, _): DepthwiseConvolution.variant(shape, kernels)
    case (.averagePool, .int8): Pool.averageVariant(shape, kernels)
    case (.addition, .int8), (.maximumPool, .int8), (.doubling, _): kernels
    default: .reference
    }
  }
}
