import Faces
import Imaging
import Liveness
import Platform
import Testing

@Suite struct PropertyTests {
  /// What a made-up person did in each frame, to judge the machine's answers by.
  private struct Frame {
    let at: Double
    let person: Person?
  }

  /// Whether the person did this, held as long as asked, in the frames up to `end`.
  private func did(
    _ challenge: Challenge, in frames: [Frame], from start: Double, to end: Double
  ) -> Bool {
    let asked = frames.filter { $0.at > start && $0.at <= end + 0.01 }
    // The neutral face may be off by the weak movements below, and a gesture lasts down to 0.85 of
    // its threshold.
    func shows(_ person: Person, _ challenge: Challenge) -> Bool {
      switch challenge {
      case .smile: person.smile > 0.35
      case .turnLeft: person.left >= 12
      case .turnRight: person.left <= -12
      case .mouthOpen: person.mouth > 0.18
      case .headUp: person.up >= 8
      case .headDown: person.up <= -6.4
      case .blink: max(person.leftEye, person.rightEye) < 0.5
      case .turn: shows(person, .turnLeft) || shows(person, .turnRight)
      case .nod: shows(person, .headUp) || shows(person, .headDown)
      }
    }
    if challenge == .blink {
      return asked.contains { $0.person.map { shows($0, .blink) } ?? false }
    }
    let isTurn = [.turn, .turnLeft, .turnRight].contains(challenge)
    var run: [Double] = []
    var blind = 0
    for frame in asked {
      guard let person = frame.person, person.hasMesh else {
        // Nobody sees what happens now: a turn goes on, and others survive two frames.
        blind += 1
        if isTurn && !run.isEmpty { run.append(frame.at) } else if blind > 2 { run = [] }
        continue
      }
      blind = 0
      if shows(person, challenge) { run.append(frame.at) } else { run = [] }
    }
    guard let first = run.first, let last = run.last else { return false }
    return run.count >= 3 && last - first >= 199.4 && first - start >= 199.4
  }

