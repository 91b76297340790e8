import Faces
import Imaging
import Liveness
import Platform
import Testing

/// A gesture detector on frames of hand-made faces.
struct Watcher {
  var detector: GestureDetector
  var mirrored = false
  var size = (width: 640, height: 480)
  var milliseconds: Double = 0
  var log: [GestureEvent] = []

  init(_ options: LivenessOptions = LivenessOptions(), mirrored: Bool = false) {
    detector = GestureDetector(options: options)
    self.mirrored = mirrored
  }

  mutating func see(_ face: Face?, after interval: Double = 40) {
    milliseconds += interval
    let observation = Observation(
      time: Instant(nanoseconds: Int64(milliseconds * 1e6)), pictureWidth: size.width,
      pictureHeight: size.height, mirrored: mirrored)
    let events = detector.process(observation, face: face)
    for index in 0..<events.count { log.append(events[index]) }
  }

  mutating func see(_ person: Person, frames: Int = 1, after interval: Double = 40) {
    for _ in 0..<frames {
      see(person.face(at: milliseconds / 1000, mirrored: mirrored), after: interval)
    }
  }

  var held: [Gesture] {
    log.compactMap { if case .held(let gesture, _) = $0 { gesture } else { nil } }
  }
}

@Suite struct GestureTests {
  private static let gestures: [(Gesture, Challenge)] = [
    (.smile, .smile), (.turnLeft, .turnLeft), (.turnRight, .turnRight), (.mouthOpen, .mouthOpen),
    (.headUp, .headUp), (.headDown, .headDown),
  ]

  /// Each gesture is seen, and nothing else, in both rule sets and both mirror states: left is the
  /// person's own left everywhere.
  @Test(arguments: GestureRules.allCases, [false, true])
  func eachGestureIsSeenAndNoOther(_ rules: GestureRules, mirrored: Bool) {
    var options = LivenessOptions()
    options.rules = rules
    for (gesture, challenge) in Self.gestures {
      var watcher = Watcher(options, mirrored: mirrored)
      var person = Person()
      watcher.see(person, frames: 20)
      for other in Gesture.allCases { #expect(watcher.detector.reading?.shows(other) == false) }
      person.perform(challenge)
      watcher.see(person, frames: 8)
      for other in Gesture.allCases {
        #expect(
          watcher.detector.reading?.shows(other) == (other == gesture), "\(gesture) and \(other)")
        #expect(watcher.detector.isHeld(other) == (other == gesture))
      }
      #expect(watcher.held == [gesture])
      watcher.see(Person(), frames: 2)
      #expect(!watcher.detector.isHeld(gesture))
    }
  }

  /// In an unmirrored picture the person's own left is at the picture's right, where yaw is positive.
  @Test func sidesFollowTheMirror() {
    for mirrored in [false, true] {
      for yaw: Float in [-25, 25] {
        var watcher = Watcher(mirrored: mirrored)
        watcher.see(Person(), frames: 10)
        var face = Person().face(at: 0, mirrored: mirrored)
        face.pose = Pose(pitch: 0, yaw: yaw, roll: 0)
        watcher.see(face)
        let isLeft = (yaw > 0) != mirrored
        #expect(watcher.detector.reading?.shows(.turnLeft) == isLeft)
        #expect(watcher.detector.reading?.shows(.turnRight) == !isLeft)
      }
    }
  }

