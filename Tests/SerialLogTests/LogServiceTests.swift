import Foundation
import Platform
import Testing

@testable import SerialLog

/// Memory for a service, aligned as a page.
func withLogMemory<Result>(
  _ body: (UnsafeMutableRawBufferPointer) throws -> Result
) rethrows -> Result {
  let memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LogService.memoryByteCount, alignment: 64)
  defer { memory.deallocate() }
  return try body(memory)
}

/// Both ends of a pipe.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  try #require(pipe(&ends) == 0)
  return (ends[0], ends[1])
}

/// A pseudo terminal: the side that plays the other end of the cable, and the tty's path.
func makeTerminal(flags: Int32 = 0) throws -> (main: Int32, path: String) {
  let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | flags)
  try #require(main >= 0)
  var lock: Int32 = 0
  var number: Int32 = -1
  // TIOCSPTLCK and TIOCGPTN: macros that Swift does not import.
  try #require(ioctl(main, 0x4004_5431, &lock) == 0 && ioctl(main, 0x8004_5430, &number) == 0)
  return (main, "/dev/pts/\(number)")
}

/// Linux' F_SETPIPE_SZ, which is not among the names that Swift's Glibc has.
let setPipeSize: Int32 = 1031

func expectFlush(_ service: borrowing LogService) {
  let isFlushed = service.flush(within: .seconds(30))
  #expect(isFlushed)
}

/// All that comes until the other end is shut.
func readToEnd(_ descriptor: Int32) -> String {
  var all: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor, &part, part.count)
    if count <= 0 { break }
    all += part[..<count]
  }
  close(descriptor)
  return String(decoding: all, as: UTF8.self)
}

func numbered(_ number: Int, level: LogLevel = .info) -> LogLine {
  var line = LogLine("n", level, at: .zero + .milliseconds(number))
  line.add("i", number)
  return line
}

@Suite struct LogServiceTests {
  @Test(arguments: [false, true])
  func linesComeOutInOrder(isSynchronous: Bool) throws {
    let ends = try makePipe()
    try withLogMemory { memory in
      let service = try LogService(
        descriptor: FileDescriptor(owning: ends.write), level: .info,
        isSynchronous: isSynchronous, memory: memory)
      let log = service.log
      for number in 0..<50 { log.write(numbered(number)) }
      log.write(numbered(99, level: .debug))
      #expect(log.isOn(.info) && !log.isOn(.debug))
      expectFlush(service)
      #expect(log.lostCount == 0)
    }
    let expected = (0..<50).map { "<6>t=0.0\($0 < 10 ? "0" : "")\($0) ev=n i=\($0)\n" }.joined()
    #expect(readToEnd(ends.read) == expected)
  }

  @Test func whatASlowReaderDidNotTakeIsCountedWhereItIsMissing() throws {
    let ends = try makePipe()
    _ = fcntl(ends.write, setPipeSize, 4096)
    let total = 3000
    var lost: UInt32 = 0
    var text = ""
    try withLogMemory { memory in
      let service = try LogService(
        descriptor: FileDescriptor(owning: ends.write), level: .info, isSynchronous: false,
        memory: memory)
      let log = service.log
      // Nobody reads: pipe and ring fill up, and the producer goes on all the same.
      for number in 0..<total { log.write(numbered(number)) }
      lost = log.lostCount
      // The reader is back; once it has caught up, one more line comes through.
      let reader = DispatchQueue(label: "reader")
      let result = UnsafeMutablePointer<String>.allocate(capacity: 1)
      result.initialize(to: "")
      let group = DispatchGroup()
      nonisolated(unsafe) let target = result
      reader.async(group: group) { target.pointee = readToEnd(ends.read) }
      expectFlush(service)
      log.write(numbered(total))
      expectFlush(service)
      #expect(log.lostCount == lost)
      _ = consume service
      group.wait()
      text = result.move()
      result.deallocate()
    }
    #expect(lost > 2000)
    // Every line is there or counted, in its place.
    var next = 0
    var counted = 0
    for line in text.split(separator: "\n") {
      if let range = line.range(of: " ev=log.dropped count=") {
        let count = try #require(Int(line[range.upperBound...]))
        #expect(line.hasPrefix("<4>t="))
        counted += count
        next += count
      } else {
        #expect(line.hasSuffix(" ev=n i=\(next)"))
        next += 1
      }
    }
    #expect(next == total + 1)
    #expect(counted == Int(lost))
  }

