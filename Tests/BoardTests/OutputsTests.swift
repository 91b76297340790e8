import CPlatform
import Platform
import Testing

@testable import Board

@Suite struct OutputsTests {
  func options(_ wiredOutputs: [Output] = Output.allCases) -> BoardOptions {
    var options = BoardOptions()
    for output in wiredOutputs { options[output] = wired(UInt32(output.rawValue)) }
    return options
  }

  func changes(_ outputs: inout Outputs) -> [String] {
    var list: [String] = []
    while let change = outputs.takeChange() {
      let milliseconds = (change.at - .zero).wholeMilliseconds
      list.append("\(milliseconds) \(change.output.name) \(change.isOn ? 1 : 0)")
    }
    return list
  }

  @Test func aSessionFromReadyToTheDoor() throws {
    var outputs = try Outputs(options([.relay, .ready, .face, .prompt, .pass]), isSimulated: true)
    try outputs.apply(.ready, at: at(0))
    try outputs.apply(.face, at: at(100))
    try outputs.apply(.prompt(1), at: at(200))
    try outputs.apply(.prompt(1), at: at(800))
    try outputs.openDoor(at: at(1000))
    try outputs.apply(.pass, at: at(1000))
    try outputs.apply(.pass, at: at(3999))
    try outputs.apply(.ready, at: at(4000))
    #expect(
      changes(&outputs) == [
        "0 led.ready 1", "100 led.face 1", "200 led.prompt 1", "800 led.prompt 0",
        "1000 relay 1", "1000 led.ready 0", "1000 led.pass 1",
        "4000 relay 0", "4000 led.ready 1", "4000 led.face 0", "4000 led.pass 0",
      ])
  }

  @Test func theSameStateAgainDoesNotStartItsPatternAnew() throws {
    var outputs = try Outputs(options([.prompt]), isSimulated: true)
    for time in stride(from: Int64(0), through: 1900, by: 50) {
      try outputs.apply(.prompt(0), at: at(time))
    }
    #expect(
      changes(&outputs) == [
        "0 led.prompt 1", "200 led.prompt 0", "1000 led.prompt 1", "1200 led.prompt 0",
      ])
    try outputs.apply(.prompt(2), at: at(1950))
    #expect(changes(&outputs) == ["1950 led.prompt 1"], "another challenge begins at its beginning")
  }

  /// Whoever sleeps until the next change misses no edge, however late he woke before.
  @Test func theNextChangeIsAnEdgeOfThePatternsOrThePulsesEnd() throws {
    var options = options([.relay, .fault])
    options.relay.hold = .milliseconds(3070)
    var outputs = try Outputs(options, isSimulated: true)
    try outputs.apply(.noCamera, at: at(1030))
    #expect(outputs.nextChange(after: at(1030)) == at(1130))
    #expect(outputs.nextChange(after: at(1129)) == at(1130))
    #expect(outputs.nextChange(after: at(1130)) == at(1230))
    #expect(outputs.nextChange(after: at(1030 + 3_599_970)) == at(1030 + 3_600_000))
    try outputs.openDoor(at: at(1040))
    #expect(outputs.isPulsing == true)
    #expect(outputs.nextChange(after: at(4000)) == at(4030))
    #expect(outputs.nextChange(after: at(4100)) == at(4110), "the pulse ends between two steps")
    try outputs.apply(.noCamera, at: at(4110))
    #expect(outputs.isPulsing == false)
    #expect(outputs.nextChange(after: at(4110)) == at(4130))
  }

  @Test func linesThatAreNotWiredSayNothing() throws {
    var outputs = try Outputs(BoardOptions(), isSimulated: true)
    for state in PatternTests.states { try outputs.apply(state, at: at(0)) }
    try outputs.openDoor(at: at(0))
    #expect(changes(&outputs) == [])
  }

  /// Every set of a long run is made to fail once: whatever it was, everything is safe after it.
  @Test func anyFailureMakesEverythingSafeAndIsReported() throws {
    defer { FaultPlan.clear() }
    var hasFailed = true
    var nth = 0
    var failedOutputs: Set<Output> = []
    while hasFailed {
      nth += 1
      hasFailed = false
      var outputs = try Outputs(options(), isSimulated: true)
      FaultPlan.fail(.ioctl, nth: nth, code: EIO)
      var time: Int64 = 0
      script: for state in PatternTests.states + [.ready] {
        for _ in 0..<12 {
          time += 100
          do {
            if state == .pass { try outputs.openDoor(at: at(time)) }
            try outputs.apply(state, at: at(time))
          } catch {
            hasFailed = true
            guard case .line(.output(let output), Errno(code: EIO)) = error else {
              Issue.record("\(error)")
              break
            }
            failedOutputs.insert(output)
            break script
          }
        }
      }
      FaultPlan.clear()
      guard hasFailed else { break }
      #expect(outputs.fault != nil)
      #expect(outputs.relayLevel == false)
      // Latched: the door does not open any more, and nothing but the fault's light is on.
      #expect(throws: BoardError.self) { try outputs.openDoor(at: at(time)) }
      _ = changes(&outputs)
      try outputs.apply(.pass, at: at(time + 100))
      #expect(outputs.relayLevel == false)
      #expect(changes(&outputs) == [], "it was safe at once")
    }
    #expect(failedOutputs.contains(.relay))
    #expect(failedOutputs.count > 10)
  }

  @Test func aSafeLevelThatCannotBeSetIsTriedAgain() throws {
    defer { FaultPlan.clear() }
    var outputs = try Outputs(options([.relay]), isSimulated: true)
    try outputs.apply(.ready, at: at(0))
    try outputs.openDoor(at: at(0))
    // The release, the safe level after it, and that one again.
    FaultPlan.fail(.ioctl, times: 1, code: ENODEV)
    FaultPlan.fail(.ioctl, times: 1, code: EIO)
    FaultPlan.fail(.ioctl, times: 40, code: EIO)
    #expect(throws: BoardError.line(.output(.relay), Errno(code: ENODEV))) {
      try outputs.apply(.ready, at: at(3000))
    }
    #expect(outputs.relayLevel == nil)
    try outputs.apply(.ready, at: at(3100))
    #expect(outputs.relayLevel == nil)
    FaultPlan.clear()
    try outputs.apply(.ready, at: at(3200))
    #expect(outputs.relayLevel == false)
    #expect(outputs.fault == .line(.output(.relay), Errno(code: ENODEV)), "the first cause is kept")
  }

  @Test func aFaultElsewhereLeavesNothingOn() throws {
    var outputs = try Outputs(options(), isSimulated: true)
    try outputs.openDoor(at: at(0))
    try outputs.apply(.pass, at: at(0))
    _ = changes(&outputs)
    try outputs.apply(.fault, at: at(500))
    #expect(
      changes(&outputs) == ["500 relay 0", "500 led.face 0", "500 led.pass 0", "500 led.fault 1"])
    #expect(outputs.fault == nil)
    #expect(outputs.isPulsing == false)
    try outputs.apply(.ready, at: at(600))
    #expect(changes(&outputs) == ["600 led.ready 1", "600 led.fault 0"], "no pulse goes on")
    outputs.end(at: at(700))
    #expect(changes(&outputs) == ["700 led.ready 0"])
  }

  /// Whoever is inside can leave while the pipeline stalls.
  @Test func aPulseThatIsAskedForDuringAFaultRuns() throws {
    for onAtFault in [false, true] {
      var options = options([.relay])
      options.relay.onAtFault = onAtFault
      var outputs = try Outputs(options, isSimulated: true)
      try outputs.apply(.fault, at: at(0))
      try outputs.openDoor(at: at(100))
      for time in stride(from: Int64(100), through: 4000, by: 100) {
        try outputs.apply(.fault, at: at(time))
      }
      #expect(changes(&outputs) == (onAtFault ? ["0 relay 1"] : ["100 relay 1", "3100 relay 0"]))
    }
  }

  @Test func aFaultElsewhereGivesTheRelayItsLevelForIt() throws {
    var options = options([.relay])
    options.relay.onAtFault = true
    var outputs = try Outputs(options, isSimulated: true)
    try outputs.apply(.ready, at: at(0))
    for time in [Int64(100), 200, 60_000] { try outputs.apply(.fault, at: at(time)) }
    #expect(changes(&outputs) == ["100 relay 1"])
    try outputs.apply(.ready, at: at(60_100))
    #expect(changes(&outputs) == ["60100 relay 0"])
  }

  @Test func aLineThatCannotBeHadStopsTheStart() {
    defer { FaultPlan.clear() }
    FaultPlan.fail(.open, nth: 3, code: EBUSY)
    #expect(throws: BoardError.line(.output(.face), Errno(code: EBUSY))) {
      _ = try Outputs(options(), isSimulated: true).relayLevel
    }
  }

  @Test func changesThatNobodyTakesAreCounted() throws {
    var outputs = try Outputs(options([.fault]), isSimulated: true)
    for step in 0..<Int64(100) { try outputs.apply(.fault, at: at(step * 100)) }
    #expect(changes(&outputs).count == ChangeQueue.capacity)
    #expect(outputs.lostChanges == UInt32(100 - ChangeQueue.capacity))
  }
}

