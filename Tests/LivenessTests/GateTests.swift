import Faces
import Imaging
import Liveness
import Platform
import Testing

private let good = PictureQuality(
  meanLuma: 120, darkShare: 0.1, brightShare: 0.01, sharpness: 0.3)

@Suite struct GateTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let gate: Gate
    let close: @Sendable (Simulation) -> Void
    var testDescription: String { "\(gate.name)" }
  }

  static let cases: [Case] = [
    Case(gate: .noFace) { $0.person = nil },
    Case(gate: .noFace) { $0.change { $0.unseenFrames = 1 } },
    Case(gate: .severalFaces) { simulation in
      var second = Person()
      second.track = 2
      second.center = Point(x: 520, y: 200)
      second.eyeDistance = 60
      simulation.others = [second]
    },
    Case(gate: .tooFar) { $0.change { $0.eyeDistance = 640 * 0.09 / 1.7 } },
    Case(gate: .tooNear) { $0.change { $0.eyeDistance = 640 * 0.72 / 1.7 } },
    Case(gate: .outsideGuide) { $0.change { $0.center.x = 40 } },
    Case(gate: .outsideGuide) { $0.change { $0.center.x = 600 } },
    Case(gate: .outsideGuide) { $0.change { $0.center.y = 40 } },
    Case(gate: .outsideGuide) { $0.change { $0.center.y = 440 } },
    Case(gate: .tooDark) { $0.quality?.meanLuma = 25 },
    Case(gate: .tooDark) { $0.quality?.darkShare = 0.9 },
    Case(gate: .tooBright) { $0.quality?.meanLuma = 230 },
    Case(gate: .tooBright) { $0.quality?.brightShare = 0.55 },
    Case(gate: .blurred) { $0.quality?.sharpness = 0.004 },
    Case(gate: .notFrontal) { $0.change { $0.left = 16 } },
    Case(gate: .notFrontal) { $0.change { $0.left = -16 } },
    Case(gate: .notFrontal) { $0.change { $0.up = 26 } },
    Case(gate: .notFrontal) { $0.change { $0.up = -26 } },
    Case(gate: .notFrontal) { $0.change { $0.roll = 21 } },
    Case(gate: .notFrontal) { $0.change { $0.roll = -21 } },
    Case(gate: .notFrontal) { $0.change { $0.hasMesh = false } },
    Case(gate: .frameRateLow) { $0.statedRate = 8.9 },
  ]

  /// A closed gate is said once, keeps the session away, and says so once when it opens.
  @Test(arguments: cases) func aClosedGateIsSaidOnceAndNothingIsAsked(_ item: Case) throws {
    let simulation = try Simulation()
    simulation.quality = good
    let before = simulation.person
    item.close(simulation)
    simulation.run(3000)
    #expect(
      simulation.events.filter { if case .gate = $0 { true } else { false } } == [
        .gate(item.gate)
      ])
    #expect(!simulation.hasPrompt)
    #expect(simulation.machine.stage == .waiting)

    simulation.person = before
    simulation.others = []
    simulation.quality = good
    simulation.statedRate = nil
    simulation.run(1000)
    #expect(simulation.events.filter { $0 == .gate(nil) }.count == 1)
    #expect(simulation.hasPrompt)
  }

  /// Just inside of every bound the session begins.
  @Test(arguments: [
    Case(gate: .severalFaces) { simulation in
      var second = Person()
      second.track = 2
      second.center = Point(x: 520, y: 200)
      second.eyeDistance = 32
      simulation.others = [second]
    },
    Case(gate: .tooFar) { $0.change { $0.eyeDistance = 640 * 0.11 / 1.7 } },
    Case(gate: .tooNear) { simulation in
      simulation.size.height = 640
      simulation.change {
        $0.eyeDistance = 640 * 0.69 / 1.7; $0.center.y = 320
      }
    },
    Case(gate: .outsideGuide) { $0.change { $0.center.x = 70 } },
    Case(gate: .tooDark) { $0.quality?.meanLuma = 31 },
    Case(gate: .tooDark) { $0.quality?.darkShare = 0.84 },
    Case(gate: .tooBright) { $0.quality?.meanLuma = 224 },
    Case(gate: .tooBright) { $0.quality?.brightShare = 0.49 },
    Case(gate: .blurred) { $0.quality?.sharpness = 0.007 },
    Case(gate: .notFrontal) { $0.change { $0.left = 14 } },
    Case(gate: .notFrontal) { $0.change { $0.up = -24 } },
    Case(gate: .notFrontal) { $0.change { $0.roll = 19 } },
    Case(gate: .frameRateLow) { $0.statedRate = 9.1 },
  ]) func insideTheBoundsTheSessionBegins(_ item: Case) throws {
    let simulation = try Simulation()
    simulation.quality = good
    item.close(simulation)
    simulation.run(1000)
    #expect(simulation.hasPrompt)
  }

  @Test(arguments: [(8.0, false), (8.9, false), (9.1, true), (10, true)])
  func theRateIsMeasuredByTheFramesTimes(_ framesPerSecond: Double, passes: Bool) throws {
    let simulation = try Simulation(framesPerSecond: framesPerSecond)
    simulation.run(3000)
    #expect(simulation.hasPrompt == passes)
    #expect(simulation.events.contains(.gate(.frameRateLow)) != passes)
  }

  /// What the pipeline says of its rate goes before what the times say.
  @Test func theStatedRateGoesFirst() throws {
    let simulation = try Simulation(framesPerSecond: 8)
    simulation.statedRate = 12
    simulation.run(1000)
    #expect(simulation.hasPrompt)
  }

  @Test func aGuideNarrowsWhereTheFaceMayBe() throws {
    var options = LivenessOptions()
    options.gates.guide = Rect(x: 0.3, y: 0.1, width: 0.4, height: 0.8)
    options.gates.overhang = 0
    let inside = try Simulation(options)
    inside.run(1000)
    #expect(inside.hasPrompt)
    let outside = try Simulation(options)
    outside.change { $0.center.x = 270 }
    outside.run(1000)
    #expect(outside.events.contains(.gate(.outsideGuide)))
    #expect(!outside.hasPrompt)
  }

  /// The good frames come in a row.
  @Test func flickeringGatesStayClosed() throws {
    let simulation = try Simulation()
    for frame in 0..<90 {
      simulation.change { $0.left = frame % 3 == 2 ? 17 : 0 }
      simulation.step(after: 33)
    }
    #expect(!simulation.hasPrompt)
    #expect(!simulation.events.contains(.gate(nil)))
  }

  /// What is closed for a moment only is not worth a word.
  @Test(arguments: [(390.0, false), (410.0, true)])
  func shortlyClosedGatesAreNotSaid(_ milliseconds: Double, said: Bool) throws {
    let simulation = try Simulation(framesPerSecond: 100)
    simulation.person = nil
    simulation.run(milliseconds)
    simulation.person = Person()
    simulation.run(500)
    #expect(simulation.events.contains(.gate(.noFace)) == said)
  }

  /// A face that the tracker gives from the third frame on is asked within a second of the first.
  @Test(arguments: [10.0, 12, 15, 25, 30, 60], [false, true])
  func theFirstPromptComesWithinASecond(_ framesPerSecond: Double, mirrored: Bool) throws {
    for rules in GestureRules.allCases {
      let simulation = try Simulation(.test(rules: rules), framesPerSecond: framesPerSecond)
      simulation.mirrored = mirrored
      simulation.quality = good
      simulation.person = nil
      simulation.step(after: 0)
      simulation.step(after: 1000 / framesPerSecond)
      simulation.person = Person()
      simulation.run(1000 - 2000 / framesPerSecond)
      let prompt = try #require(
        simulation.log.first { if case .prompt = $0.event { true } else { false } })
      #expect(prompt.at < 800)
      #expect(
        simulation.events == [
          .faceFound(track: 1), .gate(nil), .greeting(.neutral, track: 1),
          .sessionStarted(track: 1, challenges: 3), .prompt(.smile, index: 0),
        ])
    }
  }

  @Test func facesComeAndGo() throws {
    let simulation = try Simulation()
    simulation.run(100)
    var second = Person()
    second.track = 7
    second.center.x = 500
    simulation.others = [second]
    simulation.run(100)
    simulation.person = nil
    simulation.run(100)
    simulation.others = []
    simulation.run(100)
    let faces = simulation.events.filter {
      switch $0 {
      case .faceFound, .faceLost: true
      default: false
      }
    }
    #expect(
      faces == [
        .faceFound(track: 1), .faceFound(track: 7), .faceLost(track: 1), .faceLost(track: 7),
      ])
  }

  /// A face that the tracker still holds unseen is not lost.
  @Test func aHeldFaceIsNotLost() throws {
    let simulation = try Simulation()
    simulation.run(100)
    simulation.change { $0.unseenFrames = 3 }
    simulation.run(100)
    #expect(!simulation.events.contains(.faceLost(track: 1)))
  }

  /// More faces than there is room for do no harm, and each is told once.
  @Test func crowdsAreBounded() throws {
    let simulation = try Simulation()
    for round in 0..<10 {
      simulation.others = (0..<40).map { place in
        var person = Person()
        person.track = UInt32(10 + round * 40 + place)
        return person
      }
      simulation.run(100)
    }
    let found = simulation.events.compactMap { event -> UInt32? in
      if case .faceFound(let track) = event { track } else { nil }
    }
    #expect(found.count > 40)
    #expect(Set(found).count == found.count)
  }
}

