#if !hasFeature(Embedded)
  import Synchronization

  /// The system calls that a test can make fail.
  public enum SystemCall: UInt8, Sendable { case open, read, write, ioctl, map }

  /// Planned faults, for tests: "the third write answers EIO". One plan holds at a time and the
  /// firmware build has none of this.
  public enum FaultPlan {
    struct Plan { var call: SystemCall; var countdown: Int; var code: Int32 }
    static let plan = Mutex<Plan?>(nil)

    /// The `nth` (1 for the next) `call` from now on fails with `code`; calls after it succeed.
    public static func fail(_ call: SystemCall, nth: Int = 1, code: Int32) {
      plan.withLock { $0 = Plan(call: call, countdown: nth, code: code) }
    }

    public static func clear() { plan.withLock { $0 = nil } }

    static func answer(_ call: SystemCall) throws(Errno) {
      let code: Int32? = plan.withLock {
        guard var current = $0, current.call == call else { return nil }
        current.countdown -= 1
        $0 = current.countdown == 0 ? nil : current
        return current.countdown == 0 ? current.code : nil
      }
      if let code { throw Errno(code: code) }
    }
  }

  @inline(__always)
  func plannedFault(_ call: SystemCall) throws(Errno) { try FaultPlan.answer(call) }
#else
  enum SystemCall { case open, read, write, ioctl, map }

  @inline(__always)
  func plannedFault(_ call: SystemCall) throws(Errno) {}
#endif
