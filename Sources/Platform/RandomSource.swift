import CPlatform

/// A small seeded generator (SplitMix64: Steele, Lea and Flood, 2014). For the order of challenges
/// it is seeded from the kernel's entropy; tests and replays give the seed.
public struct RandomSource: RandomNumberGenerator, Sendable {
  var state: UInt64

  /// - Parameter seed: the same gives the same sequence.
  public init(seed: UInt64) { state = seed }

  /// Seeded by the kernel.
  public init() throws(Errno) {
    var seed: UInt64 = 0
    try withUnsafeMutableBytes(of: &seed) { bytes throws(Errno) in try fillWithEntropy(bytes) }
    state = seed
  }

  /// The next 64 bits.
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

/// Fills `bytes` from the kernel's entropy. Waits for it only in the first moments after a boot.
public func fillWithEntropy(_ bytes: UnsafeMutableRawBufferPointer) throws(Errno) {
  var done = 0
  while done < bytes.count {
    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
    done += try checkedCount { platform_entropy(rest.baseAddress, rest.count) }
  }
}
