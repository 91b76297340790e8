import Inference
import Kernels

/// Turns the operators of a file into nodes, one after the other.
struct Lowering {
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

  func extent(_ tensor: TFLiteTensor, _ name: String) throws(PackError) -> Extent {
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

  func number(
    _ operation: TFLiteOperator, _ field: Int, default missing: Int32
  ) throws(PackError) -> Int {
    Int(try operation.options?.number(field, default: missing) ?? missing)
  }

  func fusedActivation(
    _ operation: TFLiteOperator, _ field: Int
  ) throws(PackError) -> TFLiteActivation {
    let code = try operation.options?.number(field, default: Int8(0)) ?? 0
    guard let activation = TFLiteActivation(rawValue: code) else {
      throw .unsupported("\(operation.label) with the activation \(code)")
    }
    return activation
  }

  func constant(
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

  func integers<T: FixedWidthInteger>(
    _ type: T.Type, _ range: Range<Int>
  ) throws(PackError) -> [T] {
    var out: [T] = []
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: MemoryLayout<T>.size) {
      out.append(try source.file.integer(type, at: offset))
    }
    return out
  }

  /// int32 numbers such as paddings and sizes.
  func parameters(
    _ operation: TFLiteOperator, _ place: Int, _ what: String
  ) throws(PackError) -> [Int] {
    let (tensor, data) = try constant(operation, place, what)
    guard tensor.type == .int32 else {
      throw .unsupported("\(operation.label): its \(what) is \(tensor.type), not int32")
    }
    return try integers(Int32.self, data).map(Int.init)
  }

  mutating func ends(
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
  func requireEqualScale(
    _ operation: TFLiteOperator, _ first: Int, _ output: Int
  ) throws(PackError) {
    let (a, b) = (graph.tensors[first], graph.tensors[output])
    guard a.scale == b.scale, a.zeroPoint == b.zeroPoint else {
      throw .unsupported("\(operation.label) with another scale behind it than before it")
    }
  }

  func window(
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

  mutating func append(_ node: Graph.Node, consistent: Bool) throws(PackError) {
    guard consistent else { throw .unsupported("\(node.label): its shapes and window") }
    graph.nodes.append(node)
  }
}
