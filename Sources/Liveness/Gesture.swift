import Platform

/// What a face can be seen doing. Left and right are the person's own.
public enum Gesture: UInt8, Sendable {
  case smile, turnLeft, turnRight, mouthOpen, headUp, headDown, blink

  /// All but the blink, which is told by its course and is never held.
  static let heldCount = 6

  /// The name in log and statistics.
  public var name: StaticString {
    switch self {
    case .smile: "smile"
    case .turnLeft: "turn_left"
    case .turnRight: "turn_right"
    case .mouthOpen: "mouth_open"
    case .headUp: "head_up"
    case .headDown: "head_down"
    case .blink: "blink"
    }
  }

  var isTurn: Bool { self == .turnLeft || self == .turnRight }
}

/// What one frame says of a face, in the same terms for both rule sets. A strength of 1 is the
/// gesture's threshold, 0 the neutral face, and 0.5 the half of the threshold that still counts as
/// neutral; nil could not be judged.
public struct GestureReading: Equatable, Sendable {
  public var smile: Float?
  /// Positive towards the person's own left, negative towards the own right.
  public var turnLeft: Float?
  public var turnRight: Float?
  public var headUp: Float?
  public var headDown: Float?
  public var mouthOpen: Float?
  /// How open each eye is, as a share of its own open state; about 0 is shut, about 1 open.
  public var leftEyeOpen: Float?
  public var rightEyeOpen: Float?

  public init() {}

  /// The strength of `gesture`; nil where it could not be judged, and always for blinks.
  public func strength(of gesture: Gesture) -> Float? {
    switch gesture {
    case .smile: smile
    case .turnLeft: turnLeft
    case .turnRight: turnRight
    case .mouthOpen: mouthOpen
    case .headUp: headUp
    case .headDown: headDown
    case .blink: nil
    }
  }

  /// Whether `gesture` is over its threshold in this frame.
  public func shows(_ gesture: Gesture) -> Bool {
    guard let strength = strength(of: gesture) else { return false }
    return strength >= 1
  }

  /// Whether `gesture` was judged and is inside half of its threshold.
  func isNeutral(in gesture: Gesture) -> Bool {
    guard let strength = strength(of: gesture) else { return false }
    return strength <= 0.5
  }
}

/// What a ``GestureDetector`` tells of a frame.
public enum GestureEvent: Equatable, Sendable {
  /// `gesture` has now lasted long enough to count.
  case held(Gesture, since: Instant)
  /// It is over; `held` tells whether it counted. Blinks only end, and only when they count.
  case ended(Gesture, since: Instant, duration: Duration, held: Bool)
}

/// The gesture events of one frame: at most one a gesture, and one blink.
public struct GestureEvents: Sendable {
  private var storage = InlineArray<8, GestureEvent>(repeating: .held(.smile, since: .zero))
  public private(set) var count = 0

  init() {}

  public subscript(index: Int) -> GestureEvent {
    precondition(index < count)
    return storage[index]
  }

  mutating func append(_ event: GestureEvent) {
    storage[count] = event
    count += 1
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Gesture: CaseIterable {}
#endif
