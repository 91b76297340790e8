/// The types that a layer with int8 weights computes in.
enum LayerArithmetic {
  /// int8 activations, int32 biases and sums.
  case narrow
  /// int16 activations without zero points; biases and sums as given.
  case wide(Accumulator)

  var accumulator: Accumulator {
    switch self {
    case .narrow: .int32
    case .wide(let accumulator): accumulator
    }
  }

  /// Bytes of an activation.
  var valueBytes: Int {
    switch self {
    case .narrow: 1
    case .wide: 2
    }
  }
}
