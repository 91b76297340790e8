import Inference
import Kernels

extension Graph {
  /// The operators of the file, one for one (two where a layer wants its input in another shape).
  init(_ source: TFLite) throws(PackError) {
    var lowering = Lowering(source)
    for operation in source.operators { try lowering.lower(operation) }
    // May bring tensors that no operator touches.
    lowering.graph.inputs = try lowering.activations(source.inputs, "input")
    lowering.graph.outputs = try lowering.activations(source.outputs, "output")
    self = lowering.graph
    guard !nodes.isEmpty, !inputs.isEmpty, !outputs.isEmpty else {
      throw .unsupported("a graph without operators, inputs or outputs")
    }
    try checkOrder()
  }

  /// Fusing relies on it: everything is written once, before it is read.
  private func checkOrder() throws(PackError) {
    var written = Set(inputs)
    guard written.count == inputs.count else { throw .damaged("an input is named twice") }
    for node in nodes {
      for tensor in [node.first, node.second ?? node.first] where !written.contains(tensor) {
        throw .damaged("\(node.label) reads a tensor that nothing has written")
      }
      guard written.insert(node.output).inserted else {
        throw .damaged("\(node.label) writes a tensor for the second time")
      }
    }
    for tensor in outputs where !written.contains(tensor) {
      throw .damaged("an output is never written")
    }
  }
}

/// Turns the operators of a file into nodes, one after the other.
private struct Lowering {
  let source: TFLite
  var graph = Graph()
  /// From the file's tensor numbers to the graph's.
  var known: [Int: Int] = [:]

  init(_ source: TFLite) { self.source = source }

  mutating func activations(_ tensors: [Int], _ what: String) throws(PackError) -> [Int] {
    var out: [Int] = []
    for tensor in tensors { out.append(try activation(tensor, what)) }
    return out
  }

  /// The graph's number of a tensor that the network computes or is given.
  mutating func activation(_ index: Int, _ label: String) throws(PackError) -> Int {
    if let number = known[index] { return number }
    let tensor = source.tensors[index]
    let name = "\(label): tensor \(index) (\(tensor.name))"
    guard tensor.data == nil else { throw .unsupported("\(name) is a constant") }
    guard tensor.type == .int8 || tensor.type == .int16 else {
      throw .unsupported("\(name) is \(tensor.type), not int8 or int16")
    }
    guard tensor.scales.count == 1, tensor.zeroPoints.count == 1 else {
      throw .unsupported("\(name) has \(tensor.scales.count) scales; one is expected")
    }
    let scale = tensor.scales[0]
    let zeroPoint = tensor.zeroPoints[0]
    let zeroPoints: ClosedRange<Int64> = tensor.type == .int8 ? -128...127 : 0...0
    guard scale > 0, scale.isFinite, zeroPoints.contains(zeroPoint) else {
      throw .unsupported("\(name) has the scale \(scale) and the zero point \(zeroPoint)")
    }
    graph.tensors.append(
      Graph.Tensor(
        name: tensor.name, type: tensor.type == .int8 ? .int8 : .int16,
        extent: try extent(tensor, name), scale: scale, zeroPoint: Int32(zeroPoint)))
    known[index] = graph.tensors.count - 1
    return graph.tensors.count - 1
  }

  private func extent(_ tensor: TFLiteTensor, _ name: String) throws(PackError) -> Extent {
    var shape = tensor.shape
    if shape.count > 2 {
      guard shape[0] == 1 else { throw .unsupported("\(name) has a batch of \(shape[0])") }
      shape.removeFirst()
    }
    while shape.count < 3 { shape.insert(1, at: 0) }
    guard shape.count == 3, shape.allSatisfy({ $0 <= WindowShape.longest }),
      tensor.count <= WindowShape.mostElements
    else { throw .unsupported("\(name) has the shape \(tensor.shape)") }
    return Extent(height: shape[0], width: shape[1], channels: shape[2])
  }

  mutating func lower(_ operation: TFLiteOperator) throws(PackError) {
    guard operation.outputs.count == 1, let first = operation.inputs.first, first >= 0 else {
      throw .unsupported("\(operation.label) with \(operation.outputs.count) outputs")
    }
    switch operation.code {
    case .conv2D: try convolution(operation, isDepthwise: false)
    case .depthwiseConv2D: try convolution(operation, isDepthwise: true)
    case .fullyConnected: try fullyConnected(operation)
    case .add: try addition(operation)
    case .prelu: try prelu(operation)
    case .maxPool2D: try pool(operation, .maximumPool)
    case .averagePool2D: try pool(operation, .averagePool)
    case .pad: try pad(operation)
    case .resizeNearestNeighbor: try resize(operation)
    case .reshape: try reshape(operation)
    }
  }

  // MARK: Parts

  private func number(
    _ operation: TFLiteOperator, _ field: Int, default missing: Int32
  ) throws(PackError) -> Int {
    Int(try operation.options?.number(field, default: missing) ?? missing)
  }

