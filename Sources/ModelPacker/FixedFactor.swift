/// A real factor as TFLite writes it: multiplier / 2^31 * 2^shift, as `QuantizeMultiplier` of its
/// reference computes it.
struct FixedFactor: Equatable {
  var multiplier: Int32 = 0
  var shift: Int32 = 0

  init(_ real: Double) {
    guard real != 0, real.isFinite else { return }
    // frexp has the mantissa in 0.5..<1, Swift in 1..<2.
    let mantissa = (real < 0 ? -real.significand : real.significand) / 2
    var fixed = Int64((mantissa * 2_147_483_648).rounded())
    var exponent = Int(real.exponent) + 1
    if fixed.magnitude == 1 << 31 {
      fixed /= 2
      exponent += 1
    }
    guard exponent >= -31 else { return }
    multiplier = Int32(fixed)
    shift = Int32(min(exponent, 1000))
  }
}
