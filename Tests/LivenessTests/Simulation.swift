import Faces
import Imaging
import Liveness
import Platform

/// What a made-up person does, in the person's own terms.
struct Person: Equatable {
  /// Degrees towards the own left, up, and counter-clockwise in the picture.
  var left: Float = 0
  var up: Float = 0
  var roll: Float = 0
  var smile: Float = 0.05
  /// Lips apart, in distances between the eyes.
  var mouth: Float = 0.02
  var leftEye: Float = 0.9
  var rightEye: Float = 0.9
  /// Centre of the face, and distance between the outer eye corners, in pixels.
  var center = Point(x: 320, y: 240)
  var eyeDistance: Float = 100
  var track: UInt32? = 1
  var unseenFrames = 0
  /// The mesh is lost, as in profile.
  var hasMesh = true
  var gender: Gender?
  var relief: Float?
  /// Small movements of the head, in distances between the eyes.
  var sway: Float = 0.03

  /// The face as the Faces module would give it: a head of a few points in space, turned and looked
  /// at from afar.
  func face(at seconds: Double, mirrored: Bool) -> Face {
    let drift = Point(
      x: sway * eyeDistance * sine(seconds * 2.1), y: sway * eyeDistance * sine(seconds * 1.3))
    let middle = center + drift
    let width = eyeDistance * 1.7
    var face = Face(
      box: Rect(
        x: middle.x - width / 2, y: middle.y - width * 0.6, width: width, height: width * 1.2),
      score: 0.9)
    face.trackingID = track
    face.unseenFrames = unseenFrames
    guard unseenFrames == 0 else { return face }
    face.gender = gender
    face.relief = relief
    guard hasMesh else { return face }

    let turn = left * .pi / 180
    let raise = up * .pi / 180
    // x to the own left, y up, z forwards, in distances between the eyes.
    func place(_ x: Float, _ y: Float, _ z: Float) -> Point {
      let turned = (x: x * cos(turn) + z * sin(turn), z: z * cos(turn) - x * sin(turn))
      let height = y * cos(raise) + turned.z * sin(raise)
      return Point(
        x: middle.x + (mirrored ? -turned.x : turned.x) * eyeDistance,
        y: middle.y - height * eyeDistance)
    }
    var landmarks = FaceLandmarks(repeating: middle)
    landmarks.leftEye = place(0.34, 0.2, 0)
    landmarks.rightEye = place(-0.34, 0.2, 0)
    landmarks.leftEar = place(0.75, 0, -0.7)
    landmarks.rightEar = place(-0.75, 0, -0.7)
    landmarks.leftCheek = place(0.45, -0.3, 0.05)
    landmarks.rightCheek = place(-0.45, -0.3, 0.05)
    landmarks.noseBase = place(0, -0.25, 0.35)
    landmarks.mouthLeft = place(0.27, -0.55, 0.2)
    landmarks.mouthRight = place(-0.27, -0.55, 0.2)
    landmarks.mouthBottom = place(0, -0.65 - mouth / 2, 0.2)
    landmarks.upperLipBottom = place(0, -0.55 + mouth / 2, 0.25)
    landmarks.lowerLipTop = place(0, -0.55 - mouth / 2, 0.25)
    face.landmarks = landmarks
    let seenDistance = max(0.05, cos(turn)) * eyeDistance
    face.eyeDistance = seenDistance
    face.mouthOpening = mouth * eyeDistance / seenDistance
    face.pose = Pose(pitch: up, yaw: mirrored ? -left : left, roll: roll)
    face.smilingProbability = smile
    face.leftEyeOpenProbability = leftEye
    face.rightEyeOpenProbability = rightEye
    return face
  }
}

/// Runs a liveness machine on made-up people.
final class Simulation {
  var machine: LivenessMachine
  var mirrored = false
  var size = (width: 640, height: 480)
  var framesPerSecond: Double
  var person: Person? = Person()
  var others: [Person] = []
  var quality: PictureQuality?
  var statedRate: Float?
  /// The next frame's signature; nil counts up, so that frames never repeat.
  var signature: ((_ frame: Int) -> UInt64?)?
  private(set) var frame = 0
  private(set) var milliseconds: Double = 0
  private(set) var log: [(at: Double, event: LivenessEvent)] = []
  private var plan: [(at: Double, change: (Simulation) -> Void)] = []
  /// Called with every event; may plan changes.
  var respond: (Simulation, LivenessEvent) -> Void = { _, _ in }

