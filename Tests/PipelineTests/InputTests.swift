import CPlatform
import Platform
import SerialLog
import Testing

@testable import Board
@testable import Pipeline

/// Buttons and contacts, and what they do to the door; in virtual time.
@Suite struct InputTests {
  struct Bench: ~Copyable {
    let wanted: WantedOutputs
    let tap: LogTap
    var driver: OutputsDriver
    var now: Instant

    init(tamperBlocks: Bool = true) throws {
      var options = StallTests.options()
      for input in Input.allCases { options[input].place = .offset(40 + UInt32(input.rawValue)) }
      let tap = try LogTap(isSynchronous: true)
      let outputs = try Outputs(options, isSimulated: true)
      let inputs = try Inputs(options, isSimulated: true)
      self.tap = tap
      driver = OutputsDriver(
        outputs: outputs, inputs: inputs, tamperBlocks: tamperBlocks, log: tap.log,
        stallsAfter: TimeBudget.stall)
      wanted = WantedOutputs()
      now = .zero
    }

    mutating func pass(_ milliseconds: Int64, turning: Bool = true) {
      let end = now + .milliseconds(milliseconds)
      while now < end {
        if turning { wanted.countTurn() }
        let next = driver.step(wanted, at: now)
        #expect(next > now && next <= now + Inputs.pace)
        now = min(end, max(next, now + .milliseconds(1)))
      }
    }

    /// As `seconds event`; without lights and first levels.
    func said() -> [String] {
      tap.rest().compactMap { line in
        guard let event = Tool.Event(line), !short(line).hasPrefix("led") else { return nil }
        if event.name == "input" {
          return "\(event.seconds) \(event.values["name"] ?? "") \(event.values["value"] ?? "")"
        }
        let reason = event.values["reason"].map { " \($0)" } ?? ""
        return "\(event.seconds) \(short(line))\(reason)"
      }.filter { !$0.hasPrefix("0.03 ") }
    }
  }

  @Test func pressingTheButtonOpensOnceHoweverLongItIsHeld() throws {
    var bench = try Bench()
    bench.pass(1000)
    bench.driver.inputs?.simulate(.exitButton, true)
    bench.pass(10_000)
    bench.driver.inputs?.simulate(.exitButton, false)
    bench.pass(1000)
    #expect(
      bench.said() == [
        "1.03 exit_button on", "1.03 relay on", "4.03 relay off", "11.03 exit_button off",
      ])
  }

  @Test func aButtonThatIsHeldFromTheStartOpensNothing() throws {
    var bench = try Bench()
    bench.driver.inputs?.simulate(.exitButton, true)
    bench.pass(1000)
    #expect(!bench.said().contains { $0.contains("relay") })
  }

  @Test func theButtonWorksWhileThePipelineStallsAndWhileTheCaseIsOpen() throws {
    var bench = try Bench()
    bench.driver.inputs?.simulate(.tamper, true)
    bench.pass(100)
    bench.pass(3000, turning: false)
    bench.driver.inputs?.simulate(.exitButton, true)
    bench.pass(10_000, turning: false)
    #expect(
      bench.said() == [
        "2.09 board.stall", "3.13 exit_button on", "3.13 relay on", "6.13 relay off",
      ])
  }

  @Test func noVerdictOpensAnOpenedCase() throws {
    for blocks in [true, false] {
      var bench = try Bench(tamperBlocks: blocks)
      bench.pass(100)
      bench.driver.inputs?.simulate(.tamper, true)
      bench.pass(100)
      bench.wanted.openDoor(seen: bench.now)
      bench.pass(5000)
      bench.driver.inputs?.simulate(.tamper, false)
      bench.pass(100)
      bench.wanted.openDoor(seen: bench.now)
      bench.pass(100)
      #expect(
        bench.said() == ["0.13 tamper on"]
          + (blocks ? ["0.2 open.refused tamper"] : ["0.2 relay on", "3.2 relay off"])
          + ["5.23 tamper off", "5.3 relay on"])
    }
  }

  @Test func aContactThatCannotBeReadIsToldOnceAndBlocks() throws {
    defer { FaultPlan.clear() }
    var bench = try Bench()
    // A state in which no light changes: none of them must fail.
    _ = bench.wanted.show(.pass)
    bench.pass(100)
    FaultPlan.fail(.ioctl, times: 100_000, code: EIO)
    bench.pass(500)
    bench.wanted.openDoor(seen: bench.now)
    bench.pass(100)
    FaultPlan.clear()
    bench.pass(100)
    bench.wanted.openDoor(seen: bench.now)
    bench.pass(100)
    let said = bench.said().map { String($0.drop { $0 != " " }.dropFirst()) }
    #expect(said.filter { $0 == "board.fault" }.count == 3, "one an input")
    #expect(said.contains("open.refused tamper"))
    #expect(said.last == "relay on")
  }

  @Test func theDoorIsOnlyLogged() throws {
    var bench = try Bench()
    bench.pass(100)
    bench.driver.inputs?.simulate(.doorContact, true)
    bench.pass(100)
    #expect(bench.said() == ["0.13 door_contact on"])
  }
}
