import Faces

/// Whom to greet, by the votes of several frames.
struct GreetingVote {
  private(set) var count = 0
  private var men = 0
  /// Sum of the probabilities of being a man.
  private var sum: Float = 0

  mutating func add(_ gender: Gender) {
    guard gender.probability.isFinite else { return }
    let isMan = gender.label == .man
    count += 1
    men += isMan ? 1 : 0
    sum += isMan ? gender.probability : 1 - gender.probability
  }

  /// The winner of more than half of the votes, if all of them together are sure enough of it.
  func result(_ options: GreetingOptions) -> Greeting {
    // One vote is none: a first frame is often blurred.
    guard count >= min(2, options.votes) else { return .neutral }
    let man = sum / Float(count)
    if 2 * men > count && man >= options.probability { return .man }
    if 2 * men < count && 1 - man >= options.probability { return .woman }
    return .neutral
  }
}
