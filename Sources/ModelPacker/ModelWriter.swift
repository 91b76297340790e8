import Inference
import Kernels

/// Lays a graph out as a .llm file. The layout is in `ModelFormat`.
struct ModelWriter {
  private let graph: Graph
  private let sourceChecksum: UInt32
  private let options: PackOptions
  private var constants: [UInt8] = []
  private var constantsOffset = 0
  /// Offsets within the weights section, by number of weights.
  private var weightPlaces: [(weights: Int, bias: Int)] = []
  private var weightBytes: [UInt8] = []

  init(_ graph: Graph, source: [UInt8], options: PackOptions) {
    self.graph = graph
    self.options = options
    sourceChecksum = source.withUnsafeBytes { ModelFormat.checksum(RawSpan(_unsafeBytes: $0)) }
  }

  mutating func write() throws(PackError) -> PackedModel {
    let plan = MemoryPlan(graph)
    // Only tensors that are still in use, in the order of their first use.
    var order: [Int] = []
    let inNodes = graph.nodes.flatMap { [$0.first, $0.second, $0.output].compactMap { $0 } }
    for tensor in graph.inputs + inNodes + graph.outputs where !order.contains(tensor) {
      order.append(tensor)
    }
    var number: [Int: Int] = [:]
    for (index, tensor) in order.enumerated() { number[tensor] = index }
    let ports = graph.inputs + graph.outputs
    guard order.count <= ModelFormat.mostEntries, graph.nodes.count <= ModelFormat.mostEntries
    else {
      throw .unsupported(
        "\(order.count) tensors, \(graph.nodes.count) operators; the most is"
          + " \(ModelFormat.mostEntries)")
    }

    let tensorsOffset = ModelFormat.headerBytes
    let portsOffset = tensorsOffset + order.count * ModelFormat.tensorBytes
    let operatorsOffset = portsOffset + ports.count * ModelFormat.portBytes
    constantsOffset = operatorsOffset + graph.nodes.count * ModelFormat.operatorBytes
    placeWeights()

    // Constants come before the weights, so a layer's weight offsets are known after all tables.
    let tensors = order.map { tensorWords($0, plan) }
    let scales = try graph.nodes.map { node throws(PackError) in
      let arithmetic = try LayerArithmetic(node, in: graph)
      return (node, arithmetic, placeConstants(node, arithmetic))
    }
    let weightsOffset = aligned(constantsOffset + constants.count, to: ModelFormat.alignment)
    let operators = scales.map { node, arithmetic, places in
      operatorWords(node, arithmetic, places, weightsOffset, number)
    }

    var bytes: [UInt8] = []
    for words in tensors { bytes += data(words) }
    for tensor in ports { bytes += data(try portWords(tensor, number)) }
    for words in operators { bytes += data(words) }
    bytes += constants
    bytes += [UInt8](
      repeating: 0, count: weightsOffset - ModelFormat.headerBytes - bytes.count)
    bytes += weightBytes

    typealias Header = ModelFormat.Header
    var header = [Int32](repeating: 0, count: ModelFormat.headerBytes / 4)
    header[Header.mark0.rawValue] = Int32(truncatingIfNeeded: ModelFormat.mark)
    header[Header.mark1.rawValue] = Int32(truncatingIfNeeded: ModelFormat.mark >> 32)
    header[Header.version.rawValue] = ModelFormat.version
    header[Header.byteCount.rawValue] = Int32(ModelFormat.headerBytes + bytes.count)
    header[Header.flags.rawValue] =
      graph.fusedPrelus + graph.fusedAdditions > 0 ? ModelFormat.fusedFlag : 0
    header[Header.tensorCount.rawValue] = Int32(order.count)
    header[Header.operatorCount.rawValue] = Int32(graph.nodes.count)
    header[Header.inputCount.rawValue] = Int32(graph.inputs.count)
    header[Header.outputCount.rawValue] = Int32(graph.outputs.count)
    header[Header.tensorsOffset.rawValue] = Int32(tensorsOffset)
    header[Header.portsOffset.rawValue] = Int32(portsOffset)
    header[Header.operatorsOffset.rawValue] = Int32(operatorsOffset)
    header[Header.constantsOffset.rawValue] = Int32(constantsOffset)
    header[Header.weightsOffset.rawValue] = Int32(weightsOffset)
    header[Header.arenaBytes.rawValue] = Int32(plan.byteCount)
    header[Header.sourceChecksum.rawValue] = Int32(bitPattern: sourceChecksum)
    try put(options.name, into: &header, at: Header.name.rawValue, cut: false)
    bytes = data(header) + bytes
    Self.seal(&bytes)
    try Self.verify(bytes)
    return PackedModel(
      bytes: bytes, operators: graph.nodes.count,
      macs: graph.nodes.reduce(0) { $0 + macs($1) }, arenaBytes: plan.byteCount,
      peakBytes: plan.peak, weightBytes: weightBytes.count, weightsOffset: weightsOffset,
      fusedPrelus: graph.fusedPrelus, fusedAdditions: graph.fusedAdditions,
      fusedPads: graph.fusedPads)
  }

