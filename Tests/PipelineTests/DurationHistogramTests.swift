import Platform
import Testing

@testable import Pipeline

@Suite struct DurationHistogramTests {
  @Test func percentilesAreAtMostAFifthOff() {
    var random = RandomSource(seed: 5)
    for _ in 0..<200 {
      let microseconds = Int64(1 + random.below(1 << (1 + random.below(24))))
      var histogram = DurationHistogram()
      histogram.add(.microseconds(microseconds))
      let found = (histogram.percentile(0.5) ?? .zero).wholeNanoseconds / 1000
      #expect(found >= microseconds)
      #expect(Double(found) <= Double(microseconds) * 1.25 + 1)
    }
  }

  @Test func halfAndMostAreTold() {
    var histogram = DurationHistogram()
    #expect(histogram.percentile(0.5) == nil)
    for value in 1...100 { histogram.add(.milliseconds(value)) }
    let half = (histogram.percentile(0.5) ?? .zero).wholeMilliseconds
    let most = (histogram.percentile(0.99) ?? .zero).wholeMilliseconds
    #expect(50...63 ~= half)
    #expect(99...125 ~= most)
  }
}
