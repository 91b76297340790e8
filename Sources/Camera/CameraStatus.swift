import FrameRing
import Platform
import Synchronization

/// What the thread that feeds the ring and the pipeline tell each other. Lives as long as both.
public struct CameraStatus: ~Copyable, Sendable {
  public enum State: UInt8, Sendable {
    case starting
    case running
    /// No frames come; the thread keeps trying.
    case noCamera
    /// The thread is done: it was told to stop, or the clip is over.
    case stopped
  }

  let stateBits = Atomic<UInt8>(State.starting.rawValue)
  let errnoCode = Atomic<Int32>(0)
  let brokenFrames = Atomic<UInt64>(0)
  let stopRequested = Atomic(false)

  public init() {}

  public var state: State {
    State(rawValue: stateBits.load(ordering: .acquiring)) ?? .stopped
  }

  /// Why there is no camera; nil where the kernel gave no reason.
  public var errno: Errno? {
    let code = errnoCode.load(ordering: .relaxed)
    return code == 0 ? nil : Errno(code: code)
  }

  /// Frames that the driver marked as broken or that were too short; they were skipped.
  public var broken: UInt64 { brokenFrames.load(ordering: .relaxed) }

  /// Tells the thread to end; it does so within a second.
  public func requestStop() { stopRequested.store(true, ordering: .releasing) }

  public var isStopRequested: Bool { stopRequested.load(ordering: .acquiring) }

  func set(_ state: State, errno: Errno? = nil) {
    errnoCode.store(errno?.code ?? 0, ordering: .relaxed)
    stateBits.store(state.rawValue, ordering: .releasing)
  }

  func countBroken() { brokenFrames.wrappingAdd(1, ordering: .relaxed) }
}
