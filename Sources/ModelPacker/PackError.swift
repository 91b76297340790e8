/// Why a .tflite file could not be packed. The text names the operator or tensor.
public enum PackError: Error, Equatable, CustomStringConvertible {
  /// The file is no .tflite or its structure is broken.
  case damaged(String)
  /// A valid file asks for something that the firmware has not.
  case unsupported(String)
  /// The command line asks for something that the model has not.
  case request(String)

  /// The sentence for a person, without the file's name.
  public var description: String {
    switch self {
    case .damaged(let what): "not a usable .tflite file: \(what)"
    case .unsupported(let what): "not supported: \(what)"
    case .request(let what): what
    }
  }
}