  @Test func manyThreadsLoseNoLineAndTearNone() throws {
    let ends = try makePipe()
    let threads = 4
    let each = 2000
    nonisolated(unsafe) var text = ""
    try withLogMemory { memory in
      let service = try LogService(
        descriptor: FileDescriptor(owning: ends.write), level: .info, isSynchronous: false,
        memory: memory)
      let log = service.log
      let group = DispatchGroup()
      DispatchQueue(label: "reader").async(group: group) { text = readToEnd(ends.read) }
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        for number in 0..<each {
          var line = LogLine("n", at: .zero)
          line.add("thread", thread)
          line.add("i", number)
          log.write(line)
        }
      }
      expectFlush(service)
      _ = consume service
      group.wait()
    }
    var next = [Int](repeating: 0, count: threads)
    var counted = 0
    for line in text.split(separator: "\n") {
      if let range = line.range(of: " ev=log.dropped count=") {
        counted += try #require(Int(line[range.upperBound...]))
        continue
      }
      let parts = line.split(separator: " ")
      try #require(parts.count == 4 && parts[2].hasPrefix("thread=") && parts[3].hasPrefix("i="))
      let thread = try #require(Int(parts[2].dropFirst(7)))
      let number = try #require(Int(parts[3].dropFirst(2)))
      #expect(number >= next[thread], "lines of one thread keep their order")
      next[thread] = number + 1
      counted += 1
    }
    #expect(counted == threads * each)
  }

  @Test func aTargetThatFailsIsCountedAndNamedOnceItIsBack() throws {
    let ends = try makePipe()
    defer { FaultPlan.clear() }
    try withLogMemory { memory in
      let service = try LogService(
        descriptor: FileDescriptor(owning: ends.write), level: .info, isSynchronous: false,
        memory: memory)
      let log = service.log
      log.write(numbered(0))
      expectFlush(service)
      FaultPlan.fail(.write, code: ENOSPC, descriptor: ends.write)
      log.write(numbered(1))
      while log.lostCount == 0 { sleep(for: .milliseconds(1)) }
      expectFlush(service)
      log.write(numbered(2))
      expectFlush(service)
      #expect(log.lostCount == 1)
    }
    let lines = readToEnd(ends.read).split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[0].hasSuffix(" i=0"))
    #expect(lines[1].hasSuffix(" ev=log.dropped count=1 cause=ENOSPC"))
    #expect(lines[2].hasSuffix(" i=2"))
  }

  @Test func aReaderThatGoesAwayEndsNothing() throws {
    let ends = try makePipe()
    try withLogMemory { memory in
      let service = try LogService(
        descriptor: FileDescriptor(owning: ends.write), level: .info, isSynchronous: true,
        memory: memory)
      close(ends.read)
      service.log.write(numbered(0))
      #expect(service.log.lostCount == 1)
    }
  }

  @Test func anEndDoesNotWaitForATargetThatTakesNothing() throws {
    let ends = try makePipe()
    _ = fcntl(ends.write, setPipeSize, 4096)
    try withLogMemory { memory in
      let service = try LogService(
        descriptor: FileDescriptor(owning: ends.write), level: .info, isSynchronous: false,
        memory: memory)
      for number in 0..<200 { service.log.write(numbered(number)) }
      let isFlushed = service.flush(within: .milliseconds(50))
      #expect(!isFlushed)
      // The service ends here; a hang would hang the test.
    }
    #expect(readToEnd(ends.read).hasPrefix("<6>t=0.000 ev=n i=0\n"))
  }
}

