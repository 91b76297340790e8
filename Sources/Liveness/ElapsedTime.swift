import Platform

/// Bounds hold to the nearest millisecond: the time stamps of 15 frames a second are rounded, so
/// three intervals are a nanosecond short of 200 ms.
private let halfMillisecond: Int64 = 500_000

extension Instant {
  /// Whether `duration` has passed from `start` to here.
  func isAtLeast(_ duration: Duration, after start: Instant) -> Bool {
    nanoseconds &- start.nanoseconds &+ halfMillisecond >= duration.wholeNanoseconds
  }

  /// Whether no more than `duration` has passed from `start` to here.
  func isAtMost(_ duration: Duration, after start: Instant) -> Bool {
    nanoseconds &- start.nanoseconds &- halfMillisecond <= duration.wholeNanoseconds
  }

  /// Seconds from `start` to here.
  func seconds(after start: Instant) -> Float {
    Float(nanoseconds &- start.nanoseconds) * 1e-9
  }
}
