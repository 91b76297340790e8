import Platform

/// Makes a level out of one that bounces: what has stood for the given time, look by look, counts.
public struct Debouncer: Sendable {
  private let time: Duration
  private var candidate = false
  private var since: Instant?
  /// The level that counts; nil before the first one has.
  public private(set) var level: Bool?

  /// - Parameter time: zero or less lets every level through.
  public init(_ time: Duration) { self.time = time }

  /// Takes the level as it is now. Whether ``level`` is another because of it.
  public mutating func look(_ isOn: Bool, at now: Instant) -> Bool {
    if since == nil || candidate != isOn {
      candidate = isOn
      since = now
    }
    guard level != isOn, let since, now - since >= time else { return false }
    level = isOn
    return true
  }

  /// Nobody knows the level any more.
  public mutating func forget() {
    level = nil
    since = nil
  }
}
