import Platform

/// Keeps one call site from filling the log: says a thing once until it changes, and counts what it
/// held back.
///
///     if let held = limiter.admit(state, at: now) {
///       var line = LogLine("camera.lost", .warning, at: now)
///       if held > 0 { line.add("held", held) }
///       log.write(line)
///     }
public struct LogLimiter: Sendable {
  private let interval: Duration
  private var last: Int?
  private var saidAt = Instant.zero
  private var held: UInt32 = 0

  /// - Parameter interval: what stays the same is said again after this time; nil: never.
  public init(repeatAfter interval: Duration? = nil) {
    self.interval = interval ?? .nanoseconds(Int64.max)
  }

  /// Whether to say that the call site is in `state`: nil to hold it back, otherwise how many were
  /// held back since it last spoke.
  public mutating func admit(_ state: Int, at now: Instant) -> UInt32? {
    if last == state && now - saidAt < interval {
      held &+= 1
      return nil
    }
    defer {
      last = state
      saidAt = now
      held = 0
    }
    return held
  }

  /// All is well again: the next state is said, whatever it is.
  public mutating func reset() { last = nil }
}
