/// The system calls that a test can make fail.
public enum SystemCall: UInt8, Sendable { case open, read, write, ioctl, map, poll, sync, rename }

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
      var times: Int
      var outcome: Outcome
    }
    enum Outcome { case error(Int32), limit(Int) }
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
      add(call, nth: nth, times: times, outcome: .error(code), descriptor: descriptor)
    }

    /// The `nth` read or write from now on takes `byteCount` bytes at most.
    public static func shorten(
      _ call: SystemCall, nth: Int = 1, to byteCount: Int, descriptor: Int32? = nil
    ) {
      precondition(byteCount > 0)
      add(call, nth: nth, times: 1, outcome: .limit(byteCount), descriptor: descriptor)
    }

    private static func add(
      _ call: SystemCall, nth: Int, times: Int, outcome: Outcome, descriptor: Int32?
    ) {
      precondition(nth > 0 && times > 0)
      let plan = Plan(
        owner: platform_thread_id(), call: call, descriptor: descriptor, skips: nth - 1,
        times: times, outcome: outcome)
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

    /// The most bytes that the call may move.
    static func answer(_ call: SystemCall, descriptor: Int32?) throws(Errno) -> Int {
      guard count.load(ordering: .acquiring) > 0 else { return Int.max }
      let caller = platform_thread_id()
      let outcome: Outcome? = plans.withLock {
        let match = $0.firstIndex {
          $0.call == call && ($0.descriptor.map { $0 == descriptor } ?? ($0.owner == caller))
        }
        guard let match else { return nil }
        if $0[match].skips > 0 {
          $0[match].skips -= 1
          return nil
        }
        let outcome = $0[match].outcome
        $0[match].times -= 1
        if $0[match].times == 0 { $0.remove(at: match) }
        count.store($0.count, ordering: .releasing)
        return outcome
      }
      switch outcome {
      case .error(let code): throw Errno(code: code)
      case .limit(let byteCount): return byteCount
      case nil: return Int.max
      }
    }
  }

  /// Every system call that a test may want to fail asks here first. Costs one load without a plan.
  @inline(__always)
  public func plannedFault(_ call: SystemCall, descriptor: Int32? = nil) throws(Errno) {
    _ = try FaultPlan.answer(call, descriptor: descriptor)
  }

  /// As ``plannedFault(_:descriptor:)``; the answer is the most bytes that the call may move.
  @inline(__always)
  func plannedLimit(_ call: SystemCall, descriptor: Int32) throws(Errno) -> Int {
    try FaultPlan.answer(call, descriptor: descriptor)
  }
#else
  /// Nothing: no faults are planned on a board.
  @inline(__always)
  public func plannedFault(_ call: SystemCall, descriptor: Int32? = nil) throws(Errno) {}

  @inline(__always)
  func plannedLimit(_ call: SystemCall, descriptor: Int32) throws(Errno) -> Int { Int.max }
#endif
