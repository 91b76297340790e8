import Imaging
import Platform
import Testing

@testable import Faces

@Suite struct TrackerTests {
  static let home = Rect(x: 100, y: 80, width: 60, height: 80)

  static func moved(_ box: Rect, x: Float = 0, y: Float = 0, scale: Float = 1) -> Rect {
    Rect(
      x: box.x + x + box.width * (1 - scale) / 2, y: box.y + y + box.height * (1 - scale) / 2,
      width: box.width * scale, height: box.height * scale)
  }

  /// One frame in which the detector ran; returns the IDs of the confirmed tracks seen, in order.
  @discardableResult
  static func frame(_ tracker: inout Tracker, _ boxes: [Rect]) -> [UInt32] {
    tracker.beginFrame()
    var detections = DetectionList()
    for box in boxes { detections.insert(detection(box)) }
    _ = tracker.match(detections)
    tracker.endFrame()
    return seen(tracker)
  }

  /// One frame in which the meshes were found where `boxes` says, by slot, and the detector slept.
  static func meshFrame(_ tracker: inout Tracker, _ boxes: [Int: Rect]) -> [Bool] {
    tracker.beginFrame()
    let found = boxes.sorted { $0.key < $1.key }.map {
      tracker.follow($0.key, box: $0.value, score: 0.9)
    }
    tracker.endFrame()
    return found
  }

  static func detection(_ box: Rect, score: Float = 0.9) -> Detection {
    Detection(box: box, score: score, rightEye: box.center, leftEye: box.center)
  }

  static func tracks(_ tracker: Tracker) -> [Track] {
    (0..<Tracker.capacity).compactMap { tracker[$0] }
  }

  static func seen(_ tracker: Tracker) -> [UInt32] {
    tracks(tracker).filter { $0.isConfirmed && $0.isSeen }.map(\.id).sorted()
  }

  static func options(_ change: (inout FaceOptions) -> Void = { _ in }) -> FaceOptions {
    var options = FaceOptions()
    change(&options)
    return options
  }

  @Test func appearsInNOfMFrames() {
    var tracker = Tracker(FaceOptions())
    #expect(Self.frame(&tracker, [Self.home]) == [])
    #expect(Self.frame(&tracker, []) == [])
    #expect(Self.frame(&tracker, [Self.home]) == [])
    #expect(Self.frame(&tracker, []) == [])
    #expect(Self.frame(&tracker, [Self.home]) == [1])

    // Two of five are too few, however often it is tried.
    var other = Tracker(FaceOptions())
    for _ in 0..<20 {
      for found in [true, false, false, true, false] {
        #expect(Self.frame(&other, found ? [Self.home] : []) == [])
      }
    }
  }

  @Test func isLostAfterMFramesAndNotBefore() {
    let options = Self.options { $0.framesToLose = 7 }
    var tracker = Tracker(options)
    for _ in 0..<3 { Self.frame(&tracker, [Self.home]) }
    for gap in 1...6 {
      #expect(Self.frame(&tracker, []) == [])
      #expect(Self.tracks(tracker).map(\.unseenFrames) == [gap])
    }
    #expect(Self.frame(&tracker, [Self.home]) == [1])
    for _ in 1...6 { Self.frame(&tracker, []) }
    #expect(Self.tracks(tracker).count == 1)
    Self.frame(&tracker, [])
    #expect(Self.tracks(tracker).isEmpty)
    #expect(tracker.needsDetector)
  }

  @Test func neverUsesAnIDTwice() {
    var tracker = Tracker(Self.options { $0.framesToLose = 2 })
    var given: [UInt32] = []
    var random = RandomSource(seed: 4)
    for _ in 0..<200 {
      let boxes = (0..<random.below(6)).map { i in
        Self.moved(Self.home, x: Float(i * 90), y: Float(random.below(4)))
      }
      for _ in 0..<3 { Self.frame(&tracker, boxes) }
      let ids = Self.seen(tracker)
      #expect(Set(ids).isSubset(of: Set(given)) || ids.contains { !given.contains($0) })
      for id in ids where !given.contains(id) {
        #expect(id > (given.max() ?? 0))
        given.append(id)
      }
      for _ in 0..<random.below(4) { Self.frame(&tracker, []) }
    }
    #expect(given.count > 100)
  }

