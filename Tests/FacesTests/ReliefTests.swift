import CPlatform
import Imaging
import Platform
import Testing

@testable import Faces

@Suite struct ReliefTests {
  /// A frontal picture of the head on a sheet of paper that turns by `yaw` about the upright axis.
  func print(turnedBy yaw: Double) -> [Point3] {
    let head = SyntheticHead()
    let solver = PoseSolver(width: head.width, height: head.height)
    let sheet = SyntheticHead(yaw: yaw)
    return head.mesh().map { point in
      let flat = Vector3(
        (Double(point.x) - 320) * solver.nearScale * 50,
        (240 - Double(point.y)) * solver.nearScale * 50, 0)
      let place = solver.project(sheet.place(flat))
      return Point3(x: place.x, y: place.y, z: point.z)
    }
  }

  /// What the gauge says of meshes that were solved as the given heads.
  func gauge(noise: Float = 0, _ frames: [(mesh: [Point3], pose: SyntheticHead)]) -> Float? {
    var gauge = ReliefGauge()
    var random = RandomSource(seed: 3)
    let solver = PoseSolver(width: 640, height: 480)
    for frame in frames {
      let mesh = frame.mesh.map { point in
        Point3(
          x: point.x + .random(in: -noise...noise, using: &random),
          y: point.y + .random(in: -noise...noise, using: &random), z: point.z)
      }
      guard let head = solver.solve(frame.pose.mesh().span) else { return nil }
      gauge.add(mesh.span, head, solver)
    }
    return gauge.relief
  }

  @Test(arguments: [Float(0), 0.5])
  func aHeadMeasuresOne(noise: Float) throws {
    let turn = stride(from: 0.0, through: 40, by: 2).map { SyntheticHead(yaw: $0) }
    let found = gauge(noise: noise, turn.map { ($0.mesh(), $0) })
    let value = try #require(found)
    #expect(abs(value - 1) < (noise == 0 ? 0.001 : 0.1))
    let nod = stride(from: 0.0, through: -40, by: -2).map { SyntheticHead(pitch: $0) }
    let foundInNod = gauge(noise: noise, nod.map { ($0.mesh(), $0) })
    let nodded = try #require(foundInNod)
    #expect(abs(nodded - 1) < (noise == 0 ? 0.001 : 0.2))
  }

  @Test(arguments: [Float(0), 0.5])
  func aTurnedPrintMeasuresLittle(noise: Float) throws {
    let turn = stride(from: 0.0, through: 40, by: 2)
    // The pose that the mesh network was seen to read from a turned print: a fifth of the turn.
    let found = gauge(
      noise: noise, turn.map { (print(turnedBy: $0), SyntheticHead(yaw: $0 / 5)) })
    let value = try #require(found)
    #expect(abs(value) < 0.2)
  }

  @Test func saysNothingBeforeEnoughTurn() {
    let still = (0..<50).map { _ in SyntheticHead() }
    let ofStill = gauge(still.map { ($0.mesh(), $0) })
    #expect(ofStill == nil)
    let small = (0..<50).map { SyntheticHead(yaw: Double($0 % 15)) }
    let ofSmall = gauge(small.map { ($0.mesh(), $0) })
    #expect(ofSmall == nil)
  }

  @Test func takesTheMostFrontalFrameAsReference() throws {
    // Comes in turned, looks straight, turns the other way.
    let turn = stride(from: -10.0, through: 40, by: 1).map { SyntheticHead(yaw: $0) }
    let found = gauge(turn.map { ($0.mesh(), $0) })
    #expect(abs(try #require(found) - 1) < 0.01)
  }

  @Test func strainIsThatOfTheMapAlone() throws {
    var random = RandomSource(seed: 12)
    var source = InlineArray<12, Point>(repeating: Point(x: 0, y: 0))
    for i in 0..<12 {
      source[i] = Point(
        x: .random(in: -1...1, using: &random), y: .random(in: -1...1, using: &random))
    }
    // Squeezed to 0.8 along x, then scaled, turned and moved.
    var target = source
    for i in 0..<12 {
      let (x, y) = (source[i].x * 0.8 * 30, source[i].y * 30)
      target[i] = Point(x: 0.6 * x - 0.8 * y + 100, y: 0.8 * x + 0.6 * y - 40)
    }
    let strain = try #require(Strain(from: source, to: target))
    #expect(abs(strain.along - logf(0.8) / 2) < 1e-4 && abs(strain.shear) < 1e-4)
    let still = try #require(Strain(from: source, to: source))
    #expect(still.length < 1e-3)
    let point = InlineArray<12, Point>(repeating: Point(x: 0.5, y: 0.5))
    #expect(Strain(from: point, to: target) == nil)
  }
}
