import CPlatform

/// The wish of the user or the system that the program ends.
public enum StopSignal {
  /// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT are remembered instead of ending the process
  /// at once, so that outputs can be made safe first. A second signal ends it all the same.
  public static func catchAll() { platform_catch_stop_signals() }

  /// Whether a signal came.
  public static var wasReceived: Bool { platform_stop_was_requested() != 0 }
}

/// Calls `call` when a signal ends the process at once: a crash, an abort, a second wish to stop.
/// - Parameter call: only what is safe in a signal handler.
public func beforeSuddenEnd(_ call: @convention(c) () -> Void) { platform_before_sudden_end(call) }

/// Ends the process at once, without running what waits for its end: for when the rest of it hangs.
public func endProcess(status: Int32) -> Never { _exit(status) }

/// Highest resident memory of this process so far, in KiB, libraries included; nil where the kernel
/// does not tell. Allocates nothing.
public var peakResidentKiB: Int? {
  let peak = platform_peak_resident_kib()
  return peak < 0 ? nil : Int(peak)
}
