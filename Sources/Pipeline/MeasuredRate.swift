import Platform

/// How many frames a second really come, smoothed over about a second.
struct MeasuredRate {
  private var last: Instant?
  private var interval: Float?

  /// Takes the time of a frame.
  mutating func add(_ time: Instant) {
    defer { last = time }
    guard let last, time > last else { return }
    let seconds = (time - last).inSeconds
    interval = interval.map { $0 + (seconds - $0) * min(1, max(0.03, seconds)) } ?? seconds
  }

  /// Frames a second; nil before the second frame.
  var framesPerSecond: Float? { interval.map { 1 / max($0, 1e-4) } }
}
