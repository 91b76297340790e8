/// What a face can be seen doing. Left and right are the person's own.
public enum Gesture: UInt8, Sendable {
  case smile, turnLeft, turnRight, mouthOpen, headUp, headDown, blink

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
}

/// What one frame says of a face, in the same terms for both rule sets. A strength of 1 is the
/// gesture's threshold, 0 the neutral face, and half of the threshold is 0.5; nil could not be judged.
public struct GestureReading: Equatable, Sendable {
  public var smile: Float?
  /// Turns to either side: positive towards the person's own left.
  public var turn: Float?
  /// Up is positive.
  public var nodUp: Float?
  public var nodDown: Float?
  public var mouthOpen: Float?
  /// The smaller and the larger of both eyes' probabilities of being open.
  public var eyesOpen: ClosedRange<Float>?

  public init() {}

  /// The strength of `gesture`; nil where it could not be judged, and for blinks, which are told by
  /// their course and not by one frame.
  public func strength(of gesture: Gesture) -> Float? {
    switch gesture {
    case .smile: smile
    case .turnLeft: turn
    case .turnRight: turn.map { -$0 }
    case .mouthOpen: mouthOpen
    case .headUp: nodUp
    case .headDown: nodDown
    case .blink: nil
    }
  }

  /// Whether `gesture` is over its threshold in this frame.
  public func shows(_ gesture: Gesture) -> Bool {
    guard let strength = strength(of: gesture) else { return false }
    return strength >= 1
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Gesture: CaseIterable {}
#endif
