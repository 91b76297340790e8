import CPlatform
import Platform

/// The end of the log that touches the file, the tty or the pipe. One thread at a time uses it.
struct LogWriter: ~Copyable {
  private var descriptor: FileDescriptor
  /// Empty: the descriptor was handed over open and cannot be opened anew.
  private let path: FixedString<128>
  private let baud: UInt32
  /// The last line broke off: a line feed goes before the next one.
  private var isMidLine = false
  /// Set while the target is gone: when to open it again.
  private var retryAt: Instant?
  /// What the last failure was; the line about lost lines names it once.
  private(set) var failure: Errno?

  static let retryPause = Duration.seconds(1)

  init(descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
    path = FixedString()
    baud = 0
  }

  private init(descriptor: consuming FileDescriptor, path: FixedString<128>, baud: UInt32) {
    self.descriptor = descriptor
    self.path = path
    self.baud = baud
  }

  /// Opens what the settings name.
  static func opening(_ options: LogOptions) throws(LogError) -> LogWriter {
    guard Baud.code(options.baud) != nil else { throw .baud(options.baud) }
    if options.target == "stdout" { return LogWriter(descriptor: standardOutput()) }
    do {
      return LogWriter(
        descriptor: try open(options.target, baud: options.baud), path: options.target,
        baud: options.baud)
    } catch {
      throw .target(options.target, error)
    }
  }

  /// Standard output; where it is a terminal, opened anew so that writes to it never wait, which
  /// set on the descriptor itself would hit every other program on that terminal.
  private static func standardOutput() -> FileDescriptor {
    let output = FileDescriptor(borrowing: 1)
    if output.isTerminal {
      let flags = O_WRONLY | O_NOCTTY | O_NONBLOCK
      let path: StaticString = "/proc/self/fd/1"
      if let own = try? FileDescriptor.open(path.cString, flags: flags) { return own }
    }
    return output
  }

  private static func open(
    _ path: FixedString<128>, baud: UInt32
  ) throws(Errno) -> FileDescriptor {
    // A device that is not there must not become a file in /dev.
    let isDevice = path.hasPrefix("/dev/")
    let flags = O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | (isDevice ? 0 : O_CREAT)
    let descriptor = try path.withCString { name throws(Errno) in
      try FileDescriptor.open(name, flags: flags)
    }
    if descriptor.isTerminal { try configure(descriptor, baud: baud) }
    return descriptor
  }

  /// 8 bits, no parity, 1 stop bit, no echo, no flow control, modem lines ignored. Line feeds go
  /// out as CR LF: the log is read in plain terminal programs, which would print stairs otherwise.
  private static func configure(
    _ descriptor: borrowing FileDescriptor, baud: UInt32
  ) throws(Errno) {
    try descriptor.changeTerminal { mode throws(Errno) in
      cfmakeraw(&mode)
      mode.c_oflag |= tcflag_t(OPOST | ONLCR)
      mode.c_cflag |= tcflag_t(CLOCAL | CREAD)
      mode.c_cflag &= ~(tcflag_t(CSTOPB | HUPCL) | tcflag_t(CRTSCTS))
      if let code = Baud.code(baud) { _ = try checked { cfsetspeed(&mode, code) } }
    }
  }

  /// Writes one whole line, waiting for room as long as `mayWait` allows. False: the line is lost.
  mutating func write(_ line: FixedString<512>, mayWait: () -> Bool) -> Bool {
    guard isOpen() else { return false }
    do {
      if isMidLine {
        var end = FixedString<512>()
        end.append(byte: UInt8(ascii: "\n"))
        guard try writeAll(end, mayWait: mayWait) else { return false }
        isMidLine = false
      }
      return try writeAll(line, mayWait: mayWait)
    } catch {
      failure = error
      if !path.isEmpty { retryAt = Instant.now() + Self.retryPause }
      return false
    }
  }

  mutating func takeFailure() -> Errno? {
    defer { failure = nil }
    return failure
  }

  /// Opens a target anew that was lost, at most once in ``retryPause``.
  private mutating func isOpen() -> Bool {
    guard let retryAt else { return true }
    let now = Instant.now()
    guard now >= retryAt else { return false }
    do {
      descriptor = try Self.open(path, baud: baud)
      self.retryAt = nil
      isMidLine = false
      return true
    } catch {
      failure = error
      self.retryAt = now + Self.retryPause
      return false
    }
  }

  private mutating func writeAll(
    _ text: FixedString<512>, mayWait: () -> Bool
  ) throws(Errno) -> Bool {
    var done = 0
    defer { if done > 0 && done < text.count { isMidLine = true } }
    while done < text.count {
      do {
        let patience: Duration = mayWait() ? .milliseconds(100) : .zero
        if try descriptor.waitUntilWritable(timeout: patience) {
          done += try write(text, from: done)
        } else if patience == .zero {
          return false
        }
      } catch {
        // Room for one byte is not room for all of them; and signals may come as they like.
        guard error.code == EAGAIN || error.code == EINTR else { throw error }
        if !mayWait() { return false }
      }
    }
    return true
  }

  private func write(_ text: FixedString<512>, from start: Int) throws(Errno) -> Int {
    let rest = text.bytes.extracting(start..<text.count)
    return try rest.withUnsafeBytes { bytes throws(Errno) in try descriptor.write(bytes) }
  }
}