@Suite struct BoardErrorTests {
  func text(_ error: BoardError) -> String {
    var text = FixedString<512>()
    error.describe(into: &text)
    return String(decoding: Array(text.bytes.indices.map { text[$0] }), as: UTF8.self)
  }

  @Test func aChipThatIsNotThereNamesThoseThatAre() {
    var options = BoardOptions()
    options.chip = FixedString("no-such-chip")
    options[.relay] = wired()
    do {
      _ = try Outputs(options, isSimulated: false).relayLevel
      Issue.record("no error")
    } catch .unknownChip(let chip, _) {
      #expect(chip == "no-such-chip")
    } catch .permission {
      // Chips are there, but this user may not look at them.
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func aPathThatIsNoChip() {
    var options = BoardOptions()
    options[.relay] = wired()
    options.chip = FixedString("/dev/null")
    do {
      _ = try Outputs(options, isSimulated: false).relayLevel
      Issue.record("no error")
    } catch .chip(let chip, _) {
      #expect(chip == "/dev/null")
    } catch {
      Issue.record("\(error)")
    }
    options.chip = FixedString("/dev/gpiochip-none")
    #expect(throws: BoardError.unknownChip(options.chip, existing: FixedString())) {
      _ = try Outputs(options, isSimulated: false).relayLevel
    }
  }

  @Test func messagesSayWhatWhereAndWhatIsAllowed() {
    #expect(
      text(.unknownChip(FixedString("x"), existing: FixedString("gpiochip0 [pinctrl-bcm2711]")))
        == "board.chip: no GPIO chip x; there are: gpiochip0 [pinctrl-bcm2711]")
    #expect(
      text(.unknownChip(FixedString("x"), existing: FixedString()))
        == "board.chip: no GPIO chip x; this machine has none")
    #expect(
      text(
        .unknownLine(.output(.relay), .offset(99), chip: FixedString("pinctrl-rp1"), lineCount: 54))
        == "relay: chip pinctrl-rp1 has no line 99; it has 0 to 53")
    #expect(
      text(.busy(.output(.ready), .name(FixedString("GPIO17")), consumer: FixedString("onewire")))
        == "led.ready: line GPIO17 is in use by onewire")
    #expect(
      text(.permission(path: FixedString("/dev/gpiochip0")))
        == "board.chip: no permission to open /dev/gpiochip0; the user must be in its group (gpio)")
    #expect(
      text(.line(.output(.fail), Errno(code: EIO))) == "led.fail: input or output failed (EIO)")
  }

  @Test func namesAreUniqueAndInOrder() {
    #expect(Output.allCases.count == Output.count)
    #expect(Set(Output.allCases.map { "\($0.name)" }).count == Output.count)
    #expect(Output.allCases.map(\.rawValue) == Array(0..<UInt8(Output.count)))
  }
}
