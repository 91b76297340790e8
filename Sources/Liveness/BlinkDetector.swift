import Platform

/// Tells blinks from the course of both eyes: open, shut, open within bounds. Fed with shares of the
/// person's own open eyes. Whatever is missing in between ends the course.
public struct BlinkDetector: Sendable {
  public struct Blink: Equatable, Sendable {
    /// When the eyes were half shut, and for how long; between frames by straight lines.
    public let since: Instant
    public let duration: Duration
  }

  let thresholds: BlinkThresholds
  private var last: (time: Instant, openness: Float)?
  /// Both eyes were open and have not been missing since.
  private var wasOpen = false
  /// When the eyes went half shut.
  private(set) var since: Instant?
  private var sawShut = false
  /// When the wider eye came back over the half; the other one may be a little later.
  private var until: Instant?

  public init(_ thresholds: BlinkThresholds = BlinkThresholds()) { self.thresholds = thresholds }

  /// Both eyes are open in the latest frame.
  private(set) var isOpen = false

  /// Takes the eyes of the next frame.
  /// - Returns: the blink that ended with this frame.
  public mutating func process(left: Float?, right: Float?, at time: Instant) -> Blink? {
    guard let left, let right, left.isFinite, right.isFinite else {
      self = BlinkDetector(thresholds)
      return nil
    }
    // The wider eye: one that winks does not blink.
    let openness = max(left, right)
    let half = (thresholds.shut + thresholds.open) / 2
    isOpen = min(left, right) >= thresholds.open
    defer { last = (time, openness) }

    if since == nil && wasOpen && openness < half {
      since = crossing(of: half, at: time, openness)
    }
    if since != nil && openness <= thresholds.shut {
      sawShut = true
      until = nil
    }
    if since != nil && until == nil && openness >= half {
      until = crossing(of: half, at: time, openness)
    }
    guard isOpen else { return nil }
    defer {
      wasOpen = true
      since = nil
      until = nil
      sawShut = false
    }
    guard let since, let until, sawShut else { return nil }
    guard until.isAtLeast(thresholds.shortest, after: since),
      until.isAtMost(thresholds.longest, after: since)
    else { return nil }
    return Blink(since: since, duration: until - since)
  }

  /// When the straight line from the last frame to this one meets `level`.
  private func crossing(of level: Float, at time: Instant, _ openness: Float) -> Instant {
    guard let last, last.openness != openness else { return time }
    let share = min(1, max(0, (last.openness - level) / (last.openness - openness)))
    let step = Float(time.nanoseconds &- last.time.nanoseconds)
    return Instant(nanoseconds: last.time.nanoseconds &+ Int64((step * share).clampedToDay))
  }
}

extension Float {
  /// For conversions to whole nanoseconds, which trap beyond their type: at most a day.
  fileprivate var clampedToDay: Float { min(max(self, -86_400e9), 86_400e9) }
}
