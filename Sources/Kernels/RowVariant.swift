/// The row-wise variants. What differs is in their ``RowForm`` and in `RowPass+Variant.swift`, one
/// file each.
enum RowVariant {
  case neon
  case dotProduct
  case avx2
  case vnni

  /// nil where the reference runs.
  init?(_ kernels: KernelSet, _ arithmetic: LayerArithmetic) {
    switch kernels {
    case .reference: return nil
    case .neon: self = .neon
    case .neonDotProduct: self = .dotProduct
    case .avx2: self = .avx2
    case .vnni:
      if case .narrow = arithmetic { self = .vnni } else { self = .avx2 }
    }
  }

  /// nil where the variant has nothing for such layers.
  func form(_ kind: LayerKind, _ arithmetic: LayerArithmetic) -> RowForm? {
    switch arithmetic {
    case .narrow:
      switch self {
      case .neon: .neon(kind)
      case .dotProduct: .dotProduct(kind)
      case .avx2: .avx2
      case .vnni: .vnni
      }
    case .wide:
      switch self {
      case .neon: .wideNEON
      case .dotProduct: .wideDotProduct
      case .avx2: .wideAVX2
      case .vnni: nil
      }
    }
  }
}

/// The sizes and orders that a row-wise variant works in.
struct RowForm {
  /// Output channels whose sums are made together. Divides ``ChannelTable/block``.
  let block: Int
  /// Neighbouring outputs that are computed together; sums are written in multiples of it.
  let tile: Int
  /// Neighbouring elements of a kernel row whose products go into one sum.
  let unit: Int
  /// Of those, how many lie together among a channel's weights: a whole unit, if nothing else is said.
  var group: Int?
  /// How an activation lies in the ring.
  let staging: Staging
  /// Bytes of a weight of a depthwise layer.
  let depthwiseWeightBytes: Int
  /// Bytes that a block has between the table and the weights.
  var blockConstantBytes = 0
  /// Whether the windows of a convolution are copied together where that makes them shorter: a
  /// kernel's rows end in the middle of a unit each.
  var gathers = false
  /// Whether a convolution of one pixel reads the input where it lies, unless a unit ends elsewhere
  /// than a pixel.
  var readsInPlace = false

  /// Staged elements that may be read past the last needed one: a whole vector.
  static let slack = 32

  enum Staging {
    /// int8 as it is. The bias makes up for the zero point.
    case int8
    /// uint8, 128 more than the int8. The bias makes up for that and for the zero point.
    case uint8
    /// int16 without its zero point, if it has one.
    case int16
  }

  var stagedBytes: Int { staging == .int16 ? 2 : 1 }

  /// What a zero point is in staged form; what stands for a picture's outside.
  func stagedZero(_ zeroPoint: Int32) -> Int32 {
    switch staging {
    case .int8: zeroPoint
    case .uint8: zeroPoint + 128
    case .int16: 0
    }
  }
}