  /// People who do all sorts of things at random times pass only when they did what was asked, in
  /// time, one thing after the other.
  @Test(arguments: 0..<60) func nobodyPassesWithoutDoingWhatWasAsked(_ seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed))
    func chance(_ share: Int) -> Bool { random.below(100) < share }
    var options = LivenessOptions()
    options.challenges = ChallengeList()
    for challenge in Challenge.allCases { options.challenges.append(challenge) }
    options.count = 1 + random.below(4)
    options.againAfter = .seconds(3)
    options.lockout.failures = 0
    let simulation = try Simulation(
      options, framesPerSecond: [10, 15, 25, 30][random.below(4)], seed: random.next())
    simulation.mirrored = chance(50)
    var frames: [Frame] = []
    var current: Challenge?
    simulation.respond = { _, event in
      switch event {
      case .prompt(let challenge, _): current = challenge
      case .passed: current = nil
      default: break
      }
    }
    for _ in 0..<4000 {
      if chance(8) {
        simulation.change { $0.relax() }
        let all = Challenge.allCases
        let deed =
          chance(60) ? current ?? all[random.below(all.count)] : all[random.below(all.count)]
        if chance(60) { simulation.change { $0.perform(deed) } }
        if chance(10) {
          simulation.change {
            $0.left *= 0.15; $0.up *= 0.15; $0.smile *= 0.15
          }
        }
      }
      if chance(1) { simulation.change { $0.hasMesh = false } }
      simulation.step(after: 1000 / simulation.framesPerSecond)
      frames.append(Frame(at: simulation.milliseconds, person: simulation.person))
    }
    var prompt: (challenge: Challenge, at: Double)?
    var passed = 0
    var length = 0
    for (at, event) in simulation.log {
      switch event {
      case .sessionStarted(_, let challenges):
        length = challenges
        passed = 0
      case .prompt(let challenge, let index):
        #expect(index == passed)
        #expect(prompt == nil)
        prompt = (challenge, at)
      case .passed(let challenge, let index, let after):
        let asked = try #require(prompt)
        #expect(asked.challenge == challenge && index == passed)
        #expect(abs(Double(after.inSeconds) * 1000 - (at - asked.at)) < 1)
        let wasDone = did(challenge, in: frames, from: asked.at, to: at)
        #expect(wasDone, "\(challenge) at \(at)")
        prompt = nil
        passed += 1
      case .verdictLive:
        #expect(passed == length && prompt == nil)
        #expect(length == options.count)
      case .verdictFailed: prompt = nil
      default: break
      }
    }
  }

  /// That test would prove nothing if nobody ever passed.
  @Test func somebodyPasses() throws {
    let simulation = try Simulation(LivenessOptions(), seed: 4)
    simulation.doEverything()
    simulation.run(8000)
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
  }

  /// Whatever numbers come, no frame traps, and what is no number never makes anybody live.
  @Test(arguments: 0..<40) func noNumbersTrap(_ seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed) &+ 1000)
    let odd: [Float] = [
      .nan, .infinity, -.infinity, 0, -0.0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, 1, -1, 0.5, 90, -90, 1e9, 300,
    ]
    func value() -> Float { odd[random.below(odd.count)] }
    func maybe() -> Float? { random.below(4) == 0 ? nil : value() }
    func point() -> Point { Point(x: value(), y: value()) }
    var options = LivenessOptions()
    options.rules = random.below(2) == 0 ? .pose : .book
    options.challenges = ChallengeList()
    for challenge in Challenge.allCases { options.challenges.append(challenge) }
    if random.below(2) == 0 {
      options.pose.turn = value()
      options.pose.smileRise = value()
      options.book.headUp = value()
      options.book.viewWidth = value()
      options.blink.shut = value()
      options.blink.open = value()
      options.gates.narrowestFace = value()
      options.gates.framesToOpen = random.below(3)
      options.holdFrames = random.below(3) - 1
      options.neutralFrames = random.below(3) - 1
      options.spoof.stillness = value()
      options.spoof.flatFrames = random.below(3) - 1
      options.greeting.votes = random.below(3) - 1
      options.lockout.failures = random.below(30)
      options.lockout.longest = .nanoseconds(random.below(1_000_000_000))
      options.actionWindow = .nanoseconds(-random.below(1_000_000_000))
    }
    var machine = try LivenessMachine(options: options, random: RandomSource(seed: 1))
    var time: Int64 = 0
    let sizes = [0, -1, 1, 640, Int.max, Int.min]
    for _ in 0..<3000 {
      time =
        random.below(200) == 0
        ? Int64(truncatingIfNeeded: random.next()) : time &+ Int64(random.below(80_000_000))
      var faces: [Face] = []
      for _ in 0..<random.below(4) {
        var face = Face(
          box: Rect(x: value(), y: value(), width: value(), height: value()), score: value())
        face.trackingID = random.below(5) == 0 ? nil : UInt32(random.below(3))
        face.unseenFrames = random.below(10) == 0 ? [Int.max, Int.min, 1][random.below(3)] : 0
        if random.below(3) > 0 {
          face.pose = Pose(pitch: value(), yaw: value(), roll: value())
          var landmarks = FaceLandmarks(repeating: point())
          landmarks.noseBase = point()
          landmarks.leftCheek = point()
          landmarks.leftEye = point()
          landmarks.lowerLipTop = point()
          face.landmarks = landmarks
        }
        face.smilingProbability = maybe()
        face.leftEyeOpenProbability = maybe()
        face.rightEyeOpenProbability = maybe()
        face.mouthOpening = maybe()
        face.eyeDistance = maybe()
        face.relief = maybe()
        if random.below(2) == 0 { face.gender = Gender(label: .man, probability: value()) }
        faces.append(face)
      }
      let quality = PictureQuality(
        meanLuma: value(), darkShare: value(), brightShare: value(), sharpness: value())
      let observation = Observation(
        time: Instant(nanoseconds: time), pictureWidth: sizes[random.below(sizes.count)],
        pictureHeight: sizes[random.below(sizes.count)], mirrored: random.below(2) == 0,
        quality: random.below(2) == 0 ? quality : nil,
        signature: random.below(2) == 0 ? UInt64(random.below(9)) : nil, framesPerSecond: maybe())
      let events = machine.process(observation, faces: faces.span)
      for index in 0..<events.count {
        if case .verdictLive = events[index] { Issue.record("passed on odd numbers") }
      }
      _ =
        machine.lockoutState(at: Instant(nanoseconds: Int64(truncatingIfNeeded: random.next())))
        .record
      if random.below(500) == 0 { _ = machine.loseSource(at: Instant(nanoseconds: time)) }
    }
  }

  /// Measures that are no numbers never count as neutral, nor as done.
  @Test func noNumbersProveNothing() throws {
    for challenge in Challenge.allCases {
      let simulation = try Simulation(.test(challenge))
      simulation.respond = { simulation, event in
        guard case .prompt = event else { return }
        simulation.after(400) {
          $0.change { person in
            person.left = .nan
            person.up = .nan
            person.smile = .nan
            person.mouth = .nan
            person.leftEye = .nan
            person.rightEye = .nan
          }
        }
        simulation.after(900) { $0.change { $0.relax() } }
      }
      simulation.run(7000)
      #expect(simulation.verdicts == [.verdictFailed(.timeout, track: 1)])
    }
  }
}
