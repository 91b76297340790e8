import CPlatform
import Platform
import SerialLog
import Testing

@testable import Board
@testable import Pipeline

/// A pipeline that stops turning: in the middle of a pulse, without one, for ever, for a while.
@Suite struct StallTests {
  static func options(
    hold: Duration = .milliseconds(3000), longestHold: Duration = .milliseconds(5000),
    onAtFault: Bool = false
  ) -> BoardOptions {
    var options = BoardOptions()
    for output in [Output.relay, .ready, .pass, .fault] {
      options[output].place = .offset(UInt32(output.rawValue))
    }
    options.relay.hold = hold
    options.relay.longestHold = longestHold
    options.relay.onAtFault = onAtFault
    return options
  }

  /// The driver and a pipeline that does as it is told, in virtual time.
  struct Bench: ~Copyable {
    let wanted: WantedOutputs
    let tap: LogTap
    var driver: OutputsDriver
    var now: Instant

    init(_ options: BoardOptions = StallTests.options()) throws {
      let tap = try LogTap(isSynchronous: true)
      let outputs = try Outputs(options, isSimulated: true)
      self.tap = tap
      driver = OutputsDriver(
        outputs: outputs, inputs: nil, tamperBlocks: true, log: tap.log,
        stallsAfter: TimeBudget.stall)
      wanted = WantedOutputs()
      now = .zero
    }

    /// Lets time go by; the driver looks whenever it asked to.
    mutating func pass(_ milliseconds: Int64, turning: Bool) {
      let end = now + .milliseconds(milliseconds)
      var isPunctual = true
      while true {
        if turning { wanted.countTurn() }
        let next = driver.step(wanted, at: now)
        // Patterns need every step.
        isPunctual = isPunctual && next > now && next <= now + .milliseconds(100)
        guard isPunctual, next < end else { break }
        now = next
      }
      now = end
      #expect(isPunctual)
    }

    /// As `seconds event`, with milliseconds.
    func said() -> [String] {
      tap.rest().map { "\(Tool.Event($0)?.seconds ?? -1) \(short($0))" }
    }
  }

  @Test func aPulseEndsInTimeThoughThePipelineStalls() throws {
    // Longer than a stall takes to be noticed: the pulse ends with the fault.
    var bench = try Bench()
    bench.pass(1000, turning: true)
    bench.wanted.openDoor(seen: bench.now)
    _ = bench.wanted.show(.pass)
    bench.pass(60_000, turning: false)
    // The last look before the stall was at 0.9 s.
    #expect(
      bench.said().filter { !$0.contains("led.fault") && !$0.contains("led.ready") } == [
        "1.0 relay on", "1.0 led.pass on", "2.9 board.stall", "2.9 relay off", "2.9 led.pass off",
      ])
  }

  @Test func aShortPulseEndsByItsOwnTime() throws {
    var bench = try Bench(Self.options(hold: .milliseconds(1050)))
    bench.pass(1000, turning: true)
    bench.wanted.openDoor(seen: bench.now)
    bench.pass(60_000, turning: false)
    #expect(
      bench.said().filter { !$0.contains("led.fault") && !$0.contains("led.ready") }
        == ["1.0 relay on", "2.05 relay off", "2.9 board.stall"])
  }

  /// Whenever in a pulse the pipeline stops, and whatever it does before: no pulse is too long.
  @Test func noPulseIsLongerThanTheLongestWhateverThePipelineDoes() throws {
    for seed in UInt64(0)..<40 {
      var random = RandomSource(seed: seed)
      let hold = Int64(100 + random.below(6000))
      let longest = Int64(100 + random.below(6000))
      var bench = try Bench(
        Self.options(hold: .milliseconds(hold), longestHold: .milliseconds(longest)))
      for _ in 0..<60 {
        if random.below(3) == 0 { bench.wanted.openDoor(seen: bench.now) }
        if random.below(4) == 0 {
          _ = bench.wanted.show(OutputState(code: UInt32(random.below(9))))
        }
        bench.pass(
          Int64(1 + random.below(random.below(2) == 0 ? 200 : 4000)),
          turning: random.below(3) > 0)
      }
      bench.pass(10_000, turning: false)
      var onSince: Double?
      var pulses = 0
      for line in bench.tap.rest() where short(line).hasPrefix("relay") {
        let time = try #require(Tool.Event(line)).seconds
        if short(line) == "relay on" {
          onSince = time
          pulses += 1
        } else if let since = onSince {
          // The log rounds down to milliseconds.
          #expect(time - since <= Double(min(hold, longest)) / 1000 + 0.0011, "seed \(seed)")
          onSince = nil
        }
      }
      #expect(onSince == nil && pulses > 3, "seed \(seed)")
    }
  }

  @Test func aStallIsSaidOnceAndNothingGoesOnAfterIt() throws {
    var bench = try Bench()
    _ = bench.wanted.show(.ready)
    bench.pass(1000, turning: true)
    bench.wanted.openDoor(seen: bench.now)
    bench.pass(4000, turning: false)
    // What was asked for before it turned again is for somebody who may have left.
    bench.wanted.openDoor(seen: bench.now)
    bench.pass(300, turning: false)
    bench.pass(300, turning: true)
    bench.wanted.openDoor(seen: bench.now - TimeBudget.stall)
    bench.pass(300, turning: true)
    bench.wanted.openDoor(seen: bench.now - .milliseconds(1999))
    bench.pass(300, turning: true)
    #expect(
      bench.said().filter { !$0.contains("led.fault on") && !$0.contains("led.fault off") } == [
        "0.0 led.ready on", "1.0 relay on",
        "2.9 board.stall", "2.9 relay off", "2.9 led.ready off",
        "5.3 board.resumed", "5.3 led.ready on",
        "5.6 open.refused", "5.9 relay on",
      ])
  }

  @Test func whatIsAskedForInTheMomentOfTheStallIsNotDone() throws {
    var bench = try Bench()
    bench.pass(100, turning: true)
    bench.pass(1850, turning: false)
    bench.wanted.openDoor(seen: bench.now)
    _ = bench.driver.step(bench.wanted, at: bench.now + .milliseconds(50))
    #expect(!bench.said().contains { $0.contains("relay") })
  }

  @Test func aStallWithoutAPulseShowsTheFaultAndItsLevel() throws {
    var bench = try Bench(Self.options(onAtFault: true))
    _ = bench.wanted.show(.ready)
    bench.pass(100, turning: true)
    bench.pass(2150, turning: false)
    bench.pass(100, turning: true)
    #expect(
      bench.said() == [
        "0.0 led.ready on",
        "2.0 board.stall", "2.0 relay on", "2.0 led.ready off", "2.0 led.fault on",
        "2.1 led.fault off", "2.2 led.fault on",
        "2.25 board.resumed", "2.25 relay off", "2.25 led.ready on", "2.25 led.fault off",
      ])
  }

  @Test func aLineThatFailsWhileThePipelineStallsIsToldAndTriedAgain() throws {
    defer { FaultPlan.clear() }
    var bench = try Bench()
    bench.pass(1000, turning: true)
    bench.wanted.openDoor(seen: bench.now)
    bench.pass(100, turning: true)
    FaultPlan.fail(.ioctl, times: 3, code: EIO)
    bench.pass(5000, turning: false)
    let said = bench.said().map { String($0.drop { $0 != " " }.dropFirst()) }
    #expect(said.filter { $0 == "board.fault" }.count == 1)
    #expect(said.filter { $0 == "board.stall" }.count == 1)
    #expect(said.filter { $0.hasPrefix("relay") } == ["relay on", "relay off"])
  }

  @Test func theEndIsTheExitsLevelStalledOrNot() throws {
    for isTurning in [true, false] {
      var bench = try Bench()
      _ = bench.wanted.show(.ready)
      bench.pass(100, turning: true)
      bench.wanted.openDoor(seen: bench.now)
      bench.pass(2550, turning: isTurning)
      bench.driver.end(at: bench.now)
      let said = bench.said()
      #expect(said.last == (isTurning ? "2.65 led.ready off" : "2.65 led.fault off"))
      #expect(said.contains(isTurning ? "2.65 relay off" : "2.0 relay off"))
    }
  }

  @Test func onAClipsClockNothingStalls() throws {
    let tap = try LogTap(isSynchronous: true)
    var service = try OutputsService(
      Self.options(), outputs: Outputs(Self.options(), isSimulated: true), inputs: nil,
      log: tap.log, stallsAfter: nil)
    service.show(.ready, at: .zero)
    service.openDoor(seen: .zero)
    service.show(.pass, at: .zero + .seconds(3600))
    #expect(service.isPulsing == true)
    service.show(.ready, at: .zero + .seconds(3603))
    #expect(service.isPulsing == false)
    service.end(at: .zero + .seconds(3604))
    #expect(
      tap.rest().map(short) == [
        "led.ready on", "relay on", "led.ready off", "led.pass on",
        "relay off", "led.ready on", "led.pass off", "led.ready off",
      ])
  }
}

