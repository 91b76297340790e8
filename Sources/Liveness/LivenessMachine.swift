import Faces
import Platform

/// Where the machine is, for screens and pictures.
public enum LivenessStage: Equatable, Sendable {
  /// Nobody, or a gate is closed.
  case waiting
  /// A session waits for a neutral face; `passed` challenges are done.
  case neutral(passed: Int)
  case asking(Challenge, index: Int)
  /// A session is over, or the face has passed and stays.
  case pausing
  case locked
}

/// Decides whether a live person stands before the camera: faces and times in, events out. It has
/// no clock and does no I/O; the same input gives the same events. Costs about a microsecond a frame
/// on a PC, and holds 6 KiB.
public struct LivenessMachine: Sendable {
  public let options: LivenessOptions
  private var random: RandomSource
  private var roll = FaceRoll()
  private var detector: GestureDetector
  private var gates = GateKeeper()
  private var rate = FrameRate()
  private var repeats = RepeatWatch()
  private var still = StillWatch()
  private var session: Session?
  private var lockout: Lockout?
  private let saved: LockoutState
  private var lastTime: Instant?
  /// Nothing is asked before this.
  private var pauseEnd: Instant?
  /// Who passed last, until when that face is not asked again.
  private var passed: (track: UInt32, until: Instant)?

  /// - Parameters:
  ///   - random: draws the challenges; seeded by the kernel on a door.
  ///   - lockout: what was kept from the run before.
  public init(
    options: LivenessOptions, random: RandomSource, lockout: LockoutState = LockoutState()
  ) throws(LivenessError) {
    try options.check()
    self.options = options
    self.random = random
    saved = lockout
    detector = GestureDetector(options: options)
  }

  /// What the face in question does in the latest frame; nil without a face.
  public var reading: GestureReading? { detector.reading }

  public var stage: LivenessStage {
    if lockout?.isLocked ?? false { return .locked }
    if let session {
      if let challenge = session.challenge { return .asking(challenge, index: session.index) }
      return .neutral(passed: session.index)
    }
    return isPausing ? .pausing : .waiting
  }

  /// Takes the next frame. `faces` are all faces that the tracker holds, in any order.
  public mutating func process(
    _ observation: Observation, faces: Span<Face>
  ) -> LivenessEvents {
    var events = LivenessEvents()
    let time = observation.time
    if let lastTime, time <= lastTime { return events }
    lastTime = time
    rate.update(time)
    repeats.update(observation.signature, at: time)
    updateLock(at: time, &events)
    roll.update(faces, at: time, events: &events)

    let face = session.map { faces.face(on: $0.track) } ?? faces.mostProminent
    let mayLearn = session?.isBeforeFirstPrompt ?? true
    _ = detector.process(observation, face: face, learning: mayLearn ? .settling : .frozen)
    still.update(face, at: time, options.spoof)
    if let face, session == nil, !isLocked {
      roll.greet(face, at: time, options.greeting, events: &events)
    }
    if session != nil {
      advance(observation, faces, &events)
    } else {
      idle(observation, face, faces, &events)
    }
    return events
  }

  /// The camera is gone, or the recording is over: all faces are lost, and with them a session that
  /// runs. Frames may come again afterwards.
  public mutating func loseSource(at time: Instant) -> LivenessEvents {
    var events = LivenessEvents()
    roll.update(Span(), at: time, events: &events)
    if let session { conclude(session, .failed(.faceLost), at: time, &events) }
    return events
  }
}

// MARK: Sessions
extension LivenessMachine {
  private var isPausing: Bool { pauseEnd != nil || passed != nil }

  private mutating func idle(
    _ observation: Observation, _ face: Face?, _ faces: Span<Face>, _ events: inout LivenessEvents
  ) {
    let time = observation.time
    let rate = observation.framesPerSecond ?? self.rate.framesPerSecond
    let gate = options.gates.closedGate(observation, face: face, faces: faces, rate: rate)
    gates.update(gate, at: time, options.gates)
    if let end = pauseEnd, time >= end { pauseEnd = nil }
    if let (track, end) = passed, time >= end || faces.face(on: track) == nil { passed = nil }
    guard !isLocked, pauseEnd == nil, passed?.track != face?.track || passed == nil else { return }
    if let announcement = gates.announce(at: time, options.gates) { events.append(announcement) }
    guard let face, gates.isOpen(options.gates), detector.neutral.isKnown,
      roll.isGreeted(face.track, options.greeting)
    else { return }
    let session = Session(track: face.track, challenges: options.draw(&random), at: time)
    events.append(.sessionStarted(track: face.track, challenges: session.challenges.count))
    self.session = session
    advance(observation, faces, &events)
  }

  private mutating func advance(
    _ observation: Observation, _ faces: Span<Face>, _ events: inout LivenessEvents
  ) {
    guard var current = session else { return }
    let outcome = current.step(
      observation, faces: faces, detector: detector, repeats: repeats, still: still, options,
      events: &events)
    session = current
    conclude(current, outcome, at: observation.time, &events)
  }

  private mutating func conclude(
    _ finished: Session, _ outcome: Session.Outcome, at time: Instant,
    _ events: inout LivenessEvents
  ) {
    switch outcome {
    case .running: return
    case .live:
      events.append(.verdictLive(track: finished.track))
      lockout?.pass()
      passed = (finished.track, time + options.againAfter)
      pauseEnd = time + options.pauseAfterLive
    case .failed(let failure):
      events.append(.verdictFailed(failure, track: finished.track))
      pauseEnd = time + options.pauseAfterFailure
      if finished.counts(failure), let duration = lockout?.fail(at: time) {
        events.append(.lockedOut(for: duration))
      }
    }
    session = nil
    detector.forgetNeutral()
    gates.forgetWhatWasSaid()
  }
}

// MARK: Lock-out
extension LivenessMachine {
  private var isLocked: Bool { lockout?.isLocked ?? false }

  /// What to keep for the next run of the program, as of `now`; before the first frame what was
  /// given. To be saved when ``lockoutRevision`` has changed, and every few seconds while a lock
  /// runs, so that a restart does not begin it anew.
  public func lockoutState(at now: Instant) -> LockoutState { lockout?.state(at: now) ?? saved }

  /// Grows with every failure that counts, lock, end of a lock, and pass that clears something.
  public var lockoutRevision: UInt32 { lockout?.revision ?? 0 }

  private mutating func updateLock(at time: Instant, _ events: inout LivenessEvents) {
    guard lockout != nil else {
      let restored = Lockout(options.lockout, saved, at: time)
      lockout = restored
      if let until = restored.until { events.append(.lockedOut(for: until - time)) }
      return
    }
    if lockout?.endIfOver(at: time) ?? false {
      events.append(.lockEnded)
      gates.forgetWhatWasSaid()
    }
  }
}
