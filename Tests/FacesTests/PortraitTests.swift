import CPlatform
import Camera
import Imaging
import Platform
import Testing

@testable import Faces

/// The real networks on the one portrait that the repository carries. What they should give is in
/// `Models/reference/astronaut.json`, made with the float networks on the whole picture, of which
/// the portrait is a cut at column 66, row 8.
@Suite struct PortraitTests {
  static let offset = Point(x: 66, y: 8)

  static func whole() throws -> Picture {
    try .portrait(width: 512, height: 512, x: 66, y: 8)
  }

  static func near(_ a: Float?, _ b: Float, within tolerance: Float) -> Bool {
    guard let a else { return false }
    return abs(a - b) <= tolerance
  }

  static func near(_ a: Point?, _ b: Point, within tolerance: Float) -> Bool {
    guard let a else { return false }
    return a.distance(to: b) <= tolerance
  }

  @Test(arguments: [DetectorInput.w160h120, .w320h240])
  func equalsTheFloatReference(input: DetectorInput) throws {
    let finder = try RealFinder.forPictures(width: 512, height: 512) { $0.detectorInput = input }
    let faces = try finder.process(Self.whole())
    #expect(faces.count == 1)
    let face = try #require(faces.first)
    // The eyes are 62 pixels apart: a pixel is 1.6 percent of that.
    let box = Rect(x: 180.472, y: 69.728, width: 89.482, height: 106.08)
    #expect(face.box.overlap(box) > (input == .w320h240 ? 0.9 : 0.75))
    #expect(face.trackingID == nil && face.unseenFrames == 0)
    let mesh = finder.mesh(0)
    let reference: [(Int, Float, Float)] = [
      (1, 223.172, 131.539), (33, 194.101, 101.125), (133, 213.263, 103.954),
      (263, 256.302, 104.594), (362, 236.805, 105.346), (61, 201.253, 139.332),
      (291, 245.844, 141.916), (152, 220.669, 177.109),
    ]
    for (point, x, y) in reference {
      #expect(mesh[point].flat.distance(to: Point(x: x, y: y)) < 1.5)
    }
    #expect(Self.near(face.pose?.pitch, -13.83, within: 1.5))
    #expect(Self.near(face.pose?.yaw, -0.19, within: 1.5))
    #expect(Self.near(face.pose?.roll, -3.94, within: 1))
    #expect((face.smilingProbability ?? 0) > 0.9)
    #expect((face.leftEyeOpenProbability ?? 0) > 0.9)
    #expect((face.rightEyeOpenProbability ?? 0) > 0.9)
    #expect(face.gender?.label == .woman && (face.gender?.probability ?? 0) > 0.9)
    #expect(Self.near(face.eyeDistance, 62.4, within: 2))
    #expect(Self.near(face.mouthOpening, 0.1225, within: 0.02))
  }

