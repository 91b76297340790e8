/// A small seeded generator (SplitMix64: Steele, Lea and Flood, 2014). For the order of challenges
/// it is seeded from the kernel's entropy; tests and replays give the seed.
public struct RandomSource: RandomNumberGenerator, Sendable {
  var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// Seeded by the kernel.
  public init() throws(Errno) {
    var seed: UInt64 = 0
    try withUnsafeMutableBytes(of: &seed) { bytes throws(Errno) in try fillWithEntropy(bytes) }
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A value in 0..<bound. The bias is below bound / 2^64.
  public mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0)
    return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
