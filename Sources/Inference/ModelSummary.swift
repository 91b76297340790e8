import Platform

/// What a model file says of itself, for tools.
public struct ModelSummary: Sendable {
  /// As given to modelc.
  public var name: FixedString<32>
  /// Bytes of the file.
  public var byteCount: Int
  /// Operators that one run goes through, after fusing.
  public var operators: Int
  /// Multiplications of one run.
  public var multiplications: Int
  /// Whether an addition or a PReLU was fused, so that outputs differ from the TFLite reference
  /// kernels'.
  public var isFused: Bool
  /// CRC-32 of the .tflite file that it was packed from.
  public var sourceChecksum: UInt32

  /// Checks the model as ``Network/init(_:arena:kernels:)`` does.
  public init(_ model: RawSpan) throws(ModelError) {
    let model = try Model(model)
    name = model.name(at: 4 * ModelFormat.Header.name.rawValue)
    byteCount = model.bytes.byteCount
    operators = model.layerCount
    multiplications = 0
    for index in 0..<model.layerCount {
      let layer = model.layer(index)
      if layer.kind == .convolution || layer.kind == .depthwise { multiplications += layer.work }
    }
    isFused = model.word(0, ModelFormat.Header.flags.rawValue) & ModelFormat.fusedFlag != 0
    let checksum = model.word(0, ModelFormat.Header.sourceChecksum.rawValue)
    sourceChecksum = UInt32(bitPattern: checksum)
  }
}
