import CPlatform

/// A running thread. `deinit` waits for its end, so whoever owns it tells it to stop first.
public struct Thread: ~Copyable {
  let slot: Int32

  /// Runs `body(context)` on a new thread. `body` must be a top-level function: a closure written
  /// inside an isolated function would trap when another thread calls it.
  /// - Parameters:
  ///   - name: at most 15 bytes, shown by ps and top.
  ///   - stackBytes: 0 takes the system's default; too few become the least that it allows.
  public init(
    name: StaticString, stackBytes: Int = 0, context: UnsafeMutableRawPointer?,
    body: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) throws(Errno) {
    slot = platform_thread_start(body, context, name.cString, stackBytes)
    if slot < 0 { throw Errno(code: -slot) }
  }

  /// Waits for its end, now.
  public consuming func join() {}

  deinit { _ = platform_thread_join(slot) }
}
