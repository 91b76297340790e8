import Platform
import Testing

@testable import Board

@Suite struct PatternTests {
  static let states: [OutputState] =
    [.starting, .ready, .adjust, .face, .pass, .fail, .lockedOut, .noCamera, .fault]
    + (0..<9).map { OutputState.prompt($0) }

  /// The pattern's first period as a text: `x` is on.
  static func drawn(_ pattern: Pattern, steps: Int) -> String {
    String(
      (0..<steps).map { step -> Character in
        pattern.isOn(after: Pattern.step * step) ? "x" : "."
      })
  }

  @Test func codesAreAsDocumented() {
    let codes: [(Output, String)] = [
      (.promptSmile, "xx........"),
      (.promptMouthOpen, "xx..xx........"),
      (.promptBlink, "xx..xx..xx........"),
      (.promptTurn, "xxxxxx........"),
      (.promptTurnLeft, "xxxxxx..xx........"),
      (.promptTurnRight, "xxxxxx..xx..xx........"),
      (.promptNod, "xxxxxx..xxxxxx........"),
      (.promptHeadUp, "xxxxxx..xxxxxx..xx........"),
      (.promptHeadDown, "xxxxxx..xxxxxx..xx..xx........"),
    ]
    for (output, expected) in codes {
      let code = output.rawValue - Output.promptSmile.rawValue
      let drawn = Self.drawn(.prompt(code), steps: 2 * expected.count)
      #expect(drawn == expected + expected, "\(output.name)")
    }
    #expect(Pattern.prompt(9) == .steady)
    #expect(Pattern.prompt(255) == .steady)
  }

  @Test func aStepLastsItsWholeTime() {
    let pattern = Pattern.fast
    #expect(pattern.isOn(after: .zero))
    #expect(pattern.isOn(after: .nanoseconds(99_999_999)))
    #expect(!pattern.isOn(after: .nanoseconds(100_000_000)))
    #expect(!pattern.isOn(after: .nanoseconds(199_999_999)))
    #expect(pattern.isOn(after: .nanoseconds(200_000_000)))
    #expect(pattern.isOn(after: .seconds(-5)), "time before the beginning is the beginning")
  }

  @Test func anHourDoesNotDrift() {
    // Asked every 33.333 ms as a camera would; the edges must stay at multiples of 500 ms.
    var flips = 0
    var last = true
    for frame in 0..<108_000 {
      let elapsed = Duration.nanoseconds(Int64(frame) * 33_333_333)
      let isOn = Pattern.slow.isOn(after: elapsed)
      #expect(isOn == (elapsed.wholeMilliseconds / 500 % 2 == 0))
      if isOn != last { flips += 1 }
      last = isOn
    }
    #expect(flips == 7199)
    #expect(Pattern.slow.isOn(after: .seconds(86_400 * 365)))
    #expect(!Pattern.slow.isOn(after: .seconds(86_400 * 365) + .milliseconds(500)))
  }

  @Test func everyStateShowsAndNoTwoStatesLookAlike() {
    // What somebody sees who has the shared lights only.
    let shared: [Output] = [.ready, .face, .prompt, .pass, .fail, .fault]
    var seen: [String: OutputState] = [:]
    for state in Self.states {
      let look = shared.map { Self.drawn(.of($0, in: state), steps: 64) }.joined(separator: "|")
      #expect(look.contains("x"), "\(state) is dark")
      #expect(seen[look] == nil, "\(state) looks like \(String(describing: seen[look]))")
      seen[look] = state
    }
  }

  @Test func ownLightsShowTheirChallengeAlone() {
    for code in UInt8(0)..<9 {
      for state in Self.states {
        let isAsked = state == .prompt(code)
        let own = Output.prompt(code)
        #expect(own != nil)
        if let own { #expect(Pattern.of(own, in: state) == (isAsked ? .steady : .off)) }
      }
    }
    #expect(Output.prompt(9) == nil)
  }

  @Test func theRelayHasNoPattern() {
    for state in Self.states { #expect(Pattern.of(.relay, in: state) == .off) }
  }
}
