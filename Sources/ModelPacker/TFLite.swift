/// The element types of .tflite that this reader tells apart; the numbers are the schema's.
enum TFLiteType: Int8 {
  case float32 = 0, float16 = 1, int32 = 2, uint8 = 3, int64 = 4, int16 = 7, int8 = 9

  var byteCount: Int {
    switch self {
    case .int8, .uint8: 1
    case .int16, .float16: 2
    case .int32, .float32: 4
    case .int64: 8
    }
  }
}

/// The operators that the firmware knows; the numbers are the schema's.
enum TFLiteOperatorCode: Int32 {
  case add = 0
  case averagePool2D = 1
  case conv2D = 3
  case depthwiseConv2D = 4
  case fullyConnected = 9
  case maxPool2D = 17
  case reshape = 22
  case pad = 34
  case prelu = 54
  case resizeNearestNeighbor = 97
}

enum TFLiteActivation: Int8 { case none = 0, relu = 1, reluN1To1 = 2, relu6 = 3 }

struct TFLiteTensor {
  var name: String
  var shape: [Int]
  var type: TFLiteType
  /// The place of its bytes in the file; nil for what the network computes.
  var data: Range<Int>?
  var scales: [Float]
  var zeroPoints: [Int64]
  var quantizedDimension: Int

  var count: Int { shape.reduce(1, *) }
}

struct TFLiteOperator {
  var code: TFLiteOperatorCode
  /// Tensor numbers; -1 where an optional one is left out.
  var inputs: [Int]
  var outputs: [Int]
  var options: FlatTable?
  /// For messages: "operator 3 (CONV_2D)".
  var label: String
}

/// The parts of a .tflite file with one subgraph that packing needs.
struct TFLite {
  let file: FlatBuffer
  var tensors: [TFLiteTensor]
  var operators: [TFLiteOperator]
  var inputs: [Int]
  var outputs: [Int]

  init(_ bytes: [UInt8]) throws(PackError) {
    file = FlatBuffer(bytes: bytes)
    guard bytes.count >= 8, Array(bytes[4..<8]) == Array("TFL3".utf8) else {
      throw .damaged("the mark TFL3 is not at byte 4")
    }
    let model = try file.root()
    let buffers = try model.tables(4)
    let codes = try model.tables(1)
    let graphs = try model.tables(2)
    guard let graph = graphs.first, graphs.count == 1 else {
      throw .unsupported("a file with \(graphs.count) subgraphs; one is expected")
    }
    tensors = []
    for (number, table) in try graph.tables(0).enumerated() {
      tensors.append(try Self.tensor(table, number, buffers))
    }
    operators = []
    for (number, table) in try graph.tables(3).enumerated() {
      operators.append(try Self.operation(table, number, codes, tensorCount: tensors.count))
    }
    inputs = try graph.numbers(1, Int32.self).map(Int.init)
    outputs = try graph.numbers(2, Int32.self).map(Int.init)
    for index in inputs + outputs where !tensors.indices.contains(index) {
      throw .damaged("the graph's inputs or outputs name tensor \(index) of \(tensors.count)")
    }
  }

  private static func tensor(
    _ table: FlatTable, _ number: Int, _ buffers: [FlatTable]
  ) throws(PackError) -> TFLiteTensor {
    let name = try table.string(3)
    let label = "tensor \(number) (\(name))"
    let code = try table.number(1, default: Int8(0))
    guard let type = TFLiteType(rawValue: code) else {
      throw .unsupported("\(label) has the element type \(code)")
    }
    let shape = try table.numbers(0, Int32.self).map(Int.init)
    var count = 1
    for size in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard size > 0, !overflow, product <= 1 << 28 else {
        throw .unsupported("\(label) has the shape \(shape)")
      }
      count = product
    }
    let buffer = Int(try table.number(2, default: UInt32(0)))
    guard buffer < max(buffers.count, 1) else {
      throw .damaged("\(label) names buffer \(buffer) of \(buffers.count)")
    }
    var data: Range<Int>?
    if buffer > 0 { data = try buffers[buffer].vector(0, stride: 1) }
    if let range = data, range.isEmpty { data = nil }
    if let range = data, range.count != count * type.byteCount {
      throw .damaged("\(label) of \(count) elements has \(range.count) bytes")
    }
    let quantization = try table.table(4)
    return TFLiteTensor(
      name: name, shape: shape, type: type, data: data,
      scales: try quantization?.floats(2) ?? [],
      zeroPoints: try quantization?.numbers(3, Int64.self) ?? [],
      quantizedDimension: Int(try quantization?.number(6, default: Int32(0)) ?? 0))
  }

  private static func operation(
    _ table: FlatTable, _ number: Int, _ codes: [FlatTable], tensorCount: Int
  ) throws(PackError) -> TFLiteOperator {
    let index = Int(try table.number(0, default: UInt32(0)))
    guard index < codes.count else {
      throw .damaged("operator \(number) names code \(index) of \(codes.count)")
    }
    // Old writers only have the first field, which ends at 127; new ones have both.
    let old = Int32(try codes[index].number(0, default: Int8(0)))
    let value = max(old, try codes[index].number(3, default: Int32(0)))
    guard let code = TFLiteOperatorCode(rawValue: value) else {
      throw .unsupported("operator \(number) has the code \(value)")
    }
    let inputs = try table.numbers(1, Int32.self).map(Int.init)
    let outputs = try table.numbers(2, Int32.self).map(Int.init)
    let label = "operator \(number) (\(code))"
    for tensor in inputs where !(-1..<tensorCount ~= tensor) {
      throw .damaged("\(label) reads tensor \(tensor) of \(tensorCount)")
    }
    for tensor in outputs where !(0..<tensorCount ~= tensor) {
      throw .damaged("\(label) writes tensor \(tensor) of \(tensorCount)")
    }
    return TFLiteOperator(
      code: code, inputs: inputs, outputs: outputs, options: try table.table(4), label: label)
  }
}
