import Faces
import Imaging
import Liveness
import Platform
import Testing

@Suite struct FailureTests {
  /// A session that has just asked for `challenge`, at 30 frames a second.
  private func asked(
    _ challenge: Challenge, rules: GestureRules = .pose, mirrored: Bool = false,
    with change: (inout LivenessOptions) -> Void = { _ in }
  ) throws -> Simulation {
    let simulation = try Simulation(.test(challenge, .mouthOpen, rules: rules, with: change))
    simulation.mirrored = mirrored
    while !simulation.hasPrompt && simulation.milliseconds < 2000 { simulation.step(after: 33) }
    #expect(simulation.prompts == 1)
    return simulation
  }

  private func failure(_ simulation: Simulation) -> Failure? {
    for event in simulation.verdicts {
      if case .verdictFailed(let failure, track: 1) = event { return failure }
    }
    return nil
  }

  // MARK: Wrong actions

  /// Which deeds are wrong for which challenge.
  private static let wrong: [(Challenge, [Challenge])] = [
    (.smile, [.turnLeft, .turnRight, .headUp, .headDown]),
    (.turn, [.headUp, .headDown, .mouthOpen]),
    (.turnLeft, [.turnRight, .headUp, .headDown, .mouthOpen]),
    (.turnRight, [.turnLeft, .headUp, .headDown, .mouthOpen]),
    (.nod, [.turnLeft, .turnRight, .mouthOpen]),
    (.headUp, [.headDown, .turnLeft, .turnRight, .mouthOpen]),
    (.headDown, [.headUp, .turnLeft, .turnRight, .mouthOpen]),
    (.blink, [.turnLeft, .turnRight, .headUp, .headDown, .mouthOpen]),
  ]

  @Test(arguments: GestureRules.allCases, [false, true])
  func wrongActionsFail(_ rules: GestureRules, mirrored: Bool) throws {
    for (challenge, deeds) in Self.wrong {
      for deed in deeds {
        let simulation = try asked(challenge, rules: rules, mirrored: mirrored)
        simulation.act(after: 400, for: 600) { $0.perform(deed) }
        simulation.run(1500)
        #expect(failure(simulation) == .wrongAction, "\(deed) for \(challenge)")
      }
    }
  }

  /// A blink and a smile are never wrong, nor the mouth of somebody who laughs.
  @Test(arguments: Challenge.allCases.filter { $0 != .smile && $0 != .blink && $0 != .mouthOpen })
  func blinksAndSmilesAreNeverWrong(_ challenge: Challenge) throws {
    for rules in GestureRules.allCases {
      let simulation = try asked(challenge, rules: rules)
      simulation.act(after: 100, for: 150) { $0.perform(.blink) }
      simulation.act(after: 500, for: 800) {
        $0.perform(.smile)
        $0.mouth = 0.4
      }
      simulation.run(2000)
      #expect(simulation.verdicts.isEmpty)
      simulation.act(after: 0, for: 600) { $0.perform(challenge) }
      simulation.run(800)
      #expect(simulation.hasPassed)
    }
  }

  /// Small or brief other movements are nobody's business.
  @Test func smallOrBriefMovementsAreNotWrong() throws {
    let simulation = try asked(.turnLeft)
    simulation.act(after: 300, for: 800) { $0.left = -18 }
    simulation.act(after: 1200, for: 800) { $0.up = -14 }
    simulation.act(after: 2100, for: 150) { $0.left = -30 }
    simulation.act(after: 2400, for: 150) { $0.up = 25 }
    simulation.act(after: 2700, for: 150) { $0.mouth = 0.5 }
    simulation.act(after: 3000, for: 600) { $0.perform(.turnLeft) }
    simulation.run(4000)
    #expect(simulation.hasPassed)
  }

  /// Who turns far and tilts along does what was asked.
  @Test func whatGoesAlongWithTheActionIsNotWrong() throws {
    let simulation = try asked(.turnLeft)
    simulation.act(after: 400, for: 600) {
      $0.left = 17
      $0.up = 20
    }
    simulation.act(after: 1000, for: 600) {
      $0.left = 25
      $0.up = 20
    }
    simulation.run(2000)
    #expect(simulation.hasPassed)
  }

