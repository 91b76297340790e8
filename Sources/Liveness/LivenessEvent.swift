import Platform

/// Whom to greet, by vote over several frames.
public enum Greeting: UInt8, Sendable {
  case man, woman, neutral

  /// The name in the log.
  public var name: StaticString {
    switch self {
    case .man: "man"
    case .woman: "woman"
    case .neutral: "neutral"
    }
  }
}

/// What the session tells the rest of the program, in order.
public enum LivenessEvent: Equatable, Sendable {
  /// A new face is confirmed.
  case faceFound(track: UInt32)
  /// The tracker gave it up. Within a session `verdictFailed` follows.
  case faceLost(track: UInt32)
  /// Said once a face, when it is the most prominent one.
  case greeting(Greeting, track: UInt32)
  /// Something must be put right first; said once until it changes. nil: all gates are open.
  case gate(Gate?)
  /// So many challenges follow, each with a `prompt` and `passed`; the end is a verdict.
  case sessionStarted(track: UInt32, challenges: Int)
  /// A challenge is asked for now; `index` counts from 0.
  case prompt(Challenge, index: Int)
  /// The asked action was seen; `after` is the time since the prompt.
  case passed(Challenge, index: Int, after: Duration)
  case verdictLive(track: UInt32)
  case verdictFailed(Failure, track: UInt32)
  /// After the last failure that was allowed, or, when a lock outlived a restart, with the first
  /// frame: nothing is asked for so long.
  case lockedOut(for: Duration)
  case lockEnded
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Greeting: CaseIterable {}
#endif