  @Test func keepsItsIDWhileItMoves() {
    var tracker = Tracker(FaceOptions())
    var random = RandomSource(seed: 5)
    var box = Self.home
    for step in 0..<500 {
      box = Self.moved(
        box, x: .random(in: -12...13, using: &random), y: .random(in: -10...10, using: &random),
        scale: .random(in: 0.93...1.07, using: &random))
      box.width = max(30, min(200, box.width))
      box.height = box.width * 1.3
      let ids = Self.frame(&tracker, [box])
      if step >= 2 { #expect(ids == [1]) }
    }
  }

  @Test(
    arguments: [
      moved(home, x: 50), moved(home, y: -70), moved(home, scale: 1.75), moved(home, scale: 0.55),
      Rect(x: 100, y: 80, width: 60, height: 40),
    ])
  func aJumpIsANewFace(to box: Rect) {
    var tracker = Tracker(FaceOptions())
    for _ in 0..<5 { Self.frame(&tracker, [Self.home]) }
    #expect(Self.frame(&tracker, [box]) == [])
    Self.frame(&tracker, [box])
    #expect(Self.frame(&tracker, [box]) == [2])
  }

  @Test func aJumpInPlaceOfTheMeshIsRefused() throws {
    var tracker = Tracker(FaceOptions())
    for _ in 0..<5 { Self.frame(&tracker, [Self.home]) }
    #expect(Self.meshFrame(&tracker, [0: Self.moved(Self.home, x: 5)]) == [true])
    #expect(Self.meshFrame(&tracker, [0: Self.moved(Self.home, x: 60)]) == [false])
    let track = try #require(tracker[0])
    #expect(track.box == Self.moved(Self.home, x: 5))
    #expect(track.unseenFrames == 1)
    #expect(tracker.needsDetector)
  }

  @Test func aFaceThatJumpedInSizeEndsTheOldTrackAtOnce() {
    var tracker = Tracker(FaceOptions())
    for _ in 0..<5 { Self.frame(&tracker, [Self.home]) }
    Self.frame(&tracker, [Self.moved(Self.home, scale: 1.7)])
    #expect(Self.tracks(tracker).map(\.isConfirmed) == [false])
  }

  @Test func crossingFacesKeepTheirIDs() {
    var tracker = Tracker(FaceOptions())
    var left = Self.home
    var right = Self.moved(Self.home, x: 200, y: 50)
    for _ in 0..<5 { Self.frame(&tracker, [left, right]) }
    #expect(Self.seen(tracker) == [1, 2])
    let idOfLeft = Self.tracks(tracker).first { $0.box == left }?.id
    for _ in 0..<20 {
      left.x += 10
      right.x -= 10
      Self.frame(&tracker, [left, right])
    }
    #expect(Self.seen(tracker) == [1, 2])
    #expect(Self.tracks(tracker).first { $0.box == left }?.id == idOfLeft)
  }

  @Test func theMeshHoldsAFaceUntilTheDetectorDoubtsIt() {
    var tracker = Tracker(FaceOptions())
    for _ in 0..<3 { Self.frame(&tracker, [Self.home]) }
    for _ in 0..<100 { _ = Self.meshFrame(&tracker, [0: Self.home]) }
    #expect(Self.seen(tracker) == [1])
    #expect(!tracker.needsDetector)
    // From here on the detector looks and sees nothing.
    for frame in 1... {
      tracker.beginFrame()
      let held = tracker.follow(0, box: Self.home, score: 0.9)
      #expect(held)
      _ = tracker.match(DetectionList())
      tracker.endFrame()
      #expect(tracker[0] == nil || tracker.needsDetector)
      if tracker[0] == nil {
        #expect(frame == 2 * FaceOptions().framesToLose - 1)
        break
      }
      #expect(frame < 100)
    }
  }

  @Test func twoMeshesOnOneFaceBecomeOne() {
    var tracker = Tracker(FaceOptions())
    let other = Self.moved(Self.home, x: 65)
    Self.frame(&tracker, [Self.home])
    for _ in 0..<4 { Self.frame(&tracker, [Self.home, other]) }
    #expect(Self.seen(tracker) == [1, 2])
    _ = Self.meshFrame(&tracker, [0: Self.home, 1: Self.moved(Self.home, x: 35)])
    _ = Self.meshFrame(&tracker, [0: Self.home, 1: Self.moved(Self.home, x: 10)])
    #expect(Self.seen(tracker) == [1])
  }

  @Test func withAllSlotsTakenConfirmedFacesStay() {
    var tracker = Tracker(FaceOptions())
    let boxes = (0..<12).map { Self.moved(Self.home, x: Float($0 * 90)) }
    for _ in 0..<5 { Self.frame(&tracker, Array(boxes[..<8])) }
    #expect(Self.seen(tracker) == Array(1...8))
    for _ in 0..<5 { Self.frame(&tracker, boxes) }
    #expect(Self.seen(tracker) == Array(1...8))
  }

  @Test func oneEuroIsSteadyAtRestAndNearInMotion() {
    let tuning = OneEuroFilter.Tuning(atRest: 1.5, perSpeed: 0.06)
    var random = RandomSource(seed: 6)
    var rest = OneEuroFilter(10)
    var worst: Float = 0
    for _ in 0..<300 {
      rest.update(10 + .random(in: -1...1, using: &random), after: 1 / 30, tuning)
      worst = max(worst, abs(rest.value - 10))
    }
    #expect(worst < 0.7)
    // 150 degrees a second: less than one frame behind once it moves.
    var motion = OneEuroFilter(0)
    for step in 1...15 { motion.update(Float(step) * 5, after: 1 / 30, tuning) }
    #expect(75 - motion.value < 5)
  }
}

@Suite struct DetectionListTests {
  @Test func keepsTheBestInOrder() {
    var random = RandomSource(seed: 11)
    var list = DetectionList()
    var all: [Float] = []
    for _ in 0..<500 {
      let score = Float(random.below(1000)) / 1000
      all.append(score)
      list.insert(TrackerTests.detection(TrackerTests.home, score: score))
      let kept = (0..<list.count).map { list[$0].score }
      #expect(kept == Array(all.sorted(by: >).prefix(DetectionList.capacity)))
    }
  }

  @Test func overlapsLoseToTheBest() {
    var list = DetectionList()
    let home = TrackerTests.home
    list.insert(TrackerTests.detection(TrackerTests.moved(home, x: 5), score: 0.7))
    list.insert(TrackerTests.detection(home, score: 0.9))
    list.insert(TrackerTests.detection(TrackerTests.moved(home, x: 300), score: 0.65))
    list.insert(TrackerTests.detection(TrackerTests.moved(home, y: 9), score: 0.8))
    list.suppressOverlaps(above: 0.3)
    #expect((0..<list.count).map { list[$0].score } == [0.9, 0.65])
  }
}
