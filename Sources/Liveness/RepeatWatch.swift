import Platform

/// Notices frames that were seen before: a frozen picture, or a short recording in a loop.
struct RepeatWatch {
  /// Frames that are remembered: loops up to this length are noticed.
  static let memory = 256
  /// Frames in a row that a repetition takes at least.
  static let fewest = 5

  private var signatures = InlineArray<256, UInt64>(repeating: 0)
  private var count = 0
  private var next = 0
  /// The first frame of the run of repeated frames that goes on.
  private var since: Instant?
  private var frames = 0

  /// Whether the latest frame was seen before.
  var isRepeat: Bool { since != nil }

  mutating func update(_ signature: UInt64?, at time: Instant) {
    guard let signature else {
      self = RepeatWatch()
      return
    }
    if remembers(signature) {
      since = since ?? time
      frames += 1
    } else {
      since = nil
      frames = 0
      signatures[next] = signature
      next = (next + 1) % Self.memory
      count = min(count + 1, Self.memory)
    }
  }

  /// Whether frames have only repeated for so long.
  func hasRepeated(for duration: Duration, at time: Instant) -> Bool {
    guard let since, frames >= Self.fewest else { return false }
    return time.isAtLeast(duration, after: since)
  }

  private func remembers(_ signature: UInt64) -> Bool {
    // Through a span: indexing the array itself copies all of it each time.
    let known = signatures.span
    for index in 0..<count where known[index] == signature { return true }
    return false
  }
}
