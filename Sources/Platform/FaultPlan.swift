/// The system calls that a test can make fail.
public enum SystemCall: UInt8, Sendable { case open, read, write, ioctl, map, poll }

#if !hasFeature(Embedded)
  import CPlatform
  import Synchronization

  /// Planned faults, for tests: "the third write answers EIO". The firmware build has none of this.
  ///
  /// Tests run side by side in one process, so a plan holds for the thread that made it, or, where
  /// another thread makes the call, for one descriptor.
  public enum FaultPlan {
    struct Plan {
      var owner: pid_t
      var call: SystemCall
      var descriptor: Int32?
      var skips: Int
      var fails: Int
      var code: Int32
    }
    static let plans = Mutex<[Plan]>([])
    /// How many plans there are, so that code without any takes no lock.
    static let count = Atomic<Int>(0)

    /// The `nth` (1 for the next) `call` from now on fails with `code`, and so do the `times` - 1
    /// after it; later ones succeed.
    /// - Parameter descriptor: nil plans for the calling thread; otherwise for that descriptor,
    ///   whoever uses it.
    public static func fail(
      _ call: SystemCall, nth: Int = 1, times: Int = 1, code: Int32, descriptor: Int32? = nil
    ) {
      precondition(nth > 0 && times > 0)
      let plan = Plan(
        owner: platform_thread_id(), call: call, descriptor: descriptor, skips: nth - 1,
        fails: times,
        code: code)
      plans.withLock {
        $0.append(plan)
        count.store($0.count, ordering: .releasing)
      }
    }

    /// Forgets what the calling thread planned.
    public static func clear() {
      let owner = platform_thread_id()
      plans.withLock {
        $0.removeAll { $0.owner == owner }
        count.store($0.count, ordering: .releasing)
      }
    }

    static func answer(_ call: SystemCall, descriptor: Int32?) throws(Errno) {
      guard count.load(ordering: .acquiring) > 0 else { return }
      let caller = platform_thread_id()
      let code: Int32? = plans.withLock {
        let match = $0.firstIndex {
          $0.call == call && ($0.descriptor.map { $0 == descriptor } ?? ($0.owner == caller))
        }
        guard let match else { return nil }
        if $0[match].skips > 0 {
          $0[match].skips -= 1
          return nil
        }
        let code = $0[match].code
        $0[match].fails -= 1
        if $0[match].fails == 0 { $0.remove(at: match) }
        count.store($0.count, ordering: .releasing)
        return code
      }
      if let code { throw Errno(code: code) }
    }
  }

  /// Every system call that a test may want to fail asks here first. Costs one load without a plan.
  @inline(__always)
  public func plannedFault(_ call: SystemCall, descriptor: Int32? = nil) throws(Errno) {
    try FaultPlan.answer(call, descriptor: descriptor)
  }
#else
  @inline(__always)
  public func plannedFault(_ call: SystemCall, descriptor: Int32? = nil) throws(Errno) {}
#endif
