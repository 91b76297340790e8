import CPlatform
import Synchronization

/// Lets one thread sleep until another says that something happened, without a lock and without a
/// system call while nobody sleeps. Lives at a fixed address, in memory that both threads share.
///
/// The sleeper: read ``current``, look whether there is something to do, else
/// ``wait(after:until:)`` with what was read. The other: make it so, then ``signal()``. Nothing is
/// lost: all four steps are sequentially consistent, so either the signal sees that somebody waits,
/// or the sleeper's second look sees the count moved; and the kernel compares the count again
/// before it sleeps.
public struct EventCount: ~Copyable {
  // The first field: its address, which the kernel wants, is that of the whole.
  let count = Atomic<UInt32>(0)
  let waits = Atomic(false)

  public init() {}
}

extension UnsafeMutablePointer where Pointee == EventCount {
  /// To read before looking whether there is something to do.
  public var current: UInt32 { pointee.count.load(ordering: .sequentiallyConsistent) }

  /// Says that something happened. A system call only if somebody waits.
  public func signal() {
    pointee.count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if pointee.waits.load(ordering: .sequentiallyConsistent) { platform_futex_wake(word) }
  }

  /// Sleeps until the count is no longer `seen`, or until `limit` (nil: no limit). May return
  /// early. For one sleeper at a time.
  public func wait(after seen: UInt32, until limit: Instant? = nil) {
    var left: Int64 = -1
    if let limit { left = max(0, limit.nanoseconds &- Instant.now().nanoseconds) }
    pointee.waits.store(true, ordering: .sequentiallyConsistent)
    if current == seen { _ = platform_futex_wait(word, seen, left) }
    pointee.waits.store(false, ordering: .sequentiallyConsistent)
  }

  var word: UnsafePointer<UInt32> {
    UnsafePointer(UnsafeMutableRawPointer(self).assumingMemoryBound(to: UInt32.self))
  }
}
