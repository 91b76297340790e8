import Inference
import Kernels

/// The fixed-point numbers of one node.
struct LayerArithmetic {
  var minimum: Int32
  var maximum: Int32
  var positive: [FixedFactor] = []
  var negative: [FixedFactor] = []
  var accumulator: [FixedFactor] = []
  var residualMultiplier: Int32 = 0
  var leftShift: Int32 = 0
  var first = FixedFactor(0)
  var second = FixedFactor(0)
  var output = FixedFactor(0)

  init(_ node: Graph.Node, in graph: Graph) throws(PackError) {
    let result = graph.tensors[node.output]
    (minimum, maximum) = Self.bounds(node.activation, result)
    switch node.kind {
    case .convolution, .depthwise:
      if !node.isRaw { try convolution(node, graph, result) }
    case .addition: try addition(node, graph, result)
    case .prelu:
      // TFLite computes these two in single precision.
      let scale = graph.tensors[node.first].scale
      first = FixedFactor(Double(scale / result.scale))
      second = FixedFactor(Double(scale * node.slopeScale / result.scale))
      try require(first.shift <= 31 && second.shift <= 31, node)
    default: break
    }
  }

  private func require(_ isSound: Bool, _ node: Graph.Node) throws(PackError) {
    guard isSound else { throw .unsupported("\(node.label): its scales are too far apart") }
  }

  /// TFLite's `CalculateActivationRangeQuantized`.
  private static func bounds(
    _ activation: TFLiteActivation, _ tensor: Graph.Tensor
  ) -> (Int32, Int32) {
    let (lowest, highest): (Int32, Int32) = tensor.type == .int16 ? (-32768, 32767) : (-128, 127)
    func quantised(_ real: Float) -> Int32 {
      let step = (real / tensor.scale).rounded()
      return tensor.zeroPoint + Int32(max(-1e6, min(step, 1e6)))
    }
    func held(_ low: Int32, _ high: Int32) -> (Int32, Int32) {
      (max(lowest, min(low, highest)), max(lowest, min(high, highest)))
    }
    switch activation {
    case .none: return (lowest, highest)
    case .relu: return held(quantised(0), highest)
    case .relu6: return held(quantised(0), quantised(6))
    case .reluN1To1: return held(quantised(-1), quantised(1))
    }
  }

  private mutating func convolution(
    _ node: Graph.Node, _ graph: Graph, _ result: Graph.Tensor
  ) throws(PackError) {
    let scale = Double(result.scale)
    // The activation reads steps of the accumulator, or with a residual steps common to both.
    var steps = node.units
    var exact = node.factors
    let isWide = node.weights.map { graph.weights[$0].hasWideBias } ?? false
    let highestFromSum: Int32 = node.rounding == .once ? 30 : isWide ? 14 : 31
    if let second = node.second {
      residualMultiplier = try residual(node, graph, graph.tensors[second])
      let step = Double(graph.tensors[second].scale) / Double(residualMultiplier)
      accumulator = node.units.map { FixedFactor($0 / step) }
      try require(accumulator.allSatisfy { $0.shift <= highestFromSum }, node)
      steps = [Double](repeating: step, count: node.units.count)
      exact = []
    }
    positive = (exact.isEmpty ? steps.map { $0 / scale } : exact).map { FixedFactor($0) }
    if !node.slopes.isEmpty {
      negative = zip(steps, node.slopes).map { FixedFactor($0 * $1 / scale) }
    }
    let highest: Int32 = node.second == nil ? highestFromSum : 0
    try require((positive + negative).allSatisfy { $0.shift <= highest }, node)
  }

  /// How many common steps one step of the residual is worth: a power of two, as large as keeps
  /// the sum below 2^29 for any input at all, so that nothing wraps on the way.
  private func residual(
    _ node: Graph.Node, _ graph: Graph, _ residual: Graph.Tensor
  ) throws(PackError) -> Int32 {
    guard let number = node.weights else { return 1 }
    let layer = graph.weights[number]
    let channels = node.units.count
    func reach(_ tensor: Graph.Tensor) -> Double {
      tensor.type == .int16
        ? 32768 : Double(max(127 - tensor.zeroPoint, tensor.zeroPoint + 128))
    }
    var sums = [Double](repeating: 0, count: channels)
    let perChannel = layer.weights.count / channels
    for (index, weight) in layer.weights.enumerated() {
      let channel = node.kind == .depthwise ? index % channels : index / perChannel
      sums[channel] += Double(weight.magnitude)
    }
    let input = reach(graph.tensors[node.first])
    var largest = 0.0
    for channel in 0..<channels {
      let sum = sums[channel] * input + Double(layer.bias[channel].magnitude)
      largest = max(largest, sum * node.units[channel])
    }
    let perStep = largest / Double(residual.scale) + reach(residual)
    let most = Double(1 << 29) / perStep
    guard most >= 1 else {
      throw .unsupported("\(node.label): an addition is too far from its range to be fused")
    }
    return Int32(1) << Int32(min(most.exponent, 16))
  }

  private mutating func addition(
    _ node: Graph.Node, _ graph: Graph, _ result: Graph.Tensor
  ) throws(PackError) {
    let a = graph.tensors[node.first].scale
    let b = graph.tensors[node.second ?? node.first].scale
    leftShift = result.type == .int16 ? 15 : 20
    let twice = 2 * max(a, b)
    first = FixedFactor(Double(a) / Double(twice))
    second = FixedFactor(Double(b) / Double(twice))
    output = FixedFactor(Double(twice) / Double(Float(1 << leftShift) * result.scale))
    try require([first, second, output].allSatisfy { $0.shift <= 0 }, node)
  }
}
