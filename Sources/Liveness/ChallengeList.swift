/// The challenges that a session may ask, at most ``capacity``, in the order in which they were
/// added. Drawn sessions take any of them; sessions of fixed order ask them in this order and start
/// again at the front when they are fewer than the session's count.
public struct ChallengeList: Equatable, Sendable {
  public static let capacity = 16

  private var storage = InlineArray<16, Challenge>(repeating: .smile)
  public private(set) var count = 0

  public init() {}

  /// From a literal of at most ``capacity`` challenges; what is beyond is left out.
  public init<let length: Int>(_ challenges: InlineArray<length, Challenge>) {
    for index in challenges.indices { append(challenges[index]) }
  }

  public var isEmpty: Bool { count == 0 }

  /// False when the list is full; it is unchanged then.
  @discardableResult
  public mutating func append(_ challenge: Challenge) -> Bool {
    guard count < Self.capacity else { return false }
    storage[count] = challenge
    count += 1
    return true
  }

  public subscript(index: Int) -> Challenge {
    precondition(index < count)
    return storage[index]
  }

  public func contains(_ challenge: Challenge) -> Bool {
    for index in 0..<count where storage[index] == challenge { return true }
    return false
  }

  public static func == (a: ChallengeList, b: ChallengeList) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a.storage[index] != b.storage[index] { return false }
    return true
  }
}
