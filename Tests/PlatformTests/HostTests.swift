import CPlatform
import Testing

@testable import Platform

/// What only the tools use of the system.
@Suite struct HostTests {
  @Test func aProgramEndsAsItSays() throws {
    let output = try FileDescriptor.temporaryFile()
    var said = try ChildProcess(
      "sh", ["-c", "printf hello; exit 3"], input: nil, output: output.raw, errors: nil)
    let end = try said.wait()
    let again = try said.wait()
    #expect(end == .exit(3) && again == .exit(3))
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = try bytes.withUnsafeMutableBufferPointer { bytes throws(Errno) in
      try output.read(into: UnsafeMutableRawBufferPointer(bytes), at: 1)
    }
    #expect(Array(bytes[..<count]) == Array("ello".utf8))
    var killed = try ChildProcess(
      "sh", ["-c", "kill -9 $$"], input: nil, output: nil, errors: nil)
    let signal = try killed.wait()
    #expect(signal == .signal(9))
  }

  @Test func aProgramThatIsNotThere() {
    #expect(throws: Errno(code: ENOENT)) {
      var process = try ChildProcess(
        "no-such-program-at-all", [], input: nil, output: nil, errors: nil)
      _ = try process.wait()
    }
  }

  /// Left alone it would sleep for a minute.
  @Test func aProgramThatIsNotWaitedForIsKilled() throws {
    let pair = try DescriptorPair()
    do { _ = try ChildProcess("sleep", ["60"], input: nil, output: pair.theirs.raw, errors: nil) }
    let reader = pair.takeOurs()
    var byte: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &byte) { bytes throws(Errno) in
      try reader.read(into: bytes)
    }
    #expect(count == 0, "its end of the pipe is closed")
  }

  @Test func aSocketWithoutAReaderIsAnErrorAndNoSignal() throws {
    let socket = try DescriptorPair(isSocket: true).takeOurs()
    #expect(throws: Errno(code: EPIPE)) {
      try [UInt8](repeating: 1, count: 1 << 16).span.withUnsafeBytes { bytes throws(Errno) in
        try socket.sendFully(bytes)
      }
    }
  }
}

@Suite struct FileTests {
  private let name = "/tmp/livelatch-file-\(UInt64.random(in: 0 ... .max))"

  @Test func aFileTakesAnothersName() throws {
    defer { unlink(name) }
    let other = name + ".new"
    do {
      let file = try FileDescriptor.open(other, flags: O_WRONLY | O_CREAT)
      let bytes: StaticString = "123"
      try file.writeFully(UnsafeRawBufferPointer(start: bytes.utf8Start, count: 3))
      try file.synchronize()
    }
    try renameFile(other, to: name)
    #expect(throws: Errno(code: ENOENT)) { try renameFile(other, to: name) }
    let size = try FileDescriptor.open(name, flags: O_RDONLY).regularFileSize()
    #expect(size == 3)
  }

  @Test func faultsOfTheMedium() throws {
    defer { unlink(name) }
    defer { FaultPlan.clear() }
    let file = try FileDescriptor.open(name, flags: O_WRONLY | O_CREAT)
    FaultPlan.fail(.sync, code: EIO)
    FaultPlan.fail(.rename, code: ENOSPC)
    #expect(throws: Errno(code: EIO)) { try file.synchronize() }
    #expect(throws: Errno(code: ENOSPC)) { try renameFile(name, to: name + ".new") }
  }

  @Test func foldersAndTerminals() throws {
    let folder = try FileDescriptor.open("/", flags: O_RDONLY)
    let isFolder = try folder.isFolder()
    let size = try folder.regularFileSize()
    #expect(isFolder && size == nil && !folder.isTerminal)
    #expect(throws: Errno(code: ENOTTY)) { try folder.changeTerminal { _ in } }
  }
}
