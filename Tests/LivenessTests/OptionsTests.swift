import Liveness
import Platform
import Testing

@Suite struct OptionsTests {
  @Test func theDefaultsAreTheDocumentedOnes() throws {
    let options = LivenessOptions()
    #expect(options.rules == .pose)
    #expect(options.order == .random)
    #expect(options.count == 3)
    #expect(options.pose.turn == 20)
    #expect(options.reactionTime == .milliseconds(200))
    #expect(options.actionWindow == .seconds(5))
    #expect(options.holdTime == .milliseconds(200))
    #expect(options.holdFrames == 3)
    #expect(options.neutralFrames == 2)
    #expect(options.neutralWindow == .seconds(6))
    #expect(options.blink.shortest == .milliseconds(50))
    #expect(options.blink.longest == .seconds(1))
    #expect(options.book.turn == 20)
    #expect(options.book.headUp == 24)
    #expect(options.book.headDown == 0)
    #expect(options.book.mouthOpening == 18)
    #expect(options.book.smile == 0.3)
    #expect(options.lockout.failures == 5)
    #expect(options.lockout.window == .seconds(180))
    #expect(options.lockout.first == .seconds(30))
    #expect(options.lockout.longest == .seconds(3600))
    try options.check()
  }

  @Test func impossibleOptionsAreRefused() {
    var options = LivenessOptions()
    options.challenges = ChallengeList()
    #expect(throws: LivenessError.noChallenges) { try options.check() }
    options.challenges = ChallengeList([.smile, .smile])
    #expect(throws: LivenessError.nothingToDrawFrom) { try options.check() }
    options.count = 1
    #expect(throws: Never.self) { try options.check() }
    options.order = .fixed
    #expect(throws: Never.self) { try options.check() }
    options.count = 3
    options.challenges = ChallengeList([.smile, .turn, .turn])
    #expect(throws: LivenessError.sameTwice(index: 2)) { try options.check() }
    // The session goes round: turn, smile, turn | turn.
    options.challenges = ChallengeList([.turn, .smile, .turn])
    #expect(throws: Never.self) { try options.check() }
    options.count = 4
    #expect(throws: LivenessError.sameTwice(index: 0)) { try options.check() }
    #expect(throws: LivenessError.sameTwice(index: 0)) {
      _ = try LivenessMachine(options: options, random: RandomSource(seed: 1))
    }
  }

  /// Extreme numbers get past the settings only by mistake; they must not trap here.
  @Test(arguments: [Int.min, -1, 0, 9, Int.max]) func sessionLengthIsBounded(_ count: Int) throws {
    var options = LivenessOptions()
    options.count = count
    let simulation = try Simulation(options)
    simulation.run(1000)
    let lengths = simulation.events.compactMap { event -> Int? in
      if case .sessionStarted(_, let challenges) = event { challenges } else { nil }
    }
    #expect(lengths == [count > 1 ? 8 : 1])
  }

  @Test func challengeListsKeepTheirOrderAndBound() {
    var list = ChallengeList([.smile, .nod, .smile])
    #expect(list.count == 3)
    #expect(list[1] == .nod)
    #expect(list.contains(.smile))
    #expect(!list.contains(.blink))
    #expect(list == ChallengeList([.smile, .nod, .smile]))
    #expect(list != ChallengeList([.smile, .nod]))
    #expect(list != ChallengeList([.smile, .nod, .turn]))
    for _ in 3..<ChallengeList.capacity {
      let isTaken = list.append(.turn)
      #expect(isTaken)
    }
    let isTaken = list.append(.turn)
    #expect(!isTaken)
    #expect(list.count == ChallengeList.capacity)
  }

  @Test func namesDiffer() {
    #expect(Set(Challenge.allCases.map { "\($0.name)" }).count == 9)
    #expect(Set(Failure.allCases.map { "\($0.name)" }).count == 10)
    #expect(Set(Gate.allCases.map { "\($0.name)" }).count == 10)
    #expect(Set(Gesture.allCases.map { "\($0.name)" }).count == 7)
    #expect(Set(Greeting.allCases.map { "\($0.name)" }).count == 3)
    #expect(Set(GestureRules.allCases.map { "\($0.name)" }).count == 2)
    #expect(Set(ChallengeOrder.allCases.map { "\($0.name)" }).count == 2)
  }

  /// What sessions of one machine, seeded with `seed`, ask a person who does everything.
  private func asked(seed: UInt64, _ options: LivenessOptions) throws -> [[Challenge]] {
    let simulation = try Simulation(options, seed: seed)
    var sessions: [[Challenge]] = []
    simulation.respond = { simulation, event in
      if case .sessionStarted = event { sessions.append([]) }
      guard case .prompt(let challenge, _) = event else { return }
      sessions[sessions.count - 1].append(challenge)
      simulation.act(after: 250, for: 400) { $0.perform(challenge) }
    }
    simulation.run(240_000)
    return sessions
  }

  @Test func drawnSessionsNeverAskTheSameTwiceInARow() throws {
    var options = LivenessOptions()
    options.challenges = ChallengeList([.smile, .turnLeft, .turnRight, .mouthOpen])
    options.count = 5
    options.againAfter = .seconds(4)
    var seen: Set<[Challenge]> = []
    for seed in 0..<4 as Range<UInt64> {
      let sessions = try asked(seed: seed, options)
      #expect(sessions.count > 15)
      for session in sessions {
        #expect(session.indices.dropFirst().allSatisfy { session[$0] != session[$0 - 1] })
        seen.insert(session)
      }
    }
    // 4 · 3^4 orders are possible: draws that often agreed would be no draws.
    #expect(seen.count > 50)
    #expect(Set(seen.map { $0[0] }).count == 4)
    #expect(try asked(seed: 1, options) == asked(seed: 1, options))
    #expect(try asked(seed: 1, options) != asked(seed: 2, options))
  }

  @Test func fixedOrderIsKeptAndGoesRound() throws {
    let options = LivenessOptions.test(.turnRight, .smile) { $0.count = 3 }
    #expect(try asked(seed: 7, options).first == [.turnRight, .smile, .turnRight])
  }
}
