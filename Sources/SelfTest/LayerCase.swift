import Kernels

/// One layer with weights to compare: sizes, what is fused, and how its data are drawn.
public struct LayerCase: Sendable {
  public enum Kind: Sendable {
    case convolution
    case depthwise
  }

  /// How values are drawn.
  public enum Data: Sendable {
    /// Weights, inputs and factors as trained networks have them.
    case usual
    /// Weights and inputs at their bounds, so that sums are as large as they can be.
    case extreme
    /// Factors over all bits and shifts, so that every rounding and overflow happens.
    case wild
  }

  public var kind: Kind
  public var shape: WindowShape
  /// With int16 activations the type of biases and sums; nil with int8 activations.
  public var wide: Accumulator?
  public var inputZeroPoint: Int32 = -3
  public var outputZeroPoint: Int32 = 5
  public var minimum: Int32 = -128
  public var maximum: Int32 = 127
  /// A factor of its own for negative sums.
  public var slopes = false
  /// Channels of a fused residual; 0 for none.
  public var residualChannels = 0
  public var rounding = Rounding.perType
  /// int32 sums instead of outputs.
  public var raw = false
  public var data = Data.usual

  public init(_ kind: Kind, _ shape: WindowShape) {
    self.kind = kind
    self.shape = shape
  }

  public var weightCount: Int {
    kind == .convolution ? shape.convolutionWeights : shape.depthwiseWeights
  }

  /// Elements of the residual.
  public var residualCount: Int {
    shape.output.height * shape.output.width * residualChannels
  }

  /// Bytes of an activation.
  public var valueBytes: Int { wide == nil ? 1 : 2 }

  public var biasBytes: Int { wide == .int64 ? 8 : 4 }

  /// Bytes of an element of the output.
  public var outputBytes: Int { raw ? 4 : valueBytes }

  public func packedBytes(_ kernels: KernelSet) -> Int {
    switch (kind, wide) {
    case (.convolution, nil): Convolution.packedBytes(shape, kernels)
    case (.depthwise, nil): DepthwiseConvolution.packedBytes(shape, kernels)
    case (.convolution, let wide?): WideConvolution.packedBytes(shape, wide, kernels)
    case (.depthwise, let wide?): WideDepthwiseConvolution.packedBytes(shape, wide, kernels)
    }
  }

  public func scratchBytes(_ kernels: KernelSet) -> Int {
    switch (kind, wide) {
    case (.convolution, nil): Convolution.scratchBytes(shape, kernels)
    case (.depthwise, nil): DepthwiseConvolution.scratchBytes(shape, kernels)
    case (.convolution, let wide?): WideConvolution.scratchBytes(shape, wide, kernels)
    case (.depthwise, let wide?): WideDepthwiseConvolution.scratchBytes(shape, wide, kernels)
    }
  }
}
