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
}
