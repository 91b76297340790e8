import CPlatform
import Imaging
import Inference

/// The network that tells women from men, from a small upright chip of the face.
///
/// Input: side x side x 3, RGB. Output `logits`: woman, man. It was made for chips that dlib cuts
/// by five points; the mesh has the same five.
struct GenderNetwork: ~Copyable {
  private var network: Network
  private let pictures = PictureKernels.detect()
  private let logits: Int

  /// Corners of the person's left eye (outer, inner) and right eye (outer, inner), under the nose.
  private static let points: InlineArray<5, Int> = [
    MeshPoint.leftEyeOuter, MeshPoint.leftEyeInner, MeshPoint.rightEyeOuter,
    MeshPoint.rightEyeInner, MeshPoint.noseBase,
  ]
  /// Where they lie in the chip, as shares of its side, before the padding. Source: dlib's
  /// `get_face_chip_details` for five points.
  private static let template: InlineArray<5, Point> = [
    Point(x: 0.8595674595992, y: 0.2134981538014), Point(x: 0.6460604764104, y: 0.2289674387677),
    Point(x: 0.1205750620789, y: 0.2137274526848), Point(x: 0.3340850613712, y: 0.2290642403242),
    Point(x: 0.4901123135679, y: 0.6277975316475),
  ]
  /// On each side, as a share of the chip without it.
  private static let padding: Float = 0.2

  init(_ network: consuming Network) throws(FacesError) {
    logits = try Self.output(network)
    self.network = network
  }

  private static func output(_ network: borrowing Network) throws(FacesError) -> Int {
    do throws(ModelError) {
      guard network.inputCount == 1 else { throw .port(.input, index: 0, .count) }
      let side = network.inputDescription(0).width
      try network.expectInput(0, .int8, height: side, width: side, channels: 3)
      return try network.output(named: "logits", count: 2)
    } catch {
      throw .network(.gender, error)
    }
  }

  /// Logit of a man less that of a woman. The frame must not be mirrored.
  mutating func run(
    _ frame: borrowing FrameView, _ mesh: Span<Point3>
  ) throws(ImagingError) -> Float {
    try network.fillInput(frame, Self.region(mesh), pictures)
    network.invoke()
    return network.value(1, ofOutput: logits) - network.value(0, ofOutput: logits)
  }

  /// The square that the chip covers: the least-squares similarity from the template to the mesh.
  /// With places as complex numbers p and q about their means, q = a p has
  /// a = sum(conj(p) q) / sum(|p|²).
  static func region(_ mesh: Span<Point3>) -> CropRegion {
    var templateMean = Point(x: 0, y: 0)
    var meshMean = Point(x: 0, y: 0)
    for index in 0..<5 {
      templateMean = templateMean + padded(template[index]) * 0.2
      meshMean = meshMean + mesh[points[index]].flat * 0.2
    }
    var (real, imaginary, square) = (Float(0), Float(0), Float(0))
    for index in 0..<5 {
      let p = padded(template[index]) - templateMean
      let q = mesh[points[index]].flat - meshMean
      real += p.x * q.x + p.y * q.y
      imaginary += p.x * q.y - p.y * q.x
      square += p.x * p.x + p.y * p.y
    }
    let turn = Point(x: real / square, y: imaginary / square)
    let toMiddle = Point(x: 0.5, y: 0.5) - templateMean
    let center = Point(
      x: meshMean.x + turn.x * toMiddle.x - turn.y * toMiddle.y,
      y: meshMean.y + turn.y * toMiddle.x + turn.x * toMiddle.y)
    return CropRegion(center: center, side: turn.length, angle: atan2f(turn.y, turn.x))
  }

  private static func padded(_ point: Point) -> Point {
    (point + Point(x: padding, y: padding)) * (1 / (1 + 2 * padding))
  }
}

/// What a track's chips say together. A few are enough, and each costs as much as a mesh.
struct GenderVote: Equatable {
  /// Frames with a mesh from one chip to the next, and chips in all.
  static let interval = 3
  static let mostSamples = 5
  /// Largest yaw and pitch at which a chip says something, in degrees.
  static let mostYaw: Float = 20
  static let mostPitch: Float = 30

  private var sum: Float = 0
  private var samples = 0
  private var framesToNext = GenderVote.interval

  /// Counts a frame with a mesh; whether a chip should be looked at.
  mutating func wantsSample(_ pose: Pose) -> Bool {
    guard samples < Self.mostSamples else { return false }
    framesToNext -= 1
    return framesToNext <= 0 && abs(pose.yaw) <= Self.mostYaw && abs(pose.pitch) <= Self.mostPitch
  }

  /// - Parameter margin: logit of a man less that of a woman.
  mutating func add(margin: Float) {
    sum += margin
    samples += 1
    framesToNext = Self.interval
  }

  /// By the mean margin of all chips; nil before the first.
  var gender: Gender? {
    guard samples > 0 else { return nil }
    let man = sigmoid(sum / Float(samples))
    return man >= 0.5
      ? Gender(label: .man, probability: man) : Gender(label: .woman, probability: 1 - man)
  }
}