@Suite struct GreetingTests {
  private func greetings(
    _ options: LivenessOptions = .test(), frames: Int = 30, _ gender: (Int) -> Gender?
  ) throws -> [Greeting] {
    let simulation = try Simulation(options)
    for frame in 0..<frames {
      simulation.change { $0.gender = gender(frame) }
      simulation.step(after: 1000 / 30)
    }
    return simulation.events.compactMap { event in
      if case .greeting(let greeting, track: 1) = event { greeting } else { nil }
    }
  }

  @Test func theMajorityDecidesIfItIsSure() throws {
    let man = Gender(label: .man, probability: 0.95)
    let woman = Gender(label: .woman, probability: 0.95)
    #expect(try greetings { _ in man } == [.man])
    #expect(try greetings { _ in woman } == [.woman])
    #expect(try greetings { $0 % 2 == 0 ? man : woman } == [.neutral])
    #expect(try greetings { _ in Gender(label: .man, probability: 0.79) } == [.neutral])
    #expect(try greetings { _ in Gender(label: .woman, probability: 0.81) } == [.woman])
    // Four sure votes and one against: 0.8 in the mean needs 0.95 and more on the one side.
    #expect(try greetings { $0 == 1 ? man : woman } == [.neutral])
    let sure = Gender(label: .woman, probability: 0.99)
    let unsure = Gender(label: .man, probability: 0.6)
    #expect(try greetings { $0 == 1 ? unsure : sure } == [.woman])
  }

