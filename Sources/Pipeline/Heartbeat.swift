import Platform

/// When the next sign of life is due.
struct Heartbeat {
  private let every: Duration
  private var next: Instant?

  /// - Parameter every: zero switches it off.
  init(every: Duration) { self.every = every }

  /// Whether it is due now; if so, the next one is set.
  mutating func isDue(at now: Instant) -> Bool {
    guard every > .zero else { return false }
    guard let due = next else {
      next = now + every
      return false
    }
    guard now >= due else { return false }
    next = now + every
    return true
  }
}