  init(
    _ options: LivenessOptions = .test(), framesPerSecond: Double = 30, seed: UInt64 = 1,
    lockout: LockoutState = LockoutState()
  ) throws {
    machine = try LivenessMachine(
      options: options, random: RandomSource(seed: seed), lockout: lockout)
    self.framesPerSecond = framesPerSecond
  }

  var events: [LivenessEvent] { log.map(\.event) }

  /// Changes something so many milliseconds from now, before the first frame then.
  func after(_ delay: Double, _ change: @escaping (Simulation) -> Void) {
    plan.append((milliseconds + delay, change))
  }

  /// The person does something from `delay` on, for `hold` milliseconds, and then stops.
  func act(after delay: Double, for hold: Double, _ action: @escaping (inout Person) -> Void) {
    after(delay) { $0.change(action) }
    after(delay + hold) { $0.change { $0.relax() } }
  }

  func change(_ action: (inout Person) -> Void) {
    if var changed = person {
      action(&changed)
      person = changed
    }
  }

  /// Runs frames for so many milliseconds.
  func run(_ duration: Double) {
    let end = milliseconds + duration
    while milliseconds < end { step(after: 1000 / framesPerSecond) }
  }

  /// Runs one frame, `interval` milliseconds after the last.
  func step(after interval: Double) {
    if frame > 0 { milliseconds += interval }
    for item in plan where item.at <= milliseconds + 1e-6 { item.change(self) }
    plan.removeAll { $0.at <= milliseconds + 1e-6 }
    let seconds = milliseconds / 1000
    let observation = Observation(
      time: Instant(nanoseconds: Int64(milliseconds * 1e6)), pictureWidth: size.width,
      pictureHeight: size.height, mirrored: mirrored, quality: quality,
      signature: signature.map { $0(frame) } ?? UInt64(frame) &* 0x9E37_79B9_7F4A_7C15,
      framesPerSecond: statedRate)
    let faces = ((person.map { [$0] } ?? []) + others).map {
      $0.face(at: seconds, mirrored: mirrored)
    }
    frame += 1
    let found = machine.process(observation, faces: faces.span)
    for index in 0..<found.count {
      log.append((milliseconds, found[index]))
      respond(self, found[index])
    }
  }
}

extension Person {
  /// Back to a neutral face, where the person stands.
  mutating func relax() {
    let rest = Person()
    left = rest.left
    up = rest.up
    smile = rest.smile
    mouth = rest.mouth
    leftEye = rest.leftEye
    rightEye = rest.rightEye
    hasMesh = rest.hasMesh
  }

  /// Does what a challenge asks, clearly, in both rule sets.
  mutating func perform(_ challenge: Challenge) {
    switch challenge {
    case .smile: smile = 0.95
    case .turn, .turnLeft: left = 32
    case .turnRight: left = -32
    case .mouthOpen: mouth = 0.4
    case .nod, .headDown: up = -28
    case .headUp: up = 42
    case .blink:
      leftEye = 0.05
      rightEye = 0.05
    }
  }
}

extension LivenessOptions {
  /// The defaults, asking these in this order.
  static func test(
    _ challenges: Challenge..., rules: GestureRules = .pose,
    with change: (inout LivenessOptions) -> Void = { _ in }
  ) -> LivenessOptions {
    var options = LivenessOptions()
    options.rules = rules
    options.order = .fixed
    options.challenges = ChallengeList()
    for challenge in challenges.isEmpty ? [.smile, .turnLeft, .turnRight] : challenges {
      options.challenges.append(challenge)
    }
    options.count = options.challenges.count
    change(&options)
    return options
  }
}

/// Sine and cosine by the series, so that tests need no Foundation.
func sine(_ x: Double) -> Float { sin(Float(x.truncatingRemainder(dividingBy: 2 * .pi))) }

func sin(_ x: Float) -> Float {
  let folded = x.remainder(dividingBy: 2 * .pi)
  var term = folded
  var sum = folded
  for step in 1..<10 {
    term *= -folded * folded / Float((2 * step) * (2 * step + 1))
    sum += term
  }
  return sum
}

func cos(_ x: Float) -> Float { sin(x + .pi / 2) }
