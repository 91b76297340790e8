import FrameRing
import Imaging

/// What can be measured, and how it is written on a command line.
enum BenchCase {
  /// A network of the models' folder, or of a path.
  case network(file: String)
  /// One of its layers, on what a whole run left in its inputs.
  case layer(file: String, index: Int)
  /// A frame scaled to the size of a network's input.
  case scaler(FrameFormat, Orientation, width: Int, height: Int)
  /// A turned square cut out of the middle of a frame.
  case crop(FrameFormat, side: Int, output: Int)
  /// A whole frame: from the ring to the log.
  case frame

  static let forms = """
    network:FILE, layer:FILE:INDEX, scaler:FORMAT:WxH:WxH[:DEGREES], crop:FORMAT:WxH:SIDE:OUTPUT, \
    frame
    """

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("network", 2): self = .network(file: parts[1])
    case ("layer", 3):
      guard let index = Int(parts[2]), index >= 0 else { return nil }
      self = .layer(file: parts[1], index: index)
    case ("scaler", 4...5):
      guard let format = Self.format(parts[1], parts[2]), let size = Self.size(parts[3]) else {
        return nil
      }
      let degrees = parts.count == 5 ? Int(parts[4]) : 0
      guard let degrees, degrees % 90 == 0, 0...270 ~= degrees,
        let rotation = Orientation.Rotation(rawValue: UInt8(degrees / 90))
      else { return nil }
      self = .scaler(
        format, Orientation(rotation: rotation), width: size.width, height: size.height)
    case ("crop", 5):
      guard let format = Self.format(parts[1], parts[2]), let side = Int(parts[3]),
        let output = Int(parts[4]), 1...4096 ~= side, 1...4096 ~= output
      else { return nil }
      self = .crop(format, side: side, output: output)
    case ("frame", 1): self = .frame
    default: return nil
    }
  }

  /// As ``init(_:)`` reads it.
  var text: String {
    switch self {
    case .network(let file): "network:\(file)"
    case .layer(let file, let index): "layer:\(file):\(index)"
    case .scaler(let format, let orientation, let width, let height):
      "scaler:\(Self.text(format)):\(width)x\(height)"
        + (orientation.rotation == .none ? "" : ":\(Int(orientation.rotation.rawValue) * 90)")
    case .crop(let format, let side, let output): "crop:\(Self.text(format)):\(side):\(output)"
    case .frame: "frame"
    }
  }

  private static func text(_ format: FrameFormat) -> String {
    "\(format.pixelFormat):\(format.width)x\(format.height)"
  }

  private static func format(_ name: String, _ size: String) -> FrameFormat? {
    guard let pixelFormat = PixelFormat.allCases.first(where: { "\($0)" == name }),
      let size = Self.size(size)
    else { return nil }
    return FrameFormat(pixelFormat: pixelFormat, width: size.width, height: size.height)
  }

  private static func size(_ text: String) -> (width: Int, height: Int)? {
    let sides = text.split(separator: "x").compactMap { Int($0) }
    guard sides.count == 2, 1...4096 ~= sides[0], 1...4096 ~= sides[1] else { return nil }
    return (sides[0], sides[1])
  }
}
