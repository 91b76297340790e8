/// A place in a picture, in pixels: origin top left, x right, y down.
public struct Point: Equatable, Sendable {
  public var x: Float
  public var y: Float

  public init(x: Float, y: Float) {
    self.x = x
    self.y = y
  }

  public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
  public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
  public static func * (a: Point, b: Float) -> Point { Point(x: a.x * b, y: a.y * b) }

  /// Distance from the origin, in pixels.
  public var length: Float { (x * x + y * y).squareRoot() }

  public func distance(to other: Point) -> Float { (self - other).length }
}

/// An upright rectangle in a picture, in pixels.
public struct Rect: Equatable, Sendable {
  public var x: Float
  public var y: Float
  public var width: Float
  public var height: Float

  public init(x: Float, y: Float, width: Float, height: Float) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public var center: Point { Point(x: x + width / 2, y: y + height / 2) }
  public var maxX: Float { x + width }
  public var maxY: Float { y + height }
  public var area: Float { max(0, width) * max(0, height) }

  public func intersection(_ other: Rect) -> Rect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return Rect(
      x: left, y: top, width: max(0, min(maxX, other.maxX) - left),
      height: max(0, min(maxY, other.maxY) - top))
  }

  /// Shared area over joint area, 0 to 1.
  public func overlap(_ other: Rect) -> Float {
    let shared = intersection(other).area
    let joint = area + other.area - shared
    return joint > 0 ? shared / joint : 0
  }

  public func contains(_ other: Rect) -> Bool {
    other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
  }
}

/// How the camera's picture becomes the upright one: first turned, then mirrored.
public struct Orientation: Equatable, Sendable {
  /// Clockwise quarter turns that make the picture upright.
  public enum Rotation: UInt8, Sendable {
    case none, clockwise90, half, clockwise270
  }

  public var rotation: Rotation
  /// Left and right change places, as in a looking glass.
  public var mirror: Bool

  public init(rotation: Rotation = .none, mirror: Bool = false) {
    self.rotation = rotation
    self.mirror = mirror
  }

  public static let upright = Orientation()

  /// Whether width and height change places.
  public var swapsAxes: Bool { rotation == .clockwise90 || rotation == .clockwise270 }
}

/// Where a scaled picture lies inside a network's input: input = upright · scale + offset.
public struct Letterbox: Equatable, Sendable {
  public var scale: Float
  public var offset: Point

  public init(scale: Float, offset: Point) {
    self.scale = scale
    self.offset = offset
  }

  /// From a place in the network's input to the place in the upright picture.
  public func toPicture(_ point: Point) -> Point { (point - offset) * (1 / scale) }
}

/// A turned square (or, with another aspect, rectangle) of the upright picture.
public struct CropRegion: Equatable, Sendable {
  public var center: Point
  /// Width and height in pixels of the upright picture.
  public var width: Float
  public var height: Float
  /// The turn of the region's own x axis against the picture's, in radians, clockwise as seen
  /// (from x towards y, which points down).
  public var angle: Float

  public init(center: Point, width: Float, height: Float, angle: Float) {
    self.center = center
    self.width = width
    self.height = height
    self.angle = angle
  }

  public init(center: Point, side: Float, angle: Float) {
    self.init(center: center, width: side, height: side, angle: angle)
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Orientation.Rotation: CaseIterable {}
#endif
