/// Options with which no session can be held. `description`s are the settings' job: they know the
/// place in the file.
public enum LivenessError: Error, Equatable, Sendable {
  /// Nothing is allowed to be asked.
  case noChallenges
  /// Sessions of several challenges need at least two different ones to draw from.
  case nothingToDrawFrom
  /// A fixed order has the same challenge twice in a row, here and at the place before (the first
  /// place follows the last one when the order is shorter than the session).
  case sameTwice(index: Int)
}
