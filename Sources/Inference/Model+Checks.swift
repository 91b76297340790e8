import Kernels

extension Model {
  func checkHeader() throws(ModelError) {
    func require(_ isSound: Bool, _ fault: ModelError.Fault) throws(ModelError) {
      if !isSound { throw .invalid(.header, index: 0, offset: 0, fault) }
    }
    let counts = 1...ModelFormat.mostEntries
    try require(
      counts.contains(tensorCount) && counts.contains(layerCount) && counts.contains(inputCount)
        && counts.contains(outputCount) && inputCount + outputCount <= tensorCount * 2, .count)
    try require(
      tensorsOffset == ModelFormat.headerBytes
        && portsOffset == tensorsOffset + tensorCount * ModelFormat.tensorBytes
        && layersOffset == portsOffset + (inputCount + outputCount) * ModelFormat.portBytes
        && constantsOffset == layersOffset + layerCount * ModelFormat.operatorBytes
        && weightsOffset >= constantsOffset && weightsOffset <= bytes.byteCount
        && weightsOffset % ModelFormat.alignment == 0, .section)
    try require((0...ModelFormat.mostBytes).contains(arenaBytes), .arenaRange)
    let flags = self.word(0, ModelFormat.Header.flags.rawValue)
    try require(flags & ~ModelFormat.fusedFlag == 0, .flags)
    for index in 17..<20 { try require(self.word(0, index) == 0, .reserved) }
    for index in 28..<32 { try require(self.word(0, index) == 0, .reserved) }
    try require(isName(4 * ModelFormat.Header.name.rawValue), .name)
  }

  func checkTensor(_ index: Int) throws(ModelError) {
    let offset = tensorOffset(index)
    func require(_ isSound: Bool, _ fault: ModelError.Fault) throws(ModelError) {
      if !isSound { throw .invalid(.tensor, index: index, offset: offset, fault) }
    }
    let type = ElementType(rawValue: word(offset, ModelFormat.Tensor.type.rawValue))
    try require(type != nil, .type)
    let entry = tensor(index)
    let lengths = 1...WindowShape.longest
    try require(
      lengths.contains(entry.extent.height) && lengths.contains(entry.extent.width)
        && lengths.contains(entry.extent.channels)
        && entry.extent.count <= WindowShape.mostElements, .shape)
    try require(
      (0...arenaBytes).contains(entry.arenaOffset)
        && entry.arenaOffset % ModelFormat.alignment == 0
        && entry.byteCount <= arenaBytes - entry.arenaOffset, .arenaRange)
    let zeroPoints: ClosedRange<Int32> = entry.type == .int8 ? -128...127 : 0...0
    try require(zeroPoints.contains(entry.zeroPoint), .quantisation)
    if entry.type == .int32 {
      let channels = entry.extent.channels
      try require(entry.scale == 0, .quantisation)
      try require(isConstant(entry.channelScales, 4 * channels), .section)
      let scales = elements(Float.self, at: entry.channelScales, count: channels)
      for channel in 0..<channels {
        try require(scales[channel] > 0 && scales[channel].isFinite, .quantisation)
      }
    } else {
      try require(entry.scale > 0 && entry.scale.isFinite, .quantisation)
      try require(entry.channelScales == 0, .reserved)
    }
  }

  func checkPort(_ index: Int) throws(ModelError) {
    let offset = portOffset(index)
    let part: ModelError.Part = index < inputCount ? .input : .output
    let number = index < inputCount ? index : index - inputCount
    func require(_ isSound: Bool, _ fault: ModelError.Fault) throws(ModelError) {
      if !isSound { throw .invalid(part, index: number, offset: offset, fault) }
    }
    try require((0..<tensorCount).contains(portTensor(index)), .tensorNumber)
    if part == .input { try require(tensor(portTensor(index)).type != .int32, .type) }
    for reserved in 1...3 { try require(word(offset, reserved) == 0, .reserved) }
    try require(isName(offset + 4 * ModelFormat.Port.name.rawValue), .name)
  }

