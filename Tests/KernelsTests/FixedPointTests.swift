import Platform
import Testing

@testable import Kernels

/// The roundings against their definitions, computed another way.
@Suite struct FixedPointTests {
  /// Values where roundings turn: around 0, halves, bounds, and random ones.
  static let values: [Int32] = {
    var random = RandomSource(seed: 3)
    var values: [Int32] = [0, 1, -1, 2, -2, 3, -3, .max, .min, .max - 1, .min + 1]
    for shift in 0..<31 {
      values += [1 << shift, -(1 << shift), (1 << shift) - 1, (1 << shift) + 1]
    }
    for _ in 0..<200 { values.append(Int32(truncatingIfNeeded: random.next())) }
    return values
  }()

  @Test func highProductRoundsTheHalfUp() {
    for a in Self.values {
      for b in Self.values where !(a == .min && b == .min) {
        let product = Int128(a) * Int128(b)
        // floor(product / 2^31 + 1/2), by division instead of a shift.
        let doubled = 2 * product + (1 << 31)
        let quotient = doubled / (1 << 32)
        let floor = quotient * (1 << 32) > doubled ? quotient - 1 : quotient
        #expect(Int128(FixedPoint.roundingDoublingHigh(a, b)) == floor, "\(a) * \(b)")
      }
    }
    #expect(FixedPoint.roundingDoublingHigh(.min, .min) == .max)
  }

  @Test func shiftRoundsTheHalfAwayFromZero() {
    for x in Self.values {
      for exponent in 0...31 {
        let exact = Double(x) / Double(UInt64(1) << UInt64(exponent))
        let expected = exact.rounded(.toNearestOrAwayFromZero)
        #expect(
          Double(FixedPoint.roundingShiftRight(x, Int32(exponent))) == expected,
          "\(x) >> \(exponent)")
      }
    }
  }

  @Test func scaleIsTheTwoInARow() {
    #expect(FixedPoint.scale(Int32(1000), multiplier: 1 << 30, shift: -1) == 250)
    #expect(FixedPoint.scale(Int32(1000), multiplier: 1 << 30, shift: 3) == 4000)
    // 5/8 of 1 rounds to 1 in the product; a quarter of that is 0, although twice 5/32 is not near.
    #expect(FixedPoint.scale(Int32(3), multiplier: 1 << 30, shift: 0) == 2)
    #expect(FixedPoint.scale(Int32(-3), multiplier: 1 << 30, shift: 0) == -1)
    #expect(FixedPoint.scale(Int32(-3), multiplier: 1 << 30, shift: -1) == -1)
  }

  @Test func scaleOnceIsWithinHalfAStep() {
    var random = RandomSource(seed: 5)
    for _ in 0..<10_000 {
      let x = Int32(random.below(1 << 20)) - (1 << 19)
      let multiplier = Int32((1 << 30) + random.below(1 << 30))
      let shift = Int32(-random.below(20))
      let exact = Double(x) * Double(multiplier) * exp2(Double(shift) - 31)
      let once = FixedPoint.scaleOnce(Int64(x), multiplier: multiplier, shift: shift)
      #expect(abs(Double(once) - exact) <= 0.5)
      // Two roundings and a 16-bit multiplier may each be off by a little more.
      let twice = FixedPoint.scale(x, multiplier: multiplier, shift: shift)
      #expect(abs(Double(twice) - exact) <= 1)
      let short = FixedPoint.scale(Int64(x), multiplier: multiplier, shift: shift)
      #expect(abs(Double(short) - exact) <= 0.5 + abs(exact) / 32_768)
    }
  }

  @Test func wideScaleSaturates() {
    #expect(FixedPoint.scale(Int64(1) << 46, multiplier: .max, shift: 0) == .max)
    #expect(FixedPoint.scale(-(Int64(1) << 46), multiplier: .max, shift: 0) == .min)
  }

  private func exp2(_ x: Double) -> Double {
    Double(sign: .plus, exponent: Int(x), significand: 1)
  }
}
