import Faces
import Platform

/// Tells what a face does, frame by frame, against its own neutral face. The liveness machine has
/// one; on its own it serves statistics.
public struct GestureDetector: Sendable {
  /// What a frame may do to the neutral face.
  enum Learning {
    /// It is the median of the latest frames.
    case settling
    /// It follows slowly.
    case following
    case frozen
  }

  /// Frames further apart than this have nothing to do with each other.
  static let longestGap: Duration = .milliseconds(500)
  /// A gesture that lasts longer is how the person holds the head now.
  static let longestGesture: Duration = .seconds(10)

  let options: LivenessOptions
  private(set) var track: UInt32?
  private(set) var neutral = NeutralFace()
  private(set) var blinks: BlinkDetector
  private var holds = InlineArray<6, GestureHold>(repeating: GestureHold())
  private var lastTime: Instant?
  private var settled = 0

  /// What the face does in the latest frame; nil without a face.
  public private(set) var reading: GestureReading?
  /// The blink that ended with the latest frame.
  private(set) var blink: BlinkDetector.Blink?

  public init(options: LivenessOptions = LivenessOptions()) {
    self.options = options
    blinks = BlinkDetector(options.blink)
  }

  /// Takes the next frame. The neutral face is the median of the face's first frames and follows
  /// slowly afterwards, except in what a gesture takes part in.
  /// - Parameter face: the face in question; nil when there is none. Another track starts anew.
  public mutating func process(_ observation: Observation, face: Face?) -> GestureEvents {
    let learning: Learning = settled < NeutralMeasure.window ? .settling : .following
    return process(observation, face: face, learning: learning)
  }

  mutating func process(
    _ observation: Observation, face: Face?, learning: Learning
  ) -> GestureEvents {
    var events = GestureEvents()
    let time = observation.time
    let gap = lastTime.map { time - $0 } ?? .zero
    lastTime = time
    if face?.track != track || gap < .zero || gap > Self.longestGap {
      endAll(&events)
      blinks = BlinkDetector(options.blink)
    }
    if let face, face.track != track {
      track = face.track
      forgetNeutral()
    }
    guard let face else {
      track = nil
      reading = nil
      blink = nil
      return events
    }

    let measured = FaceMeasures(face, observation, options)
    if learning == .settling && isFrontal(face) {
      neutral.settle(measured)
      settled += 1
    }
    let current = neutral.read(measured, options)
    if learning == .following { neutral.follow(measured, current, after: gap.inSeconds) }
    reading = current

    let isUnseen = face.unseenFrames > 0
    var isStuck = false
    for index in 0..<Gesture.heldCount {
      guard let gesture = Gesture(rawValue: UInt8(index)) else { continue }
      let change = holds[index].update(
        current.strength(of: gesture), staysUnseen: gesture.isTurn && !isUnseen, at: time, options)
      Self.report(change, of: gesture, &events)
      if let since = holds[index].since, time.isAtLeast(Self.longestGesture, after: since) {
        isStuck = true
      }
    }
    if isStuck && learning == .following { forgetNeutral() }

    blink = blinks.process(left: current.leftEyeOpen, right: current.rightEyeOpen, at: time)
    if let blink {
      events.append(.ended(.blink, since: blink.since, duration: blink.duration, held: true))
    }
    return events
  }

  /// Whether `gesture` goes on and has lasted long enough to count.
  public func isHeld(_ gesture: Gesture) -> Bool { hold(gesture)?.isHeld ?? false }

  /// When the gesture that goes on began.
  func since(_ gesture: Gesture) -> Instant? {
    gesture == .blink ? blinks.since : hold(gesture)?.since
  }

  /// The neutral face is learned anew.
  mutating func forgetNeutral() {
    neutral = NeutralFace()
    settled = 0
  }

  private func hold(_ gesture: Gesture) -> GestureHold? {
    gesture == .blink ? nil : holds[Int(gesture.rawValue)]
  }

  private mutating func endAll(_ events: inout GestureEvents) {
    for index in 0..<Gesture.heldCount {
      guard let gesture = Gesture(rawValue: UInt8(index)) else { continue }
      let change = holds[index].end()
      Self.report(change, of: gesture, &events)
    }
  }

  private static func report(
    _ change: GestureHold.Change, of gesture: Gesture, _ events: inout GestureEvents
  ) {
    switch change {
    case .none: break
    case .held(let since): events.append(.held(gesture, since: since))
    case .ended(let since, let duration, let held):
      events.append(.ended(gesture, since: since, duration: duration, held: held))
    }
  }

  /// Only a face that looks about straight can be the neutral one.
  private func isFrontal(_ face: Face) -> Bool {
    guard let pose = face.pose else { return false }
    return options.gates.isFrontal(pose)
  }
}
