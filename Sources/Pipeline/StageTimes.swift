import Platform

/// The parts of a frame's way that are timed.
public enum Stage: UInt8, Sendable {
  /// From the frame in the ring to its faces.
  case faces
  /// From the faces to the last event in the log.
  case decision

  public static let count = 2

  /// The name in the log.
  var name: StaticString {
    switch self {
    case .faces: "faces"
    case .decision: "decision"
    }
  }
}

/// How long each stage took since the last heartbeat.
struct StageTimes {
  private var histograms = InlineArray<2, DurationHistogram>(repeating: DurationHistogram())

  mutating func add(_ stage: Stage, _ duration: Duration) {
    histograms[Int(stage.rawValue)].add(duration)
  }

  func percentile(_ stage: Stage, _ share: Float) -> Duration? {
    histograms[Int(stage.rawValue)].percentile(share)
  }

  mutating func removeAll() {
    for index in histograms.indices { histograms[index].removeAll() }
  }
}
