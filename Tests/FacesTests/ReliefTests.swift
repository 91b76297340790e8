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
    let value = try #require(gauge(noise: noise, turn.map { ($0.mesh(), $0) }))
    #expect(abs(value - 1) < (noise == 0 ? 0.001 : 0.1))
    let nod = stride(from: 0.0, through: 30, by: 2).map { SyntheticHead(pitch: $0) }
    let nodded = try #require(gauge(noise: noise, nod.map { ($0.mesh(), $0) }))
    #expect(abs(nodded - 1) < (noise == 0 ? 0.001 : 0.2))
  }

  @Test(arguments: [Float(0), 0.5])
  func aTurnedPrintMeasuresZero(noise: Float) throws {
    let turn = stride(from: 0.0, through: 40, by: 2)
    let value = try #require(
      gauge(noise: noise, turn.map { (print(turnedBy: $0), SyntheticHead(yaw: $0)) }))
    #expect(abs(value) < (noise == 0 ? 0.01 : 0.1))
  }

  @Test func saysNothingBeforeEnoughTurn() {
    let still = (0..<50).map { _ in SyntheticHead() }
    #expect(gauge(still.map { ($0.mesh(), $0) }) == nil)
    let small = (0..<50).map { SyntheticHead(yaw: Double($0 % 11)) }
    #expect(gauge(small.map { ($0.mesh(), $0) }) == nil)
  }

  @Test func takesTheMostFrontalFrameAsReference() throws {
    // Comes in turned, looks straight, turns the other way.
    let turn = stride(from: -10.0, through: 40, by: 1).map { SyntheticHead(yaw: $0) }
    #expect(abs(try #require(gauge(turn.map { ($0.mesh(), $0) })) - 1) < 0.01)
  }

  @Test func homographyIsRecovered() throws {
    var random = RandomSource(seed: 12)
    var source = InlineArray<12, Point>(repeating: Point(x: 0, y: 0))
    var target = source
    for i in 0..<12 {
      let x = Float.random(in: -1...1, using: &random)
      let y = Float.random(in: -1...1, using: &random)
      source[i] = Point(x: x, y: y)
      let w = 1 + 0.1 * x - 0.05 * y
      target[i] = Point(x: (0.9 * x - 0.2 * y + 0.3) / w, y: (0.1 * x + 1.1 * y - 0.1) / w)
    }
    let found = try #require(Homography(from: source, to: target))
    for i in 0..<12 { #expect(found(source[i]).distance(to: target[i]) < 1e-4) }
    let point = InlineArray<12, Point>(repeating: Point(x: 0.5, y: 0.5))
    #expect(Homography(from: point, to: target) == nil)
  }
}
