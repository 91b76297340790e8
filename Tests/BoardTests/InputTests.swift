import CPlatform
import Platform
import Testing

@testable import Board

@Suite struct DebouncerTests {
  @Test func whatBouncesDoesNotCount() {
    var debouncer = Debouncer(.milliseconds(30))
    var changes: [String] = []
    // A press as a switch gives it: 12 ms of bouncing, held, and bouncing again.
    let raw: [(Int64, Bool)] = [
      (0, false), (10, false), (20, false), (30, false), (40, false),
      (100, true), (103, false), (105, true), (112, false), (113, true), (123, true), (142, true),
      (143, true), (200, true), (300, false), (310, true), (320, false), (349, false), (350, false),
    ]
    for (time, level) in raw where debouncer.look(level, at: at(time)) {
      changes.append("\(time) \(debouncer.level == true ? 1 : 0)")
    }
    #expect(changes == ["30 0", "143 1", "350 0"])
  }

  @Test func withoutATimeEveryLevelCounts() {
    var debouncer = Debouncer(.zero)
    #expect(debouncer.level == nil)
    for (time, level) in [(Int64(0), true), (0, false), (1, true)] {
      let isNew = debouncer.look(level, at: at(time))
      #expect(isNew)
    }
    let isNew = debouncer.look(true, at: at(2))
    #expect(!isNew)
  }

  @Test func whatIsForgottenMustStandAgain() {
    var debouncer = Debouncer(.milliseconds(20))
    _ = debouncer.look(true, at: at(0))
    _ = debouncer.look(true, at: at(20))
    #expect(debouncer.level == true)
    debouncer.forget()
    #expect(debouncer.level == nil)
    let isEarly = debouncer.look(true, at: at(30))
    let isLate = debouncer.look(true, at: at(50))
    #expect(!isEarly && isLate)
  }

  /// Whatever bounces, a level counts only after it stood: seeded noise, checked against a plain
  /// look back.
  @Test func noiseIsHeldAgainstALookBack() {
    var random = RandomSource(seed: 11)
    var debouncer = Debouncer(.milliseconds(30))
    var seen: [(Int64, Bool)] = []
    var expected: Bool?
    var time: Int64 = 0
    var level = false
    for _ in 0..<5000 {
      time += Int64(1 + random.below(20))
      if random.below(4) == 0 { level.toggle() }
      seen.append((time, level))
      _ = debouncer.look(level, at: at(time))
      let run = seen.reversed().prefix { $0.1 == level }
      if let first = run.last, time - first.0 >= 30 { expected = level }
      #expect(debouncer.level == expected)
      if seen.count > 100 { seen.removeFirst(50) }
    }
  }
}

@Suite struct InputsTests {
  func options(_ wiredInputs: [Input] = Input.allCases) -> BoardOptions {
    var options = BoardOptions()
    for input in wiredInputs { options[input].place = .offset(UInt32(input.rawValue)) }
    return options
  }

  @Test func everyInputIsReadAndDebouncedByItself() throws {
    var inputs = try Inputs(options([.exitButton, .tamper]), isSimulated: true)
    #expect(inputs.isEmpty == false)
    #expect(inputs.mayBeOn(.tamper) == true, "not known yet")
    #expect(inputs.mayBeOn(.doorContact) == false, "not wired")
    var said: [String] = []
    for time in stride(from: Int64(0), through: 400, by: 10) {
      if time == 100 { inputs.simulate(.exitButton, true) }
      if time == 110 { inputs.simulate(.doorContact, true) }
      if time == 120 { inputs.simulate(.tamper, true) }
      for input in Input.allCases {
        guard let change = try inputs.look(input, at: at(time)) else { continue }
        said.append("\(time) \(change.input.name) \(change.isOn) \(change.isFirst)")
      }
    }
    #expect(
      said == [
        "30 exit_button false true", "30 tamper false true", "130 exit_button true false",
        "150 tamper true false",
      ])
    #expect(inputs.level(.tamper) == true)
    #expect(inputs.level(.doorContact) == nil)
  }

  @Test func aLineThatCannotBeReadIsNotKnownUntilItCan() throws {
    defer { FaultPlan.clear() }
    var inputs = try Inputs(options([.tamper]), isSimulated: true)
    for time in [Int64(0), 30] { _ = try inputs.look(.tamper, at: at(time)) }
    #expect(inputs.mayBeOn(.tamper) == false)
    FaultPlan.fail(.ioctl, code: EIO)
    #expect(throws: BoardError.line(.input(.tamper), Errno(code: EIO))) {
      _ = try inputs.look(.tamper, at: at(40))
    }
    #expect(inputs.mayBeOn(.tamper) == true)
    for time in [Int64(50), 80] { _ = try inputs.look(.tamper, at: at(time)) }
    #expect(inputs.mayBeOn(.tamper) == false)
  }

  @Test func nothingWiredIsNothingToLookAt() throws {
    var inputs = try Inputs(BoardOptions(), isSimulated: true)
    #expect(inputs.isEmpty == true)
    for input in Input.allCases { #expect(try inputs.look(input, at: at(0)) == nil) }
  }

  @Test func aLineThatCannotBeHadStopsTheStart() {
    defer { FaultPlan.clear() }
    FaultPlan.fail(.open, nth: 2, code: EBUSY)
    #expect(throws: BoardError.line(.input(.doorContact), Errno(code: EBUSY))) {
      _ = try Inputs(options(), isSimulated: true).isEmpty
    }
  }

  @Test func outputsAreDrawnToWhereTheyAreAtTheExit() {
    #expect(Bias.towards(false, activeLow: false) == .down)
    #expect(Bias.towards(false, activeLow: true) == .up)
    #expect(Bias.towards(true, activeLow: false) == .up)
    #expect(Bias.towards(true, activeLow: true) == .down)
  }

  @Test func namesAreUniqueAmongAllUses() {
    let names = Input.allCases.map { "\($0.name)" } + Output.allCases.map { "\($0.name)" }
    #expect(Set(names).count == Input.count + Output.count)
    #expect(Input.allCases.map(\.rawValue) == Array(0..<UInt8(Input.count)))
  }
}
