/// What the row-wise variants differ in besides their instructions.
enum RowVariant {
  case avx2
  case neon

  /// nil where the reference runs.
  init?(_ kernels: KernelSet) {
    switch kernels {
    case .reference: return nil
    case .avx2: self = .avx2
    case .neon: self = .neon
    }
  }

  /// Output channels whose sums are made together. Divides ``ChannelTable/block``.
  var block: Int {
    switch self {
    case .avx2: 16
    case .neon: 8
    }
  }

  /// Bytes of a staged activation: int16 without its zero point, or int8 as it is.
  var stagedBytes: Int {
    switch self {
    case .avx2: 2
    case .neon: 1
    }
  }

  /// Neighbouring outputs that are computed together; sums are written in multiples of it.
  var tile: Int {
    switch self {
    case .avx2: 4
    case .neon: 2
    }
  }

  /// Neighbouring elements of a kernel row whose products go into one sum.
  var unit: Int {
    switch self {
    case .avx2: 2
    case .neon: 8
    }
  }

  /// Bytes of a weight of a depthwise layer.
  var depthwiseWeightBytes: Int {
    switch self {
    case .avx2: 2
    case .neon: 1
    }
  }

  /// Staged elements that may be read past the last needed one: a whole vector.
  static let slack = 32
}