  /// An action into profile, where the mesh is lost, is judged as well when it is the wrong one.
  @Test func aWrongTurnIntoProfileFails() throws {
    let simulation = try asked(.turnLeft)
    simulation.act(after: 400, for: 600) { $0.left = -24 }
    simulation.after(450) { $0.change { $0.hasMesh = false } }
    simulation.run(1000)
    #expect(failure(simulation) == .wrongAction)
    let smiling = try asked(.smile)
    smiling.act(after: 400, for: 600) { $0.left = 50 }
    smiling.run(1000)
    #expect(failure(smiling) == .wrongAction)
  }

  /// A head that was held high from the start, as nothing else in the session asks about it, is not
  /// an action.
  @Test func whatBeganBeforeThePromptIsNotWrong() throws {
    let simulation = try Simulation(.test(.smile, .turnLeft))
    simulation.respond = { simulation, event in
      switch event {
      case .prompt(.smile, _):
        simulation.act(after: 300, for: 400) { $0.perform(.smile) }
        // Between smile and turn the chin comes up, and stays there.
        simulation.after(700) { $0.change { $0.up = 20 } }
      case .prompt(.turnLeft, _):
        simulation.after(1500) { $0.change { $0.left = 30 } }
        simulation.after(2000) { $0.change { $0.relax() } }
      default: break
      }
    }
    simulation.run(8000)
    #expect(simulation.verdicts.first == .verdictLive(track: 1))
  }

  // MARK: The same face, and only it

  @Test func aLostFaceFails() throws {
    let simulation = try asked(.turnLeft)
    simulation.person = nil
    simulation.step(after: 33)
    #expect(failure(simulation) == .faceLost)
    #expect(simulation.events.contains(.faceLost(track: 1)))
  }

  /// The tracker holds a face for some frames; so does the session.
  @Test func anUnseenFaceMayComeBack() throws {
    let simulation = try asked(.turnLeft)
    simulation.after(100) { $0.change { $0.unseenFrames = 1 } }
    simulation.after(400) { $0.change { $0.unseenFrames = 0 } }
    simulation.act(after: 700, for: 600) { $0.perform(.turnLeft) }
    simulation.run(1500)
    #expect(simulation.hasPassed)
  }

  @Test func anotherTrackInItsPlaceFails() throws {
    let simulation = try asked(.turnLeft)
    simulation.change { $0.track = 2 }
    simulation.step(after: 33)
    #expect(failure(simulation) == .faceChanged)
  }

  @Test func anotherFaceWhileItIsUnseenFails() throws {
    let simulation = try asked(.turnLeft)
    simulation.change { $0.unseenFrames = 1 }
    var other = Person()
    other.track = 2
    simulation.others = [other]
    simulation.run(150)
    #expect(failure(simulation) == .faceChanged)
  }

  @Test(arguments: [
    { @Sendable (person: inout Person) in person.center.x += 130 },
    { @Sendable (person: inout Person) in person.center.y -= 130 },
    { @Sendable (person: inout Person) in person.eyeDistance *= 2 },
    { @Sendable (person: inout Person) in person.eyeDistance /= 2 },
  ]) func aJumpFails(_ jump: @Sendable (inout Person) -> Void) throws {
    let simulation = try asked(.turnLeft)
    simulation.change(jump)
    simulation.step(after: 33)
    #expect(failure(simulation) == .faceChanged)
  }

  @Test func aQuickHeadIsNoJump() throws {
    let simulation = try asked(.turnLeft)
    for _ in 0..<10 {
      simulation.change {
        $0.center.x += 15
        $0.eyeDistance *= 1.03
      }
      simulation.step(after: 33)
    }
    #expect(simulation.verdicts.isEmpty)
  }

  @Test(arguments: [(2, false), (3, true)])
  func aSecondFaceFails(_ frames: Int, fails: Bool) throws {
    let simulation = try asked(.turnLeft)
    var second = Person()
    second.track = 2
    second.center.x = 520
    second.eyeDistance = 50
    for _ in 0..<4 {
      simulation.others = [second]
      for _ in 0..<frames { simulation.step(after: 33) }
      simulation.others = []
      simulation.step(after: 33)
    }
    #expect(failure(simulation) == (fails ? .secondFace : nil))
  }

