import Liveness
import Platform
import Testing

@Suite struct LockoutTests {
  /// Fails every session by turning the wrong way at once.
  private func failing(
    lockout: LockoutState = LockoutState(), with change: (inout LivenessOptions) -> Void = { _ in }
  ) throws -> Simulation {
    let options = LivenessOptions.test(.turnLeft) { options in
      options.pauseAfterFailure = .milliseconds(500)
      change(&options)
    }
    let simulation = try Simulation(options, framesPerSecond: 15, lockout: lockout)
    simulation.answer(with: .turnRight)
    return simulation
  }

  private func locks(_ simulation: Simulation) -> [Duration] {
    simulation.events.compactMap { if case .lockedOut(let duration) = $0 { duration } else { nil } }
  }

  @Test func fiveFailuresLockForHalfAMinute() throws {
    let simulation = try failing()
    while locks(simulation).isEmpty && simulation.milliseconds < 60_000 { simulation.run(66) }
    #expect(simulation.verdicts.count == 5)
    #expect(simulation.events.last == .lockedOut(for: .seconds(30)))
    #expect(simulation.machine.stage == .locked)
    let start = simulation.milliseconds
    let before = simulation.prompts
    simulation.run(29_800)
    #expect(simulation.prompts == before)
    #expect(!simulation.events.contains(.lockEnded))
    simulation.run(400)
    #expect(simulation.events.contains(.lockEnded))
    let end = simulation.log.first { $0.event == .lockEnded }
    #expect(abs((end?.at ?? 0) - start - 30_000) < 200)
    simulation.run(2000)
    #expect(simulation.prompts > before)
  }