@Suite struct LogTargetTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("livelatch-log-\(UUID().uuidString)")

  func options(_ target: String, baud: UInt32 = 115_200) -> LogOptions {
    var options = LogOptions()
    options.target = FixedString()
    let bytes = Array(target.utf8)
    options.target.append(bytes.span)
    options.baud = baud
    return options
  }

  func run(_ options: LogOptions, _ body: (Log) -> Void = { _ in }) throws {
    try withLogMemory { memory in
      let service = try LogService(options, memory: memory)
      body(service.log)
      expectFlush(service)
    }
  }

  @Test func aFileIsAppendedTo() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("log").path
    try run(options(path)) { $0.write(numbered(1)) }
    try run(options(path)) { $0.write(numbered(2)) }
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == "<6>t=0.001 ev=n i=1\n<6>t=0.002 ev=n i=2\n")
  }

  @Test func targetsThatCannotBe() throws {
    #expect(throws: LogError.target(FixedString("/nowhere/log"), Errno(code: ENOENT))) {
      try run(options("/nowhere/log"))
    }
    #expect(throws: LogError.target(FixedString("/"), Errno(code: EISDIR))) {
      try run(options("/"))
    }
    #expect(throws: LogError.target(FixedString("/dev/ttyNone0"), Errno(code: ENOENT))) {
      try run(options("/dev/ttyNone0"))
    }
    #expect(!FileManager.default.fileExists(atPath: "/dev/ttyNone0"))
    #expect(throws: LogError.baud(1234)) { try run(options("/dev/null", baud: 1234)) }
  }

  @Test(arguments: Baud.all)
  func aTTYIsRawAndHasItsSpeed(rate: Int) throws {
    let (main, path) = try makeTerminal()
    defer { close(main) }
    try run(options(path, baud: UInt32(rate))) { $0.write(numbered(7)) }
    var mode = termios()
    try #require(tcgetattr(main, &mode) == 0)
    #expect(Baud.code(UInt32(rate)).map { cfgetospeed(&mode) == $0 } == true)
    #expect(mode.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == 0)
    #expect(mode.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(mode.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
    #expect(mode.c_cflag & tcflag_t(CLOCAL) != 0)
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(main, &bytes, bytes.count)
    #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "<6>t=0.007 ev=n i=7\r\n")
  }

  @Test func aTTYThatTakesNothingHoldsNobodyUp() throws {
    let (main, path) = try makeTerminal()
    defer { close(main) }
    try withLogMemory { memory in
      let service = try LogService(options(path), memory: memory)
      for number in 0..<20_000 { service.log.write(numbered(number)) }
      #expect(service.log.lostCount > 10_000)
    }
  }

  @Test func aLineThatBrokeOffIsEndedBeforeTheNext() throws {
    defer { FaultPlan.clear() }
    let ends = try makePipe()
    do {
      var writer = LogWriter(descriptor: FileDescriptor(owning: ends.write))
      FaultPlan.shorten(.write, to: 11)
      FaultPlan.fail(.write, nth: 1, code: EIO)
      let isWritten = writer.write(numbered(1).ended(), mayWait: { true })
      #expect(!isWritten)
      #expect(writer.failure == Errno(code: EIO))
      let isNextWritten = writer.write(numbered(2).ended(), mayWait: { true })
      #expect(isNextWritten)
    }
    #expect(readToEnd(ends.read) == "<6>t=0.001 \n<6>t=0.002 ev=n i=2\n")
  }

  @Test func aLineGoesOutInPartsWhereItMust() throws {
    defer { FaultPlan.clear() }
    let ends = try makePipe()
    do {
      var writer = LogWriter(descriptor: FileDescriptor(owning: ends.write))
      for _ in 0..<5 { FaultPlan.shorten(.write, to: 3) }
      let isWritten = writer.write(numbered(1).ended(), mayWait: { true })
      #expect(isWritten)
    }
    #expect(readToEnd(ends.read) == "<6>t=0.001 ev=n i=1\n")
  }

  @Test func messages() {
    func text(_ error: LogError) -> String {
      var text = FixedString<256>()
      error.describe(into: &text)
      return text.string
    }
    #expect(
      text(.target(FixedString("/dev/x"), Errno(code: EACCES)))
        == "log.target: /dev/x: permission denied (EACCES)")
    #expect(
      text(.baud(1)) == "log.baud: 1 is not a speed; allowed: 9600, 19200, 38400, 57600, 115200,"
        + " 230400, 460800, 921600, 1000000, 1500000")
    #expect(
      text(.thread(Errno(code: EAGAIN)))
        == "log: its thread does not start: not possible at the moment (EAGAIN)")
  }
}

extension Baud {
  static var all: [Int] { rates.indices.map { rates[$0] } }
}

@Suite struct LogLimiterTests {
  func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

  @Test func saidOnceUntilItChanges() {
    var limiter = LogLimiter()
    #expect(limiter.admit(1, at: at(0)) == 0)
    for second in 1...1000 { #expect(limiter.admit(1, at: at(second)) == nil) }
    #expect(limiter.admit(2, at: at(1001)) == 1000)
    #expect(limiter.admit(2, at: at(1002)) == nil)
    #expect(limiter.admit(1, at: at(1003)) == 1)
    limiter.reset()
    #expect(limiter.admit(1, at: at(1004)) == 0)
  }

  @Test func saidAgainAfterItsTime() {
    var limiter = LogLimiter(repeatAfter: .seconds(60))
    #expect(limiter.admit(1, at: at(0)) == 0)
    #expect(limiter.admit(1, at: at(59)) == nil)
    #expect(limiter.admit(1, at: at(60)) == 1)
    #expect(limiter.admit(1, at: at(61)) == nil)
  }
}
