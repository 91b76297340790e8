import FrameRing

/// A look at one frame: the bytes, their layout, and how to turn it upright. Made only when the
/// bytes are enough for the layout, so that whoever reads through it stays inside.
public struct FrameView: ~Escapable {
  /// Width and height of a frame, in pixels.
  public static let sides = 1...16384
  static let longestLine = 1 << 20

  public let bytes: RawSpan
  public let format: FrameFormat
  public let orientation: Orientation

  /// - Throws: ``ImagingError/size(width:height:)``, ``ImagingError/bytesPerLine(given:needed:)``,
  ///   ``ImagingError/bytesMissing(given:needed:)``.
  @_lifetime(copy bytes)
  public init(
    _ bytes: RawSpan, format: FrameFormat, orientation: Orientation = .upright
  ) throws(ImagingError) {
    guard Self.sides ~= format.width, Self.sides ~= format.height else {
      throw .size(width: format.width, height: format.height)
    }
    let row = FrameFormat.packedRow(format.pixelFormat, width: format.width)
    guard row...Self.longestLine ~= format.bytesPerLine else {
      throw .bytesPerLine(given: format.bytesPerLine, needed: row)
    }
    let needed = format.minimumByteCount
    guard bytes.byteCount >= needed else {
      throw .bytesMissing(given: bytes.byteCount, needed: needed)
    }
    self.bytes = bytes
    self.format = format
    self.orientation = orientation
  }

  /// Width of the upright picture, in pixels.
  public var width: Int { orientation.swapsAxes ? format.height : format.width }
  /// Height of the upright picture, in pixels.
  public var height: Int { orientation.swapsAxes ? format.width : format.height }

  public var layout: LayoutTransform {
    LayoutTransform(width: format.width, height: format.height, orientation: orientation)
  }
}

/// Between places in the camera's picture and places in the upright one, both in pixels from the
/// top left corner of their picture (so the middle of the first pixel is 0.5, 0.5).
public struct LayoutTransform: Equatable, Sendable {
  /// Size of the camera's picture, in pixels.
  public let width: Int
  public let height: Int
  public let orientation: Orientation

  public init(width: Int, height: Int, orientation: Orientation) {
    self.width = width
    self.height = height
    self.orientation = orientation
  }

  public var uprightWidth: Int { orientation.swapsAxes ? height : width }
  public var uprightHeight: Int { orientation.swapsAxes ? width : height }

  /// Whether the upright picture's x runs against the camera's axis that it lies on.
  var flipsX: Bool {
    (orientation.rotation == .clockwise90 || orientation.rotation == .half) != orientation.mirror
  }

  /// The same for the upright picture's y.
  var flipsY: Bool { orientation.rotation == .half || orientation.rotation == .clockwise270 }

  public func toCamera(_ point: Point) -> Point {
    let x = flipsX ? Float(uprightWidth) - point.x : point.x
    let y = flipsY ? Float(uprightHeight) - point.y : point.y
    return orientation.swapsAxes ? Point(x: y, y: x) : Point(x: x, y: y)
  }

  public func toUpright(_ point: Point) -> Point {
    let turned = orientation.swapsAxes ? Point(x: point.y, y: point.x) : point
    return Point(
      x: flipsX ? Float(uprightWidth) - turned.x : turned.x,
      y: flipsY ? Float(uprightHeight) - turned.y : turned.y)
  }
}
