import Inference
import Kernels

extension Lowering {
  mutating func convolution(
    _ operation: TFLiteOperator, isDepthwise: Bool
  ) throws(PackError) {
    let (first, output) = try ends(operation)
    let (filter, data) = try constant(operation, 1, "weights")
    let input = graph.tensors[first].extent
    let result = graph.tensors[output].extent
    let dilation = isDepthwise ? 5 : 4
    guard try number(operation, dilation, default: 1) == 1,
      try number(operation, dilation + 1, default: 1) == 1
    else { throw .unsupported("\(operation.label) with a dilation") }
    let expected =
      isDepthwise ? [1, -1, -1, result.channels] : [result.channels, -1, -1, input.channels]
    guard filter.shape.count == 4,
      zip(filter.shape, expected).allSatisfy({ $1 < 0 || $0 == $1 })
    else {
      throw .unsupported(
        "\(operation.label): weights of shape \(filter.shape) for"
          + " \(input.channels) to \(result.channels) channels")
    }
    var node = Graph.Node(
      kind: isDepthwise ? .depthwise : .convolution, first: first, output: output,
      label: operation.label)
    node.window = try window(
      operation, from: input, to: result, height: filter.shape[1], width: filter.shape[2],
      strideH: try number(operation, 2, default: 0), strideW: try number(operation, 1, default: 0))
    node.activation = try fusedActivation(operation, isDepthwise ? 4 : 3)
    try layer(
      operation, &node, filter, data, axis: isDepthwise ? 3 : 0, biasField: isDepthwise ? nil : 6)
    let scale = Double(graph.tensors[output].scale)
    node.factors = node.units.map { $0 / scale }
    let shape = WindowShape(input: input, output: result, window: node.window)
    try append(
      node, consistent: isDepthwise ? shape.isDepthwise : shape.hasConsistentWeights)
  }

  mutating func fullyConnected(_ operation: TFLiteOperator) throws(PackError) {
    var (first, output) = try ends(operation)
    let (filter, data) = try constant(operation, 1, "weights")
    guard filter.shape.count == 2,
      try operation.options?.number(1, default: Int8(0)) ?? 0 == 0
    else { throw .unsupported("\(operation.label): its weights' layout") }
    let result = graph.tensors[output].extent
    let input = Extent(height: result.height, width: result.width, channels: filter.shape[1])
    guard result.channels == filter.shape[0], input.count == graph.tensors[first].extent.count
    else {
      throw .unsupported(
        "\(operation.label): weights of shape \(filter.shape) for"
          + " \(graph.tensors[first].extent.count) to \(result.count) elements")
    }
    if input != graph.tensors[first].extent {
      var flat = graph.tensors[first]
      flat.extent = input
      graph.tensors.append(flat)
      graph.nodes.append(
        Graph.Node(
          kind: .view, first: first, output: graph.tensors.count - 1, label: operation.label))
      first = graph.tensors.count - 1
    }
    var node = Graph.Node(
      kind: .convolution, first: first, output: output, label: operation.label)
    node.activation = try fusedActivation(operation, 0)
    node.rounding = .once
    try layer(operation, &node, filter, data, axis: 0, biasField: 4)
    let scale = Double(graph.tensors[output].scale)
    node.factors = node.units.map { $0 / scale }
    if filter.scales.count == 1 {
      // TFLite multiplies the two scales as floats here, and only here.
      let unit = Double(graph.tensors[first].scale * filter.scales[0])
      node.factors = node.units.map { _ in unit / scale }
    }
    let shape = WindowShape(input: input, output: result, window: node.window)
    try append(node, consistent: shape.hasConsistentWeights)
  }