  @Test func poseThresholdsAreDifferencesToTheNeutralFace() throws {
    var neutral = Person()
    neutral.left = 6
    neutral.up = -8
    neutral.smile = 0.2
    neutral.mouth = 0.04
    func strength(_ gesture: Gesture, _ change: (inout Person) -> Void) throws -> Float {
      var watcher = Watcher()
      watcher.see(neutral, frames: 20)
      var person = neutral
      change(&person)
      watcher.see(person)
      return try #require(watcher.detector.reading?.strength(of: gesture))
    }
    #expect(try abs(strength(.turnLeft) { $0.left += 20 } - 1) < 1e-3)
    #expect(try abs(strength(.turnLeft) { $0.left += 10 } - 0.5) < 1e-3)
    #expect(try abs(strength(.turnRight) { $0.left -= 20 } - 1) < 1e-3)
    #expect(try abs(strength(.headUp) { $0.up += 15 } - 1) < 1e-3)
    #expect(try abs(strength(.headDown) { $0.up -= 15 } - 1) < 1e-3)
    #expect(try abs(strength(.smile) { $0.smile += 0.4 } - 1) < 1e-3)
    #expect(try abs(strength(.mouthOpen) { $0.mouth += 0.22 } - 1) < 1e-2)
    // A turned face shows its eyes closer together; its mouth opens no wider for that.
    #expect(try abs(strength(.mouthOpen) { $0.left += 25 }) < 0.01)
  }

  /// Somebody who laughs or gapes from the start has to stop before it counts as beginning.
  @Test func aNeutralFaceDoesNotLaugh() {
    var person = Person()
    person.smile = 0.9
    person.mouth = 0.5
    var watcher = Watcher()
    watcher.see(person, frames: 20)
    #expect(watcher.detector.reading?.shows(.smile) == true)
    #expect(watcher.detector.reading?.shows(.mouthOpen) == true)
  }

  /// A face by the book's numbers: a view of the picture's own size, all places in whole points.
  private func bookReading(
    mirrored: Bool = false, size: (width: Int, height: Int) = (375, 667), scale: Float = 1,
    _ change: (inout FaceLandmarks, inout Face) -> Void
  ) -> GestureReading? {
    var options = LivenessOptions()
    options.rules = .book
    var landmarks = FaceLandmarks(repeating: Point(x: 180, y: 300))
    landmarks.leftEye = Point(x: mirrored ? 150 : 210, y: 250)
    landmarks.rightEye = Point(x: mirrored ? 210 : 150, y: 250)
    landmarks.noseBase = Point(x: 180, y: 300)
    landmarks.leftCheek = Point(x: mirrored ? 140 : 220, y: 330)
    landmarks.rightCheek = Point(x: mirrored ? 220 : 140, y: 330)
    landmarks.upperLipBottom = Point(x: 180, y: 340)
    landmarks.lowerLipTop = Point(x: 180, y: 340)
    var face = Person().face(at: 0, mirrored: mirrored)
    func scaled(_ marks: FaceLandmarks) -> FaceLandmarks {
      var result = marks
      for path in [
        \FaceLandmarks.leftEye, \.rightEye, \.noseBase, \.leftCheek, \.rightCheek,
        \.upperLipBottom, \.lowerLipTop,
      ] { result[keyPath: path] = marks[keyPath: path] * (1 / scale) }
      return result
    }
    var watcher = Watcher(options, mirrored: mirrored)
    watcher.size = size
    face.landmarks = scaled(landmarks)
    for _ in 0..<20 { watcher.see(face) }
    change(&landmarks, &face)
    face.landmarks = scaled(landmarks)
    watcher.see(face)
    return watcher.detector.reading
  }

