import Platform

/// Smooths a slow signal much and a fast one little, so that rest is steady and motion is not late.
/// After Casiez, Roussel and Vogel, "1€ Filter" (CHI 2012).
struct OneEuroFilter {
  /// How a kind of signal is smoothed.
  struct Tuning {
    /// Cut-off at rest, in hertz.
    var atRest: Float
    /// Hertz more for each unit a second of speed.
    var perSpeed: Float
    /// Cut-off of the speed itself, in hertz.
    var speedCutoff: Float = 2

    /// For a signal that is `unit` times as large.
    func scaled(by unit: Float) -> Tuning {
      Tuning(atRest: atRest, perSpeed: perSpeed / unit, speedCutoff: speedCutoff)
    }
  }

  private(set) var value: Float
  private(set) var speed: Float = 0

  init(_ value: Float) { self.value = value }

  /// Takes the next measurement, `step` seconds after the last.
  mutating func update(_ measured: Float, after step: Float, _ tuning: Tuning) {
    let raw = (measured - value) / step
    speed += Self.share(tuning.speedCutoff, step) * (raw - speed)
    value += Self.share(tuning.atRest + tuning.perSpeed * abs(speed), step) * (measured - value)
  }

  /// Share of a new value that a low pass of the first order takes over.
  private static func share(_ cutoff: Float, _ step: Float) -> Float {
    let turn = 2 * Float.pi * cutoff * step
    return turn / (turn + 1)
  }
}
