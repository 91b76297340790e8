/// The two layers that have weights.
enum LayerKind {
  case convolution
  case depthwise

  func accept(_ shape: WindowShape) -> Bool {
    switch self {
    case .convolution: shape.hasConsistentWeights
    case .depthwise: shape.isDepthwise
    }
  }

  func weights(_ shape: WindowShape) -> Int {
    switch self {
    case .convolution: shape.convolutionWeights
    case .depthwise: shape.depthwiseWeights
    }
  }
}
