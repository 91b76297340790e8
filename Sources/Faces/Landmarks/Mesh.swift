import CPlatform
import Imaging

/// Geometry of the 468 points: where the network looks, where its points lie, what they measure.
enum Mesh {
  /// Side of the square to look at, over the longer side of the detector's box.
  static let detectionToCrop: Float = 1.4
  /// Side of the square to look at next, over the longer side of the mesh's bounds.
  static let boundsToCrop: Float = 1.5

  /// The square round a detected face, turned as its eyes are.
  static func crop(of detection: Detection) -> CropRegion {
    let eyes = detection.leftEye - detection.rightEye
    let side = detectionToCrop * max(detection.box.width, detection.box.height)
    return CropRegion(center: detection.box.center, side: side, angle: atan2f(eyes.y, eyes.x))
  }

  /// The square for the next frame: round the mesh's bounds along the line of the eyes.
  static func crop(of mesh: Span<Point3>) -> CropRegion {
    let eyes = mesh[MeshPoint.leftEyeOuter].flat - mesh[MeshPoint.rightEyeOuter].flat
    let angle = atan2f(eyes.y, eyes.x)
    let (cosine, sine) = (cosf(angle), sinf(angle))
    var low = Point(x: .infinity, y: .infinity)
    var high = Point(x: -.infinity, y: -.infinity)
    for index in 0..<mesh.count {
      let point = mesh[index]
      let along = cosine * point.x + sine * point.y
      let down = cosine * point.y - sine * point.x
      low = Point(x: min(low.x, along), y: min(low.y, down))
      high = Point(x: max(high.x, along), y: max(high.y, down))
    }
    let middle = (low + high) * 0.5
    let center = Point(
      x: cosine * middle.x - sine * middle.y, y: sine * middle.x + cosine * middle.y)
    let side = boundsToCrop * max(high.x - low.x, high.y - low.y)
    return CropRegion(center: center, side: side, angle: angle)
  }

  /// The face's box as the detector would draw it: the upright rectangle round all points, and
  /// above it what the detector counts as forehead (median of 250 portraits).
  static func box(of mesh: Span<Point3>) -> Rect {
    var low = mesh[0].flat
    var high = low
    for index in 1..<mesh.count {
      let point = mesh[index]
      low = Point(x: min(low.x, point.x), y: min(low.y, point.y))
      high = Point(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    let forehead = 0.1 * (high.y - low.y)
    return Rect(
      x: low.x, y: low.y - forehead, width: high.x - low.x, height: high.y - low.y + forehead)
  }

  /// Whether the points are numbers and the eyes lie apart: what follows divides by their distance.
  static func isUsable(_ mesh: Span<Point3>) -> Bool {
    for index in 0..<mesh.count {
      let point = mesh[index]
      // A sum with something that is not finite is not finite.
      guard (point.x + point.y + point.z).isFinite else { return false }
    }
    return distance(mesh, MeshPoint.leftEyeOuter, MeshPoint.rightEyeOuter) > 1
  }

  /// Distance between two points in all three dimensions, in pixels: a turn does not change it.
  static func distance(_ mesh: Span<Point3>, _ a: Int, _ b: Int) -> Float {
    let (p, q) = (mesh[a], mesh[b])
    let (x, y, z) = (p.x - q.x, p.y - q.y, p.z - q.z)
    return (x * x + y * y + z * z).squareRoot()
  }
}