  @Test(arguments: Orientation.Rotation.allCases)
  func turnedCamerasGiveTheSameFace(rotation: Orientation.Rotation) throws {
    let upright = try Picture.portrait(width: 400, height: 300, x: 40, y: 30)
    let orientation = Orientation(rotation: rotation)
    let expected = try #require(
      try RealFinder.forPictures(width: 400, height: 300).process(upright).first)
    let camera = upright.unturned(orientation)
    let finder = try RealFinder.forPictures(width: camera.width, height: camera.height)
    let face = try #require(try finder.process(camera, orientation).first)
    #expect(face.box.overlap(expected.box) > 0.97)
    #expect(Self.near(face.pose?.yaw, expected.pose?.yaw ?? 99, within: 0.5))
    #expect(Self.near(face.pose?.pitch, expected.pose?.pitch ?? 99, within: 0.5))
    #expect(Self.near(face.pose?.roll, expected.pose?.roll ?? 99, within: 0.5))
    let place = expected.landmarks?.leftEye ?? Point(x: 0, y: 0)
    #expect(Self.near(face.landmarks?.leftEye, place, within: 0.7))
  }

  /// The networks see the very same pixels, so only the finished numbers are mirrored: exactly.
  @Test func aMirroringCameraMirrorsTheFinishedFace() throws {
    let picture = try Picture.portrait(width: 400, height: 300, x: 40, y: 30)
    let finder = try RealFinder.forPictures(width: 400, height: 300)
    let plain = try #require(try finder.process(picture).first)
    let plainMesh = finder.mesh(0)
    let mirrored = try #require(try finder.process(picture, Orientation(mirror: true)).first)
    #expect(abs(mirrored.box.x - (400 - plain.box.maxX)) < 1e-3 && mirrored.box.y == plain.box.y)
    #expect(mirrored.pose?.yaw == plain.pose.map { -$0.yaw })
    #expect(mirrored.pose?.roll == plain.pose.map { -$0.roll })
    #expect(mirrored.pose?.pitch == plain.pose?.pitch)
    #expect(mirrored.leftEyeOpenProbability == plain.leftEyeOpenProbability)
    #expect(mirrored.smilingProbability == plain.smilingProbability)
    #expect(mirrored.landmarks?.leftEye.x == plain.landmarks.map { 400 - $0.leftEye.x })
    #expect(finder.mesh(0).map(\.x) == plainMesh.map { 400 - $0.x })
    // The person's own left eye, at the right of the plain picture, is now at the left.
    let eyes = try #require(mirrored.landmarks)
    #expect(eyes.leftEye.x < eyes.rightEye.x)
  }

  /// A camera whose pixels are mirrored already shows another person: her left is the old right.
  @Test func mirroredPixelsAreAnotherPerson() throws {
    let picture = try Picture.portrait(width: 400, height: 300, x: 40, y: 30)
    let finder = try RealFinder.forPictures(width: 400, height: 300)
    let plain = try #require(try finder.process(picture).first)
    let other = try #require(
      try finder.process(picture.unturned(Orientation(mirror: true))).first)
    #expect(Self.near(other.pose?.roll, -(plain.pose?.roll ?? 99), within: 2))
    #expect(Self.near(other.pose?.yaw, -(plain.pose?.yaw ?? 99), within: 4))
    let right = plain.landmarks?.rightEye ?? Point(x: 0, y: 0)
    #expect(Self.near(other.landmarks?.leftEye, Point(x: 400 - right.x, y: right.y), within: 2))
  }

  @Test func aTiltedFaceIsMeasuredAsTheUprightOne() throws {
    // Turned by a quarter without telling so: roll tells it, the rest stays.
    let upright = try Picture.portrait(width: 400, height: 400, x: 40, y: 80)
    let finder = try RealFinder.forPictures(width: 400, height: 400)
    let plain = try #require(try finder.process(upright).first)
    let tilted = upright.rotated(byDegrees: 25)
    let face = try #require(try finder.process(tilted).first)
    #expect(Self.near(face.pose?.roll, (plain.pose?.roll ?? 99) - 25, within: 3))
    #expect(Self.near(face.eyeDistance, plain.eyeDistance ?? 0, within: 2))
    #expect(Self.near(face.smilingProbability, plain.smilingProbability ?? 9, within: 0.1))
  }

  @Test func everyFaceOfAPictureIsMeasuredLargestFirst() throws {
    let portrait = try Picture(path: TestFiles.root + "/board/demo/portrait.png")
    var picture = Picture(width: 800, height: 480)
    picture.draw(portrait, x: 0, y: 0)
    picture.draw(portrait.halved(), x: 400, y: 50)
    picture.draw(portrait.halved(), x: 600, y: 300)
    let finder = try RealFinder.forPictures(width: 800, height: 480) { $0.minFaceSize = 0.03 }
    let faces = try finder.process(picture)
    #expect(faces.count == 3)
    #expect(faces.allSatisfy { $0.pose != nil && $0.smilingProbability != nil && $0.gender != nil })
    #expect(faces.map(\.box.area) == faces.map(\.box.area).sorted(by: >))
    #expect(finder.finder.prominent == 0)
    let large = try RealFinder.forPictures(width: 800, height: 480) { $0.minFaceSize = 0.08 }
    #expect(try large.process(picture).count == 1)
    let one = try RealFinder.forPictures(width: 800, height: 480) {
      $0.minFaceSize = 0.03
      $0.meshes = 1
    }
    #expect(try one.process(picture).map { $0.pose != nil } == [true, false, false])
    #expect(one.mesh(0).count == 468 && one.mesh(1).isEmpty)
  }

  @Test func aFaceAppearsIsHeldAndIsLost() throws {
    var options = FaceOptions()
    options.framesToLose = 6
    let finder = try RealFinder(options, width: 400, height: 300)
    let picture = try Picture.portrait(width: 400, height: 300, x: 40, y: 30)
    let empty = Picture(width: 400, height: 300)
    var frame = 0
    func next(_ picture: Picture) throws -> [Face] {
      frame += 1
      return try finder.process(picture, at: .zero + .milliseconds(33 * frame))
    }
    #expect(try next(picture).isEmpty)
    #expect(try next(picture).isEmpty)
    #expect(try next(picture).map(\.trackingID) == [1])
    for _ in 0..<20 {
      let faces = try next(picture)
      #expect(faces.map(\.trackingID) == [1])
      #expect(faces.first?.pose != nil && finder.mesh(0).count == 468)
    }
    #expect(finder.faces.first?.gender?.label == .woman)
    for gap in 1...5 {
      let faces = try next(empty)
      #expect(faces.map(\.unseenFrames) == [gap])
      #expect(faces.first?.pose == nil && faces.first?.landmarks == nil)
      #expect(faces.first?.smilingProbability == nil && finder.mesh(0).isEmpty)
    }
    #expect(try next(empty).isEmpty)
    for _ in 0..<2 { #expect(try next(picture).isEmpty) }
    #expect(try next(picture).map(\.trackingID) == [2])
    // A cut to a face elsewhere is a new one.
    let elsewhere = try Picture.portrait(width: 400, height: 300, x: -100, y: 60)
    for _ in 0..<2 { _ = try next(elsewhere) }
    #expect(try next(elsewhere).filter { $0.unseenFrames == 0 }.map(\.trackingID) == [3])
  }

  @Test func theDetectorRestsWhileTheMeshHoldsTheFace() throws {
    var options = FaceOptions()
    options.detectEvery = 4
    let finder = try RealFinder(options, width: 400, height: 300)
    let picture = try Picture.portrait(width: 400, height: 300, x: 40, y: 30)
    var detectorRuns: [Int] = []
    for frame in 1...19 {
      try finder.process(picture, at: .zero + .milliseconds(33 * frame))
      detectorRuns.append(finder.finder.work.detectorRuns)
      #expect(finder.finder.work.meshRuns == 1)
    }
    #expect(Array(detectorRuns[..<3]) == [1, 1, 1])
    #expect(Array(detectorRuns[3...]) == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(finder.finder.work.mesh > .zero)
  }

  @Test func theSameFramesGiveTheSameFaces() throws {
    let picture = try Picture.portrait(width: 400, height: 300, x: 40, y: 30)
    func run() throws -> [[Face]] {
      let finder = try RealFinder(FaceOptions(), width: 400, height: 300)
      return try (1...12).map { frame in
        try finder.process(
          picture.placed(width: 400, height: 300, x: frame, y: 0),
          at: .zero + .milliseconds(40 * frame))
      }
    }
    #expect(try run() == run())
  }

  @Test func aFrameLargerThanPlannedIsRefused() throws {
    let finder = try RealFinder(FaceOptions(), width: 160, height: 120)
    let large = Picture(width: 4000, height: 3000)
    #expect(throws: (any Error).self) { try finder.process(large) }
    #expect(finder.faces.isEmpty)
    #expect(try finder.process(Picture(width: 160, height: 120)).isEmpty)
  }
}

