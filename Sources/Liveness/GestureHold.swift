import Platform

/// How long one gesture has lasted.
struct GestureHold {
  /// The gesture goes on until its strength falls below this: a tremble at the threshold is one
  /// gesture and not several.
  static let release: Float = 0.85
  /// Frames without a strength that neither count nor end it.
  static let blindFrames = 2

  /// Its first frame; nil while it does not last.
  private(set) var since: Instant?
  /// Its latest frame.
  private(set) var last: Instant = .zero
  private(set) var frames = 0
  private var blind = 0
  private(set) var isHeld = false

  /// What a frame did to the gesture.
  enum Change {
    case none
    case held(since: Instant)
    case ended(since: Instant, duration: Duration, held: Bool)
  }

  /// - Parameter staysUnseen: a missing strength counts as a strong one, as when the head has turned
  ///   so far that only the detector still sees it.
  mutating func update(
    _ strength: Float?, staysUnseen: Bool, at time: Instant, _ options: LivenessOptions
  ) -> Change {
    if let strength {
      guard strength >= (since == nil ? 1 : Self.release) else { return end() }
    } else if since == nil {
      return .none
    } else if !staysUnseen {
      blind += 1
      return blind > Self.blindFrames ? end() : .none
    }
    let start = since ?? time
    since = start
    last = time
    frames += 1
    blind = 0
    guard !isHeld, frames >= options.holdFrames, time.isAtLeast(options.holdTime, after: start)
    else { return .none }
    isHeld = true
    return .held(since: start)
  }

  mutating func end() -> Change {
    guard let since else { return .none }
    let change = Change.ended(since: since, duration: last - since, held: isHeld)
    self = GestureHold()
    return change
  }
}
