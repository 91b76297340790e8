import Faces
import Imaging
import Platform

extension Challenge {
  /// Whether doing `gesture` answers this.
  func isAnswered(by gesture: Gesture) -> Bool {
    switch self {
    case .smile: gesture == .smile
    case .turn: gesture.isTurn
    case .turnLeft: gesture == .turnLeft
    case .turnRight: gesture == .turnRight
    case .mouthOpen: gesture == .mouthOpen
    case .nod: gesture == .headUp || gesture == .headDown
    case .headUp: gesture == .headUp
    case .headDown: gesture == .headDown
    case .blink: gesture == .blink
    }
  }

  /// Whether the measures of this challenge are at rest.
  func isNeutral(_ reading: GestureReading, eyesOpen: Bool) -> Bool {
    switch self {
    case .smile: reading.isNeutral(in: .smile)
    case .turn, .turnLeft, .turnRight:
      reading.isNeutral(in: .turnLeft) && reading.isNeutral(in: .turnRight)
    case .mouthOpen: reading.isNeutral(in: .mouthOpen)
    case .nod, .headUp, .headDown:
      reading.isNeutral(in: .headUp) && reading.isNeutral(in: .headDown)
    case .blink: eyesOpen
    }
  }
}

/// One run of challenges with one face, from the first neutral face to the verdict.
struct Session {
  enum Phase: Equatable {
    /// Waiting for a neutral face; the next challenge, or the verdict, follows.
    case neutral(since: Instant)
    case asking(since: Instant)
  }

  enum Outcome: Equatable { case running, live, failed(Failure) }

  /// Frames in a row with another face that end a session.
  static let strangerFrames = 3

  let track: UInt32
  let challenges: ChallengeList
  let start: Instant
  private(set) var index = 0
  private(set) var phase: Phase
  private var neutralFrames = 0
  /// Whether anything was done that only a gesture does; blinks are none.
  private(set) var sawGesture = false
  private var strangers = 0
  private var lastBox: (box: Rect, time: Instant)?
  private var signs = SpoofSigns()

  init(track: UInt32, challenges: ChallengeList, at time: Instant) {
    self.track = track
    self.challenges = challenges
    start = time
    phase = .neutral(since: time)
  }

  /// Nothing was asked yet, so the neutral face may still settle.
  var isBeforeFirstPrompt: Bool {
    guard index == 0, case .neutral = phase else { return false }
    return true
  }

  /// What is asked for now.
  var challenge: Challenge? {
    guard case .asking = phase else { return nil }
    return challenges[index]
  }

  /// Whether a failure now is held against the door: see ``LockoutOptions``.
  func counts(_ failure: Failure) -> Bool {
    guard failure == .timeout || failure == .faceLost else { return true }
    return index > 0 || sawGesture
  }

  /// Takes the next frame; `detector` has already seen it.
  mutating func step(
    _ observation: Observation, faces: Span<Face>, detector: GestureDetector,
    repeats: RepeatWatch, still: StillWatch, _ options: LivenessOptions,
    events: inout LivenessEvents
  ) -> Outcome {
    let time = observation.time
    let face = faces.face(on: track)
    if let failure = presenceFailure(face, faces, at: time, options) { return .failed(failure) }
    if repeats.hasRepeated(for: options.spoof.repeatTime, at: time) {
      return .failed(.repeatedFrames)
    }
    signs.update(
      face, isRepeat: repeats.isRepeat, hasBlinked: detector.blink != nil,
      stillness: still.stillness, options.spoof)
    if signs.isFlat(options.spoof) { return .failed(.flatFace) }
    if still.stillness >= options.spoof.stillTime { return .failed(.stillPicture) }
    for index in 0..<Gesture.heldCount {
      if let gesture = Gesture(rawValue: UInt8(index)), detector.isHeld(gesture) {
        sawGesture = true
      }
    }
    switch phase {
    case .neutral(let since):
      return waitForNeutral(since: since, detector, at: time, options, &events)
    case .asking(let since):
      return ask(challenges[index], since: since, detector, at: time, options, &events)
    }
  }
}

// MARK: Neutral face and action
extension Session {
  private mutating func waitForNeutral(
    since: Instant, _ detector: GestureDetector, at time: Instant,
    _ options: LivenessOptions, _ events: inout LivenessEvents
  ) -> Outcome {
    neutralFrames = isNeutral(detector) ? neutralFrames + 1 : 0
    if neutralFrames >= options.neutralFrames {
      neutralFrames = 0
      guard index < challenges.count else {
        let isSuspect = signs.isSuspect(at: time, since: start, options.spoof)
        return isSuspect ? .failed(.spoofSuspected) : .live
      }
      phase = .asking(since: time)
      events.append(.prompt(challenges[index], index: index))
      return .running
    }
    return time.isAtMost(options.neutralWindow, after: since) ? .running : .failed(.timeout)
  }

  /// Everything that this session asks must be at rest, and nothing else.
  private func isNeutral(_ detector: GestureDetector) -> Bool {
    guard let reading = detector.reading else { return false }
    for index in 0..<challenges.count {
      let eyesOpen = detector.blinks.isOpen
      if !challenges[index].isNeutral(reading, eyesOpen: eyesOpen) { return false }
    }
    return true
  }

