import Faces
import Imaging
import Liveness
import Platform
import Testing

@Suite struct SessionTests {
  /// Every challenge, in both rule sets and both mirror states, at the rates of usual cameras.
  @Test(arguments: Challenge.allCases, [10.0, 15, 25, 30])
  func eachChallengeCanBePassed(_ challenge: Challenge, _ framesPerSecond: Double) throws {
    for rules in GestureRules.allCases {
      for mirrored in [false, true] {
        let simulation = try Simulation(
          .test(challenge, rules: rules), framesPerSecond: framesPerSecond)
        simulation.mirrored = mirrored
        simulation.doEverything()
        simulation.run(4000)
        #expect(simulation.verdicts == [.verdictLive(track: 1)], "\(rules) mirrored \(mirrored)")
        #expect(simulation.machine.stage == .pausing)
      }
    }
  }

  /// "turn" and "nod" are answered by either side.
  @Test(arguments: [
    (Challenge.turn, Challenge.turnLeft), (.turn, .turnRight), (.nod, .headUp), (.nod, .headDown),
  ]) func eitherSideWillDo(_ asked: Challenge, _ done: Challenge) throws {
    for rules in GestureRules.allCases {
      let simulation = try Simulation(.test(asked, rules: rules))
      simulation.answer(with: done)
      simulation.run(4000)
      #expect(simulation.verdicts == [.verdictLive(track: 1)])
    }
  }

