import CPlatform
import Glibc

/// A program that runs beside ours, without a shell. It is killed and waited for in `deinit`.
package struct ChildProcess: ~Copyable {
  /// How it ended.
  package enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  private let pid: pid_t
  private var end: End?

  /// Starts `program`, looked up in PATH.
  /// - Parameters:
  ///   - input, output, errors: what its standard streams are; nil is /dev/null.
  /// - Throws: ENOENT when there is no such program.
  package init(
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
    let name = program.string
    var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) }
    words.append(nil)
    defer { words.forEach { free($0) } }
    var pid: pid_t = 0
    let result = posix_spawnp(&pid, name, &actions, nil, words, environ)
    guard result == 0 else { throw Errno(code: result) }
    self.pid = pid
  }

  /// Waits for the end.
  /// - Throws: EINTR when signals kept it from waiting.
  package mutating func wait() throws(Errno) -> End {
    if let end { return end }
    let status = try Self.wait(for: pid)
    let signal = status & 0x7F
    let reason: End = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    end = reason
    return reason
  }

  private static func wait(for pid: pid_t) throws(Errno) -> Int32 {
    var status: Int32 = 0
    _ = try checked { waitpid(pid, &status, 0) }
    return status
  }

  deinit {
    guard end == nil else { return }
    kill(pid, SIGKILL)
    // Nobody is left to tell of a failure, which would leave an entry in the table of processes.
    _ = try? Self.wait(for: pid)
  }
}
