import Platform

/// The type of a tensor's elements.
public enum ElementType: Int32, Equatable, Sendable {
  case int8 = 0
  case int16 = 1
  /// Accumulators of a last layer, with a scale for each channel.
  case int32 = 2

  /// Bytes of one element.
  public var byteCount: Int {
    switch self {
    case .int8: 1
    case .int16: 2
    case .int32: 4
    }
  }

  /// The name in lists and messages.
  public var name: StaticString {
    switch self {
    case .int8: "int8"
    case .int16: "int16"
    case .int32: "int32"
    }
  }
}

/// An input or output of a network. Elements are stored channels last: channel c at (x, y) lies at
/// index (y * width + x) * channels + c. A list of n vectors has height 1 and width n.
public struct TensorDescription: Sendable {
  /// As the model calls it, cut at 32 bytes.
  public var name: FixedString<32>
  /// What its elements are.
  public var type: ElementType
  /// Rows, 1 or more.
  public var height: Int
  /// Columns, 1 or more.
  public var width: Int
  /// Values at each place, 1 or more.
  public var channels: Int
  /// real = (element − zeroPoint) * scale. With int32 the scale is that of the element's channel
  /// (``Network/channelScales(ofOutput:)``) and the zero point 0; this one is then 0.
  public var scale: Float
  /// The stored number that stands for 0; see ``scale``.
  public var zeroPoint: Int32

  /// Elements in all.
  public var count: Int { height * width * channels }
}

/// Bytes that a network needs from its arena.
public struct NetworkRequirements: Equatable, Sendable {
  /// The steps and the description of inputs and outputs.
  public var tables = 0
  /// Weights in the order of the kernel set.
  public var weights = 0
  /// Values between the operators, each place used again as soon as it is free.
  public var activations = 0
  /// What the most demanding operator needs while it runs.
  public var scratch = 0

  /// All of it, including what alignment costs at most.
  public var total: Int { tables + weights + activations + scratch + 4 * ModelFormat.alignment }
}
