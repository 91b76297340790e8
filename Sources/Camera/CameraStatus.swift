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

  /// Why no frames come, for the log.
  public enum Reason: UInt8, Sendable {
    case none, open, notACamera, noFormat, size, call, silent, broken

    public var name: StaticString {
      switch self {
      case .none: "none"
      case .open: "open"
      case .notACamera: "not-a-camera"
      case .noFormat: "no-format"
      case .size: "size"
      case .call: "driver"
      case .silent: "silent"
      case .broken: "broken"
      }
    }
  }

  let stateBits = Atomic<UInt8>(State.starting.rawValue)
  let reasonBits = Atomic<UInt8>(Reason.none.rawValue)
  let errnoCode = Atomic<Int32>(0)
  let brokenFrames = Atomic<UInt64>(0)
  let stopRequested = Atomic(false)

  public init() {}

  public var state: State {
    State(rawValue: stateBits.load(ordering: .acquiring)) ?? .stopped
  }

  /// Why there is no camera.
  public var reason: Reason { Reason(rawValue: reasonBits.load(ordering: .relaxed)) ?? .none }

  /// What the kernel said to it; nil where it said nothing.
  public var errno: Errno? {
    let code = errnoCode.load(ordering: .relaxed)
    return code == 0 ? nil : Errno(code: code)
  }

  /// Frames that the driver marked as broken or that were too short; they were skipped.
  public var broken: UInt64 { brokenFrames.load(ordering: .relaxed) }

  /// Tells the thread to end; it does so within a second.
  public func requestStop() { stopRequested.store(true, ordering: .releasing) }

  public var isStopRequested: Bool { stopRequested.load(ordering: .acquiring) }

  func set(_ state: State, fault: CameraError? = nil) {
    errnoCode.store(fault?.errno?.code ?? 0, ordering: .relaxed)
    reasonBits.store(Self.reason(fault).rawValue, ordering: .relaxed)
    stateBits.store(state.rawValue, ordering: .releasing)
  }

  static func reason(_ fault: CameraError?) -> Reason {
    switch fault?.fault {
    case nil: .none
    case .open: .open
    case .notACamera: .notACamera
    case .noFormat, .unsupported: .noFormat
    case .size: .size
    case .call, .transfer, .programMissing, .programFailed: .call
    case .silent, .truncated: .silent
    case .malformed: .broken
    }
  }

  func countBroken() { brokenFrames.wrappingAdd(1, ordering: .relaxed) }
}