  @Test func theBooksNumbers() {
    // (nose.x − cheek.x at the view's left) − (cheek.x at the right − nose.x) = 2 · shift.
    for mirrored in [false, true] {
      for (shift, shows) in [(9.5, false), (10.5, true)] as [(Float, Bool)] {
        let right = bookReading(mirrored: mirrored) { marks, _ in marks.noseBase.x += shift }
        #expect(right?.shows(mirrored ? .turnRight : .turnLeft) == shows)
        #expect(right?.shows(mirrored ? .turnLeft : .turnRight) == false)
        let left = bookReading(mirrored: mirrored) { marks, _ in marks.noseBase.x -= shift }
        #expect(left?.shows(mirrored ? .turnLeft : .turnRight) == shows)
        #expect(left?.shows(mirrored ? .turnRight : .turnLeft) == false)
      }
    }
    for (below, shows) in [(23.5, true), (24.5, false)] as [(Float, Bool)] {
      let reading = bookReading { marks, _ in marks.noseBase.y = marks.leftEye.y + below }
      #expect(reading?.shows(.headUp) == shows)
    }
    for (below, shows) in [(0.5, true), (-0.5, false)] as [(Float, Bool)] {
      let reading = bookReading { marks, _ in marks.noseBase.y = marks.rightCheek.y + below }
      #expect(reading?.shows(.headDown) == shows)
    }
    for (gap, shows) in [(18.5, true), (17.5, false)] as [(Float, Bool)] {
      let reading = bookReading { marks, _ in marks.lowerLipTop.y += gap }
      #expect(reading?.shows(.mouthOpen) == shows)
    }
    for (smile, shows) in [(0.305, true), (0.295, false)] as [(Float, Bool)] {
      let reading = bookReading { _, face in face.smilingProbability = smile }
      #expect(reading?.shows(.smile) == shows)
    }
  }

  /// Aspect fill: the larger of both scales, as the picture must cover the view.
  @Test func theBooksViewScalesThePicture() {
    for (size, scale) in [
      ((width: 640, height: 480), 667.0 / 480), ((width: 480, height: 640), 667.0 / 640),
      ((width: 100, height: 667), 3.75),
    ] as [((width: Int, height: Int), Float)] {
      for (shift, shows) in [(9.5, false), (10.5, true)] as [(Float, Bool)] {
        let reading = bookReading(size: size, scale: scale) { marks, _ in
          marks.noseBase.x += shift
        }
        #expect(reading?.shows(.turnLeft) == shows)
      }
    }
  }

  @Test(arguments: [(199.0, false), (200.0, true)])
  func holdTime(_ milliseconds: Double, counts: Bool) {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 25
    watcher.see(person)
    watcher.see(person, after: milliseconds / 2)
    watcher.see(person, after: milliseconds / 2)
    #expect(watcher.detector.isHeld(.turnLeft) == counts)
    #expect(watcher.held == (counts ? [.turnLeft] : []))
  }

  @Test(arguments: [(2, false), (3, true)])
  func holdFrames(_ frames: Int, counts: Bool) {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 25
    watcher.see(person, frames: frames, after: 210)
    #expect(watcher.detector.isHeld(.turnLeft) == counts)
  }