  @Test func oneVoteOrNoneIsNeutral() throws {
    let man = Gender(label: .man, probability: 1)
    #expect(try greetings { _ in nil } == [.neutral])
    #expect(try greetings { $0 == 3 ? man : nil } == [.neutral])
    #expect(try greetings { $0 == 3 || $0 == 4 ? man : nil } == [.man])
    #expect(try greetings { _ in Gender(label: .man, probability: .nan) } == [.neutral])
  }

  @Test func fiveVotesAreEnough() throws {
    let simulation = try Simulation(framesPerSecond: 100)
    simulation.change { $0.gender = Gender(label: .woman, probability: 0.9) }
    simulation.run(60)
    #expect(simulation.log.contains { $0.at == 40 && $0.event == .greeting(.woman, track: 1) })
  }

  @Test func greetingsCanBeSwitchedOff() throws {
    let man = Gender(label: .man, probability: 1)
    #expect(try greetings(.test { $0.greeting.enabled = false }) { _ in man } == [])
  }

  /// Who comes back to the gates is not greeted again; another face is.
  @Test func eachFaceIsGreetedOnce() throws {
    let simulation = try Simulation()
    simulation.run(20_000)
    #expect(simulation.events.filter { $0 == .greeting(.neutral, track: 1) }.count == 1)
    simulation.change { $0.track = 2 }
    simulation.run(1000)
    #expect(simulation.events.filter { $0 == .greeting(.neutral, track: 2) }.count == 1)
  }

  /// It decides nothing: the rest of the events is the same.
  @Test func theGreetingDecidesNothing() throws {
    func rest(_ gender: Gender?) throws -> [LivenessEvent] {
      let simulation = try Simulation()
      simulation.change { $0.gender = gender }
      simulation.doEverything()
      simulation.run(6000)
      return simulation.events.filter { if case .greeting = $0 { false } else { true } }
    }
    let man = try rest(Gender(label: .man, probability: 0.99))
    #expect(man == (try rest(Gender(label: .woman, probability: 0.99))))
    #expect(man.contains(.verdictLive(track: 1)))
  }
}

extension Simulation {
  var hasPrompt: Bool { events.contains { if case .prompt = $0 { true } else { false } } }

  /// From now on, does what is asked.
  func doEverything(after delay: Double = 400, for hold: Double = 600) {
    respond = { simulation, event in
      guard case .prompt(let challenge, _) = event else { return }
      let time = challenge == .blink ? 150 : hold
      simulation.act(after: delay, for: time) { $0.perform(challenge) }
    }
  }
}
