import CPlatform

/// A point of monotonic time. Only differences mean something.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since an unknown, fixed start.
  public var nanoseconds: Int64

  /// - Parameter nanoseconds: since the same start as every other.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The clock. Only the edges call it: everything else is handed its time.
  public static func now() -> Instant { Instant(nanoseconds: platform_now()) }

  /// The fixed start; a clip's first frame.
  public static let zero = Instant(nanoseconds: 0)

  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  public static func + (a: Instant, b: Duration) -> Instant {
    Instant(nanoseconds: a.nanoseconds &+ b.wholeNanoseconds)
  }

  public static func - (a: Instant, b: Instant) -> Duration {
    .nanoseconds(a.nanoseconds &- b.nanoseconds)
  }

  public static func - (a: Instant, b: Duration) -> Instant {
    Instant(nanoseconds: a.nanoseconds &- b.wholeNanoseconds)
  }
}

extension Duration {
  /// Whole nanoseconds, rounded towards zero. Holds 292 years.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }

  /// Whole milliseconds, rounded towards zero.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

  /// Seconds as a float, for arithmetic on rates.
  public var inSeconds: Float { Float(wholeNanoseconds) * 1e-9 }
}

/// Sleeps at least `duration`; a signal may end it early.
public func sleep(for duration: Duration) { platform_sleep(duration.wholeNanoseconds) }
