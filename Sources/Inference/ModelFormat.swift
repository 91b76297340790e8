/// The layout of a .llm file. All numbers are little endian; the header and the tables are 32-bit
/// words, so that the writer and the loader share one list of names.
///
///     header      32 words
///     tensors     8 words each: what lives in the activation arena
///     ports       12 words each: the inputs, then the outputs
///     operators   32 words each, in the order in which they run
///     constants   scales and slopes, each array at a multiple of 8
///     weights     weights and biases in TFLite's order, at a multiple of 64
///
/// The weights section does not depend on what was fused: the fused and the unfused packing of one
/// network differ only in front of it. Offsets count from the start of the file.
package enum ModelFormat {
  /// 89 'L' 'L' 'M' CR LF 1A LF: a transfer that treats the file as text destroys it visibly.
  package static let mark: UInt64 = 0x0A1A_0A0D_4D4C_4C89
  package static let version: Int32 = 1
  package static let headerBytes = 128
  package static let tensorBytes = 32
  package static let portBytes = 48
  package static let operatorBytes = 128
  /// Bytes of a name in the header or a port, filled with zeros.
  package static let nameBytes = 32
  /// The checksum covers everything from here to the end.
  package static let checksumStart = 16
  /// Alignment of activations within the arena and of the weights section within the file.
  package static let alignment = 64
  /// Most tensors and most operators of a model.
  package static let mostEntries = 1024
  /// Most bytes of a file and of an activation arena.
  package static let mostBytes = 1 << 28
  /// Most values that one run may read and combine: a sound file does not stall the pipeline.
  package static let mostWork = 1 << 33

  package enum Header: Int {
    case mark0 = 0
    case mark1, version, checksum, byteCount, flags, tensorCount, operatorCount, inputCount
    case outputCount, tensorsOffset, portsOffset, operatorsOffset, constantsOffset, weightsOffset
    case arenaBytes, sourceChecksum
    case name = 20
  }

  /// Header flag: an addition or a PReLU was fused, so outputs differ from the TFLite reference's.
  package static let fusedFlag: Int32 = 1

  package enum Tensor: Int {
    case type = 0
    case height, width, channels, arenaOffset
    /// The bits of a Float.
    case scale
    case zeroPoint
    /// int32 only: one Float a channel, in the constants. Otherwise 0.
    case channelScales
  }

  package enum Port: Int {
    case tensor = 0
    case name = 4
  }

  /// What an operator does not use is 0.
  package enum Operator: Int {
    case kind = 0
    case flags, first, second, output
    case windowHeight, windowWidth, verticalStride, horizontalStride
    /// A window's padding, or what a pad puts before the input.
    case padTop, padLeft, padChannels
    /// Bounds of the output.
    case minimum, maximum
    /// int8 weights, or the slopes of a PReLU; then int32 or int64 biases.
    case weights, bias
    /// Offsets of one multiplier a channel, directly followed by one shift a channel; 0 if absent.
    case positive, negative, accumulator
    case residualMultiplier
    case leftShift, firstMultiplier, firstShift, secondMultiplier, secondShift
    case outputMultiplier, outputShift
    case slopeZeroPoint
  }

  /// Operator flag: the output is the int32 accumulator.
  package static let rawFlag: Int32 = 1
  /// Operator flag: with int16 activations, bias and accumulator are int64.
  package static let int64Flag: Int32 = 2
  /// Operator flag: sums are rounded once, as TFLite's fully connected layer does.
  package static let onceFlag: Int32 = 4

  package enum Kind: Int32, Sendable {
    case convolution = 1
    case depthwise, addition, prelu, maximumPool, averagePool, padding, doubling
    /// The same bytes with another shape: nothing runs.
    case view
  }

  /// CRC-32 (IEEE 802.3) of bytes. It finds every burst of up to 32 damaged bits and all but one
  /// in 2^32 of other damage, and any tool can recompute it. Its table is made for each call: a
  /// model is read once a start. It is no defence against intent; the checks of the loader are.
  package static func checksum(_ bytes: RawSpan) -> UInt32 {
    var table = InlineArray<256, UInt32>(repeating: 0)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = (value >> 1) ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
      table[index] = value
    }
    var state: UInt32 = ~0
    for offset in 0..<bytes.byteCount {
      let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      state = (state >> 8) ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
    }
    return ~state
  }
}
