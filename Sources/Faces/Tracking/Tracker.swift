import Imaging

/// One followed face.
struct Track: Equatable {
  /// 0 until the face is confirmed.
  var id: UInt32 = 0
  /// Where it was last found, not smoothed.
  var box: Rect
  /// Of the detector or the mesh, whichever found it last.
  var score: Float
  /// Found in the present frame.
  var isSeen = false
  /// Found in the present frame by a mesh that is not sure: the detector's box is the better one.
  var isWeak = false
  /// Found in the present frame by the detector.
  var isDetected = false
  /// Whether it was found, a bit a frame, the last frame lowest.
  var history: UInt32 = 0
  /// Frames since it was last found.
  var unseenFrames = 0
  /// Runs of the detector since the last one that found it.
  var detectorMisses = 0
  /// Frames since it was first found, that one included.
  var age = 0

  init(box: Rect, score: Float) {
    self.box = box
    self.score = score
  }

  var isConfirmed: Bool { id != 0 }
}

/// Follows faces from frame to frame by their boxes. Pure: boxes in, tracks out.
///
/// A frame is: ``beginFrame()``, then ``follow(_:box:score:)`` for every track whose mesh was
/// found, ``match(_:)`` if the detector ran, ``endFrame()``. Tracks live in slots that keep their
/// number, so that others can keep things beside them.
struct Tracker {
  static let capacity = 8
  /// Least overlap of a face with itself one frame later.
  static let leastOverlap: Float = 0.3
  /// Most by which a face's size, or its height over its width, changes from one frame to the next.
  static let mostChange: Float = 1.6
  /// Two tracks that overlap more are one face.
  static let mostOverlap: Float = 0.5

  let framesToAppear: Int
  let appearWindow: Int
  let framesToLose: Int

  private var slots = InlineArray<8, Track?>(repeating: nil)
  private var nextID: UInt32 = 1

  init(_ options: FaceOptions) {
    appearWindow = max(1, min(32, options.appearWindow))
    framesToAppear = max(1, min(appearWindow, options.framesToAppear))
    framesToLose = max(1, options.framesToLose)
  }

  subscript(slot: Int) -> Track? { slots[slot] }

  /// Whether the detector must look at this frame: nobody is followed, or somebody whom the mesh
  /// did not find for sure, or who is not confirmed, or whom the detector did not find when it last
  /// ran.
  var needsDetector: Bool {
    var followed = 0
    for slot in 0..<Self.capacity {
      guard let track = slots[slot] else { continue }
      if !track.isSeen || track.isWeak || !track.isConfirmed || track.detectorMisses > 0 {
        return true
      }
      followed += 1
    }
    return followed == 0
  }

  /// Forgets all tracks; IDs go on.
  mutating func endAll() {
    for slot in 0..<Self.capacity { slots[slot] = nil }
  }

  mutating func beginFrame() {
    for slot in 0..<Self.capacity {
      guard var track = slots[slot] else { continue }
      track.isSeen = false
      track.isWeak = false
      track.isDetected = false
      slots[slot] = track
    }
  }

  /// The mesh found the face of a slot at `box`. False, and nothing changes, if that is a jump.
  mutating func follow(_ slot: Int, box: Rect, score: Float, isWeak: Bool = false) -> Bool {
    guard var track = slots[slot], Self.continues(track.box, box) else { return false }
    track.box = box
    track.score = score
    track.isSeen = true
    track.isWeak = isWeak
    slots[slot] = track
    return true
  }

