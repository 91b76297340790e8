import CPlatform
import Imaging

/// Where a head is and how it is turned, before a camera that looks along -z with y up.
struct HeadPose: Equatable {
  /// From the canonical face to the camera's axes; the shift is in centimetres if the head is as
  /// large as the canonical one and the field of view is the assumed one.
  var placement: Similarity

  /// Angles with ML Kit's signs, in degrees.
  var pose: Pose {
    let r = placement.rotation
    let degrees = 180 / Double.pi
    return Pose(
      pitch: Float(asin(max(-1, min(1, r.row1.z))) * degrees),
      yaw: Float(atan2(r.row0.z, r.row2.z) * degrees),
      roll: Float(atan2(r.row1.x, r.row1.y) * degrees))
  }
}

/// Head pose from mesh points by a perspective-correct fit of the canonical face, as MediaPipe's
/// face geometry module does it.
///
/// The camera is assumed, not measured: 63° of vertical field of view, principal point in the
/// middle, no distortion. The mesh's depth has the unit of x but an unknown scale and origin; two
/// fits against the canonical face find the scale, and a third one the pose. About 15 µs on a PC.
struct PoseSolver {
  /// Of the upright picture, in pixels.
  let width: Double
  let height: Double
  /// Centimetres on the near plane for one pixel.
  let nearScale: Double

  static let verticalFieldOfViewInDegrees = 63.0
  /// Of the plane that screen points are put on, in centimetres.
  static let near = 1.0

  init(width: Float, height: Float) {
    self.width = Double(width)
    self.height = Double(height)
    let half = Self.verticalFieldOfViewInDegrees / 2 * Double.pi / 180
    nearScale = 2 * Self.near * tan(half) / Double(height)
  }

  /// Where a place before the camera is in the picture, in pixels.
  func project(_ place: Vector3) -> Point {
    let pixels = Self.near / (nearScale * -place.z)
    return Point(
      x: Float(width / 2 + place.x * pixels), y: Float(height / 2 - place.y * pixels))
  }

  /// - Parameters:
  ///   - mesh: 468 points in pixels of the upright picture.
  /// - Returns: nil when the points have no extent or are not finite.
  func solve(_ mesh: Span<Point3>) -> HeadPose? {
    let scale = nearScale
    var depthSum = 0.0
    for i in 0..<mesh.count { depthSum += Double(mesh[i].z) }
    let depthMean = depthSum / Double(mesh.count)

    // On the near plane; z as a depth, larger is farther, 0 in the mean.
    var screen = InlineArray<33, Vector3>(repeating: .zero)
    var flat = screen
    for i in 0..<CanonicalFace.count {
      let point = mesh[CanonicalFace.vertices[i].point]
      let place = Vector3(
        (Double(point.x) - width / 2) * scale, (height / 2 - Double(point.y)) * scale,
        (Double(point.z) - depthMean) * scale)
      screen[i] = place
      flat[i] = Vector3(place.x, place.y, -place.z)
    }
    guard let first = Similarity.fit(to: flat),
      let second = Similarity.fit(to: unprojected(screen, scale: first.scale)),
      let placement = Similarity.fit(to: unprojected(screen, scale: first.scale * second.scale))
    else { return nil }
    return HeadPose(placement: placement)
  }

  /// Places before the camera, if a canonical centimetre is `scale` centimetres on the near plane.
  private func unprojected(
    _ screen: borrowing InlineArray<33, Vector3>, scale: Double
  ) -> InlineArray<33, Vector3> {
    var places = InlineArray<33, Vector3>(repeating: .zero)
    for i in 0..<CanonicalFace.count {
      let depth = (screen[i].z + Self.near) / scale
      places[i] = Vector3(
        screen[i].x * depth / Self.near, screen[i].y * depth / Self.near, -depth)
    }
    return places
  }
}
