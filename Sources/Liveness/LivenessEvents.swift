/// The events of one frame, in order. No frame has more than ``capacity``: each kind comes at most
/// once or twice a frame but `faceFound` and `faceLost`, of which there are at most eight each.
public struct LivenessEvents: Sendable {
  public static let capacity = 32

  private var storage = InlineArray<32, LivenessEvent>(repeating: .lockEnded)
  public private(set) var count = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  public subscript(index: Int) -> LivenessEvent {
    precondition(index < count)
    return storage[index]
  }

  mutating func append(_ event: LivenessEvent) {
    storage[count] = event
    count += 1
  }
}
