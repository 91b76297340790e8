import Imaging
import Platform

extension FaceFinder {
  /// Looks at the next frame; ``faces`` are then those of this frame.
  ///
  /// Cost: at most one run of the detector and ``FaceOptions/meshes`` runs of the mesh, with their
  /// attributes.
  /// - Parameter time: when the frame was taken; must not go back.
  /// - Throws: for a frame larger than planned. There are no faces then, and tracks stay as they
  ///   were.
  public mutating func process(
    _ frame: borrowing FrameView, at time: Instant
  ) throws(ImagingError) {
    output.count = 0
    work = FaceWork()
    let unmirrored = try FrameView(
      frame.bytes, format: frame.format,
      orientation: Orientation(rotation: frame.orientation.rotation))
    if options.tracking {
      try follow(unmirrored, at: time)
    } else {
      try look(unmirrored)
    }
    if frame.orientation.mirror { mirrorOutput(width: Float(frame.width)) }
  }

  // MARK: - With tracking

  private mutating func follow(
    _ frame: borrowing FrameView, at time: Instant
  ) throws(ImagingError) {
    tracker.beginFrame()
    for slot in 0..<Tracker.capacity { followers[slot].hasMesh = false }
    var runsLeft = max(0, options.meshes)
    let order = slotsByProminence()
    for place in 0..<order.count {
      let slot = order.slots[place]
      guard runsLeft > 0, let region = followers[slot].region else { continue }
      runsLeft -= 1
      try runMesh(frame, slot, region)
    }
    framesSinceDetection += 1
    if tracker.needsDetector || framesSinceDetection >= options.detectEvery {
      framesSinceDetection = 0
      try detect(frame, &runsLeft)
    }
    tracker.endFrame()
    try report(frame, at: time)
  }

  /// Runs the detector, gives its faces to the tracks, and looks for the mesh of those that have
  /// none, within the runs that are left.
  private mutating func detect(
    _ frame: borrowing FrameView, _ runsLeft: inout Int
  ) throws(ImagingError) {
    try findDetections(frame)
    let matches = tracker.match(
      detections, leastWidth: options.minFaceSize * Float(frame.width))
    let order = slotsByProminence()
    for place in 0..<order.count {
      let slot = order.slots[place]
      guard let track = tracker[slot], matches[slot] >= 0 else { continue }
      if track.age == 0 { followers[slot] = Follower() }
      guard !followers[slot].hasMesh, runsLeft > 0 else { continue }
      runsLeft -= 1
      try runMesh(frame, slot, Mesh.crop(of: detections[matches[slot]]))
    }
  }

  /// Looks for the mesh of a track in a square. If it is found, it says where the track is, and
  /// where to look in the next frame.
  private mutating func runMesh(
    _ frame: borrowing FrameView, _ slot: Int, _ region: CropRegion
  ) throws(ImagingError) {
    let points = meshOfSlot(slot)
    let presence = try findPoints(frame, region, into: points)
    followers[slot].region = nil
    followers[slot].hasMesh = false
    let mesh = Span(_unsafeElements: UnsafeBufferPointer(points))
    guard presence >= Self.leastPresence, Mesh.isUsable(mesh),
      tracker.follow(
        slot, box: Mesh.box(of: mesh), score: presence, isWeak: presence < Self.surePresence)
    else { return }
    followers[slot].hasMesh = true
    followers[slot].region = Mesh.crop(of: mesh)
  }

  private mutating func findDetections(_ frame: borrowing FrameView) throws(ImagingError) {
    let start = now()
    try detector.detect(frame, &detections)
    work.detectorRuns += 1
    work.detector += now() - start
  }

  private mutating func findPoints(
    _ frame: borrowing FrameView, _ region: CropRegion,
    into points: UnsafeMutableBufferPointer<Point3>
  ) throws(ImagingError) -> Float {
    let start = now()
    let presence = try meshNetwork.run(frame, region, into: points)
    work.meshRuns += 1
    work.mesh += now() - start
    return presence
  }

  private func now() -> Instant { Instant(nanoseconds: clock?() ?? 0) }

  private func slotsByProminence() -> (slots: InlineArray<8, Int>, count: Int) {
    var slots = InlineArray<8, Int>(repeating: 0)
    var count = 0
    for slot in 0..<Tracker.capacity {
      guard let area = tracker[slot]?.box.area else { continue }
      var place = count
      while place > 0, let other = tracker[slots[place - 1]]?.box.area, other < area {
        slots[place] = slots[place - 1]
        place -= 1
      }
      slots[place] = slot
      count += 1
    }
    return (slots, count)
  }

