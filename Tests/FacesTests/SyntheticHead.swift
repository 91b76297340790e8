import CPlatform
import Imaging

@testable import Faces

/// The canonical face before an ideal camera: what a mesh network that errs nowhere would give.
struct SyntheticHead {
  var pitch: Double = 0
  var yaw: Double = 0
  var roll: Double = 0
  /// Centimetres from the camera, to the picture's right and up.
  var distance: Double = 50
  var right: Double = 0
  var up: Double = 0
  var width: Float = 640
  var height: Float = 480

  /// Turns by yaw about the camera's y axis, by pitch about x, by roll about z.
  ///
  /// Written out from what the angles mean: the face's forward axis has the elevation `pitch` and
  /// the azimuth `yaw`, and `roll` turns its own up axis about it.
  var rotation: Matrix3 {
    let (p, y, r) = (pitch * .pi / 180, yaw * .pi / 180, roll * .pi / 180)
    let forward = Vector3(cos(p) * sin(y), sin(p), cos(p) * cos(y))
    // The rotation R has row1 = (sin r cos p, cos r cos p, sin p): the y parts of right, up,
    // forward. Right and up span the plane across forward; turn its level basis until that holds.
    let level = Vector3(cos(y), 0, -sin(y))
    let top = Vector3(-sin(p) * sin(y), cos(p), -sin(p) * cos(y))
    let rightAxis = level * cos(r) + top * sin(r)
    let upAxis = top * cos(r) - level * sin(r)
    return Matrix3(
      Vector3(rightAxis.x, upAxis.x, forward.x), Vector3(rightAxis.y, upAxis.y, forward.y),
      Vector3(rightAxis.z, upAxis.z, forward.z))
  }

  func place(_ vertex: Vector3) -> Vector3 {
    rotation * vertex + Vector3(right, up, -distance)
  }

  /// Pixels for a centimetre at one centimetre's distance.
  var focal: Double { 1 / PoseSolver(width: width, height: height).nearScale }

  /// 468 points; those without a place in the table lie in the middle.
  func mesh() -> [Point3] {
    let center = Vector3(right, up, -distance)
    var places = [Vector3](repeating: center, count: MeshPoint.count)
    for index in 0..<CanonicalFace.count {
      let vertex = CanonicalFace.vertices[index]
      places[vertex.point] = place(vertex.place)
    }
    let meanDepth = places.reduce(0) { $0 - $1.z } / Double(places.count)
    return places.map { place in
      Point3(
        x: Float(Double(width) / 2 - focal * place.x / place.z),
        y: Float(Double(height) / 2 + focal * place.y / place.z),
        z: Float(focal * (-place.z / meanDepth - 1)))
    }
  }
}