  @Test func aPasserbyFarAwayIsNoSecondFace() throws {
    let simulation = try asked(.turnLeft)
    var second = Person()
    second.track = 2
    second.center.x = 520
    second.eyeDistance = 30
    simulation.others = [second]
    simulation.run(1000)
    #expect(simulation.verdicts.isEmpty)
  }

  @Test func aSourceThatEndsLosesTheFace() throws {
    let simulation = try asked(.turnLeft)
    let events = simulation.loseSource()
    #expect(events == [.faceLost(track: 1), .verdictFailed(.faceLost, track: 1)])
    #expect(simulation.loseSource() == [])
    simulation.change { $0.track = 2 }
    simulation.run(6000)
    #expect(simulation.prompts == 2)
  }

  // MARK: Pictures of faces

  @Test func aFlatFaceFails() throws {
    let simulation = try asked(.turnLeft)
    simulation.after(400) {
      $0.change {
        $0.relief = 0.39; $0.left = 12
      }
    }
    simulation.run(400 + 3 * 33)
    #expect(simulation.verdicts.isEmpty)
    simulation.run(200)
    #expect(failure(simulation) == .flatFace)
  }

  @Test func reliefThatIsAbsentOrDeepOrSwitchedOffIsFine() throws {
    for (relief, limit) in [(nil, 0.4), (0.9, 0.4), (0.41, 0.4), (0.1, 0)] as [(Float?, Float)] {
      let simulation = try asked(.turnLeft) { $0.spoof.flatRelief = limit }
      simulation.change { $0.relief = relief }
      simulation.act(after: 400, for: 600) { $0.perform(.turnLeft) }
      simulation.run(1200)
      #expect(simulation.hasPassed)
      #expect(simulation.verdicts.isEmpty)
    }
  }

  /// A picture on a stand: the camera's noise changes the frames, nothing in the face moves.
  @Test func aStillPictureFails() throws {
    let simulation = try Simulation()
    simulation.change { $0.sway = 0 }
    simulation.tremble(0.002)
    simulation.run(20_000)
    #expect(failure(simulation) == .stillPicture)
    #expect(!simulation.events.contains(.verdictLive(track: 1)))
  }

  /// A head that moves, or a face in which anything moves, is no still picture.
  @Test(arguments: [
    { @Sendable (person: inout Person, time: Double) in person.center.x += 2 * sine(time) },
    { @Sendable (person: inout Person, time: Double) in person.smile = 0.2 + 0.1 * sine(time) },
    { @Sendable (person: inout Person, time: Double) in person.mouth = 0.1 + 0.08 * sine(time) },
    { @Sendable (person: inout Person, time: Double) in
      let isShut = time.truncatingRemainder(dividingBy: 2) < 0.2
      person.leftEye = isShut ? 0.1 : 0.9
      person.rightEye = isShut ? 0.1 : 0.9
    },
  ]) func movementIsNotStill(_ move: @Sendable (inout Person, Double) -> Void) throws {
    let simulation = try Simulation()
    simulation.change { $0.sway = 0 }
    for _ in 0..<240 {
      let time = simulation.milliseconds / 1000
      simulation.person = Person()
      simulation.change {
        $0.sway = 0; move(&$0, time)
      }
      simulation.step(after: 33)
    }
    #expect(failure(simulation) == .timeout)
  }

  /// The same bytes again and again: a still given as frames, or a camera that hangs.
  @Test func repeatedFramesFail() throws {
    let simulation = try Simulation()
    simulation.change { $0.sway = 0 }
    simulation.signature = { _ in 42 }
    simulation.run(20_000)
    #expect(failure(simulation) == .repeatedFrames)
    #expect(simulation.verdicts.allSatisfy { $0 == .verdictFailed(.repeatedFrames, track: 1) })
  }

