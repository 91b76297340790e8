import Platform

/// The log as everyone holds it: a small handle, used from any thread, good as long as its
/// ``LogService`` lives.
public struct Log: @unchecked Sendable {
  let ring: UnsafeMutablePointer<LogRing>

  /// Hands a line over. Takes about a microsecond and never waits: a line that finds no place is
  /// counted, and `ev=log.dropped count=…` stands where it would have stood. A synchronous log
  /// writes the line before it returns.
  public func write(_ line: borrowing LogLine) { ring.pointee.put(line) }

  /// Whether lines of that level are written, for those that are work to put together.
  public func isOn(_ level: LogLevel) -> Bool { level <= ring.pointee.level }

  /// Lines lost since the start: no place in the ring, or the target failed.
  public var lostCount: UInt32 { ring.pointee.lostCount }

  /// Waits until every line so far is written out; false when `limit` ends first.
  public func flush(within limit: Duration) -> Bool {
    let end = Instant.now() + limit
    while !ring.pointee.isIdle {
      if Instant.now() >= end { return false }
      sleep(for: .milliseconds(1))
    }
    return true
  }
}

/// Owns the log's ring, its target and its thread. `deinit` writes out what is left, but waits no
/// longer than a second for a target that takes nothing.
///
/// Makes writes to closed pipes answer EPIPE in the whole process: a reader that goes away must not
/// end the firmware.
public struct LogService: ~Copyable {
  /// Bytes of memory that ``init(_:memory:)`` wants, at an alignment of 64.
  public static var memoryByteCount: Int { LogRing.byteCount }

  /// The handle that lines are written through.
  public let log: Log
  private let thread: Thread?

  /// Opens the target and starts the writer's thread; allocates nothing after that.
  /// - Parameter memory: ``memoryByteCount`` bytes that outlive the service.
  public init(
    _ options: LogOptions, memory: UnsafeMutableRawBufferPointer
  ) throws(LogError) {
    try self.init(
      writer: .opening(options), level: options.level, isSynchronous: false, memory: memory)
  }

  /// A log without a thread: each line is written to the target, in order and none left out,
  /// before ``Log/write(_:)`` returns. For replays, whose lines carry the clip's time.
  public init(
    synchronous options: LogOptions, memory: UnsafeMutableRawBufferPointer
  ) throws(LogError) {
    try self.init(
      writer: .opening(options), level: options.level, isSynchronous: true, memory: memory)
  }

  /// As the others, to an open descriptor.
  public init(
    descriptor: consuming FileDescriptor, level: LogLevel, isSynchronous: Bool,
    memory: UnsafeMutableRawBufferPointer
  ) throws(LogError) {
    try self.init(
      writer: LogWriter(descriptor: descriptor), level: level, isSynchronous: isSynchronous,
      memory: memory)
  }

  private init(
    writer: consuming LogWriter, level: LogLevel, isSynchronous: Bool,
    memory: UnsafeMutableRawBufferPointer
  ) throws(LogError) {
    precondition(memory.count >= Self.memoryByteCount)
    BrokenPipe.failsTheWrite()
    let ring = memory.baseAddress.unsafelyUnwrapped.bindMemory(to: LogRing.self, capacity: 1)
    ring.initialize(
      to: LogRing(level: level, isSynchronous: isSynchronous, writer: writer, memory: memory))
    if isSynchronous {
      thread = nil
    } else {
      do {
        thread = try Thread(
          name: "log", stackBytes: 64 << 10, context: ring, body: runLogWriter)
      } catch {
        ring.deinitialize(count: 1)
        throw .thread(error)
      }
    }
    log = Log(ring: ring)
  }

  /// Waits until every line so far is written out; false when `limit` ends first.
  public borrowing func flush(within limit: Duration) -> Bool { log.flush(within: limit) }

  deinit {
    log.ring.pointee.stop()
    thread?.join()
    log.ring.deinitialize(count: 1)
  }
}
