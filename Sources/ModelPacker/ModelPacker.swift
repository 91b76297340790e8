/// What to make of a .tflite file.
public struct PackOptions: Sendable {
  /// At most 32 printable ASCII characters; shown by the tools.
  public var name = ""
  /// Names of outputs that are to be int32 accumulators with a float scale for each channel.
  public var rawOutputs: [String] = []
  /// A PReLU becomes a second multiplier of the convolution before it, so that the value between
  /// them is not rounded.
  public var fusesPrelu = true
  /// An addition, and a channel pad before it, goes into the convolution before it.
  public var fusesAddition = true
  /// A pad of rows and columns goes into the convolution behind it.
  public var fusesPadding = true

  public init() {}

  /// One operator of the firmware for each of the file: outputs equal the TFLite reference's.
  public static var unfused: PackOptions {
    var options = PackOptions()
    options.fusesPrelu = false
    options.fusesAddition = false
    options.fusesPadding = false
    return options
  }
}

/// A packed model and what there is to say about it.
public struct PackedModel: Sendable {
  /// The .llm file.
  public var bytes: [UInt8]
  /// Operators of the firmware, after fusing.
  public var operators: Int
  /// Multiplications of a run.
  public var macs: Int
  /// Bytes of the activation arena, by the memory plan.
  public var arenaBytes: Int
  /// The most that live tensors have together at any operator: no plan can need less.
  public var peakBytes: Int
  /// Bytes of the weights section.
  public var weightBytes: Int
  /// Where the weights section starts. What is behind it does not depend on fusing.
  public var weightsOffset: Int
  /// PReLUs that became a second multiplier.
  public var fusedPrelus: Int
  /// Additions that went into a convolution.
  public var fusedAdditions: Int
  /// Pads that went into a convolution or an addition.
  public var fusedPads: Int
}

/// Packs an int8 .tflite file (or one with int8 weights and int16 activations) for the firmware.
/// The same file and options give the same bytes.
public func pack(
  _ tflite: [UInt8], options: PackOptions = PackOptions()
) throws(PackError) -> PackedModel {
  let source = try TFLite(tflite)
  var graph = try Graph(source)
  try graph.keepAccumulators(of: options.rawOutputs)
  graph.fuse(options)
  var writer = ModelWriter(graph, source: tflite, options: options)
  return try writer.write()
}
