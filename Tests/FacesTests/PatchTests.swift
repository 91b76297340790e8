import CPlatform
import Imaging
import Platform
import Testing

@testable import Faces

@Suite struct PatchTests {
  func evenedOut(_ patch: [Int8]) -> [Int8]? {
    var patch = patch
    var span = patch.mutableSpan
    return PatchNetwork.evenOut(&span) ? patch : nil
  }

  @Test func exposureAndContrastGoAway() throws {
    var random = RandomSource(seed: 31)
    let faint = (0..<768).map { _ in Int8.random(in: -100 ... -60, using: &random) }
    let strong = faint.map { Int8((Int($0) + 80) * 2 + 40) }
    let a = try #require(evenedOut(faint))
    let b = try #require(evenedOut(strong))
    let mean = a.reduce(0) { $0 + Float($1) } / 768
    let spread = (a.reduce(0) { $0 + Float($1) * Float($1) } / 768).squareRoot()
    #expect(abs(mean) < 0.1)
    // 48 but for the 6 that are added to its deviation of 12.
    #expect(abs(spread - 48 * 11.8 / 17.8) < 1)
    // The stronger one is held back less by the 6, otherwise they are the same picture.
    let ratio = (b.reduce(0) { $0 + Float($1) * Float($1) } / 768).squareRoot() / spread
    for index in 0..<768 { #expect(abs(Float(b[index]) - Float(a[index]) * ratio) <= 1.5) }
  }

  @Test func aFlatPatchSaysNothing() {
    #expect(evenedOut([Int8](repeating: -128, count: 768)) == nil)
    #expect(evenedOut((0..<768).map { Int8($0 % 2 * 7) }) == nil)
    #expect(evenedOut((0..<768).map { Int8($0 % 2 * 9) }) != nil)
    #expect(evenedOut((0..<768).map { $0 % 2 == 0 ? -128 : 127 }) != nil)
  }

  @Test func mirroringReversesTheColumns() {
    var patch: [Int8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    var span = patch.mutableSpan
    PatchNetwork.mirror(&span, width: 5)
    #expect(patch == [5, 4, 3, 2, 1, 10, 9, 8, 7, 6])
  }

  @Test func eyesLieAlongTheirCorners() {
    var mesh = [Point3](repeating: Point3(x: 0, y: 0, z: 0), count: MeshPoint.count)
    // A face tilted by 45 degrees: the person's right eye upper left of the left eye.
    mesh[MeshPoint.rightEyeOuter] = Point3(x: 100, y: 100, z: 0)
    mesh[MeshPoint.rightEyeInner] = Point3(x: 110, y: 110, z: 0)
    mesh[MeshPoint.leftEyeInner] = Point3(x: 130, y: 130, z: 0)
    mesh[MeshPoint.leftEyeOuter] = Point3(x: 140, y: 140, z: 0)
    mesh[MeshPoint.mouthRight] = Point3(x: 80, y: 140, z: 0)
    mesh[MeshPoint.mouthLeft] = Point3(x: 100, y: 160, z: 0)
    mesh[MeshPoint.upperLipTop] = Point3(x: 92, y: 148, z: 0)
    mesh[MeshPoint.mouthBottom] = Point3(x: 88, y: 152, z: 0)
    let right = FacePatch.eye(mesh.span, isLeft: false)
    let left = FacePatch.eye(mesh.span, isLeft: true)
    #expect(right.center == Point(x: 105, y: 105) && left.center == Point(x: 135, y: 135))
    for region in [right, left] {
      #expect(abs(region.width - 1.8 * 10 * Float(2).squareRoot()) < 1e-3)
      #expect(abs(region.height - 0.75 * region.width) < 1e-3)
      #expect(abs(region.angle - .pi / 4) < 1e-6)
    }
    let mouth = FacePatch.mouth(mesh.span)
    #expect(mouth.center == Point(x: 90, y: 150))
    #expect(abs(mouth.width - 1.15 * 40 * Float(2).squareRoot()) < 1e-3)
    #expect(abs(mouth.angle - .pi / 4) < 1e-6)
  }
}