  private func fusedActivation(
    _ operation: TFLiteOperator, _ field: Int
  ) throws(PackError) -> TFLiteActivation {
    let code = try operation.options?.number(field, default: Int8(0)) ?? 0
    guard let activation = TFLiteActivation(rawValue: code) else {
      throw .unsupported("\(operation.label) with the activation \(code)")
    }
    return activation
  }

  private func constant(
    _ operation: TFLiteOperator, _ place: Int, _ what: String
  ) throws(PackError) -> (TFLiteTensor, Range<Int>) {
    guard place < operation.inputs.count, operation.inputs[place] >= 0 else {
      throw .unsupported("\(operation.label) without \(what)")
    }
    let tensor = source.tensors[operation.inputs[place]]
    guard let data = tensor.data else {
      throw .unsupported("\(operation.label): its \(what) is computed, not a constant")
    }
    return (tensor, data)
  }

  private func integers<T: FixedWidthInteger>(
    _ type: T.Type, _ range: Range<Int>
  ) throws(PackError) -> [T] {
    var out: [T] = []
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: MemoryLayout<T>.size) {
      out.append(try source.file.integer(type, at: offset))
    }
    return out
  }

  /// int32 numbers such as paddings and sizes.
  private func parameters(
    _ operation: TFLiteOperator, _ place: Int, _ what: String
  ) throws(PackError) -> [Int] {
    let (tensor, data) = try constant(operation, place, what)
    guard tensor.type == .int32 else {
      throw .unsupported("\(operation.label): its \(what) is \(tensor.type), not int32")
    }
    return try integers(Int32.self, data).map(Int.init)
  }

  private mutating func ends(
    _ operation: TFLiteOperator
  ) throws(PackError) -> (first: Int, output: Int) {
    let first = try activation(operation.inputs[0], operation.label)
    let output = try activation(operation.outputs[0], operation.label)
    guard graph.tensors[first].type == graph.tensors[output].type else {
      throw .unsupported(
        "\(operation.label) from \(graph.tensors[first].type.name) to"
          + " \(graph.tensors[output].type.name)")
    }
    return (first, output)
  }

  /// For operators that only move values: TFLite wants one scale and zero point too.
  private func requireEqualScale(
    _ operation: TFLiteOperator, _ first: Int, _ output: Int
  ) throws(PackError) {
    let (a, b) = (graph.tensors[first], graph.tensors[output])
    guard a.scale == b.scale, a.zeroPoint == b.zeroPoint else {
      throw .unsupported("\(operation.label) with another scale behind it than before it")
    }
  }

  private func window(
    _ operation: TFLiteOperator, from input: Extent, to output: Extent, height: Int, width: Int,
    strideH: Int, strideW: Int
  ) throws(PackError) -> Window {
    let padding = try operation.options?.number(0, default: Int8(0)) ?? 0
    let lengths = 1...WindowShape.longest
    guard lengths.contains(height), lengths.contains(width), lengths.contains(strideH),
      lengths.contains(strideW), padding == 0 || padding == 1
    else { throw .unsupported("\(operation.label): its window, strides or padding") }
    var window = Window(
      height: height, width: width, verticalStride: strideH, horizontalStride: strideW)
    var (rows, columns) = (0, 0)
    if padding == 0 {
      (rows, window.padTop) = Window.same(input: input.height, kernel: height, stride: strideH)
      (columns, window.padLeft) = Window.same(input: input.width, kernel: width, stride: strideW)
    } else {
      rows = Window.valid(input: input.height, kernel: height, stride: strideH)
      columns = Window.valid(input: input.width, kernel: width, stride: strideW)
    }
    guard rows == output.height, columns == output.width else {
      throw .damaged(
        "\(operation.label): \(rows)x\(columns) places, but its output has"
          + " \(output.height)x\(output.width)")
    }
    return window
  }

  private mutating func append(_ node: Graph.Node, consistent: Bool) throws(PackError) {
    guard consistent else { throw .unsupported("\(node.label): its shapes and window") }
    graph.nodes.append(node)
  }

  // MARK: Operators

  private mutating func convolution(
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

  private mutating func fullyConnected(_ operation: TFLiteOperator) throws(PackError) {
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
  private mutating func layer(
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

  private mutating func addition(_ operation: TFLiteOperator) throws(PackError) {
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

  private mutating func prelu(_ operation: TFLiteOperator) throws(PackError) {
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

  private mutating func pool(
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

  private mutating func pad(_ operation: TFLiteOperator) throws(PackError) {
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

  private mutating func resize(_ operation: TFLiteOperator) throws(PackError) {
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

  private mutating func reshape(_ operation: TFLiteOperator) throws(PackError) {
    let (first, output) = try ends(operation)
    guard graph.tensors[first].extent.count == graph.tensors[output].extent.count else {
      throw .damaged("\(operation.label) changes the number of elements")
    }
    graph.nodes.append(
      Graph.Node(kind: .view, first: first, output: output, label: operation.label))
  }
}