  /// Whether a name is printable ASCII and then zeros: it goes into the log.
  private func isName(_ offset: Int) -> Bool {
    let name = elements(UInt8.self, at: offset, count: ModelFormat.nameBytes)
    var hasEnded = false
    for index in 0..<name.count {
      if name[index] == 0 {
        hasEnded = true
      } else if hasEnded || !(0x20...0x7E).contains(name[index]) {
        return false
      }
    }
    return true
  }

  /// Whether so many bytes at `offset` lie in the constants, at a multiple of 8.
  private func isConstant(_ offset: Int, _ byteCount: Int) -> Bool {
    offset >= constantsOffset && offset % 8 == 0 && offset <= weightsOffset - byteCount
  }

  private func isWeight(_ offset: Int, _ byteCount: Int) -> Bool {
    offset >= weightsOffset && offset % 8 == 0 && offset <= bytes.byteCount - byteCount
  }

  func checkLayer(_ index: Int) throws(ModelError) {
    let offset = layerOffset(index)
    func require(_ isSound: Bool, _ fault: ModelError.Fault) throws(ModelError) {
      if !isSound { throw .invalid(.layer, index: index, offset: offset, fault) }
    }
    if let fault = layerHasTensors(index) { try require(false, fault) }
    let layer = self.layer(index)
    let flags = word(offset, ModelFormat.Operator.flags.rawValue)
    let first = tensor(layer.first)
    let output = tensor(layer.output)
    let isWide = first.type == .int16
    for reserved in 28...31 { try require(word(offset, reserved) == 0, .reserved) }
    try require(layer.first != layer.output && layer.second != layer.output, .order)

    let isConvolution = layer.kind == .convolution || layer.kind == .depthwise
    var allowedFlags: Int32 = isConvolution ? ModelFormat.rawFlag : 0
    if isConvolution && isWide { allowedFlags |= ModelFormat.int64Flag }
    if isConvolution { allowedFlags |= ModelFormat.onceFlag }
    try require(flags & ~allowedFlags == 0, .flags)
    if layer.kind != .view {
      try require(first.type != .int32, .types)
      try require(output.type == (layer.isRaw ? .int32 : first.type), .types)
      if layer.second >= 0 { try require(tensor(layer.second).type == first.type, .types) }
    }
    let values: ClosedRange<Int32> = isWide ? -32768...32767 : -128...127
    try require(
      values.contains(layer.minimum) && values.contains(layer.maximum)
        && layer.minimum <= layer.maximum, .bounds)

    switch layer.kind {
    case .convolution, .depthwise:
      if let fault = convolutionFault(layer) { try require(false, fault) }
    case .addition:
      try require(
        first.extent == output.extent && tensor(layer.second).extent == output.extent, .shape)
      try require(layer.addition.isValid, .arithmetic)
    case .prelu:
      try require(first.extent == output.extent, .shape)
      try require(layer.rectifier.isValid, .arithmetic)
      try require(isConstant(layer.weights, layer.weightCount), .section)
      try require((-128...127).contains(layer.slopeZeroPoint), .quantisation)
    case .maximumPool, .averagePool:
      try require(
        layer.shape.isConsistent && first.extent.channels == output.extent.channels, .window)
    case .padding: try require(layer.padding.isConsistent, .window)
    case .doubling:
      try require(layer.doubling.isConsistent && layer.doubling.output == output.extent, .shape)
    case .view:
      try require(
        first.type == output.type && first.arenaOffset == output.arenaOffset
          && first.byteCount == output.byteCount, .shape)
    }
  }