  @Test func aWholeSession() throws {
    let simulation = try Simulation(.test(.smile, .turnRight, .blink, .headUp))
    simulation.doEverything()
    simulation.run(8000)
    #expect(
      simulation.events.map(\.rounded) == [
        .faceFound(track: 1), .gate(nil), .greeting(.neutral, track: 1),
        .sessionStarted(track: 1, challenges: 4),
        .prompt(.smile, index: 0), .passed(.smile, index: 0, after: .milliseconds(600)),
        .prompt(.turnRight, index: 1), .passed(.turnRight, index: 1, after: .milliseconds(600)),
        .prompt(.blink, index: 2), .passed(.blink, index: 2, after: .milliseconds(567)),
        .prompt(.headUp, index: 3), .passed(.headUp, index: 3, after: .milliseconds(600)),
        .verdictLive(track: 1),
      ])
  }

  /// The course of a real recording: smile for four seconds, the head to the own right into profile
  /// where the mesh is lost, four frames of rest, the head to the own left. 15 frames a second.
  @Test func aTightRecordingPasses() throws {
    let simulation = try Simulation(
      .test(.smile, .turnRight, .turnLeft), framesPerSecond: 15)
    simulation.person = nil
    for frame in 0..<199 {
      if frame == 2 { simulation.person = Person() }
      simulation.change { person in
        person.smile = 18...88 ~= frame ? 0.95 : 0.08
        // Degrees to the own left, about a neutral 6.
        switch frame {
        case 102: person.left = -12
        case 103...108: person.left = -20 - 4 * Float(frame - 103)
        case 131...133: person.left = -29 + 8 * Float(frame - 131)
        case 134: person.left = -6
        case 137: person.left = 12
        case 138: person.left = 15.5
        case 139...142: person.left = 30 + 10 * Float(frame - 139)
        case 173...178: person.left = 55 - 8 * Float(frame - 173)
        default: person.left = 6
        }
        person.hasMesh = !(109...130 ~= frame || 143...172 ~= frame)
        // The chin comes up with the turns, more than half of its own threshold.
        person.up = frame > 132 ? 11 : 0
      }
      simulation.step(after: 1000.0 / 15)
    }
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
    let prompts = simulation.log.filter { if case .prompt = $0.event { true } else { false } }
    #expect(prompts[0].at < 1000)
    #expect(prompts.count == 3)
  }

  // MARK: Bounds

  /// A session that has just asked for `challenge`, at 100 frames a second.
  private func asked(
    _ challenge: Challenge, _ more: Challenge..., rules: GestureRules = .pose,
    with change: @escaping (inout LivenessOptions) -> Void = { _ in }
  ) throws -> Simulation {
    let options = LivenessOptions.test(challenge, rules: rules) { options in
      for other in more { options.challenges.append(other) }
      options.count = options.challenges.count
      change(&options)
    }
    let simulation = try Simulation(options, framesPerSecond: 100)
    while !simulation.hasPrompt && simulation.milliseconds < 2000 { simulation.step(after: 10) }
    #expect(simulation.hasPrompt)
    return simulation
  }

  @Test(arguments: [Challenge.smile, .turnLeft, .turn, .mouthOpen, .nod, .headUp])
  func reactionTime(_ challenge: Challenge) throws {
    for rules in GestureRules.allCases {
      for (milliseconds, passes) in [(190.0, false), (199, false), (200, true), (210, true)] {
        let simulation = try asked(challenge, rules: rules)
        simulation.step(after: milliseconds - 1)
        simulation.change { $0.perform(challenge) }
        simulation.step(after: 1)
        simulation.run(400)
        simulation.change { $0.relax() }
        simulation.run(200)
        #expect(
          simulation.verdicts
            == [passes ? .verdictLive(track: 1) : .verdictFailed(.tooEarly, track: 1)])
      }
    }
  }

  /// What is too early and short is nothing: it neither fails nor passes.
  @Test func aShortTwitchIsNotTooEarly() throws {
    let simulation = try asked(.turnLeft)
    simulation.act(after: 50, for: 150) { $0.perform(.turnLeft) }
    simulation.act(after: 600, for: 400) { $0.perform(.turnLeft) }
    simulation.run(2000)
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
  }

  @Test(arguments: [(4990.0, true), (5000, true), (5001, false), (5010, false)])
  func actionWindow(_ milliseconds: Double, passes: Bool) throws {
    let simulation = try asked(.turnLeft)
    simulation.run(milliseconds - 20)
    simulation.change { $0.perform(.turnLeft) }
    simulation.step(after: milliseconds - simulation.sincePrompt)
    simulation.run(300)
    simulation.change { $0.relax() }
    simulation.run(200)
    #expect(
      simulation.verdicts
        == [passes ? .verdictLive(track: 1) : .verdictFailed(.timeout, track: 1)])
  }

  @Test func theWindowIsASetting() throws {
    let simulation = try asked(.turnLeft) { $0.actionWindow = .seconds(2) }
    simulation.run(1990)
    #expect(simulation.verdicts.isEmpty)
    simulation.run(30)
    #expect(simulation.verdicts == [.verdictFailed(.timeout, track: 1)])
  }

  /// A gesture that began in time but was let go does not keep the window open.
  @Test func anActionGivenUpAtTheEndIsATimeout() throws {
    let simulation = try asked(.turnLeft)
    simulation.act(after: 4900, for: 150) { $0.perform(.turnLeft) }
    simulation.run(5300)
    #expect(simulation.verdicts == [.verdictFailed(.timeout, track: 1)])
  }

  @Test(arguments: [(190.0, false), (200, true)])
  func holdTime(_ milliseconds: Double, passes: Bool) throws {
    let simulation = try asked(.turnLeft)
    // The last of its frames is one interval before it ends.
    simulation.act(after: 400, for: milliseconds + 10) { $0.perform(.turnLeft) }
    simulation.run(1000)
    #expect(simulation.hasPassed == passes)
  }

  @Test(arguments: [(2, false), (3, true)])
  func holdFrames(_ frames: Int, passes: Bool) throws {
    let simulation = try asked(.turnLeft)
    simulation.run(400)
    simulation.change { $0.perform(.turnLeft) }
    for _ in 0..<frames { simulation.step(after: 240) }
    simulation.change { $0.relax() }
    simulation.run(300)
    #expect(simulation.hasPassed == passes)
  }

  /// The next prompt, and the verdict, wait for two neutral frames.
  @Test func neutralFrames() throws {
    let simulation = try asked(.turnLeft, .smile)
    simulation.run(300)
    simulation.change { $0.perform(.turnLeft) }
    simulation.run(500)
    #expect(simulation.hasPassed)
    for _ in 0..<20 {
      simulation.change { $0.relax() }
      simulation.step(after: 10)
      simulation.change { $0.perform(.turnLeft) }
      simulation.step(after: 10)
    }
    #expect(simulation.prompts == 1)
    simulation.change { $0.relax() }
    simulation.step(after: 10)
    #expect(simulation.prompts == 1)
    simulation.step(after: 10)
    #expect(simulation.prompts == 2)
  }

  /// Half of each asked threshold, in both directions; other measures don't count.
  @Test func neutralIsHalfOfTheThresholds() throws {
    func promptsAgain(_ change: (inout Person) -> Void) throws -> Bool {
      let simulation = try asked(.turnLeft, .smile)
      simulation.run(300)
      simulation.change { $0.perform(.turnLeft) }
      simulation.run(500)
      simulation.change { $0.relax() }
      simulation.change(change)
      simulation.run(500)
      return simulation.prompts == 2
    }
    #expect(try promptsAgain { $0.left = 9.5 })
    #expect(try !promptsAgain { $0.left = 10.5 })
    #expect(try promptsAgain { $0.left = -9.5 })
    #expect(try !promptsAgain { $0.left = -10.5 })
    #expect(try promptsAgain { $0.smile = 0.05 + 0.19 })
    #expect(try !promptsAgain { $0.smile = 0.05 + 0.21 })
    #expect(try promptsAgain { $0.up = 30 })
    #expect(try promptsAgain { $0.mouth = 0.5 })
    #expect(
      try promptsAgain {
        $0.leftEye = 0; $0.rightEye = 0
      })
    #expect(try promptsAgain { $0.roll = 40 })
    #expect(try !promptsAgain { $0.hasMesh = false })
  }

  @Test(arguments: [(5980.0, true), (6030, false)])
  func neutralWindow(_ milliseconds: Double, passes: Bool) throws {
    let simulation = try asked(.turnLeft)
    simulation.run(300)
    simulation.change { $0.perform(.turnLeft) }
    while !simulation.hasPassed { simulation.step(after: 10) }
    simulation.run(milliseconds - 20)
    simulation.change { $0.relax() }
    simulation.run(100)
    #expect(
      simulation.verdicts
        == [passes ? .verdictLive(track: 1) : .verdictFailed(.timeout, track: 1)])
  }

  /// Before the first prompt a laughing face is waited for, and given up like any other.
  @Test func aFaceThatNeverGetsNeutralTimesOut() throws {
    let simulation = try Simulation()
    simulation.change { $0.smile = 0.95 }
    simulation.run(6000)
    #expect(simulation.verdicts.isEmpty)
    simulation.run(1000)
    #expect(!simulation.hasPrompt)
    #expect(simulation.verdicts == [.verdictFailed(.timeout, track: 1)])
  }

  /// A person who settles late is judged by where he looks then.
  @Test func theNeutralFaceSettlesUntilTheFirstPrompt() throws {
    let simulation = try Simulation(.test(.turnRight))
    simulation.change { $0.left = 14 }
    simulation.run(250)
    simulation.change { $0.left = 0 }
    while !simulation.hasPrompt && simulation.milliseconds < 3000 { simulation.step(after: 33) }
    simulation.act(after: 400, for: 400) { $0.left = -17 }
    simulation.run(2000)
    // From the first 14 degrees it would have been 31.
    #expect(!simulation.hasPassed)
  }

  /// From the first prompt on, nothing moves the neutral face.
  @Test func theNeutralFaceIsFrozenDuringTheSession() throws {
    let simulation = try asked(.turnLeft)
    for step in 0..<300 {
      simulation.change { $0.left = Float(step) * 0.07 }
      simulation.step(after: 10)
    }
    simulation.run(300)
    #expect(simulation.hasPassed)
  }

  // MARK: Blinks

  @Test(arguments: [(40.0, false), (60, true), (990, true), (1010, false)])
  func blinkLength(_ milliseconds: Double, passes: Bool) throws {
    let simulation = try asked(.blink)
    simulation.act(after: 400, for: milliseconds) { $0.perform(.blink) }
    simulation.run(2500)
    #expect(simulation.hasPassed == passes)
  }

  /// A blink that comes by itself right after the prompt is no answer, and no failure either.
  @Test func anEarlyBlinkIsIgnored() throws {
    let simulation = try asked(.blink)
    simulation.act(after: 50, for: 120) { $0.perform(.blink) }
    simulation.run(1500)
    #expect(!simulation.hasPassed)
    #expect(simulation.verdicts.isEmpty)
    simulation.act(after: 0, for: 120) { $0.perform(.blink) }
    simulation.run(500)
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
  }

  @Test func aWinkIsNoBlink() throws {
    let simulation = try asked(.blink)
    simulation.act(after: 400, for: 150) { $0.leftEye = 0.05 }
    simulation.run(1000)
    #expect(!simulation.hasPassed)
  }

  @Test func eyesThatStayShutTimeOut() throws {
    let simulation = try asked(.blink)
    simulation.run(400)
    simulation.change { $0.perform(.blink) }
    simulation.run(6000)
    #expect(simulation.verdicts == [.verdictFailed(.timeout, track: 1)])
  }

  @Test func aBlinkUnderWayAtTheEndMayFinish() throws {
    let simulation = try asked(.blink)
    simulation.act(after: 4950, for: 150) { $0.perform(.blink) }
    simulation.run(5400)
    #expect(simulation.hasPassed)
  }

  // MARK: After the verdict

  @Test func whoPassedIsAskedAgainOnlyLater() throws {
    let simulation = try Simulation(.test(.smile))
    simulation.doEverything()
    simulation.run(25_000)
    #expect(simulation.verdicts.count == 1)
    #expect(simulation.machine.stage == .pausing)
    simulation.run(10_000)
    #expect(simulation.verdicts.count == 2)
  }

  @Test func whoPassedAndComesBackIsAskedAtOnce() throws {
    let simulation = try Simulation(.test(.smile))
    simulation.doEverything()
    simulation.run(4000)
    #expect(simulation.verdicts.count == 1)
    simulation.person = nil
    simulation.run(200)
    simulation.person = Person()
    simulation.change { $0.track = 2 }
    simulation.run(6000)
    #expect(simulation.verdicts == [.verdictLive(track: 1), .verdictLive(track: 2)])
  }

  @Test func nothingIsAskedInThePauses() throws {
    for passes in [true, false] {
      let simulation = try Simulation(.test(.turnLeft))
      simulation.answer(with: passes ? .turnLeft : .turnRight)
      while simulation.verdicts.isEmpty { simulation.step(after: 33) }
      let end = simulation.milliseconds
      simulation.change { $0.relax() }
      // Another person right after: only the pause holds.
      simulation.change { $0.track = 2 }
      simulation.run(2900)
      #expect(simulation.prompts == 1)
      simulation.run(600)
      #expect(simulation.prompts == 2)
      #expect(simulation.log.filter { $0.event == .gate(nil) }.count == 2)
      #expect(simulation.milliseconds > end)
    }
  }

  // MARK: Determinism

  @Test func theSameInputGivesTheSameEvents() throws {
    func run(_ seed: UInt64) throws -> [LivenessEvent] {
      var options = LivenessOptions()
      options.againAfter = .seconds(5)
      let simulation = try Simulation(options, framesPerSecond: 25, seed: seed)
      simulation.doEverything()
      simulation.run(60_000)
      return simulation.events
    }
    #expect(try run(3) == run(3))
    #expect(try run(3) != run(4))
  }

  /// A frame that is not later than the last one changes nothing.
  @Test func framesOutOfOrderAreIgnored() throws {
    let simulation = try asked(.turnLeft)
    simulation.run(400)
    simulation.change { $0.perform(.turnLeft) }
    for _ in 0..<50 { simulation.step(after: 0) }
    #expect(!simulation.hasPassed)
    simulation.step(after: -1000)
    #expect(simulation.verdicts.isEmpty)
    simulation.step(after: 1010)
    simulation.run(300)
    #expect(simulation.hasPassed)
  }

  @Test func theStageFollowsTheSession() throws {
    let simulation = try Simulation(.test(.smile, .turnLeft))
    #expect(simulation.machine.stage == .waiting)
    simulation.step(after: 0)
    #expect(simulation.machine.stage == .waiting)
    while !simulation.hasPrompt { simulation.step(after: 33) }
    #expect(simulation.machine.stage == .asking(.smile, index: 0))
    simulation.run(300)
    simulation.change { $0.perform(.smile) }
    simulation.run(400)
    #expect(simulation.machine.stage == .neutral(passed: 1))
    simulation.change { $0.relax() }
    simulation.run(100)
    #expect(simulation.machine.stage == .asking(.turnLeft, index: 1))
  }
}

extension Simulation {
  var verdicts: [LivenessEvent] {
    events.filter {
      switch $0 {
      case .verdictLive, .verdictFailed: true
      default: false
      }
    }
  }

  var prompts: Int { events.count { if case .prompt = $0 { true } else { false } } }

  var hasPassed: Bool { events.contains { if case .passed = $0 { true } else { false } } }

  /// Milliseconds since the latest prompt.
  var sincePrompt: Double {
    let last = log.last { if case .prompt = $0.event { true } else { false } }
    return milliseconds - (last?.at ?? 0)
  }

  /// From now on, does this whatever is asked.
  func answer(with challenge: Challenge) {
    respond = { simulation, event in
      guard case .prompt = event else { return }
      simulation.act(after: 400, for: 600) { $0.perform(challenge) }
    }
  }
}

extension LivenessEvent {
  /// With times to the millisecond, since thirds of a second are not exact.
  var rounded: LivenessEvent {
    guard case .passed(let challenge, let index, let after) = self else { return self }
    let milliseconds = (after.wholeNanoseconds + 500_000) / 1_000_000
    return .passed(challenge, index: index, after: .milliseconds(milliseconds))
  }
}
