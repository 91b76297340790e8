import Camera
import CPlatform
import FrameRing
import Imaging
import Inference
import Platform

@testable import Faces

/// A finder with the repository's networks.
final class RealFinder {
  private let memory: MemoryMap
  var finder: FaceFinder

  static func load(_ name: String, _ arena: inout Arena) throws -> Network {
    let file = try ModelFile(path: TestFiles.root + "/Models/" + name + ".llm")
    return try Network(file.bytes, arena: &arena, kernels: .detect())
  }

  init(_ options: FaceOptions, width: Int, height: Int) throws {
    memory = try MemoryMap(byteCount: 8 << 20)
    var arena = Arena(memory.bytes)
    let networks = FaceNetworks(
      detector: try Self.load(
        options.detectorInput == .w160h120 ? "yunet-160" : "yunet-320", &arena),
      mesh: try Self.load("mesh468", &arena), eye: try Self.load("eye-open", &arena),
      smile: try Self.load("smile", &arena), gender: try Self.load("gender", &arena))
    finder = try FaceFinder(
      options, networks: networks, frameWidth: width, frameHeight: height, clock: platform_now,
      arena: &arena)
  }

  /// For single pictures: every face, without tracks.
  static func forPictures(
    width: Int, height: Int, _ change: (inout FaceOptions) -> Void = { _ in }
  ) throws -> RealFinder {
    var options = FaceOptions()
    options.tracking = false
    options.meshes = FaceFinder.capacity
    change(&options)
    return try RealFinder(options, width: width, height: height)
  }

  @discardableResult
  func process(
    _ picture: Picture, _ orientation: Orientation = .upright, at time: Instant = .zero
  ) throws -> [Face] {
    try process(picture.pixels, picture.format, orientation, at: time)
  }

  @discardableResult
  func process(
    _ bytes: [UInt8], _ format: FrameFormat, _ orientation: Orientation = .upright,
    at time: Instant = .zero
  ) throws -> [Face] {
    let view = try FrameView(bytes.span.bytes, format: format, orientation: orientation)
    try finder.process(view, at: time)
    return faces
  }

  var faces: [Face] { Self.copy(finder) }

  func mesh(_ index: Int) -> [Point3] { Self.copy(finder, index) }

  private static func copy(_ finder: borrowing FaceFinder) -> [Face] {
    var faces: [Face] = []
    for index in finder.faces.indices { faces.append(finder.faces[index]) }
    return faces
  }

  private static func copy(_ finder: borrowing FaceFinder, _ index: Int) -> [Point3] {
    let mesh = finder.mesh(of: index)
    var points: [Point3] = []
    for point in mesh.indices { points.append(mesh[point]) }
    return points
  }
}

extension Picture {
  /// The repository's portrait in a black picture of `width` x `height`, its corner at `x`, `y`.
  static func portrait(width: Int, height: Int, x: Int, y: Int) throws -> Picture {
    try Picture(path: TestFiles.root + "/board/demo/portrait.png")
      .placed(width: width, height: height, x: x, y: y)
  }

  func placed(width: Int, height: Int, x: Int, y: Int) -> Picture {
    var out = Picture(width: width, height: height)
    out.draw(self, x: x, y: y)
    return out
  }

  /// Puts another picture over this one; what does not fit is left out.
  mutating func draw(_ other: Picture, x: Int, y: Int) {
    for row in 0..<other.height where 0..<height ~= row + y {
      for column in 0..<other.width where 0..<width ~= column + x {
        let from = (row * other.width + column) * 3
        let to = ((row + y) * width + column + x) * 3
        for channel in 0..<3 { pixels[to + channel] = other.pixels[from + channel] }
      }
    }
  }

  /// As a camera would give it that must be turned and mirrored to be upright.
  func unturned(_ orientation: Orientation) -> Picture {
    let swaps = orientation.swapsAxes
    let layout = LayoutTransform(
      width: swaps ? height : width, height: swaps ? width : height, orientation: orientation)
    var out = Picture(width: layout.width, height: layout.height)
    for row in 0..<out.height {
      for column in 0..<out.width {
        let place = layout.toUpright(Point(x: Float(column) + 0.5, y: Float(row) + 0.5))
        let from = (Int(place.y) * width + Int(place.x)) * 3
        let to = (row * out.width + column) * 3
        for channel in 0..<3 { out.pixels[to + channel] = pixels[from + channel] }
      }
    }
    return out
  }
}
