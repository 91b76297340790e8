import Imaging
import Platform
import Testing

@testable import Faces

@Suite struct PoseTests {
  func solve(_ head: SyntheticHead, noise: Float = 0, seed: UInt64 = 1) throws -> HeadPose {
    var random = RandomSource(seed: seed)
    var mesh = head.mesh()
    if noise > 0 {
      for index in mesh.indices {
        mesh[index].x += Float.random(in: -noise...noise, using: &random)
        mesh[index].y += Float.random(in: -noise...noise, using: &random)
        mesh[index].z += Float.random(in: -noise...noise, using: &random)
      }
    }
    let solver = PoseSolver(width: head.width, height: head.height)
    let found = solver.solve(mesh.span)
    return try #require(found)
  }

  /// A span cannot be handed on by the testing macros.
  func solves(_ solver: PoseSolver, _ mesh: [Point3]) -> Bool { solver.solve(mesh.span) != nil }

  @Test func recoversKnownTurnsAnywhereInThePicture() throws {
    var random = RandomSource(seed: 7)
    for _ in 0..<500 {
      var head = SyntheticHead()
      head.pitch = .random(in: -50...50, using: &random)
      head.yaw = .random(in: -75...75, using: &random)
      head.roll = .random(in: -170...170, using: &random)
      head.distance = .random(in: 25...150, using: &random)
      head.right = head.distance * .random(in: -0.4...0.4, using: &random)
      head.up = head.distance * .random(in: -0.3...0.3, using: &random)
      let found = try solve(head)
      #expect(abs(found.pose.pitch - Float(head.pitch)) < 0.05)
      #expect(abs(found.pose.yaw - Float(head.yaw)) < 0.05)
      #expect(abs(found.pose.roll - Float(head.roll)) < 0.05)
      // The distance is in the placement, once its scale is put right.
      let distance = -found.placement.shift.z / found.placement.scale
      #expect(abs(distance / head.distance - 1) < 0.01)
    }
  }

  @Test func staysNearUnderNoise() throws {
    var random = RandomSource(seed: 8)
    for round in 0..<200 {
      var head = SyntheticHead()
      head.pitch = .random(in: -30...30, using: &random)
      head.yaw = .random(in: -45...45, using: &random)
      head.roll = .random(in: -30...30, using: &random)
      // The eyes are about 70 pixels apart: the noise is one percent of that.
      let found = try solve(head, noise: 0.7, seed: UInt64(round))
      #expect(abs(found.pose.pitch - Float(head.pitch)) < 2)
      #expect(abs(found.pose.yaw - Float(head.yaw)) < 2)
      #expect(abs(found.pose.roll - Float(head.roll)) < 2)
    }
  }

  @Test func signsAreThoseOfMLKit() throws {
    let nose = 4
    let straight = SyntheticHead().mesh()
    let right = SyntheticHead(yaw: 30).mesh()
    #expect(right[nose].x > straight[nose].x + 10)
    #expect(try solve(SyntheticHead(yaw: 30)).pose.yaw > 29)
    let up = SyntheticHead(pitch: 30).mesh()
    #expect(up[nose].y < straight[nose].y - 10)
    #expect(try solve(SyntheticHead(pitch: 30)).pose.pitch > 29)
    // Counter-clockwise as seen: the eye on the picture's right, the person's left, goes up.
    let tilted = SyntheticHead(roll: 30).mesh()
    #expect(tilted[MeshPoint.leftEyeOuter].y < straight[MeshPoint.leftEyeOuter].y - 10)
    #expect(try solve(SyntheticHead(roll: 30)).pose.roll > 29)
  }

  @Test func refusesWhatIsNoFace() {
    let solver = PoseSolver(width: 640, height: 480)
    let flat = [Point3](repeating: Point3(x: 5, y: 5, z: 0), count: MeshPoint.count)
    #expect(solves(solver, flat) == false)
    let broken = [Point3](repeating: Point3(x: .nan, y: 5, z: 0), count: MeshPoint.count)
    #expect(solves(solver, broken) == false)
    let endless = [Point3](repeating: Point3(x: .infinity, y: 5, z: 0), count: MeshPoint.count)
    #expect(solves(solver, endless) == false)
  }

  @Test func nearestRotationIsProperAndUndoesNoise() throws {
    var random = RandomSource(seed: 9)
    for _ in 0..<200 {
      let head = SyntheticHead(
        pitch: .random(in: -80...80, using: &random), yaw: .random(in: -180...180, using: &random),
        roll: .random(in: -180...180, using: &random))
      // Any positive stretching along the face's own axes leaves the nearest rotation as it is.
      let stretch = Matrix3(
        Vector3(.random(in: 0.2...2, using: &random), 0, 0),
        Vector3(0, .random(in: 0.2...2, using: &random), 0),
        Vector3(0, 0, .random(in: 0.2...2, using: &random)))
      let found = try #require(nearestRotation(to: head.rotation * stretch))
      for (a, b) in [
        (found.row0, head.rotation.row0), (found.row1, head.rotation.row1),
        (found.row2, head.rotation.row2),
      ] {
        #expect((a - b).dot(a - b).squareRoot() < 1e-9)
      }
    }
  }

  /// The table in the source is the file that the models' scripts write.
  @Test func tableEqualsTheFile() throws {
    let text = try TestFiles.text(TestFiles.root + "/Models/pose_points.csv")
    let rows = text.split(separator: "\n").dropFirst()
    #expect(rows.count == CanonicalFace.count)
    for (index, row) in rows.enumerated() {
      let fields = row.split(separator: ",").map {
        Double($0.hasSuffix(".") ? $0 + "0" : String($0))
      }
      let vertex = CanonicalFace.vertices[index]
      #expect(
        fields
          == [Double(vertex.point), vertex.x, vertex.y, vertex.z, vertex.weight].map { $0 })
    }
  }
}