  /// Puts the detector's faces to the tracks, nearest pairs first, and starts tracks for the rest.
  ///
  /// With all slots taken, a new face takes the place of one that is not confirmed, or is left out.
  /// - Parameter leastWidth: of a face that starts a track. One that is followed may be smaller by
  ///   a quarter, so that it does not come and go at the limit.
  /// - Returns: for each slot, which detection is its face; -1 for none.
  mutating func match(
    _ detections: borrowing DetectionList, leastWidth: Float = 0
  ) -> InlineArray<8, Int> {
    var faceOfSlot = InlineArray<8, Int>(repeating: -1)
    var isTaken = InlineArray<64, Bool>(repeating: false)
    while true {
      var best = (slot: -1, detection: -1, overlap: Float(0))
      for slot in 0..<Self.capacity where faceOfSlot[slot] < 0 {
        guard let track = slots[slot] else { continue }
        for index in 0..<detections.count where !isTaken[index] {
          let box = detections[index].box
          let overlap = track.box.overlap(box)
          if overlap > best.overlap, box.width >= 0.75 * leastWidth,
            Self.continues(track.box, box)
          {
            best = (slot, index, overlap)
          }
        }
      }
      guard best.slot >= 0, var track = slots[best.slot] else { break }
      faceOfSlot[best.slot] = best.detection
      isTaken[best.detection] = true
      if !track.isSeen || track.isWeak {
        track.box = detections[best.detection].box
        track.score = detections[best.detection].score
        track.isSeen = true
      }
      track.isDetected = true
      slots[best.slot] = track
    }
    for index in 0..<detections.count where !isTaken[index] {
      let detection = detections[index]
      guard detection.box.width >= leastWidth else { continue }
      endTracks(replacedBy: detection.box)
      guard !isCovered(detection.box), let slot = slotForNewTrack() else { continue }
      var track = Track(box: detection.box, score: detection.score)
      track.isSeen = true
      track.isDetected = true
      slots[slot] = track
      faceOfSlot[slot] = index
    }
    for slot in 0..<Self.capacity {
      guard var track = slots[slot] else { continue }
      track.detectorMisses = track.isDetected ? 0 : track.detectorMisses + 1
      slots[slot] = track
    }
    return faceOfSlot
  }

  /// Counts: confirms, loses and forgets.
  mutating func endFrame() {
    dropDoubles()
    for slot in 0..<Self.capacity {
      guard var track = slots[slot] else { continue }
      // What the detector has not seen for long is a mesh that sees faces in the wall-paper.
      if track.detectorMisses >= framesToLose { track.isSeen = false }
      // Before it is confirmed, only the detector's word counts.
      let counts = track.isConfirmed ? track.isSeen : track.isDetected
      track.age += 1
      track.history = track.history << 1 | (counts ? 1 : 0)
      track.unseenFrames = track.isSeen ? 0 : track.unseenFrames + 1
      if track.isConfirmed {
        slots[slot] = track.unseenFrames >= framesToLose ? nil : track
        continue
      }
      let window: UInt32 = appearWindow == 32 ? .max : 1 << UInt32(appearWindow) - 1
      let found = (track.history & window).nonzeroBitCount
      if found >= framesToAppear {
        track.id = nextID
        // At a new face every frame it would take years until an ID came back.
        nextID = nextID == .max ? 1 : nextID + 1
      }
      let missedInARow = track.history.trailingZeroBitCount
      let isHopeless = !track.isConfirmed && missedInARow > appearWindow - framesToAppear
      slots[slot] = isHopeless ? nil : track
    }
  }

  /// Whether `after` can be the face that was at `before` a frame ago.
  static func continues(_ before: Rect, _ after: Rect) -> Bool {
    guard before.area > 0, after.area > 0, before.overlap(after) >= leastOverlap else {
      return false
    }
    let size = (after.area / before.area).squareRoot()
    let shape = (after.height * before.width) / (after.width * before.height)
    return isSmall(size) && isSmall(shape)
  }

  private static func isSmall(_ ratio: Float) -> Bool {
    ratio <= mostChange && ratio >= 1 / mostChange
  }

  /// A face that jumped in size or shape where it was: the old track ends at once.
  private mutating func endTracks(replacedBy box: Rect) {
    for slot in 0..<Self.capacity {
      guard let track = slots[slot], !track.isSeen else { continue }
      if track.box.overlap(box) >= Self.leastOverlap { slots[slot] = nil }
    }
  }

  /// Whether a followed face is already there.
  private func isCovered(_ box: Rect) -> Bool {
    for slot in 0..<Self.capacity {
      guard let track = slots[slot], track.isSeen else { continue }
      if track.box.overlap(box) > Self.mostOverlap { return true }
    }
    return false
  }

  private func slotForNewTrack() -> Int? {
    var unconfirmed: Int?
    for slot in 0..<Self.capacity {
      guard let track = slots[slot] else { return slot }
      if !track.isConfirmed, !track.isSeen { unconfirmed = slot }
    }
    return unconfirmed
  }

  /// Two meshes may end on one face: the older track keeps it.
  private mutating func dropDoubles() {
    for slot in 0..<Self.capacity {
      guard let track = slots[slot], track.isSeen else { continue }
      for other in 0..<Self.capacity where other != slot {
        guard let older = slots[other], older.isSeen,
          older.age > track.age || (older.age == track.age && other < slot),
          older.box.overlap(track.box) > Self.mostOverlap
        else { continue }
        slots[slot] = nil
        break
      }
    }
  }
}
