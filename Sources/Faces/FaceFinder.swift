import Imaging
import Inference
import Platform

/// From frames to faces: finds them, follows them, measures them.
///
///     var finder = try FaceFinder(
///       options, networks: networks, frameWidth: 640, frameHeight: 480, arena: &arena)
///     try finder.process(frame, at: frame.timestamp)
///     for index in finder.faces.indices { … finder.faces[index] … finder.mesh(of: index) … }
///
/// While a face is held, the square for the mesh comes from the last mesh, and the detector runs only
/// every ``FaceOptions/detectEvery`` frames, or when a mesh is lost or weak. The same frames and
/// times give the same faces. Everything is taken from the arena once; processing allocates nothing.
///
/// The networks always see the picture unmirrored. With a mirroring ``Orientation`` the finished
/// places are mirrored, and yaw and roll change sign; the person's left and right stay what they are.
public struct FaceFinder: ~Copyable {
  /// Most faces in a frame without tracking; with tracking it is half of that. The smallest of more
  /// are left out.
  public static let capacity = 16
  /// Least confidence of a mesh that is believed, and of one that needs no second look by the
  /// detector.
  static let leastPresence: Float = 0.5
  static let surePresence: Float = 0.99

  public let options: FaceOptions
  /// What the last frame took.
  public internal(set) var work = FaceWork()
  let clock: FaceWork.Clock?
  var detector: Detector
  var meshNetwork: MeshNetwork
  var attributes: AttributeNetworks
  var tracker: Tracker
  var detections = DetectionList()
  var followers = InlineArray<16, Follower>(repeating: Follower())
  var framesSinceDetection = 0
  /// 468 points for each slot.
  let meshes: UnsafeMutableBufferPointer<Point3>
  var output = FaceList()

  static let alignment = 64
  static let meshBytes = capacity * MeshPoint.count * MemoryLayout<Point3>.stride

  /// - Parameters:
  ///   - frameWidth, frameHeight: of the camera's picture, before it is turned; frames may be
  ///     smaller.
  ///   - clock: times the networks; nil leaves the times of ``work`` 0.
  ///   - arena: its memory must outlive the finder.
  public init(
    _ options: FaceOptions, networks: consuming FaceNetworks, frameWidth: Int, frameHeight: Int,
    clock: FaceWork.Clock? = nil, arena: inout Arena
  ) throws(FacesError) {
    let bytes = try take(Self.meshBytes, &arena)
    let meshNetwork = try MeshNetwork(networks.mesh)
    let attributes = try AttributeNetworks(
      eye: networks.eye, smile: networks.smile, gender: networks.gender)
    let detector = try Detector(
      networks.detector, options.detectorInput, threshold: options.detectThreshold,
      frameWidth: frameWidth, frameHeight: frameHeight, arena: &arena)
    meshes = bytes.bindMemory(to: Point3.self)
    meshes.initialize(repeating: Point3(x: 0, y: 0, z: 0))
    self.options = options
    self.clock = clock
    self.meshNetwork = meshNetwork
    self.attributes = attributes
    self.detector = detector
    tracker = Tracker(options)
  }

  /// The faces of the last frame: those seen before those only held, then the larger first.
  public var faces: Span<Face> {
    @_addressableSelf
    @_lifetime(borrow self)
    get { output.faces.span.extracting(first: output.count) }
  }

  /// Index of the most prominent face; nil when there is none.
  public var prominent: Int? { output.count > 0 ? 0 : nil }

  /// The 468 mesh points of a face, in pixels of the upright picture; empty if it has none in this
  /// frame.
  @_lifetime(borrow self)
  public func mesh(of index: Int) -> Span<Point3> {
    precondition((0..<output.count).contains(index), "no such face")
    let slot = output.slots[index]
    let points = slot < 0 ? meshes.extracting(0..<0) : meshOfSlot(slot)
    return _overrideLifetime(Span(_unsafeElements: points), borrowing: self)
  }

  func meshOfSlot(_ slot: Int) -> UnsafeMutableBufferPointer<Point3> {
    meshes.extracting(slot * MeshPoint.count..<(slot + 1) * MeshPoint.count)
  }

  /// Forgets all faces, as after a change of the camera. IDs go on from where they were.
  public mutating func reset() {
    tracker.endAll()
    output.count = 0
    framesSinceDetection = 0
  }
}

/// What is kept beside a track.
struct Follower {
  /// Where the mesh looks in the next frame; nil when only the detector can say.
  var region: CropRegion?
  /// Whether the mesh of the present frame is believed.
  var hasMesh = false
  /// Smoothed, of the last frame in which the face was seen.
  var box = Rect(x: 0, y: 0, width: 0, height: 0)
  var smoothing = Smoothing()
  var relief = ReliefGauge()
  var gender = GenderVote()
}

/// The faces of one frame, and the slot of each one's mesh (-1 for none).
struct FaceList {
  var faces = InlineArray<16, Face>(
    repeating: Face(box: Rect(x: 0, y: 0, width: 0, height: 0), score: 0))
  var slots = InlineArray<16, Int>(repeating: -1)
  var count = 0

  /// Puts it behind those that are seen and at least as large. A full list leaves it out.
  mutating func insert(_ face: Face, slot: Int) {
    guard count < FaceFinder.capacity else { return }
    var place = count
    while place > 0 && Self.precedes(face, faces[place - 1]) {
      faces[place] = faces[place - 1]
      slots[place] = slots[place - 1]
      place -= 1
    }
    faces[place] = face
    slots[place] = slot
    count += 1
  }

  private static func precedes(_ a: Face, _ b: Face) -> Bool {
    let (aSeen, bSeen) = (a.unseenFrames == 0, b.unseenFrames == 0)
    return aSeen == bSeen ? a.box.area > b.box.area : aSeen
  }
}