  private mutating func report(
    _ frame: borrowing FrameView, at time: Instant
  ) throws(ImagingError) {
    for slot in 0..<Tracker.capacity {
      guard let track = tracker[slot] else { continue }
      if !track.isSeen { followers[slot].hasMesh = false }
      guard track.isConfirmed else { continue }
      if track.isSeen {
        followers[slot].box = followers[slot].smoothing.smooth(track.box, at: time)
      }
      var face = Face(box: followers[slot].box, score: track.score)
      face.trackingID = track.id
      face.unseenFrames = track.unseenFrames
      if followers[slot].hasMesh { try measure(frame, slot, &face, at: time) }
      face.relief = followers[slot].relief.relief
      face.gender = followers[slot].gender.gender
      output.insert(face, slot: followers[slot].hasMesh ? slot : -1)
    }
  }

  // MARK: - Without tracking

  /// All faces of a single picture. The first mesh of each face tells where to look for the final
  /// one, which brings it as near as tracking does.
  private mutating func look(_ frame: borrowing FrameView) throws(ImagingError) {
    try findDetections(frame)
    let leastWidth = options.minFaceSize * Float(frame.width)
    for index in 0..<detections.count {
      let detection = detections[index]
      guard detection.box.width >= leastWidth else { continue }
      output.insert(Face(box: detection.box, score: detection.score), slot: index)
    }
    for index in 0..<output.count {
      let detection = detections[output.slots[index]]
      output.slots[index] = -1
      guard index < options.meshes else { continue }
      followers[index] = Follower()
      if try findMesh(frame, Mesh.crop(of: detection), slot: index) {
        var face = output.faces[index]
        try measure(frame, index, &face, at: .zero)
        face.gender = followers[index].gender.gender
        output.faces[index] = face
        output.slots[index] = index
      }
    }
  }

  private mutating func findMesh(
    _ frame: borrowing FrameView, _ region: CropRegion, slot: Int
  ) throws(ImagingError) -> Bool {
    let points = meshOfSlot(slot)
    let mesh = Span(_unsafeElements: UnsafeBufferPointer(points))
    let first = try findPoints(frame, region, into: points)
    guard first >= Self.leastPresence, Mesh.isUsable(mesh) else { return false }
    let second = try findPoints(frame, Mesh.crop(of: mesh), into: points)
    return second >= Self.leastPresence && Mesh.isUsable(mesh)
  }

  // MARK: - What a mesh tells

  /// Fills in all that comes from the believed mesh of a slot.
  private mutating func measure(
    _ frame: borrowing FrameView, _ slot: Int, _ face: inout Face, at time: Instant
  ) throws(ImagingError) {
    let mesh = Span(_unsafeElements: UnsafeBufferPointer(meshOfSlot(slot)))
    let solver = PoseSolver(width: Float(frame.width), height: Float(frame.height))
    guard let head = solver.solve(mesh) else { return }
    let pose = head.pose
    face.pose = followers[slot].smoothing.smooth(pose, at: time)
    followers[slot].relief.add(mesh, head, solver)
    if options.landmarks {
      let eyeDistance = Mesh.distance(mesh, MeshPoint.leftEyeOuter, MeshPoint.rightEyeOuter)
      face.landmarks = FaceLandmarks(mesh: mesh)
      face.eyeDistance = eyeDistance
      face.mouthOpening =
        Mesh.distance(mesh, MeshPoint.upperLipBottom, MeshPoint.lowerLipTop) / eyeDistance
    }
    guard options.classification else { return }
    let start = now()
    try attributes.classify(frame, mesh, &face)
    if !options.tracking || followers[slot].gender.wantsSample(pose) {
      if let margin = try attributes.gender(frame, mesh) {
        followers[slot].gender.add(margin: margin)
      }
    }
    work.attributeRuns += 1
    work.attributes += now() - start
  }

  /// Turns the finished faces into those of the looking glass.
  private mutating func mirrorOutput(width: Float) {
    for index in 0..<output.count {
      output.faces[index].mirror(width: width)
      let slot = output.slots[index]
      guard slot >= 0 else { continue }
      let points = meshOfSlot(slot)
      for place in points.indices { points[place].x = width - points[place].x }
    }
  }
}
