import CPlatform
import Imaging

/// Whether a face is foreshortened as much as its turn says: what a head does and a sheet does not.
///
/// When a head turns, the plane of its features is foreshortened by about the cosine of the turn,
/// and the pose solve reads the turn from how the nose moves before it. When a print turns, it is
/// foreshortened just so, but the nose stays where it is printed and the pose hardly changes: of
/// 50° it reads 5° to 15°. The gauge compares both with a frontal reference of the same track: the
/// strain of the rigid points as seen, and as the canonical face would show it at the solved poses.
/// The value is the slope of predicted on seen strain, by least squares over the last strained
/// frames: near 0 for a sheet, 1 or more for a head. Measured: sixty portraits as prints turned by
/// ±50° about either axis, -0.34 to 0.37 and 95 of 100 below 0.2; a man who turns to profile and
/// back, 1.5 to 1.75; a woman who tilts her head, 1.0; the synthetic demo clip, 0.73 to 0.76.
///
/// Tried and dropped: parallax, that is what a homography leaves over. The mesh network bends a
/// flat face into a head and invents the parallax with it; turned prints measured 0.5 to 1.4 of a
/// head's.
///
/// What it cannot do: a screen that shows a head turning shows a head turning, and a print bent
/// round a bottle comes near one. A low value speaks against life, a high one does not prove it.
struct ReliefGauge {
  /// Strain from which a frame counts: a turn of 30° or so. Speech, smiles and the network's own
  /// errors reach 0.07.
  static let leastStrain: Float = 0.08
  /// Largest turn by the pose that counts, in degrees. Beyond it half of the points are hidden and
  /// the network guesses them.
  static let mostTurn: Float = 45
  /// Share of its weight that a strained frame keeps when the next one comes.
  static let memory: Float = 0.95
  /// Strained frames before there is a value.
  static let leastFrames = 4

  private static let count = 31
  private var reference = InlineArray<31, Point>(repeating: Point(x: 0, y: 0))
  private var predictedReference = InlineArray<31, Point>(repeating: Point(x: 0, y: 0))
  private var referenceForward: Vector3?
  private var predictedOnSeen: Float = 0
  private var seenSquared: Float = 0
  private var frames = 0

  init() {}

  /// nil until enough strained frames were seen.
  var relief: Float? {
    guard frames >= Self.leastFrames, seenSquared > 0 else { return nil }
    return predictedOnSeen / seenSquared
  }

  /// Takes the mesh of one frame and its pose, not smoothed.
  mutating func add(_ mesh: Span<Point3>, _ head: HeadPose, _ solver: PoseSolver) {
    let rotation = head.placement.rotation
    let forward = Vector3(rotation.row0.z, rotation.row1.z, rotation.row2.z)
    var seen = InlineArray<31, Point>(repeating: Point(x: 0, y: 0))
    var predicted = seen
    Self.collect(mesh, head, solver, &seen, &predicted)
    guard let start = referenceForward else {
      setReference(seen, predicted, forward)
      return
    }
    // The most frontal frame is the best reference, but one as frontal says nothing new.
    if forward.z > start.z + 0.004 {
      setReference(seen, predicted, forward)
      return
    }
    let turn = Float(acos(max(-1, min(1, forward.dot(start)))) * 180 / Double.pi)
    guard turn <= Self.mostTurn, let strain = Strain(from: reference, to: seen),
      let predictedStrain = Strain(from: predictedReference, to: predicted),
      strain.length >= Self.leastStrain
    else { return }
    predictedOnSeen = Self.memory * predictedOnSeen + strain.dot(predictedStrain)
    seenSquared = Self.memory * seenSquared + strain.dot(strain)
    if frames < Self.leastFrames { frames += 1 }
  }

  private mutating func setReference(
    _ seen: InlineArray<31, Point>, _ predicted: InlineArray<31, Point>, _ forward: Vector3
  ) {
    reference = seen
    predictedReference = predicted
    referenceForward = forward
  }

  /// The rigid points as seen, and as the canonical face would show them.
  private static func collect(
    _ mesh: Span<Point3>, _ head: HeadPose, _ solver: PoseSolver,
    _ seen: inout InlineArray<31, Point>, _ predicted: inout InlineArray<31, Point>
  ) {
    var index = 0
    for i in 0..<CanonicalFace.count {
      let vertex = CanonicalFace.vertices[i]
      if vertex.point == MeshPoint.rightJaw || vertex.point == MeshPoint.leftJaw { continue }
      seen[index] = mesh[vertex.point].flat
      predicted[index] = solver.project(head.placement(vertex.place))
      index += 1
    }
  }
}

/// How a set of points was stretched in one direction against the other, whatever it was moved,
/// turned and scaled by: the part of the logarithmic strain that has no trace, along the axes of
/// the first set. Its length is half the logarithm of the ratio of the two stretches.
struct Strain: Equatable {
  /// Half the difference of the strains along x and y, and the shear.
  var along: Float
  var shear: Float

  var length: Float { (along * along + shear * shear).squareRoot() }

  func dot(_ other: Strain) -> Float { along * other.along + shear * other.shear }

  /// Of the affine map that brings `source` nearest to `target`, by least squares. nil when the
  /// points lie on a line or are not finite.
  init?<let count: Int>(
    from source: borrowing InlineArray<count, Point>, to target: borrowing InlineArray<count, Point>
  ) {
    var sourceMean = Point(x: 0, y: 0)
    var targetMean = sourceMean
    for i in 0..<count {
      sourceMean = sourceMean + source[i] * (1 / Float(count))
      targetMean = targetMean + target[i] * (1 / Float(count))
    }
    // Second moments of the source, and of target by source.
    var (xx, xy, yy) = (Float(0), Float(0), Float(0))
    var (ux, uy, vx, vy) = (Float(0), Float(0), Float(0), Float(0))
    for i in 0..<count {
      let p = source[i] - sourceMean
      let q = target[i] - targetMean
      xx += p.x * p.x
      xy += p.x * p.y
      yy += p.y * p.y
      ux += q.x * p.x
      uy += q.x * p.y
      vx += q.y * p.x
      vy += q.y * p.y
    }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-6 * xx * yy else { return nil }
    // The map's rows (a, b) and (c, d).
    let (a, b) = ((ux * yy - uy * xy) / determinant, (uy * xx - ux * xy) / determinant)
    let (c, d) = ((vx * yy - vy * xy) / determinant, (vy * xx - vx * xy) / determinant)
    // Its transpose times itself holds the squares of the stretches along its own axes.
    let (first, second, cross) = (a * a + c * c, b * b + d * d, a * b + c * d)
    let (half, middle) = ((first - second) / 2, (first + second) / 2)
    let radius = (half * half + cross * cross).squareRoot()
    guard middle > radius, middle.isFinite else { return nil }
    guard radius > 0 else {
      along = 0
      shear = 0
      return
    }
    let length = 0.25 * logf((middle + radius) / (middle - radius))
    along = length * half / radius
    shear = length * cross / radius
  }
}