  /// Time stamps of 15 frames a second are cut to nanoseconds: three intervals are 199.999998 ms.
  @Test func threeIntervalsOfFifteenFramesAreTwoHundredMilliseconds() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 25
    watcher.see(person, frames: 4, after: 66.666_666)
    #expect(watcher.detector.isHeld(.turnLeft))
  }

  @Test func aTrembleAtTheThresholdIsOneGesture() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    for frame in 0..<20 {
      person.left = frame % 2 == 0 ? 20.5 : 17.5
      watcher.see(person)
    }
    #expect(watcher.held == [.turnLeft])
    person.left = 16.5
    watcher.see(person)
    #expect(!watcher.detector.isHeld(.turnLeft))
  }

  @Test func gesturesTellTheirLength() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.smile = 0.9
    watcher.see(person, frames: 10)
    watcher.see(Person())
    let start = Instant(nanoseconds: 21 * 40_000_000)
    #expect(
      watcher.log == [
        .held(.smile, since: start),
        .ended(.smile, since: start, duration: .milliseconds(360), held: true),
      ])
  }

  /// The mesh is lost in profile, the detector keeps the face: the turn goes on.
  @Test func aTurnGoesOnInProfile() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 22
    watcher.see(person)
    person.hasMesh = false
    watcher.see(person, frames: 5)
    #expect(watcher.detector.isHeld(.turnLeft))
    watcher.see(Person())
    #expect(!watcher.detector.isHeld(.turnLeft))
  }

  /// A mesh that is lost before the threshold, a smile without one, and a face that nobody sees prove
  /// nothing.
  @Test func onlyATurnBeyondItsThresholdGoesOnUnseen() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 19
    watcher.see(person)
    person.hasMesh = false
    watcher.see(person, frames: 20)
    #expect(watcher.log.isEmpty)

    watcher.see(Person(), frames: 3)
    person = Person()
    person.smile = 0.95
    watcher.see(person)
    person.hasMesh = false
    watcher.see(person, frames: 20)
    #expect(watcher.held.isEmpty)

    watcher.see(Person(), frames: 3)
    person = Person()
    person.left = 25
    watcher.see(person)
    person.unseenFrames = 1
    watcher.see(person, frames: 20)
    #expect(watcher.held.isEmpty)
  }

  /// One or two frames without a mesh neither count nor end a gesture.
  @Test func shortBlindnessIsBridged() {
    var watcher = Watcher()
    var smiling = Person()
    watcher.see(smiling, frames: 20)
    smiling.smile = 0.95
    var blind = smiling
    blind.hasMesh = false
    watcher.see(smiling)
    watcher.see(blind, frames: 2, after: 100)
    watcher.see(smiling, after: 100)
    #expect(!watcher.detector.isHeld(.smile))
    watcher.see(smiling)
    #expect(watcher.detector.isHeld(.smile))
    watcher.see(blind, frames: 3)
    #expect(!watcher.detector.isHeld(.smile))
  }

  @Test func aGapInTimeEndsEverything() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 25
    watcher.see(person, frames: 2)
    watcher.see(person, after: 501)
    #expect(!watcher.detector.isHeld(.turnLeft))
    watcher.see(person, after: 150)
    watcher.see(person, after: 50)
    #expect(watcher.detector.isHeld(.turnLeft))
  }

  @Test func anotherTrackStartsAnew() {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 14
    person.track = 2
    watcher.see(person, frames: 2)
    #expect(watcher.detector.reading?.turnLeft == nil)
    watcher.see(person)
    #expect(watcher.detector.reading?.turnLeft == 0)
  }

  /// A face that was not found in this frame says nothing, whatever it still carries.
  @Test func whatAnUnseenFaceCarriesIsNotJudged() {
    var watcher = Watcher()
    watcher.see(Person(), frames: 20)
    var person = Person()
    person.left = 30
    var stale = person.face(at: 0, mirrored: false)
    stale.unseenFrames = 1
    for _ in 0..<10 { watcher.see(stale) }
    #expect(watcher.detector.reading?.turnLeft == nil)
    #expect(watcher.log.isEmpty)
  }

  /// Values that are no numbers are as good as absent: the neutral face comes from the others.
  @Test func noNumbersDoNotSpoilTheNeutralFace() {
    var watcher = Watcher()
    for frame in 0..<15 {
      var person = Person()
      if frame % 3 > 0 {
        person.smile = .nan
        person.mouth = .infinity
        person.leftEye = -.infinity
        person.rightEye = .nan
      }
      watcher.see(person)
    }
    watcher.see(Person())
    #expect(watcher.detector.reading?.smile == 0)
    #expect(watcher.detector.reading?.mouthOpen == 0)
    #expect(watcher.detector.reading?.leftEyeOpen == 1)
    #expect(watcher.detector.reading?.rightEyeOpen == 1)
  }

  /// The slow mean follows how a person stands, but no gesture, however long.
  @Test func theNeutralFaceFollowsSlowly() throws {
    var watcher = Watcher()
    var person = Person()
    watcher.see(person, frames: 20)
    person.left = 8
    watcher.see(person, frames: 1000)
    let settled = try #require(watcher.detector.reading?.turnLeft)
    #expect(abs(settled) < 0.05)
    person.left = 8 + 21
    watcher.see(person, frames: 200)
    let turned = try #require(watcher.detector.reading?.turnLeft)
    #expect(turned > 1)
    // Ten seconds are no gesture any more.
    watcher.see(person, frames: 60)
    #expect(!watcher.detector.isHeld(.turnLeft) || watcher.detector.reading?.turnLeft == nil)
  }
}
