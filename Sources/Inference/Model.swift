import Kernels
import Platform

/// A view of a model file every part of which has been checked: what the accessors return can be
/// handed to kernels without looking again. The rules are in `Model+Checks.swift`.
struct Model: ~Escapable {
  let bytes: RawSpan
  let tensorCount: Int
  let layerCount: Int
  let inputCount: Int
  let outputCount: Int
  let tensorsOffset: Int
  let portsOffset: Int
  let layersOffset: Int
  let constantsOffset: Int
  let weightsOffset: Int
  let arenaBytes: Int

  /// Checks everything. Nothing in the file is believed: after this no number of it can make a
  /// kernel read or write outside its tensors, or trap. Cost: one pass over the bytes for the
  /// checksum and one over the pairs of tensors.
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) throws(ModelError) {
    let aligned = bytes.withUnsafeBytes {
      UInt(bitPattern: $0.baseAddress) % 8 == 0
    }
    guard aligned else { throw .misaligned }
    guard bytes.byteCount >= 8 else {
      throw .length(byteCount: bytes.byteCount, expected: ModelFormat.headerBytes)
    }
    let mark = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
    guard UInt64(littleEndian: mark) == ModelFormat.mark else { throw .notAModel }
    guard bytes.byteCount >= ModelFormat.headerBytes else {
      throw .length(byteCount: bytes.byteCount, expected: ModelFormat.headerBytes)
    }
    func word(_ field: ModelFormat.Header) -> Int {
      Int(
        Int32(
          littleEndian: bytes.unsafeLoadUnaligned(
            fromByteOffset: 4 * field.rawValue, as: Int32.self)))
    }
    let version = Int32(word(.version))
    guard version == ModelFormat.version else { throw .version(version) }
    let expected = Int(UInt32(truncatingIfNeeded: word(.byteCount)))
    guard bytes.byteCount == expected else {
      throw .length(byteCount: bytes.byteCount, expected: expected)
    }
    guard expected <= ModelFormat.mostBytes else { throw .tooLarge(byteCount: expected) }
    let found = ModelFormat.checksum(bytes.extracting(ModelFormat.checksumStart...))
    let stored = UInt32(truncatingIfNeeded: word(.checksum))
    guard found == stored else { throw .checksum(found: found, expected: stored) }

    self.bytes = bytes
    tensorCount = word(.tensorCount)
    layerCount = word(.operatorCount)
    inputCount = word(.inputCount)
    outputCount = word(.outputCount)
    tensorsOffset = word(.tensorsOffset)
    portsOffset = word(.portsOffset)
    layersOffset = word(.operatorsOffset)
    constantsOffset = word(.constantsOffset)
    weightsOffset = word(.weightsOffset)
    arenaBytes = word(.arenaBytes)
    try checkHeader()
    for index in 0..<tensorCount { try checkTensor(index) }
    for index in 0..<inputCount + outputCount { try checkPort(index) }
    var work = 0
    for index in 0..<layerCount {
      try checkLayer(index)
      work += layer(index).work
      guard work <= ModelFormat.mostWork else {
        throw .invalid(.layer, index: index, offset: layerOffset(index), .work)
      }
    }
    try checkFlow()
  }

  /// A 32-bit word of an entry.
  func word(_ entry: Int, _ index: Int) -> Int32 {
    Int32(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: entry + 4 * index, as: Int32.self))
  }

  func tensorOffset(_ index: Int) -> Int { tensorsOffset + index * ModelFormat.tensorBytes }

  func tensor(_ index: Int) -> TensorEntry { TensorEntry(self, at: tensorOffset(index)) }

  /// The inputs come first, the outputs after them.
  func portOffset(_ index: Int) -> Int { portsOffset + index * ModelFormat.portBytes }

  func portTensor(_ index: Int) -> Int {
    Int(word(portOffset(index), ModelFormat.Port.tensor.rawValue))
  }

  func layerOffset(_ index: Int) -> Int { layersOffset + index * ModelFormat.operatorBytes }

  func name(at offset: Int) -> FixedString<32> {
    var name = FixedString<32>()
    let characters = elements(UInt8.self, at: offset, count: ModelFormat.nameBytes)
    for index in 0..<characters.count where characters[index] != 0 {
      name.append(byte: characters[index])
    }
    return name
  }

  /// Elements that lie in the file. `offset` is at a multiple of the element's size.
  @_lifetime(copy self)
  func elements<Element: BitwiseCopyable>(
    _ type: Element.Type, at offset: Int, count: Int
  ) -> Span<Element> {
    bytes.extracting(offset..<offset + count * MemoryLayout<Element>.stride)
      ._unsafeView(as: Element.self)
  }

  /// Multipliers and the shifts after them.
  @_lifetime(copy self)
  func scales(at offset: Int, channels: Int) -> Scales {
    Scales(
      multipliers: elements(Int32.self, at: offset, count: channels),
      shifts: elements(Int32.self, at: offset + 4 * channels, count: channels))
  }

  /// nil for offset 0.
  @_lifetime(copy self)
  func scalesIfAny(at offset: Int, channels: Int) -> Scales? {
    offset == 0 ? nil : scales(at: offset, channels: channels)
  }
}

/// A tensor of the file.
struct TensorEntry {
  let type: ElementType
  let extent: Extent
  let arenaOffset: Int
  let scale: Float
  let zeroPoint: Int32
  /// Offset in the file of one Float a channel; 0 if there is none.
  let channelScales: Int

  var byteCount: Int { extent.count * type.byteCount }
  var arenaRange: Range<Int> { arenaOffset..<arenaOffset + byteCount }

  /// Only for entries whose type is known.
  init(_ model: borrowing Model, at offset: Int) {
    func word(_ field: ModelFormat.Tensor) -> Int32 { model.word(offset, field.rawValue) }
    type = ElementType(rawValue: word(.type)) ?? .int8
    extent = Extent(
      height: Int(word(.height)), width: Int(word(.width)), channels: Int(word(.channels)))
    arenaOffset = Int(word(.arenaOffset))
    scale = Float(bitPattern: UInt32(bitPattern: word(.scale)))
    zeroPoint = word(.zeroPoint)
    channelScales = Int(word(.channelScales))
  }
}
