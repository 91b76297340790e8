import Platform

/// The rate at which frames come, by the times of the latest eight.
struct FrameRate {
  private static let memory = 8
  /// Frames that make a rate: what is asked before it is known cannot be taken back.
  private static let fewest = 3

  private var times = InlineArray<8, Instant>(repeating: .zero)
  private var next = 0
  private var count = 0

  mutating func update(_ time: Instant) {
    times[next] = time
    next = (next + 1) % Self.memory
    count = min(count + 1, Self.memory)
  }

  /// nil until enough frames came.
  var framesPerSecond: Float? {
    guard count >= Self.fewest else { return nil }
    let newest = times[(next + Self.memory - 1) % Self.memory]
    let oldest = times[(next + Self.memory - count) % Self.memory]
    let seconds = newest.seconds(after: oldest)
    return seconds > 0 ? Float(count - 1) / seconds : nil
  }
}