  /// A short recording in a loop, however lively.
  @Test(arguments: [30, 90, 250]) func aLoopFails(_ length: Int) throws {
    let simulation = try Simulation()
    simulation.doEverything()
    simulation.signature = { frame in UInt64(frame % length) &* 0x9E37_79B9_7F4A_7C15 }
    simulation.run(Double(length) * 33.4)
    simulation.change { $0.track = 2 }
    simulation.run(12_000)
    #expect(simulation.verdicts.last == .verdictFailed(.repeatedFrames, track: 2))
  }

  /// Some cameras give a frame twice now and then.
  @Test func doubledFramesAreNoLoop() throws {
    let simulation = try Simulation(.test(.smile, .turnLeft))
    simulation.doEverything()
    simulation.signature = { frame in UInt64(frame - (frame % 8 == 7 ? 1 : 0)) }
    simulation.run(6000)
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
  }

  @Test func withoutSignaturesNothingRepeats() throws {
    let simulation = try Simulation(.test(.smile, .turnLeft))
    simulation.doEverything()
    simulation.signature = { _ in nil }
    simulation.run(6000)
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
  }

  /// One weak sign is none; two make a passed session suspected.
  @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
  func weakSignsAddUp(_ lowRelief: Bool, _ doubledFrames: Bool) throws {
    let simulation = try Simulation(.test(.smile, .turnLeft))
    simulation.doEverything()
    if lowRelief { simulation.change { $0.relief = 0.5 } }
    if doubledFrames { simulation.signature = { frame in UInt64(frame / 2) } }
    simulation.run(6000)
    #expect(
      simulation.verdicts == [
        lowRelief && doubledFrames
          ? .verdictFailed(.spoofSuspected, track: 1) : .verdictLive(track: 1)
      ])
  }

  @Test func weakSignsCanBeSwitchedOff() throws {
    let simulation = try Simulation(.test(.smile, .turnLeft) { $0.spoof.weakSigns = 0 })
    simulation.doEverything()
    simulation.change { $0.relief = 0.5 }
    simulation.signature = { frame in UInt64(frame / 2) }
    simulation.run(6000)
    #expect(simulation.verdicts == [.verdictLive(track: 1)])
  }

  /// A slow session without a single blink is a sign, and a low relief another.
  @Test(arguments: [false, true]) func eyesThatNeverBlinkAreASign(_ blinks: Bool) throws {
    let simulation = try Simulation(.test(.smile, .turnLeft, .smile, .turnRight))
    simulation.change { $0.relief = 0.5 }
    simulation.doEverything(after: 4200)
    if blinks { simulation.act(after: 2000, for: 150) { $0.perform(.blink) } }
    simulation.run(25_000)
    #expect(
      simulation.verdicts.first
        == (blinks ? .verdictLive(track: 1) : .verdictFailed(.spoofSuspected, track: 1)))
  }

  /// Every name of the list can come.
  @Test func stillsNeverPassAndHaveAReason() throws {
    for challenge in Challenge.allCases {
      for rules in GestureRules.allCases {
        for frozen in [false, true] {
          let simulation = try Simulation(.test(challenge, rules: rules))
          simulation.change { $0.sway = 0 }
          if frozen { simulation.signature = { _ in 1 } }
          simulation.run(20_000)
          #expect(!simulation.verdicts.contains(.verdictLive(track: 1)))
          #expect(failure(simulation) == (frozen ? .repeatedFrames : .stillPicture))
        }
      }
    }
  }
}

extension Simulation {
  /// From now on every place trembles by so many distances between the eyes.
  func tremble(_ size: Float) {
    var random = RandomSource(seed: 5)
    func shake() {
      let center = Person().center
      change {
        $0.center.x = center.x + $0.eyeDistance * size * (Float(random.below(2001)) / 1000 - 1)
        $0.center.y = center.y + $0.eyeDistance * size * (Float(random.below(2001)) / 1000 - 1)
      }
      after(1) { _ in shake() }
    }
    shake()
  }

  func loseSource() -> [LivenessEvent] {
    let found = machine.loseSource(at: Instant(nanoseconds: Int64(milliseconds * 1e6)))
    return (0..<found.count).map { found[$0] }
  }
}
