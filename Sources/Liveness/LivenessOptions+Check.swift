import Platform

extension LivenessOptions {
  /// Challenges a session really asks.
  var sessionLength: Int { min(max(1, count), 8) }

  /// Refuses options with which no session can be held.
  public func check() throws(LivenessError) {
    guard !challenges.isEmpty else { throw .noChallenges }
    switch order {
    case .random:
      guard sessionLength > 1 else { return }
      for index in 1..<challenges.count where challenges[index] != challenges[0] { return }
      throw .nothingToDrawFrom
    case .fixed:
      for index in 1..<sessionLength {
        let place = index % challenges.count
        if challenges[place] == challenges[(index - 1) % challenges.count] {
          throw .sameTwice(index: place)
        }
      }
    }
  }

  /// The challenges of one session.
  func draw(_ random: inout RandomSource) -> ChallengeList {
    var drawn = ChallengeList()
    for index in 0..<sessionLength {
      switch order {
      case .fixed: drawn.append(challenges[index % challenges.count])
      case .random: drawn.append(next(after: index > 0 ? drawn[index - 1] : nil, &random))
      }
    }
    return drawn
  }

  private func next(after last: Challenge?, _ random: inout RandomSource) -> Challenge {
    var candidates = ChallengeList()
    for index in 0..<challenges.count {
      let challenge = challenges[index]
      if challenge != last && !candidates.contains(challenge) { candidates.append(challenge) }
    }
    return candidates[random.below(candidates.count)]
  }
}
