import CPlatform
import Imaging

/// Parallax of a turning face: whether its points move as those of a head or as those of a plane.
///
/// Between a frontal reference and a turned frame, the points of a plane move by a homography. What
/// the best homography leaves over is parallax. The canonical face, put where the two poses say,
/// predicts what a head leaves over. The gauge is the slope of seen on predicted parallax, by least
/// squares over the last turned frames: 0 for a plane, about 1 for a head.
///
/// What it cannot do: the mesh network was taught heads only and bends a flat face into one, so a
/// turned print may measure well above 0; and a screen that shows a head turning shows its parallax
/// too and measures 1. A low value speaks against life, a high one does not prove it.
struct ReliefGauge {
  /// Least turn between the reference and a frame that counts, and most, in degrees. Beyond the
  /// most, half of the points are hidden and the network guesses them.
  static let turn: ClosedRange<Float> = 12...45
  /// Share that a turned frame's weight keeps when the next one comes.
  static let memory = 0.95
  /// Turned frames before there is a value.
  static let leastFrames = 4

  private static let count = 31
  private var reference = InlineArray<31, Point>(repeating: Point(x: 0, y: 0))
  private var predictedReference = InlineArray<31, Point>(repeating: Point(x: 0, y: 0))
  private var referenceForward: Vector3?
  private var seenOnPredicted = 0.0
  private var predictedSquared = 0.0
  private var frames = 0

  init() {}

  /// nil until enough turned frames were seen.
  var relief: Float? {
    guard frames >= Self.leastFrames, predictedSquared > 0 else { return nil }
    return Float(seenOnPredicted / predictedSquared)
  }

  /// Takes the mesh of one frame and its pose, not smoothed.
  mutating func add(_ mesh: Span<Point3>, _ head: HeadPose, _ solver: PoseSolver) {
    let rotation = head.placement.rotation
    let forward = Vector3(rotation.row0.z, rotation.row1.z, rotation.row2.z)
    var seen = reference
    var predicted = reference
    guard collect(mesh, head, solver, &seen, &predicted) else { return }
    guard let start = referenceForward else {
      setReference(seen, predicted, forward)
      return
    }
    let angle = Float(acos(max(-1, min(1, forward.dot(start)))) * 180 / Double.pi)
    // The most frontal frame is the best reference, but a frame of a moment ago says nothing new.
    if forward.z > start.z + 0.004 && angle < Self.turn.lowerBound {
      setReference(seen, predicted, forward)
      return
    }
    guard Self.turn ~= angle, let plane = Homography(from: reference, to: seen),
      let predictedPlane = Homography(from: predictedReference, to: predicted)
    else { return }
    var onPredicted = 0.0
    var squared = 0.0
    for i in 0..<Self.count {
      let rest = seen[i] - plane(reference[i])
      let predictedRest = predicted[i] - predictedPlane(predictedReference[i])
      onPredicted += Double(rest.x * predictedRest.x + rest.y * predictedRest.y)
      squared += Double(predictedRest.x * predictedRest.x + predictedRest.y * predictedRest.y)
    }
    guard onPredicted.isFinite, squared.isFinite else { return }
    seenOnPredicted = Self.memory * seenOnPredicted + onPredicted
    predictedSquared = Self.memory * predictedSquared + squared
    if frames < Self.leastFrames { frames += 1 }
  }

  private mutating func setReference(
    _ seen: InlineArray<31, Point>, _ predicted: InlineArray<31, Point>, _ forward: Vector3
  ) {
    reference = seen
    predictedReference = predicted
    referenceForward = forward
  }

  /// The rigid points as seen and as the canonical face would give them, in half face widths round
  /// the face's middle. False for a face without extent.
  private func collect(
    _ mesh: Span<Point3>, _ head: HeadPose, _ solver: PoseSolver,
    _ seen: inout InlineArray<31, Point>, _ predicted: inout InlineArray<31, Point>
  ) -> Bool {
    let half = Mesh.distance(mesh, MeshPoint.leftEyeOuter, MeshPoint.rightEyeOuter)
    guard half > 1 else { return false }
    let middle = mesh[MeshPoint.noseBridge].flat
    var index = 0
    for i in 0..<CanonicalFace.count {
      let vertex = CanonicalFace.vertices[i]
      if vertex.point == MeshPoint.rightJaw || vertex.point == MeshPoint.leftJaw { continue }
      seen[index] = (mesh[vertex.point].flat - middle) * (1 / half)
      predicted[index] =
        (solver.project(head.placement(vertex.place)) - middle) * (1 / half)
      index += 1
    }
    return true
  }
}
