import CPlatform
import Glibc
import Platform

/// A program that runs beside ours, without a shell. It is killed and waited for in `deinit`.
struct ChildProcess: ~Copyable {
  /// How it ended.
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  private var pid: pid_t
  private var end: End?
  let program: StaticString

  /// Starts `program`, looked up in PATH.
  /// - Parameters:
  ///   - input, output, errors: what its standard streams are; nil is /dev/null.
  /// - Throws: ENOENT when there is no such program.
  init(
    _ program: StaticString, _ arguments: [String], input: Int32?, output: Int32?, errors: Int32?
  ) throws(Errno) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, descriptor) in [(Int32(0), input), (1, output), (2, errors)] {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
      } else {
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
      }
    }
    let name = program.description
    var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) }
    words.append(nil)
    defer { words.forEach { free($0) } }
    var pid: pid_t = 0
    let result = posix_spawnp(&pid, name, &actions, nil, words, environ)
    guard result == 0 else { throw Errno(code: result) }
    self.program = program
    self.pid = pid
  }

  /// Waits for the end.
  mutating func wait() -> End {
    if let end { return end }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      guard errno == EINTR else {
        end = .exit(127)
        return .exit(127)
      }
    }
    let signal = status & 0x7F
    let reason: End = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    end = reason
    return reason
  }

  deinit {
    guard end == nil else { return }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  }
}

/// Two connected descriptors, closed on exec.
struct DescriptorPair: ~Copyable {
  let ours: FileDescriptor
  let theirs: FileDescriptor

  /// - Parameter isSocket: a socket, whose writer gets EPIPE and no signal when the reader is gone;
  ///   else a pipe that we read.
  init(isSocket: Bool = false) throws(Errno) {
    var ends: [Int32] = [0, 0]
    let stream = Int32(SOCK_STREAM.rawValue)
    let closes = Int32(SOCK_CLOEXEC.rawValue)
    _ = try checked {
      isSocket ? socketpair(AF_UNIX, stream | closes, 0, &ends) : Glibc.pipe(&ends)
    }
    if !isSocket { ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) } }
    ours = FileDescriptor(owning: ends[0])
    theirs = FileDescriptor(owning: ends[1])
  }

  /// Our end; theirs, which the child has by now, is closed.
  consuming func takeOurs() -> FileDescriptor { ours }
}

/// A file without a name for what a program says: unlike a pipe it never fills up.
func temporaryFile() throws(Errno) -> FileDescriptor {
  let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var name = Array((directory + "/livelatch.XXXXXX").utf8CString)
  let descriptor = try checked { mkstemp(&name) }
  unlink(name)
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  return FileDescriptor(owning: descriptor)
}
