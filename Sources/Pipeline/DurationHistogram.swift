import Platform

/// Durations counted in classes, for percentiles without keeping them: four classes an octave from
/// 1 µs to 67 s, so that a percentile is off by at most a fifth of its value. 544 bytes.
public struct DurationHistogram: Sendable {
  static let classes = 104

  private var counts = InlineArray<104, UInt32>(repeating: 0)
  public private(set) var total: UInt32 = 0

  public init() {}

  public mutating func add(_ duration: Duration) {
    counts[Self.class(of: duration.wholeNanoseconds / 1000)] &+= 1
    total &+= 1
  }

  public mutating func removeAll() { self = DurationHistogram() }

  /// The upper edge of the class in which the `share` (0 to 1) of the durations ends; nil when there
  /// are none.
  public func percentile(_ share: Float) -> Duration? {
    guard total > 0 else { return nil }
    let wanted = UInt32((Float(total) * share).rounded(.up))
    var seen: UInt32 = 0
    for index in 0..<Self.classes {
      seen &+= counts[index]
      if seen >= max(1, wanted) { return .microseconds(Self.upperEdge(of: index)) }
    }
    return .microseconds(Self.upperEdge(of: Self.classes - 1))
  }

  /// Octave and quarter of it; what is below 1 µs counts as that.
  static func `class`(of microseconds: Int64) -> Int {
    let value = UInt64(max(1, microseconds))
    let octave = 63 - value.leadingZeroBitCount
    let quarter = octave >= 2 ? value >> UInt64(octave - 2) : value << UInt64(2 - octave)
    return min(classes - 1, octave * 4 + Int(quarter & 3))
  }

  static func upperEdge(of index: Int) -> Int64 {
    let octave = index / 4
    let quarter = index % 4
    return max(1, ((Int64(quarter) + 5) << Int64(octave)) >> 2)
  }
}
