import CPlatform

/// An open file, closed in `deinit`.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number of it.
  public let raw: Int32
  let closes: Bool

  /// Takes over an open descriptor.
  public init(owning raw: Int32) {
    self.raw = raw
    closes = true
  }

  /// Uses a descriptor that somebody else closes, such as standard output.
  public init(borrowing raw: Int32) {
    self.raw = raw
    closes = false
  }

  deinit { if closes { close(raw) } }

  /// Opens `path` with open(2)'s flags; O_CLOEXEC is added.
  public static func open(
    _ path: UnsafePointer<CChar>, flags: Int32, mode: UInt32 = 0o644
  ) throws(Errno) -> FileDescriptor {
    try plannedFault(.open)
    let raw = try checked { platform_open(path, flags | O_CLOEXEC, mode) }
    return FileDescriptor(owning: raw)
  }

  /// Opens `path` for reading, without waiting for somebody to write where it is a named pipe.
  public static func openForReading(
    _ path: UnsafePointer<CChar>
  ) throws(Errno) -> FileDescriptor {
    try open(path, flags: O_RDONLY | O_NONBLOCK)
  }

  /// Reads once, up to `buffer.count` bytes; 0 is the end of the file.
  public borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let count = min(buffer.count, try plannedLimit(.read, descriptor: raw))
    let fd = raw
    return try checkedCount { CPlatform.read(fd, buffer.baseAddress, count) }
  }

  /// Reads until `buffer` is full or the file ends; returns the bytes read.
  public borrowing func readFully(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes once; returns the bytes that were taken.
  public borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    let count = min(bytes.count, try plannedLimit(.write, descriptor: raw))
    let fd = raw
    return try checkedCount { CPlatform.write(fd, bytes.baseAddress, count) }
  }

  /// Writes everything.
  public borrowing func writeFully(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var done = 0
    while done < bytes.count {
      done += try write(UnsafeRawBufferPointer(rebasing: bytes[done...]))
    }
  }

  /// Waits until all that was written lies on the medium: a cut of power takes it no more.
  public borrowing func synchronize() throws(Errno) {
    try plannedFault(.sync, descriptor: raw)
    let fd = raw
    _ = try checked { fsync(fd) }
  }

  /// Waits until a write would take at least a byte (or fail); false when `timeout` ends first.
  public borrowing func waitUntilWritable(timeout: Duration) throws(Errno) -> Bool {
    try wait(for: Int16(POLLOUT), timeout: timeout)
  }

  /// Waits until a read would answer (with bytes, the end or an error); false when `timeout` ends
  /// first.
  public borrowing func waitUntilReadable(timeout: Duration) throws(Errno) -> Bool {
    try wait(for: Int16(POLLIN), timeout: timeout)
  }

  borrowing func wait(for events: Int16, timeout: Duration) throws(Errno) -> Bool {
    try plannedFault(.poll, descriptor: raw)
    var request = pollfd(fd: raw, events: events, revents: 0)
    let limit = Int32(clamping: timeout.wholeMilliseconds)
    return try checked { poll(&request, 1, limit) } > 0
  }

  /// ioctl(2), with `argument` as `request` wants it.
  /// - Returns: what the call answers, 0 or more.
  public borrowing func ioctl(
    _ request: UInt, _ argument: UnsafeMutableRawPointer?
  ) throws(Errno) -> Int32 {
    try plannedFault(.ioctl, descriptor: raw)
    let fd = raw
    return try checked { platform_ioctl(fd, request, argument) }
  }

  /// Size in bytes of a regular file; nil for a pipe, a device and the like.
  public borrowing func regularFileSize() throws(Errno) -> Int? {
    let (kind, size) = try kindAndSize()
    return kind == S_IFREG ? size : nil
  }

  /// Whether it is a folder, which can be opened but not read.
  public borrowing func isFolder() throws(Errno) -> Bool { try kindAndSize().kind == S_IFDIR }

  private borrowing func kindAndSize() throws(Errno) -> (kind: Int32, size: Int) {
    var status = stat()
    let fd = raw
    _ = try checked { fstat(fd, &status) }
    return (Int32(truncatingIfNeeded: status.st_mode) & S_IFMT, Int(status.st_size))
  }
}

/// Gives a file another name, in the place of a file that has it already. Whoever opens that name
/// gets one or the other, whole.
public func renameFile(
  _ path: UnsafePointer<CChar>, to name: UnsafePointer<CChar>
) throws(Errno) {
  try plannedFault(.rename)
  _ = try checked { rename(path, name) }
}
