import Platform

/// Counts failures and locks. Times come from outside; what must survive is a ``LockoutState``.
struct Lockout {
  let options: LockoutOptions
  private(set) var until: Instant?
  private var locks: Int
  private var lastFailure: Instant?
  private var failures = InlineArray<16, Instant>(repeating: .zero)
  private var count = 0
  /// Grows with every change that is worth saving.
  private(set) var revision: UInt32 = 0

  /// Takes up what was saved, as if no time had passed since.
  init(_ options: LockoutOptions, _ state: LockoutState, at now: Instant) {
    self.options = options
    locks = min(max(0, state.locks), LockoutState.mostLocks)
    until = state.remaining.map { now + min($0, options.longest) }
    lastFailure = state.calm.map { now - $0 }
    for index in 0..<state.failureCount { remember(now - state.failureAge(index)) }
  }

  var isLocked: Bool { until != nil }

  /// Counts a failure.
  /// - Returns: how long the door is locked now, if this was one too many.
  mutating func fail(at now: Instant) -> Duration? {
    guard options.failures > 0, !isLocked else { return nil }
    revision &+= 1
    if let lastFailure, now.isAtLeast(options.longest, after: lastFailure) { locks = 0 }
    lastFailure = now
    remember(now)
    guard recent(at: now) >= min(options.failures, LockoutState.capacity) else { return nil }
    let duration = nextLock
    until = now + duration
    locks = min(locks + 1, LockoutState.mostLocks)
    count = 0
    return duration
  }

  /// A live verdict: whatever failed before is forgotten.
  mutating func pass() {
    if locks > 0 || count > 0 { revision &+= 1 }
    locks = 0
    count = 0
    lastFailure = nil
  }

  /// Ends a lock that is over.
  /// - Returns: true when it ended now.
  mutating func endIfOver(at now: Instant) -> Bool {
    guard let until, now >= until else { return false }
    self.until = nil
    // The calm begins when failing is possible again.
    lastFailure = now
    revision &+= 1
    return true
  }

  func state(at now: Instant) -> LockoutState {
    var state = LockoutState()
    state.locks = locks
    state.remaining = until.map { max(.zero, $0 - now) }
    state.calm = lastFailure.map { max(.zero, now - $0) }
    for index in 0..<count { state.appendFailure(age: max(.zero, now - failures[index])) }
    return state
  }

  private var nextLock: Duration {
    var duration = options.first
    for _ in 0..<locks where duration < options.longest { duration += duration }
    return min(duration, options.longest)
  }

  private mutating func remember(_ failure: Instant) {
    if count == LockoutState.capacity {
      for index in 1..<count { failures[index - 1] = failures[index] }
      count -= 1
    }
    failures[count] = failure
    count += 1
  }

  private func recent(at now: Instant) -> Int {
    var recent = 0
    for index in 0..<count where now.isAtMost(options.window, after: failures[index]) {
      recent += 1
    }
    return recent
  }
}
