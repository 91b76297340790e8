import Platform
import Synchronization

/// What the pipeline wants of the outputs, and that it is alive: posted by the pipeline's thread,
/// read by the thread that drives the outputs. Each post is one store into a word of its own, so
/// neither ever waits for the other, wherever the other got stuck. Of states that are posted before
/// anybody looks the last one counts. Lives as long as both, at a fixed address.
public struct WantedOutputs: ~Copyable, Sendable {
  private let stateCode = Atomic<UInt32>(OutputState.starting.code)
  private let turns = Atomic<UInt32>(0)
  private let openTime = Atomic<Int64>(Self.none)
  private let isOver = Atomic(false)

  private static var none: Int64 { Int64.min }

  public init() {}

  // MARK: The pipeline

  /// Shows `state` from now on. Whether that is news.
  public func show(_ state: OutputState) -> Bool {
    stateCode.exchange(state.code, ordering: .acquiringAndReleasing) != state.code
  }

  /// Powers the relay for a pulse.
  /// - Parameter seen: when the frame was taken that the verdict came with.
  public func openDoor(seen: Instant) {
    openTime.store(seen.nanoseconds, ordering: .releasing)
  }

  /// To be called with every turn of the pipeline.
  public func countTurn() { turns.wrappingAdd(1, ordering: .releasing) }

  /// The pipeline is done: every line goes to its level for the exit.
  public func end() { isOver.store(true, ordering: .releasing) }

  // MARK: Whoever drives the outputs

  /// What is to be shown.
  public var state: OutputState { OutputState(code: stateCode.load(ordering: .acquiring)) }

  /// Counts the pipeline's turns, over and over.
  public var turnCount: UInt32 { turns.load(ordering: .acquiring) }

  /// Takes the wish to open: when the frame of its verdict was taken; nil without one.
  public func takeOpening() -> Instant? {
    let time = openTime.exchange(Self.none, ordering: .acquiringAndReleasing)
    return time == Self.none ? nil : Instant(nanoseconds: time)
  }

  public var isEnded: Bool { isOver.load(ordering: .acquiring) }
}