  @Test func eachLockIsTwiceAsLongUpToAnHour() throws {
    let simulation = try failing()
    // Locks take their time: skip through them.
    while locks(simulation).count < 10 && simulation.milliseconds < 4e7 {
      if simulation.machine.stage == .locked {
        simulation.person = nil
        simulation.step(after: 10_000)
      } else {
        if simulation.person == nil { simulation.person = Person() }
        simulation.step(after: 66)
      }
    }
    #expect(
      locks(simulation)
        == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map { .seconds($0) })
  }

  @Test func failuresFurtherApartDoNotLock() throws {
    let simulation = try failing { $0.pauseAfterFailure = .seconds(46) }
    simulation.run(400_000)
    #expect(simulation.verdicts.count > 7)
    #expect(locks(simulation).isEmpty)
    let closer = try failing { $0.pauseAfterFailure = .seconds(40) }
    closer.run(400_000)
    #expect(locks(closer).first == .seconds(30))
  }

  @Test func aLiveVerdictForgives() throws {
    let simulation = try failing()
    func failUntil(_ count: Int) {
      while simulation.verdicts.count < count && simulation.milliseconds < 1e6 {
        simulation.run(66)
      }
    }
    failUntil(4)
    simulation.answer(with: .turnLeft)
    failUntil(5)
    #expect(simulation.verdicts.last == .verdictLive(track: 1))
    simulation.change { $0.track = 2 }
    simulation.answer(with: .turnRight)
    failUntil(9)
    #expect(locks(simulation).isEmpty)
    failUntil(10)
    #expect(locks(simulation) == [.seconds(30)])
  }

  /// After an hour without failures the next lock is short again.
  @Test func calmForgets() throws {
    var state = LockoutState()
    state.locks = 3
    state.calm = .seconds(3599 - 60)
    let soon = try failing(lockout: state)
    soon.run(30_000)
    #expect(locks(soon) == [.seconds(240)])
    state.calm = .seconds(3600)
    let late = try failing(lockout: state)
    late.run(30_000)
    #expect(locks(late) == [.seconds(30)])
  }

  /// Who waits near the door, or walks by, attacks nothing.
  @Test func waitingAndWalkingByDoNotCount() throws {
    let waiting = try failing()
    waiting.respond = { _, _ in }
    waiting.run(120_000)
    #expect(waiting.verdicts.count > 10)
    #expect(waiting.verdicts.allSatisfy { $0 == .verdictFailed(.timeout, track: 1) })
    #expect(locks(waiting).isEmpty)

    let walking = try failing()
    walking.respond = { simulation, event in
      guard case .prompt = event else { return }
      simulation.after(300) { $0.person = nil }
      simulation.after(600) { simulation in
        simulation.person = Person()
        simulation.change { $0.track = UInt32(simulation.frame) }
      }
    }
    walking.run(60_000)
    #expect(walking.verdicts.count > 10)
    #expect(locks(walking).isEmpty)
  }

  /// After a pass, or any gesture, giving up counts: else one could fish for a fitting order.
  @Test(arguments: [Challenge.turnLeft, .smile]) func givingUpCounts(_ first: Challenge) throws {
    let simulation = try Simulation(
      .test(.turnLeft, .mouthOpen) { $0.pauseAfterFailure = .milliseconds(500) },
      framesPerSecond: 15)
    simulation.respond = { simulation, event in
      guard case .prompt(_, index: 0) = event else { return }
      simulation.act(after: 400, for: 600) { $0.perform(first) }
    }
    simulation.run(60_000)
    #expect(simulation.verdicts.first == .verdictFailed(.timeout, track: 1))
    #expect(locks(simulation).first == .seconds(30))
  }

  @Test func lockingCanBeSwitchedOff() throws {
    let simulation = try failing { $0.lockout.failures = 0 }
    simulation.run(60_000)
    #expect(simulation.verdicts.count > 10)
    #expect(locks(simulation).isEmpty)
  }

  // MARK: Restarts

  @Test func aLockSurvivesARestart() throws {
    let first = try failing()
    while locks(first).isEmpty { first.run(66) }
    first.run(10_000)
    let state = first.machine.lockoutState(at: first.now)
    let remaining = try #require(state.remaining)
    #expect(abs(remaining.inSeconds - 20) < 0.2)

    let record = state.record
    let read = LockoutState(record: record.span)
    let restored = try #require(read)
    let second = try failing(lockout: restored)
    second.step(after: 0)
    guard case .lockedOut(let again)? = second.events.first else {
      Issue.record("not locked")
      return
    }
    #expect(abs((again - remaining).inSeconds) < 0.01)
    #expect(again >= remaining)
    second.run(19_500)
    #expect(!second.hasPrompt)
    second.run(2000)
    #expect(second.events.contains(.lockEnded))
    #expect(second.hasPrompt)
    // The next lock is the second one.
    second.run(40_000)
    #expect(locks(second).last == .seconds(60))
  }

  @Test func failuresSurviveARestart() throws {
    let first = try failing()
    while first.verdicts.count < 4 { first.run(66) }
    let state = first.machine.lockoutState(at: first.now)
    #expect(state.failureCount == 4)
    #expect(state.failureAge(0) > state.failureAge(3))
    let second = try failing(lockout: state)
    while second.verdicts.isEmpty { second.run(66) }
    #expect(locks(second) == [.seconds(30)])
  }

  /// Restarting while failures are remembered does not make them older or younger.
  @Test func theStateIsKeptAsItIs() throws {
    var state = LockoutState()
    state.locks = 2
    state.calm = .seconds(100)
    for age in [90, 50, 10] { state.appendFailure(age: .seconds(age)) }
    let simulation = try Simulation(lockout: state)
    #expect(simulation.machine.lockoutState(at: Instant(nanoseconds: 5_000_000_000)) == state)
    simulation.person = nil
    simulation.step(after: 0)
    #expect(simulation.machine.lockoutState(at: simulation.now) == state)
    #expect(simulation.machine.lockoutRevision == 0)
  }

  @Test func theRevisionTellsWhenToSave() throws {
    let simulation = try failing()
    #expect(simulation.machine.lockoutRevision == 0)
    while simulation.verdicts.count < 1 { simulation.run(66) }
    let one = simulation.machine.lockoutRevision
    #expect(one > 0)
    simulation.run(600)
    #expect(simulation.machine.lockoutRevision == one)
    while locks(simulation).isEmpty { simulation.run(66) }
    let locked = simulation.machine.lockoutRevision
    #expect(locked > one)
    simulation.run(31_000)
    #expect(simulation.machine.lockoutRevision > locked)
    simulation.answer(with: .turnLeft)
    let before = simulation.machine.lockoutRevision
    while simulation.verdicts.last != .verdictLive(track: 1) { simulation.run(66) }
    #expect(simulation.machine.lockoutRevision > before)
  }

  @Test func recordsGoThereAndBack() throws {
    var random = RandomSource(seed: 9)
    for _ in 0..<500 {
      var state = LockoutState()
      state.locks = random.below(33)
      if random.below(2) == 0 { state.remaining = .milliseconds(random.below(3_600_001)) }
      if random.below(2) == 0 { state.calm = .milliseconds(random.below(4_000_000_000)) }
      for _ in 0..<random.below(17) {
        state.appendFailure(age: .milliseconds(random.below(180_000)))
      }
      let record = state.record
      #expect(record.count == LockoutState.recordByteCount)
      let read = LockoutState(record: record.span)
      #expect(read == state)
    }
  }

  /// The layout is fixed: the next version of the program must read it.
  @Test func theRecordIsTheDocumentedOne() {
    var state = LockoutState()
    state.locks = 2
    state.remaining = .milliseconds(0x0102_0304)
    state.calm = .microseconds(1)
    state.appendFailure(age: .seconds(1))
    let record = state.record
    let head = (0..<24).map { record[$0] }
    #expect(
      head == [
        0x4C, 0x4C, 0x4B, 0x31, 2, 1, 1, 1, 4, 3, 2, 1, 1, 0, 0, 0, 0xE8, 3, 0, 0, 0, 0, 0, 0,
      ])
    // zlib.crc32 of the first 80 bytes.
    #expect((80..<84).map { record[$0] } == [0x74, 0x65, 0x24, 0x56])
  }

  /// A record with any flipped bit, cut, or of another kind is refused.
  @Test func damagedRecordsAreRefused() {
    var state = LockoutState()
    state.locks = 2
    state.appendFailure(age: .seconds(1))
    let good = state.record
    for bit in 0..<(8 * LockoutState.recordByteCount) {
      var bad = good
      bad[bit / 8] ^= 1 << UInt8(bit % 8)
      let read = LockoutState(record: bad.span)
      #expect(read == nil)
    }
    for length in 0..<LockoutState.recordByteCount {
      let read = LockoutState(record: good.span.extracting(first: length))
      #expect(read == nil)
    }
    var random = RandomSource(seed: 3)
    for _ in 0..<1000 {
      var noise = good
      for index in 0..<LockoutState.recordByteCount {
        noise[index] = UInt8(truncatingIfNeeded: random.next())
      }
      let read = LockoutState(record: noise.span)
      #expect(read == nil)
    }
  }

  @Test func theOldestFailureIsForgottenWithoutRoom() {
    var state = LockoutState()
    for age in (1...20).reversed() { state.appendFailure(age: .seconds(age)) }
    #expect(state.failureCount == LockoutState.capacity)
    #expect(state.failureAge(0) == .seconds(16))
    #expect(state.failureAge(15) == .seconds(1))
  }
}

extension Simulation {
  var now: Instant { Instant(nanoseconds: Int64(milliseconds * 1e6)) }
}