  /// Weights, bias and units.
  mutating func layer(
    _ operation: TFLiteOperator, _ node: inout Graph.Node, _ filter: TFLiteTensor,
    _ data: Range<Int>, axis: Int, biasField: Int?
  ) throws(PackError) {
    let input = graph.tensors[node.first]
    let channels = graph.tensors[node.output].extent.channels
    guard filter.type == .int8, filter.zeroPoints.allSatisfy({ $0 == 0 }),
      filter.scales.count == 1
        || (filter.scales.count == channels
          && filter.quantizedDimension == axis),
      filter.scales.allSatisfy({ $0 > 0 && $0.isFinite })
    else {
      throw .unsupported(
        "\(operation.label): weights must be symmetric int8 with one scale or one"
          + " for each of \(channels) channels; they are \(filter.type) with \(filter.scales.count)"
      )
    }
    let values = try integers(Int8.self, data)
    guard !values.contains(-128) else {
      throw .unsupported("\(operation.label): a weight is -128; the specification has -127...127")
    }
    node.units = (0..<channels).map {
      Double(input.scale) * Double(filter.scales[filter.scales.count == 1 ? 0 : $0])
    }
    var weights = Graph.Weights(
      weights: values, bias: [Int64](repeating: 0, count: channels), hasWideBias: false)
    if operation.inputs.count > 2, operation.inputs[2] >= 0 {
      let (bias, place) = try constant(operation, 2, "bias")
      guard bias.count == channels else {
        throw .unsupported("\(operation.label): \(bias.count) biases for \(channels) channels")
      }
      // The field says which type sums have; 0 leaves that to the bias.
      if let biasField {
        let sums = try operation.options?.number(biasField, default: Int8(0)) ?? 0
        guard sums == 0 || sums == bias.type.rawValue else {
          throw .unsupported("\(operation.label): a bias of \(bias.type) with sums of another type")
        }
      }
      switch (bias.type, input.type) {
      case (.int32, _): weights.bias = try integers(Int32.self, place).map(Int64.init)
      case (.int64, .int16):
        weights.bias = try integers(Int64.self, place)
        weights.hasWideBias = true
      default:
        throw .unsupported("\(operation.label): a bias of \(bias.type) with \(input.type.name)")
      }
    } else if input.type == .int16 {
      throw .unsupported("\(operation.label): int16 without a bias; it decides how sums round")
    }
    node.weights = graph.weights.count
    graph.weights.append(weights)
  }

  mutating func addition(_ operation: TFLiteOperator) throws(PackError) {
    let (first, output) = try ends(operation)
    guard operation.inputs.count == 2, operation.inputs[1] >= 0 else {
      throw .unsupported("\(operation.label) with \(operation.inputs.count) inputs")
    }
    let second = try activation(operation.inputs[1], operation.label)
    let tensors = [first, second, output].map { graph.tensors[$0] }
    guard tensors.allSatisfy({ $0.extent == tensors[2].extent && $0.type == tensors[2].type })
    else { throw .unsupported("\(operation.label) of different shapes or types") }
    var node = Graph.Node(
      kind: .addition, first: first, second: second, output: output, label: operation.label)
    node.activation = try fusedActivation(operation, 0)
    if tensors[0].type == .int16, try operation.options?.number(1, default: UInt8(1)) ?? 1 != 0 {
      throw .unsupported("\(operation.label): int16 with pot_scale_int16")
    }
    graph.nodes.append(node)
  }

  mutating func prelu(_ operation: TFLiteOperator) throws(PackError) {
    let (first, output) = try ends(operation)
    let (slopes, data) = try constant(operation, 1, "slopes")
    let tensor = graph.tensors[output]
    guard slopes.count == tensor.extent.channels, slopes.shape.last == slopes.count,
      graph.tensors[first].extent == tensor.extent, slopes.scales.count == 1,
      slopes.zeroPoints.count == 1, slopes.type == .int8
    else {
      throw .unsupported(
        "\(operation.label): slopes of shape \(slopes.shape) and type"
          + " \(slopes.type) for \(tensor.extent.channels) channels")
    }
    guard (-128...127).contains(slopes.zeroPoints[0]), slopes.scales[0] > 0,
      slopes.scales[0].isFinite
    else { throw .unsupported("\(operation.label): scale or zero point of the slopes") }
    var node = Graph.Node(kind: .prelu, first: first, output: output, label: operation.label)
    node.slopeValues = try integers(Int8.self, data)
    node.slopeScale = slopes.scales[0]
    node.slopeZeroPoint = Int32(slopes.zeroPoints[0])
    graph.nodes.append(node)
  }

