import CPlatform

/// Zeroed, page-aligned memory from the kernel, given back in `deinit`.
public struct MemoryMap: ~Copyable, @unchecked Sendable {
  /// The memory, valid as long as this value.
  public let bytes: UnsafeMutableRawBufferPointer

  /// Throws ENOMEM when the kernel has no `byteCount` bytes.
  public init(byteCount: Int) throws(Errno) {
    try plannedFault(.map)
    guard byteCount > 0, let start = platform_map(byteCount) else { throw Errno(code: ENOMEM) }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit { munmap(bytes.baseAddress, bytes.count) }
}

/// Asks the kernel to keep all pages of the process, now and later, in memory.
public func lockAllMemory() throws(Errno) {
  _ = try checked { mlockall(MCL_CURRENT | MCL_FUTURE) }
}
