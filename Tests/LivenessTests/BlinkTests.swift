import Liveness
import Platform
import Testing

@Suite struct BlinkTests {
  /// Feeds (milliseconds, left, right); returns the blinks that were told.
  private func blinks(_ frames: [(Double, Float?, Float?)]) -> [BlinkDetector.Blink] {
    var detector = BlinkDetector()
    return frames.compactMap { time, left, right in
      detector.process(
        left: left, right: right, at: Instant(nanoseconds: Int64(time * 1e6)))
    }
  }

  /// Open, shut at once after 100 ms, open again at once.
  private func shutFor(_ milliseconds: Double) -> [(Double, Float?, Float?)] {
    [
      (0, 1, 1), (99.999, 1, 1), (100, 0, 0), (100 + milliseconds - 0.001, 0, 0),
      (100 + milliseconds, 1, 1), (200 + milliseconds, 1, 1),
    ]
  }

  @Test(arguments: [(49.0, false), (50.0, true), (1000.0, true), (1001.0, false)])
  func bounds(_ milliseconds: Double, counts: Bool) {
    let found = blinks(shutFor(milliseconds))
    #expect(found.count == (counts ? 1 : 0))
    if let blink = found.first {
      #expect(abs(blink.duration.inSeconds * 1000 - Float(milliseconds)) < 0.01)
    }
  }

  /// A single shut frame at 25 frames a second lasts one interval, by the slopes around it.
  @Test func lengthsAreReadBetweenFrames() throws {
    let blink = try #require(
      blinks([(0, 1, 1), (40, 1, 1), (80, 0, 0), (120, 1, 1), (160, 1, 1)]).first)
    // Half shut is 0.625: 15 ms into the fall, and 25 ms into the rise.
    #expect(abs(blink.duration.inSeconds - 0.050) < 1e-4)
    #expect(abs(blink.since.nanoseconds - 55_000_000) < 10_000)
  }

  @Test func eyesMustOpenBothBefore() {
    #expect(blinks([(0, 0, 0), (40, 0, 0), (80, 0, 0), (120, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 0), (40, 0, 0), (80, 0, 0), (120, 1, 1)]).isEmpty)
  }

  @Test func bothEyesMustShut() {
    #expect(blinks([(0, 1, 1), (40, 0, 1), (80, 0, 1), (120, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, 1, 0), (80, 1, 0), (120, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, 0.55, 0.55), (80, 0.55, 0.55), (120, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, 0.45, 0.45), (80, 0.45, 0.45), (120, 1, 1)]).count == 1)
  }

  @Test func bothEyesMustOpenAfter() {
    #expect(blinks([(0, 1, 1), (40, 0, 0), (80, 0, 0), (120, 1, 0.2), (160, 1, 0.2)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, 0, 0), (80, 0, 0), (120, 1, 0.2), (160, 1, 1)]).count == 1)
    // One eye that peeps does not end it.
    let peeping = blinks([
      (0, 1, 1), (40, 0, 0), (80, 0, 0.7), (120, 0, 0), (160, 0, 0), (200, 1, 1),
    ])
    #expect(peeping.count == 1)
    #expect(peeping.allSatisfy { $0.duration > .milliseconds(140) })
  }

  @Test func missingEyesEndTheCourse() {
    #expect(blinks([(0, 1, 1), (40, 0, 0), (80, nil, nil), (120, 0, 0), (160, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, 0, 0), (80, 0, nil), (120, 0, 0), (160, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, .nan, 0), (80, 0, 0), (120, 1, 1)]).isEmpty)
    #expect(blinks([(0, 1, 1), (40, -.infinity, -.infinity), (80, 1, 1)]).isEmpty)
  }

  @Test func eachBlinkIsToldOnce() {
    var frames: [(Double, Float?, Float?)] = []
    for frame in 0..<100 {
      let isShut = frame % 10 < 3 && frame >= 10
      frames.append((Double(frame) * 40, isShut ? 0.1 : 0.9, isShut ? 0.15 : 0.95))
    }
    #expect(blinks(frames).count == 9)
  }

  /// Narrow eyes are judged against their own open state, and blink as well as others.
  @Test(arguments: [(0.95, 0.2), (0.5, 0.1), (0.45, 0.12)])
  func eyesAreJudgedAgainstThemselves(_ open: Float, _ shut: Float) {
    var watcher = Watcher()
    var person = Person()
    person.leftEye = open
    person.rightEye = open - 0.05
    watcher.see(person, frames: 20)
    var blinking = person
    blinking.leftEye = shut
    blinking.rightEye = shut
    watcher.see(blinking, frames: 3)
    watcher.see(person, frames: 3)
    #expect(watcher.log.count == 1)
    guard case .ended(.blink, _, let duration, true)? = watcher.log.first else {
      Issue.record("no blink")
      return
    }
    #expect(duration > .milliseconds(100) && duration < .milliseconds(160))
  }
}