extension Picture {
  /// Half as large, by means of 2 x 2 pixels.
  func halved() -> Picture {
    var out = Picture(width: width / 2, height: height / 2)
    for row in 0..<out.height {
      for column in 0..<out.width {
        for channel in 0..<3 {
          var sum = 2
          for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            sum += Int(pixels[((2 * row + dy) * width + 2 * column + dx) * 3 + channel])
          }
          out.pixels[(row * out.width + column) * 3 + channel] = UInt8(sum / 4)
        }
      }
    }
    return out
  }

  /// Turned clockwise about its middle, by the nearest pixels; black where there was nothing.
  func rotated(byDegrees degrees: Float) -> Picture {
    var out = Picture(width: width, height: height)
    let (c, s) = (cosf(degrees * .pi / 180), sinf(degrees * .pi / 180))
    for row in 0..<height {
      for column in 0..<width {
        let x = Float(column) + 0.5 - Float(width) / 2
        let y = Float(row) + 0.5 - Float(height) / 2
        let from = Point(
          x: c * x + s * y + Float(width) / 2, y: c * y - s * x + Float(height) / 2)
        guard 0..<Float(width) ~= from.x, 0..<Float(height) ~= from.y else { continue }
        for channel in 0..<3 {
          out.pixels[(row * width + column) * 3 + channel] =
            pixels[(Int(from.y) * width + Int(from.x)) * 3 + channel]
        }
      }
    }
    return out
  }
}
