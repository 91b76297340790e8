import Platform

/// Why a model cannot be used. ``message`` is what a person reads.
public enum ModelError: Error, Equatable, Sendable {
  /// The file cannot be opened or read.
  case file(Errno)
  /// The path is a folder, a device or a pipe.
  case notAFile
  /// More bytes than any model may have.
  case tooLarge(byteCount: Int)
  /// The first bytes are not those of a packed model.
  case notAModel
  case version(Int32)
  /// Shorter or longer than its header says (or than a header).
  case length(byteCount: Int, expected: Int)
  case checksum(found: UInt32, expected: UInt32)
  /// The memory that holds the file does not start at a multiple of 8.
  case misaligned
  /// A number in the file contradicts the rest of it. `offset` is that of the entry.
  case invalid(Part, index: Int, offset: Int, Fault)
  /// The model is sound, but another one than the caller needs.
  case port(Port, index: Int, Fault)
  /// The arena is too small.
  case memory(needed: Int, capacity: Int)

  /// The tables of the file.
  public enum Part: UInt8, Sendable { case header, tensor, input, output, layer }

  /// Which way data goes.
  public enum Port: UInt8, Sendable { case input, output }

  /// What is wrong with an entry.
  public enum Fault: UInt8, Sendable {
    case count, type, shape, section, arenaRange, quantisation, name, kind, flags, reserved
    case tensorNumber, order, overlap, types, window, bounds, weights, bias, scales, residual
    case arithmetic, inUse, work
  }

  /// The sentence for a person, without the file's name.
  public var message: FixedString<160> {
    var out = FixedString<160>()
    switch self {
    case .file(let errno):
      out.append("the model file cannot be read: ")
      errno.describe(into: &out)
    case .notAFile: out.append("the model path names no regular file")
    case .tooLarge(let byteCount):
      out.append("the model has ")
      out.append(byteCount)
      out.append(" bytes, the most is ")
      out.append(ModelFormat.mostBytes)
    case .notAModel: out.append("the file is no packed model (.llm): its first 8 bytes are others")
    case .version(let version):
      out.append("the model has format version ")
      out.append(Int(version))
      out.append(", this firmware reads ")
      out.append(Int(ModelFormat.version))
    case .length(let byteCount, let expected):
      out.append(byteCount < expected ? "the model is truncated: " : "the model is too long: ")
      out.append(byteCount)
      out.append(" bytes, expected ")
      out.append(expected)
    case .checksum(let found, let expected):
      out.append("the model is damaged: checksum ")
      out.append(hex: UInt64(found), digits: 8)
      out.append(", expected ")
      out.append(hex: UInt64(expected), digits: 8)
    case .misaligned: out.append("the model lies in memory at no multiple of 8")
    case .invalid(let part, let index, let offset, let fault):
      out.append("the model is not valid: ")
      out.append(part.name)
      if part != .header {
        out.append(byte: 32)
        out.append(index)
      }
      out.append(" at byte ")
      out.append(offset)
      out.append(": ")
      out.append(fault.text)
    case .port(let port, let index, let fault):
      out.append("this is another model than expected: ")
      out.append(port == .input ? "input " : "output ")
      out.append(index)
      out.append(": ")
      out.append(fault.text)
    case .memory(let needed, let capacity):
      out.append("the model needs ")
      out.append(needed)
      out.append(" bytes of memory, there are ")
      out.append(capacity)
    }
    return out
  }
}

extension ModelError.Part {
  var name: StaticString {
    switch self {
    case .header: "header"
    case .tensor: "tensor"
    case .input: "input"
    case .output: "output"
    case .layer: "operator"
    }
  }
}

extension ModelError.Fault {
  /// What is wrong, to end a sentence with.
  public var text: StaticString {
    switch self {
    case .count: "number of entries"
    case .type: "element type"
    case .shape: "shape"
    case .section: "an offset leads out of its section"
    case .arenaRange: "place in the arena"
    case .quantisation: "scale or zero point"
    case .name: "name"
    case .kind: "unknown kind"
    case .flags: "flags"
    case .reserved: "a reserved word is not 0"
    case .tensorNumber: "number of a tensor"
    case .order: "a tensor is read before it is written, or written twice"
    case .overlap: "two tensors that are needed at once share memory"
    case .types: "element types do not suit the operator"
    case .window: "window, strides, padding and shapes do not fit"
    case .bounds: "zero points or output bounds"
    case .weights: "weights"
    case .bias: "bias"
    case .scales: "multipliers or shifts"
    case .residual: "residual"
    case .arithmetic: "fixed-point factors"
    case .inUse: "is named twice"
    case .work: "the model is too much work for one run"
    }
  }
}