  private mutating func ask(
    _ challenge: Challenge, since prompt: Instant, _ detector: GestureDetector,
    at time: Instant, _ options: LivenessOptions, _ events: inout LivenessEvents
  ) -> Outcome {
    var isUnderWay = false
    for index in 0..<Gesture.heldCount {
      guard let gesture = Gesture(rawValue: UInt8(index)), challenge.isAnswered(by: gesture),
        let began = detector.since(gesture), began >= prompt
      else { continue }
      guard began.isAtMost(options.actionWindow, after: prompt) else { continue }
      isUnderWay = true
      guard detector.isHeld(gesture) else { continue }
      // Nobody reacts sooner: it was under way anyhow, as in a recording.
      guard began.isAtLeast(options.reactionTime, after: prompt) else { return .failed(.tooEarly) }
      return pass(challenge, prompt: prompt, at: time, &events)
    }
    if challenge == .blink {
      // A blink that is too early is one of those that come by themselves, and none that fails.
      if let blink = detector.blink, began(blink.since, inTimeAfter: prompt, options) {
        return pass(challenge, prompt: prompt, at: time, &events)
      }
      if let since = detector.blinks.since, began(since, inTimeAfter: prompt, options),
        time.isAtMost(options.blink.longest, after: since)
      {
        isUnderWay = true
      }
    }
    if isWrong(challenge, since: prompt, detector) { return .failed(.wrongAction) }
    if isUnderWay || time.isAtMost(options.actionWindow, after: prompt) { return .running }
    return .failed(.timeout)
  }

  private func began(
    _ time: Instant, inTimeAfter prompt: Instant, _ options: LivenessOptions
  ) -> Bool {
    time.isAtLeast(options.reactionTime, after: prompt)
      && time.isAtMost(options.actionWindow, after: prompt)
  }

  private mutating func pass(
    _ challenge: Challenge, prompt: Instant, at time: Instant, _ events: inout LivenessEvents
  ) -> Outcome {
    events.append(.passed(challenge, index: index, after: time - prompt))
    index += 1
    phase = .neutral(since: time)
    return .running
  }

  /// Whether something else was done, and held like an action. What began before the prompt does not
  /// count, nor what goes with the asked action: who turns far also tilts a little.
  private func isWrong(
    _ challenge: Challenge, since prompt: Instant, _ detector: GestureDetector
  ) -> Bool {
    guard let reading = detector.reading else { return false }
    for index in 0..<Gesture.heldCount {
      guard let gesture = Gesture(rawValue: UInt8(index)) else { continue }
      if challenge.isAnswered(by: gesture), let strength = reading.strength(of: gesture),
        strength > 0.5
      {
        return false
      }
    }
    for index in 0..<Gesture.heldCount {
      guard let gesture = Gesture(rawValue: UInt8(index)), !challenge.isAnswered(by: gesture),
        detector.isHeld(gesture), let began = detector.since(gesture), began >= prompt
      else { continue }
      switch gesture {
      case .smile, .blink: continue
      // Laughing opens the mouth.
      case .mouthOpen where challenge == .smile || !reading.isNeutral(in: .smile): continue
      case .mouthOpen, .turnLeft, .turnRight, .headUp, .headDown: return true
      }
    }
    return false
  }
}

// MARK: The same face, and only it
extension Session {
  private mutating func presenceFailure(
    _ face: Face?, _ faces: Span<Face>, at time: Instant, _ options: LivenessOptions
  ) -> Failure? {
    guard let face else { return faces.hasSeen(otherThan: track) ? .faceChanged : .faceLost }
    let isStranger = faces.hasSecond(to: face, share: options.gates.secondFace)
    strangers = isStranger ? strangers + 1 : 0
    if strangers >= Self.strangerFrames {
      return face.unseenFrames == 0 ? .secondFace : .faceChanged
    }
    guard face.unseenFrames == 0 else { return nil }
    defer { lastBox = (face.box, time) }
    guard let lastBox else { return nil }
    return Self.isJump(from: lastBox.box, to: face.box, in: time.seconds(after: lastBox.time))
      ? .faceChanged : nil
  }

  /// Whether a box moved or grew as no head does: by ten widths a second, or to nearly the double at
  /// once. The tracker has finer bounds; these hold whoever tracks.
  private static func isJump(from old: Rect, to new: Rect, in seconds: Float) -> Bool {
    let width = max(old.width, new.width)
    let reach = 0.5 * width * max(1, seconds / 0.05)
    let growth = max(new.width / old.width, old.width / new.width)
    // Written so that what is no number is a jump.
    return !(old.center.distance(to: new.center) <= reach) || !(growth <= 1.8)
  }
}

extension Span where Element == Face {
  func hasSeen(otherThan track: UInt32) -> Bool {
    for index in indices {
      let face = self[index]
      if face.track != track && face.unseenFrames == 0 { return true }
    }
    return false
  }
}
