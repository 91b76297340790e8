import CPlatform
import Imaging
import Platform
import Testing

@testable import Faces

@Suite struct MeshTests {
  /// A face-like cloud: the canonical points' places as 468 points, others repeated.
  static func cloud() -> [Point3] { SyntheticHead(yaw: 12, roll: 5).mesh() }

  static func turned(_ mesh: [Point3], by angle: Float, scale: Float = 1) -> [Point3] {
    let (c, s) = (cosf(angle), sinf(angle))
    return mesh.map { p in
      let (x, y) = (p.x - 320, p.y - 240)
      return Point3(
        x: 320 + scale * (c * x - s * y), y: 240 + scale * (s * x + c * y), z: scale * p.z)
    }
  }

  @Test func theNextSquareTurnsAndGrowsWithTheFace() {
    let upright = Mesh.crop(of: Self.cloud().span)
    for (angle, scale) in [(Float(0.5), Float(1)), (-1.2, 1.5), (2.9, 0.4)] {
      let square = Mesh.crop(of: Self.turned(Self.cloud(), by: angle, scale: scale).span)
      let (c, s) = (cosf(angle), sinf(angle))
      let (x, y) = (upright.center.x - 320, upright.center.y - 240)
      #expect(abs(square.center.x - (320 + scale * (c * x - s * y))) < 0.05)
      #expect(abs(square.center.y - (240 + scale * (s * x + c * y))) < 0.05)
      #expect(abs(square.width - scale * upright.width) < 0.05)
      let turn = square.angle - upright.angle - angle
      #expect(abs(turn - 2 * .pi * (turn / (2 * .pi)).rounded()) < 1e-4)
    }
  }

  @Test func theSquareHoldsAllPointsWithRoomToMove() {
    let mesh = Self.cloud()
    let square = Mesh.crop(of: mesh.span)
    let (c, s) = (cosf(square.angle), sinf(square.angle))
    for point in mesh {
      let (x, y) = (point.x - square.center.x, point.y - square.center.y)
      #expect(abs(c * x + s * y) <= square.width / 3 + 0.01)
      #expect(abs(c * y - s * x) <= square.width / 3 + 0.01)
    }
  }

  @Test func aDetectionsSquareFollowsTheEyes() {
    let detection = Detection(
      box: Rect(x: 10, y: 20, width: 60, height: 80), score: 1,
      rightEye: Point(x: 30, y: 50), leftEye: Point(x: 50, y: 60))
    let square = Mesh.crop(of: detection)
    #expect(square.center == Point(x: 40, y: 60))
    #expect(abs(square.width - 112) < 1e-3)
    #expect(abs(square.angle - atan2f(10, 20)) < 1e-6)
  }

  @Test func aFaceThatIsNoNumberIsNotUsed() {
    var mesh = Self.cloud()
    #expect(usable(mesh))
    mesh[17].z = .nan
    #expect(!usable(mesh))
    mesh[17].z = .infinity
    #expect(!usable(mesh))
    #expect(!usable([Point3](repeating: Point3(x: 1, y: 1, z: 1), count: MeshPoint.count)))
  }

  func usable(_ mesh: [Point3]) -> Bool { Mesh.isUsable(mesh.span) }

  @Test func mirroringTwiceIsNothing() {
    var face = Face(box: Rect(x: 10, y: 20, width: 30, height: 40), score: 0.5)
    face.pose = Pose(pitch: 5, yaw: 10, roll: -3)
    face.landmarks = FaceLandmarks(mesh: Self.cloud().span)
    let before = face
    face.mirror(width: 640)
    #expect(face.box == Rect(x: 600, y: 20, width: 30, height: 40))
    #expect(face.pose == Pose(pitch: 5, yaw: -10, roll: 3))
    // The person's own left eye stays the left one, but lies on the other side.
    #expect((face.landmarks?.leftEye.x ?? 0) < (face.landmarks?.rightEye.x ?? 0))
    face.mirror(width: 640)
    #expect(face.box == before.box && face.pose == before.pose)
    #expect(
      (face.landmarks?.noseBase ?? Point(x: 0, y: 0))
        .distance(to: before.landmarks?.noseBase ?? Point(x: 9, y: 9)) < 1e-3)
  }

  @Test func theGenderChipIsTheTemplatesSquare() {
    // A mesh whose five points lie exactly on the template of a chip of 100 pixels, turned.
    let places: [(Int, Float, Float)] = [
      (MeshPoint.leftEyeOuter, 0.8595675, 0.2134982),
      (MeshPoint.leftEyeInner, 0.6460605, 0.2289674),
      (MeshPoint.rightEyeOuter, 0.1205751, 0.2137275),
      (MeshPoint.rightEyeInner, 0.3340851, 0.2290642), (MeshPoint.noseBase, 0.4901123, 0.6277976),
    ]
    let angle: Float = 0.3
    var mesh = [Point3](repeating: Point3(x: 0, y: 0, z: 0), count: MeshPoint.count)
    for (point, x, y) in places {
      let u = ((x + 0.2) / 1.4 - 0.5) * 100
      let v = ((y + 0.2) / 1.4 - 0.5) * 100
      mesh[point] = Point3(
        x: 200 + cosf(angle) * u - sinf(angle) * v, y: 150 + sinf(angle) * u + cosf(angle) * v, z: 0
      )
    }
    let region = GenderNetwork.region(mesh.span)
    #expect(region.center.distance(to: Point(x: 200, y: 150)) < 0.01)
    #expect(abs(region.width - 100) < 0.01)
    #expect(abs(region.angle - angle) < 1e-4)
  }

  @Test func genderIsTheMeanOfFewChips() {
    var vote = GenderVote()
    let frontal = Pose(pitch: 0, yaw: 0, roll: 0)
    var taken: [Int] = []
    #expect(vote.gender == nil)
    for frame in 1...40 where vote.wantsSample(frontal) {
      taken.append(frame)
      vote.add(margin: taken.count <= 2 ? 3 : -2.5)
    }
    #expect(taken == [3, 6, 9, 12, 15])
    #expect(vote.gender?.label == .woman)
    #expect(abs((vote.gender?.probability ?? 0) - 1 / (1 + expf(-0.3))) < 1e-5)

    var turned = GenderVote()
    for _ in 0..<40 {
      let wants = turned.wantsSample(Pose(pitch: 0, yaw: 30, roll: 0))
      #expect(!wants)
    }
    let wants = turned.wantsSample(frontal)
    #expect(wants)
  }
}
