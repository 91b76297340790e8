import CPlatform
import Glibc

/// Two connected descriptors, closed on exec.
package struct DescriptorPair: ~Copyable {
  package let ours: FileDescriptor
  package let theirs: FileDescriptor

  /// - Parameter isSocket: a socket, to write into with ``FileDescriptor/sendFully(_:)``; else a
  ///   pipe that we read.
  package init(isSocket: Bool = false) throws(Errno) {
    var ends: [Int32] = [0, 0]
    let stream = Int32(SOCK_STREAM.rawValue)
    let closes = Int32(SOCK_CLOEXEC.rawValue)
    _ = try checked {
      isSocket ? socketpair(AF_UNIX, stream | closes, 0, &ends) : pipe(&ends)
    }
    let first = FileDescriptor(owning: ends[0])
    let second = FileDescriptor(owning: ends[1])
    if !isSocket {
      try first.closeOnExec()
      try second.closeOnExec()
    }
    ours = first
    theirs = second
  }

  /// Our end; theirs, which the child has by now, is closed.
  package consuming func takeOurs() -> FileDescriptor { ours }
}

extension FileDescriptor {
  /// A file without a name in TMPDIR (else /tmp), for what a program says: unlike a pipe it never
  /// fills up.
  package static func temporaryFile() throws(Errno) -> FileDescriptor {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array((directory + "/livelatch.XXXXXX").utf8CString)
    try plannedFault(.open)
    let file = FileDescriptor(owning: try checked { mkstemp(&name) })
    unlink(name)
    try file.closeOnExec()
    return file
  }

  fileprivate borrowing func closeOnExec() throws(Errno) {
    let fd = raw
    _ = try checked { fcntl(fd, F_SETFD, FD_CLOEXEC) }
  }

  /// Reads once from `offset` on, wherever the file's own position is; 0 is the end of the file.
  package borrowing func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    let count = min(buffer.count, try plannedLimit(.read, descriptor: raw))
    let fd = raw
    return try checkedCount { pread(fd, buffer.baseAddress, count, offset) }
  }

  /// Writes everything into a socket. When nobody reads it any more that is EPIPE, and no signal.
  package borrowing func sendFully(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = min(rest.count, try plannedLimit(.write, descriptor: raw))
      let fd = raw
      done += try checkedCount { send(fd, rest.baseAddress, count, Int32(MSG_NOSIGNAL)) }
    }
  }
}