  private func convolutionFault(_ layer: Layer) -> ModelError.Fault? {
    let shape = layer.shape
    let channels = shape.output.channels
    switch layer.kind {
    case .convolution: guard shape.hasConsistentWeights else { return .window }
    default: guard shape.isDepthwise else { return .window }
    }
    guard isWeight(layer.weights, layer.weightCount) else { return .weights }
    guard isWeight(layer.bias, channels * layer.biasBytes) else { return .bias }
    let weights = elements(Int8.self, at: layer.weights, count: layer.weightCount)
    for index in 0..<weights.count where weights[index] == .min { return .weights }

    func areScales(_ offset: Int, highestShift: Int32) -> Bool {
      guard isConstant(offset, 8 * channels) else { return false }
      let scales = self.scales(at: offset, channels: channels)
      guard scales.isValid(channels: channels) else { return false }
      for channel in 0..<channels where scales.shifts[channel] > highestShift { return false }
      return true
    }
    let fromSum: Int32 =
      layer.rounding == .once ? 30 : layer.accumulator == .int64 ? 14 : 31
    if layer.isRaw {
      guard layer.second < 0, layer.positive == 0, layer.negative == 0,
        layer.accumulatorScales == 0
      else { return .scales }
      return nil
    }
    let hasResidual = layer.second >= 0
    let fromActivation: Int32 = hasResidual ? 31 : fromSum
    guard areScales(layer.positive, highestShift: fromActivation) else { return .scales }
    guard layer.negative == 0 || areScales(layer.negative, highestShift: fromActivation) else {
      return .scales
    }
    if hasResidual {
      guard areScales(layer.accumulatorScales, highestShift: fromSum) else { return .scales }
      let residual = tensor(layer.second).extent
      guard residual.height == shape.output.height, residual.width == shape.output.width,
        residual.channels <= channels
      else { return .residual }
    } else if layer.accumulatorScales != 0 {
      return .scales
    }
    let requantisation = layer.requantisation
    let isValid =
      layer.type == .int16
      ? requantisation.isValid16(outputChannels: channels)
      : requantisation.isValid8(outputChannels: channels)
    return isValid ? nil : .bounds
  }

  /// Whether operators read only what was written, write everything once, and no two tensors that
  /// are needed at the same time share memory. A view shares its input's memory and lifetime.
  func checkFlow() throws(ModelError) {
    var life = Lifetimes()
    for index in 0..<inputCount {
      let tensor = portTensor(index)
      guard life.first[tensor] == Lifetimes.never else {
        throw .invalid(.input, index: index, offset: portOffset(index), .inUse)
      }
      life.begin(tensor, at: -1)
    }
    for index in 0..<layerCount {
      let layer = self.layer(index)
      let isSound =
        life.first[layer.first] != Lifetimes.never
        && (layer.second < 0 || life.first[layer.second] != Lifetimes.never)
        && life.first[layer.output] == Lifetimes.never
      guard isSound else {
        throw .invalid(.layer, index: index, offset: layerOffset(index), .order)
      }
      life.use(layer.first, at: index)
      if layer.second >= 0 { life.use(layer.second, at: index) }
      life.begin(layer.output, at: index)
      if layer.kind == .view { life.join(layer.output, to: layer.first) }
    }
    for index in inputCount..<inputCount + outputCount {
      let tensor = portTensor(index)
      guard life.first[tensor] != Lifetimes.never else {
        throw .invalid(.output, index: index - inputCount, offset: portOffset(index), .order)
      }
      life.use(tensor, at: layerCount)
    }
    for a in 0..<tensorCount {
      guard life.first[a] != Lifetimes.never else {
        throw .invalid(.tensor, index: a, offset: tensorOffset(a), .order)
      }
      guard life.isRoot(a) else { continue }
      let range = tensor(a).arenaRange
      for b in 0..<a where life.isRoot(b) && life.meet(a, b) {
        if tensor(b).arenaRange.overlaps(range) {
          throw .invalid(.tensor, index: a, offset: tensorOffset(a), .overlap)
        }
      }
    }
  }
}

/// From which operator on and until which one each tensor is needed.
struct Lifetimes {
  static let never: Int16 = -2

  var first = InlineArray<1024, Int16>(repeating: never)
  var last = InlineArray<1024, Int16>(repeating: never)
  /// The tensor whose memory a view uses; itself for others.
  var root = InlineArray<1024, Int16>(repeating: 0)

  mutating func begin(_ tensor: Int, at layer: Int) {
    first[tensor] = Int16(layer)
    last[tensor] = Int16(layer)
    root[tensor] = Int16(tensor)
  }

  mutating func join(_ view: Int, to tensor: Int) { root[view] = root[tensor] }

  mutating func use(_ tensor: Int, at layer: Int) {
    let root = Int(self.root[tensor])
    last[root] = max(last[root], Int16(layer))
  }

  func isRoot(_ tensor: Int) -> Bool { Int(root[tensor]) == tensor }

  func meet(_ a: Int, _ b: Int) -> Bool { first[a] <= last[b] && first[b] <= last[a] }
}