  /// Writes the checksum of the rest into a file's header.
  package static func seal(_ bytes: inout [UInt8]) {
    let sum = bytes.withUnsafeBytes {
      ModelFormat.checksum(RawSpan(_unsafeBytes: $0).extracting(ModelFormat.checksumStart...))
    }
    let place = 4 * ModelFormat.Header.checksum.rawValue
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
  }

  /// What the packer writes the loader must accept.
  private static func verify(_ bytes: [UInt8]) throws(PackError) {
    let error = bytes.withUnsafeBytes { bytes -> ModelError? in
      do throws(ModelError) {
        _ = try Network.requirements(RawSpan(_unsafeBytes: bytes), kernels: .reference)
        return nil
      } catch { return error }
    }
    guard let error else { return }
    throw .unsupported("the firmware would refuse it: \(error.message.string)")
  }

  private func macs(_ node: Graph.Node) -> Int {
    let (input, output) = (graph.tensors[node.first].extent, graph.tensors[node.output].extent)
    let window = node.window.height * node.window.width
    switch node.kind {
    case .convolution: return output.count * window * input.channels
    case .depthwise: return output.count * window
    default: return 0
    }
  }

  // MARK: Sections

  private mutating func placeWeights() {
    for layer in graph.weights {
      pad(&weightBytes)
      let weights = weightBytes.count
      weightBytes += layer.weights.map { UInt8(bitPattern: $0) }
      pad(&weightBytes)
      let bias = weightBytes.count
      for value in layer.bias {
        let size = layer.hasWideBias ? 8 : 4
        for byte in 0..<size { weightBytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
      }
      weightPlaces.append((weights, bias))
    }
  }

  private struct ConstantPlaces {
    var positive = 0
    var negative = 0
    var accumulator = 0
    var slopes = 0
  }

  private mutating func placeConstants(
    _ node: Graph.Node, _ arithmetic: LayerArithmetic
  ) -> ConstantPlaces {
    var places = ConstantPlaces()
    places.positive = place(arithmetic.positive)
    places.negative = place(arithmetic.negative)
    places.accumulator = place(arithmetic.accumulator)
    if node.kind == .prelu {
      places.slopes = startConstant()
      constants += node.slopeValues.map { UInt8(bitPattern: $0) }
    }
    return places
  }

  /// All multipliers, then all shifts.
  private mutating func place(_ factors: [FixedFactor]) -> Int {
    guard !factors.isEmpty else { return 0 }
    let start = startConstant()
    constants += data(factors.map(\.multiplier)) + data(factors.map(\.shift))
    return start
  }

  private mutating func startConstant() -> Int {
    while (constantsOffset + constants.count) % 8 != 0 { constants.append(0) }
    return constantsOffset + constants.count
  }

  // MARK: Entries

  private mutating func tensorWords(_ index: Int, _ plan: MemoryPlan) -> [Int32] {
    typealias Field = ModelFormat.Tensor
    let tensor = graph.tensors[index]
    var words = [Int32](repeating: 0, count: ModelFormat.tensorBytes / 4)
    words[Field.type.rawValue] = tensor.type.rawValue
    words[Field.height.rawValue] = Int32(tensor.extent.height)
    words[Field.width.rawValue] = Int32(tensor.extent.width)
    words[Field.channels.rawValue] = Int32(tensor.extent.channels)
    words[Field.arenaOffset.rawValue] = Int32(plan.offsets[index])
    words[Field.scale.rawValue] = Int32(bitPattern: tensor.scale.bitPattern)
    words[Field.zeroPoint.rawValue] = tensor.zeroPoint
    if !tensor.channelScales.isEmpty {
      words[Field.channelScales.rawValue] = Int32(startConstant())
      constants += data(tensor.channelScales.map { Int32(bitPattern: $0.bitPattern) })
    }
    return words
  }

  private func portWords(_ tensor: Int, _ number: [Int: Int]) throws(PackError) -> [Int32] {
    var words = [Int32](repeating: 0, count: ModelFormat.portBytes / 4)
    words[ModelFormat.Port.tensor.rawValue] = Int32(number[tensor] ?? 0)
    let name = graph.tensors[tensor].name
    try put(name, into: &words, at: ModelFormat.Port.name.rawValue, cut: true)
    return words
  }

  private func operatorWords(
    _ node: Graph.Node, _ arithmetic: LayerArithmetic, _ places: ConstantPlaces,
    _ weightsOffset: Int, _ number: [Int: Int]
  ) -> [Int32] {
    typealias Field = ModelFormat.Operator
    var words = [Int32](repeating: 0, count: ModelFormat.operatorBytes / 4)
    func set(_ field: Field, _ value: Int) { words[field.rawValue] = Int32(value) }
    func set(_ field: Field, _ factor: FixedFactor) {
      words[field.rawValue] = factor.multiplier
      words[field.rawValue + 1] = factor.shift
    }
    words[Field.kind.rawValue] = node.kind.rawValue
    set(.first, number[node.first] ?? 0)
    set(.second, node.second.flatMap { number[$0] } ?? -1)
    set(.output, number[node.output] ?? 0)
    set(.windowHeight, node.window.height)
    set(.windowWidth, node.window.width)
    set(.verticalStride, node.window.verticalStride)
    set(.horizontalStride, node.window.horizontalStride)
    set(.padTop, node.window.padTop)
    set(.padLeft, node.window.padLeft)
    set(.padChannels, node.padChannels)
    set(.minimum, Int(arithmetic.minimum))
    set(.maximum, Int(arithmetic.maximum))
    if let layer = node.weights {
      set(.weights, weightsOffset + weightPlaces[layer].weights)
      set(.bias, weightsOffset + weightPlaces[layer].bias)
      let isWide = graph.weights[layer].hasWideBias
      var flags: Int32 = node.isRaw ? ModelFormat.rawFlag : 0
      if isWide { flags |= ModelFormat.int64Flag }
      if node.rounding == .once { flags |= ModelFormat.onceFlag }
      set(.flags, Int(flags))
    }
    if node.kind == .prelu { set(.weights, places.slopes) }
    set(.positive, places.positive)
    set(.negative, places.negative)
    set(.accumulator, places.accumulator)
    set(.residualMultiplier, Int(arithmetic.residualMultiplier))
    set(.leftShift, Int(arithmetic.leftShift))
    set(.firstMultiplier, arithmetic.first)
    set(.secondMultiplier, arithmetic.second)
    set(.outputMultiplier, arithmetic.output)
    set(.slopeZeroPoint, Int(node.slopeZeroPoint))
    return words
  }

  // MARK: Bytes

  private func aligned(_ offset: Int, to unit: Int) -> Int { (offset + unit - 1) / unit * unit }

  private func pad(_ bytes: inout [UInt8]) {
    while bytes.count % 8 != 0 { bytes.append(0) }
  }

  private func data(_ words: [Int32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// Names are ASCII; what is not becomes `_`. Names of tensors are cut, the model's must fit.
  private func put(
    _ name: String, into words: inout [Int32], at place: Int, cut: Bool
  ) throws(PackError) {
    let text = name.utf8.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "_") }
    guard cut || text.count <= ModelFormat.nameBytes else {
      throw .request("the name \(name) has more than \(ModelFormat.nameBytes) bytes")
    }
    for (index, byte) in text.prefix(ModelFormat.nameBytes).enumerated() {
      words[place + index / 4] |= Int32(truncatingIfNeeded: UInt32(byte) << (8 * (index % 4)))
    }
  }
}