/// The same with a real thread and the machine's clock. This test's own thread plays the pipeline;
/// while it waits for a line of the log it is blocked as deeply as one can be.
@Suite struct OutputsThreadTests {
  func wait(for wanted: String, _ tap: LogTap) -> [String] {
    var said: [String] = []
    while let line = tap.next() {
      said.append(short(line))
      if said.last == wanted { break }
    }
    return said.filter { !$0.hasPrefix("led.") }
  }

  @Test func aBlockedPipelineDoesNotKeepThePulse() throws {
    let tap = try LogTap(isSynchronous: false)
    var options = StallTests.options(hold: .milliseconds(100))
    // No stall is noticed in this test's life: the pulse ends because its time is over.
    var service = try OutputsService(
      options, outputs: Outputs(options, isSimulated: true), inputs: nil, log: tap.log,
      stallsAfter: .seconds(3600))
    service.countTurn()
    service.openDoor(seen: .now())
    service.show(.pass, at: .now())
    #expect(wait(for: "relay off", tap) == ["relay on", "relay off"])
    service.end(at: .now())

    // A pulse without an end of its own: the stall ends it.
    options.relay.hold = .seconds(3600)
    options.relay.longestHold = .seconds(3600)
    service = try OutputsService(
      options, outputs: Outputs(options, isSimulated: true), inputs: nil, log: tap.log,
      stallsAfter: .milliseconds(300))
    service.countTurn()
    service.openDoor(seen: .now())
    service.show(.pass, at: .now())
    #expect(wait(for: "relay off", tap) == ["relay on", "board.stall", "relay off"])
    // It works again, and the pulse does not go on.
    service.countTurn()
    #expect(wait(for: "board.resumed", tap) == ["board.resumed"])
    service.end(at: .now())
    #expect(!tap.rest().contains { short($0).hasPrefix("relay") })
  }

  @Test func theThreadEndsWithItsOwner() throws {
    let tap = try LogTap(isSynchronous: false)
    func own() throws {
      let service = try OutputsService(
        StallTests.options(), outputs: Outputs(StallTests.options(), isSimulated: true),
        inputs: nil, log: tap.log,
        stallsAfter: .seconds(3600))
      service.openDoor(seen: .now())
      service.show(.ready, at: .now())
      #expect(wait(for: "relay on", tap) == ["relay on"])
    }
    try own()
    #expect(tap.rest().map(short).filter { $0.hasPrefix("relay") } == ["relay off"])
  }
}