  mutating func pool(
    _ operation: TFLiteOperator, _ kind: ModelFormat.Kind
  ) throws(PackError) {
    let (first, output) = try ends(operation)
    try requireEqualScale(operation, first, output)
    let input = graph.tensors[first].extent
    let result = graph.tensors[output].extent
    var node = Graph.Node(kind: kind, first: first, output: output, label: operation.label)
    node.window = try window(
      operation, from: input, to: result, height: try number(operation, 4, default: 0),
      width: try number(operation, 3, default: 0), strideH: try number(operation, 2, default: 0),
      strideW: try number(operation, 1, default: 0))
    node.activation = try fusedActivation(operation, 5)
    let shape = WindowShape(input: input, output: result, window: node.window)
    try append(node, consistent: shape.isConsistent && input.channels == result.channels)
  }

  mutating func pad(_ operation: TFLiteOperator) throws(PackError) {
    let (first, output) = try ends(operation)
    try requireEqualScale(operation, first, output)
    let input = graph.tensors[first].extent
    let result = graph.tensors[output].extent
    var amounts = try parameters(operation, 1, "paddings")
    let rank = source.tensors[operation.inputs[0]].shape.count
    guard amounts.count == 2 * rank, (2...4).contains(rank) else {
      throw .unsupported("\(operation.label): \(amounts.count) paddings for \(rank) dimensions")
    }
    if rank > 2 {
      guard amounts[0] == 0, amounts[1] == 0 else {
        throw .unsupported("\(operation.label) pads the batch")
      }
      amounts.removeFirst(2)
    }
    amounts = [Int](repeating: 0, count: 6 - amounts.count) + amounts
    var node = Graph.Node(kind: .padding, first: first, output: output, label: operation.label)
    (node.window.padTop, node.window.padLeft, node.padChannels) =
      (amounts[0], amounts[2], amounts[4])
    let padding = Padding(
      input: input, output: result,
      before: Extent(height: amounts[0], width: amounts[2], channels: amounts[4]), value: 0)
    let isComplete =
      amounts[0] + input.height + amounts[1] == result.height
      && amounts[2] + input.width + amounts[3] == result.width
      && amounts[4] + input.channels + amounts[5] == result.channels
    try append(node, consistent: padding.isConsistent && isComplete)
  }

  mutating func resize(_ operation: TFLiteOperator) throws(PackError) {
    let (first, output) = try ends(operation)
    try requireEqualScale(operation, first, output)
    let input = graph.tensors[first].extent
    let result = graph.tensors[output].extent
    let size = try parameters(operation, 1, "size")
    let alignsCorners = try operation.options?.number(0, default: UInt8(0)) ?? 0 != 0
    let doubling = Doubling(input: input)
    guard !alignsCorners, size == [result.height, result.width],
      input == result
        || (doubling.isConsistent && doubling.output == result)
    else {
      throw .unsupported(
        "\(operation.label) from \(input.height)x\(input.width) to"
          + " \(result.height)x\(result.width); only the double size is")
    }
    graph.nodes.append(
      Graph.Node(
        kind: input == result ? .view : .doubling, first: first, output: output,
        label: operation.label))
  }

  mutating func reshape(_ operation: TFLiteOperator) throws(PackError) {
    let (first, output) = try ends(operation)
    guard graph.tensors[first].extent.count == graph.tensors[output].extent.count else {
      throw .damaged("\(operation.label) changes the number of elements")
    }
    graph.nodes.append(
      Graph.Node(kind: .view, first: first, output: output, label: operation.label))
  }
}
