import Platform

/// Tells from a count of turns, looked at now and then, whether somebody still works.
public struct StallWatch: Sendable {
  public enum Change: Equatable, Sendable {
    /// No turn for longer than allowed.
    case stalled
    /// Turns again, so long after the last turn before.
    case resumed(after: Duration)
  }

  private let limit: Duration
  private let startLimit: Duration
  private var hasTurned = false
  private var lastCount: UInt32?
  private var movedAt = Instant.zero
  public private(set) var isStalled = false

  /// - Parameters:
  ///   - limit: the longest time without a turn.
  ///   - startLimit: the longest time from the first look to the first turn, which is count 1.
  public init(limit: Duration, startLimit: Duration) {
    self.limit = limit
    self.startLimit = startLimit
  }

  /// Takes the count as it is now, and tells what that changes.
  public mutating func look(_ count: UInt32, at now: Instant) -> Change? {
    guard count == lastCount else {
      let since = now - movedAt
      hasTurned = lastCount != nil || count > 0
      lastCount = count
      movedAt = now
      guard isStalled else { return nil }
      isStalled = false
      return .resumed(after: since)
    }
    guard !isStalled, now - movedAt >= allowed else { return nil }
    isStalled = true
    return .stalled
  }

  private var allowed: Duration { hasTurned ? limit : startLimit }

  /// When a look that finds no turn tells of a stall; nil while there is nothing to tell.
  public var deadline: Instant? { isStalled || lastCount == nil ? nil : movedAt + allowed }
}
