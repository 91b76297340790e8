import FrameRing
import Platform
import Synchronization

/// A camera that was found, and what was agreed with it.
public struct CameraFacts: Sendable {
  public let path: FixedString<128>
  /// The name that it gives itself.
  public let card: FixedString<32>
  public let format: FrameFormat
  /// Frames per 1000 s, as the driver says; nil where it says nothing.
  public let rate: Int64?
  public let access: CameraAccess
  /// Whether each frame is copied, or the driver writes into the ring.
  public let isCopied: Bool
  let controls: ControlsOutcome

  /// Whether the camera refused the value that the settings have for `control`.
  public func isRefused(_ control: CameraControl) -> Bool {
    controls.refused >> UInt32(control.rawValue) & 1 == 1
  }

  /// Whether the camera took another value than the settings'.
  public func isChanged(_ control: CameraControl) -> Bool {
    controls.changed >> UInt32(control.rawValue) & 1 == 1
  }
}

/// What is news about a camera.
public enum CameraNews: Sendable {
  case found(CameraFacts)
  /// The thread keeps trying.
  case missing(CameraError)
}

/// What the thread that feeds the ring and the pipeline tell each other. Lives as long as both.
public struct CameraStatus: ~Copyable, @unchecked Sendable {
  public enum State: UInt8, Sendable {
    case starting
    case running
    /// No frames come; the thread keeps trying.
    case noCamera
    /// The thread is done: it was told to stop, or the clip is over.
    case stopped
  }

  /// Whose turn it is with the news.
  private enum Turn: UInt8 {
    case empty, writing, full, reading
  }

  let stateBits = Atomic<UInt8>(State.starting.rawValue)
  let brokenFrames = Atomic<UInt64>(0)
  let lostFrames = Atomic<UInt64>(0)
  let restartCount = Atomic<UInt64>(0)
  let stopRequested = Atomic(false)
  private let turn = Atomic<UInt8>(Turn.empty.rawValue)
  /// The last news; touched by whose turn it is alone.
  private let news: UnsafeMutablePointer<CameraNews?>
  private let memory: MemoryMap

  /// Maps a page. Throws what the kernel says.
  public init() throws(Errno) {
    memory = try MemoryMap(byteCount: MemoryLayout<CameraNews?>.stride)
    news = memory.bytes.bindMemory(to: CameraNews?.self).baseAddress.unsafelyUnwrapped
    news.initialize(to: nil)
  }

  public var state: State {
    State(rawValue: stateBits.load(ordering: .acquiring)) ?? .stopped
  }

  /// Frames that the driver marked as broken or that were too short; they were skipped.
  public var broken: UInt64 { brokenFrames.load(ordering: .relaxed) }

  /// Frames that the driver counted and nobody got, by the gaps in its numbers.
  public var lost: UInt64 { lostFrames.load(ordering: .relaxed) }

  /// How often the stream was started again for a camera that had fallen silent.
  public var restarts: UInt64 { restartCount.load(ordering: .relaxed) }

  /// Tells the thread to end; it does so within a second.
  public func requestStop() { stopRequested.store(true, ordering: .releasing) }

  public var isStopRequested: Bool { stopRequested.load(ordering: .acquiring) }

  /// The latest news that nobody has taken yet; for one reader. Does not wait.
  public func takeNews() -> CameraNews? {
    guard exchange(.full, .reading) else { return nil }
    let latest = news.pointee
    turn.store(Turn.empty.rawValue, ordering: .releasing)
    return latest
  }

  func set(_ state: State) { stateBits.store(state.rawValue, ordering: .releasing) }

  func set(_ state: State, fault: CameraError) {
    publish(.missing(fault))
    set(state)
  }

  func note(found stream: borrowing CameraStream, _ access: CameraAccess) {
    publish(
      .found(
        CameraFacts(
          path: stream.found.path, card: stream.found.card, format: stream.format,
          rate: stream.agreed.rate, access: access, isCopied: !stream.writesIntoRing,
          controls: stream.agreed.controls)))
  }

  func countBroken() { brokenFrames.wrappingAdd(1, ordering: .relaxed) }

  func count(lost: UInt32) {
    if lost > 0 { lostFrames.wrappingAdd(UInt64(lost), ordering: .relaxed) }
  }

  func countRestart() { restartCount.wrappingAdd(1, ordering: .relaxed) }

  /// Waits for a reader at most as long as it takes to copy the news.
  private func publish(_ latest: CameraNews) {
    while !exchange(.empty, .writing) && !exchange(.full, .writing) {}
    news.pointee = latest
    turn.store(Turn.full.rawValue, ordering: .releasing)
  }

  private func exchange(_ old: Turn, _ new: Turn) -> Bool {
    turn.compareExchange(
      expected: old.rawValue, desired: new.rawValue, ordering: .acquiringAndReleasing
    ).exchanged
  }
}
