import CPlatform
import Platform
import Testing

@testable import Board

func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

func wired(_ offset: UInt32 = 17) -> LineOptions {
  var options = LineOptions()
  options.place = .offset(offset)
  return options
}

@Suite struct RelayTests {
  func relay(_ change: (inout RelayOptions) -> Void = { _ in }) throws(BoardError) -> Relay {
    var options = RelayOptions()
    change(&options)
    return try Relay(options, line: wired(), chip: FixedString("auto"), isSimulated: true)
  }

  @Test func aPulseEndsWithTheFirstTickAfterItsTime() throws {
    var relay = try relay()
    try relay.tick(at: at(0))
    #expect(relay.level == false)
    try relay.pulse(for: .milliseconds(3000), at: at(1000))
    #expect(relay.level == true)
    #expect(relay.releaseAt == at(4000))
    try relay.tick(at: at(3999))
    #expect(relay.level == true)
    try relay.tick(at: at(4000))
    #expect(relay.level == false)
    #expect(relay.releaseAt == nil)
  }

  @Test func askingAgainDoesNotExtendIt() throws {
    var relay = try relay()
    try relay.pulse(for: .milliseconds(1000), at: at(0))
    for time in stride(from: Int64(100), to: 1000, by: 100) {
      try relay.pulse(for: .milliseconds(5000), at: at(time))
      try relay.tick(at: at(time))
      #expect(relay.level == true)
    }
    try relay.tick(at: at(1000))
    #expect(relay.level == false)
    try relay.pulse(for: .milliseconds(1000), at: at(1100))
    #expect(relay.level == true)
  }

  @Test func noHoldIsLongerThanTheLongest() throws {
    var relay = try relay { $0.longestHold = .milliseconds(5000) }
    try relay.pulse(for: .seconds(1_000_000), at: at(0))
    #expect(relay.releaseAt == at(5000))
    try relay.tick(at: at(5000))
    #expect(relay.level == false)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func aHoldOfNothingIsNoPulse(hold: Duration) throws {
    var relay = try relay()
    try relay.pulse(for: hold, at: at(0))
    #expect(relay.level == false)
    #expect(relay.releaseAt == nil)
  }

  @Test func theDeadlineIsSetBeforeThePower() throws {
    var relay = try relay()
    FaultPlan.fail(.ioctl, code: EIO)
    defer { FaultPlan.clear() }
    #expect(throws: BoardError.line(.output(.relay), Errno(code: EIO))) {
      try relay.pulse(for: .milliseconds(1000), at: at(0))
    }
    // The pin may have taken the power although the call failed: it must still end.
    #expect(relay.releaseAt == at(1000))
    #expect(relay.level == nil)
    try relay.tick(at: at(1000))
    #expect(relay.level == false)
  }

  @Test func aReleaseThatFailsIsTriedAgain() throws {
    var relay = try relay()
    try relay.pulse(for: .milliseconds(1000), at: at(0))
    FaultPlan.fail(.ioctl, times: 2, code: EIO)
    defer { FaultPlan.clear() }
    for time in [Int64(1000), 1001] {
      #expect(throws: BoardError.line(.output(.relay), Errno(code: EIO))) {
        try relay.tick(at: at(time))
      }
    }
    try relay.tick(at: at(1002))
    #expect(relay.level == false)
    #expect(relay.releaseAt == nil)
  }

  @Test func levelsAtRequestFaultAndExitAreExplicit() throws {
    var relay = try relay {
      $0.onAtRequest = true
      $0.onAtFault = true
      $0.onAtExit = false
    }
    #expect(relay.level == true)
    try relay.tick(at: at(0))
    #expect(relay.level == false)
    try relay.makeSafe()
    #expect(relay.level == true)
    try relay.end()
    #expect(relay.level == false)
    try relay.pulse(for: .milliseconds(1000), at: at(0))
    try relay.makeSafe()
    #expect(relay.releaseAt == nil)
  }

  @Test func anHourOfPulsesIsOnAsLongAsItShouldBe() throws {
    // A pulse of 3 s every 10 s, ticked every 33.333 ms: each ends at the first tick after its time.
    var relay = try relay()
    var nanosecondsOn: Int64 = 0
    let step: Int64 = 33_333_333
    for frame in 0..<Int64(108_000) {
      let now = Instant(nanoseconds: frame * step)
      if frame % 300 == 0 { try relay.pulse(for: .seconds(3), at: now) }
      try relay.tick(at: now)
      if relay.level == true { nanosecondsOn += step }
    }
    #expect(nanosecondsOn == 360 * 91 * step)
  }
}
