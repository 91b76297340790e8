import CPlatform
@testable import Platform
import Testing

@Suite struct ErrnoTests {
  @Test func namesAndNumbers() {
    func text(_ code: Int32) -> String {
      var text = FixedString<32>()
      Errno(code: code).describe(into: &text)
      return text.string
    }
    #expect(text(ENOENT) == "no such file or folder (ENOENT)")
    #expect(text(EBUSY) == "in use (EBUSY)")
    #expect(text(EXDEV) == "errno \(EXDEV)")
    var name = FixedString<32>()
    Errno(code: EPIPE).appendName(to: &name)
    Errno(code: EXDEV).appendName(to: &name)
    #expect(name.string == "EPIPEerrno \(EXDEV)")
  }

  @Test func onlyInterruptionsAreTriedAgainAndNotForEver() throws {
    var calls = 0
    func answers(_ codes: [Int32], then result: Int32) -> () -> Int32 {
      calls = 0
      return {
        defer { calls += 1 }
        guard calls < codes.count else { return result }
        platform_set_errno(codes[calls])
        return -1
      }
    }
    #expect(try checked(answers([], then: 7)) == 7)
    #expect(calls == 1)
    #expect(try checked(answers([EINTR, EINTR, EINTR], then: 7)) == 7)
    #expect(calls == 4)
    #expect(throws: Errno(code: EINTR)) {
      try checked(answers([EINTR, EINTR, EINTR, EINTR], then: 7))
    }
    #expect(calls == 4)
    #expect(throws: Errno(code: EIO)) { try checked(answers([EINTR, EIO], then: 7)) }
    #expect(calls == 2)
    #expect(throws: Errno(code: EAGAIN)) { try checked(answers([EAGAIN], then: 7)) }
    #expect(calls == 1)
  }
}

@Suite struct FaultPlanTests {
  func readByte(_ file: borrowing FileDescriptor) throws(Errno) -> Int {
    var byte: UInt8 = 0
    return try withUnsafeMutableBytes(of: &byte) { bytes throws(Errno) in try file.read(into: bytes)
    }
  }

  @Test func theNthCallFailsAndThoseAfterItDoNot() throws {
    defer { FaultPlan.clear() }
    let file = try FileDescriptor.open("/dev/zero", flags: O_RDONLY)
    FaultPlan.fail(.read, nth: 3, times: 2, code: EIO)
    #expect(try readByte(file) == 1)
    #expect(try readByte(file) == 1)
    #expect(throws: Errno(code: EIO)) { try readByte(file) }
    #expect(throws: Errno(code: EIO)) { try readByte(file) }
    #expect(try readByte(file) == 1)
  }

  @Test func otherCallsAndOtherDescriptorsAreLeftAlone() throws {
    defer { FaultPlan.clear() }
    let one = try FileDescriptor.open("/dev/zero", flags: O_RDONLY)
    let other = try FileDescriptor.open("/dev/zero", flags: O_RDONLY)
    FaultPlan.fail(.read, code: ENODEV, descriptor: other.raw)
    FaultPlan.fail(.ioctl, code: EIO)
    #expect(try readByte(one) == 1)
    #expect(throws: Errno(code: ENODEV)) { try readByte(other) }
    #expect(try readByte(other) == 1)
    FaultPlan.fail(.open, code: EMFILE)
    FaultPlan.clear()
    let third = try FileDescriptor.open("/dev/zero", flags: O_RDONLY)
    #expect(try readByte(third) == 1)
  }

  @Test func aCallThatTakesLess() throws {
    defer { FaultPlan.clear() }
    let file = try FileDescriptor.open("/dev/zero", flags: O_RDONLY)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { bytes.deallocate() }
    FaultPlan.shorten(.read, nth: 2, to: 7)
    let counts = [
      try file.read(into: bytes), try file.read(into: bytes), try file.read(into: bytes),
    ]
    #expect(counts == [64, 7, 64])
  }

  @Test func memoryThatIsNotThere() {
    defer { FaultPlan.clear() }
    FaultPlan.fail(.map, code: ENOMEM)
    #expect(throws: Errno(code: ENOMEM)) { _ = try MemoryMap(byteCount: 4096).bytes }
  }
}

@Suite struct FileDescriptorTests {
  @Test func errorsOfTheKernel() {
    #expect(throws: Errno(code: ENOENT)) {
      _ = try FileDescriptor.open("/nowhere/at/all", flags: O_RDONLY).raw
    }
    #expect(throws: Errno(code: EISDIR)) {
      _ = try FileDescriptor.open("/", flags: O_WRONLY).raw
    }
  }

  func readAll(_ file: borrowing FileDescriptor) throws -> [UInt8] {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 9, alignment: 1)
    defer { bytes.deallocate() }
    let count = try file.readFully(into: bytes)
    return Array(bytes[..<count])
  }

  @Test func aPipeFromEndToEnd() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let reader = FileDescriptor(owning: ends[0])
    let size = try reader.regularFileSize()
    #expect(size == nil)
    let isReadableAtFirst = try reader.waitUntilReadable(timeout: .zero)
    #expect(!isReadableAtFirst)
    do {
      let writer = FileDescriptor(owning: ends[1])
      let isWritable = try writer.waitUntilWritable(timeout: .zero)
      #expect(isWritable)
      let bytes: StaticString = "12345"
      try writer.writeFully(UnsafeRawBufferPointer(start: bytes.utf8Start, count: 5))
    }
    let isReadable = try reader.waitUntilReadable(timeout: .seconds(10))
    #expect(isReadable)
    let bytes = try readAll(reader)
    #expect(bytes == Array("12345".utf8))
    let canReadTheEnd = try reader.waitUntilReadable(timeout: .seconds(10))
    #expect(canReadTheEnd)
  }

  @Test func whatIsOnlyBorrowedStaysOpen() throws {
    let raw = platform_open("/dev/zero", O_RDONLY, 0)
    try #require(raw >= 0)
    do { _ = FileDescriptor(borrowing: raw).raw }
    #expect(isatty(raw) == 0 && platform_errno() == ENOTTY, "a closed one would say EBADF")
    do { _ = FileDescriptor(owning: raw).raw }
  }
}

@Suite struct MemoryTests {
  func place(_ bytes: UnsafeMutableRawBufferPointer) -> Int { Int(bitPattern: bytes.baseAddress) }

  @Test func aMapIsZeroedAndPageAligned() throws {
    let map = try MemoryMap(byteCount: 10_000)
    #expect(map.bytes.count == 10_000)
    #expect(UInt(bitPattern: map.bytes.baseAddress) % 4096 == 0)
    #expect(map.bytes.allSatisfy { $0 == 0 })
    map.bytes[9_999] = 1
  }

  @Test(arguments: [0, -1, Int.max, Int.max / 2])
  func sizesThatCannotBe(byteCount: Int) {
    #expect(throws: Errno(code: ENOMEM)) { _ = try MemoryMap(byteCount: byteCount).bytes }
  }

  @Test func anArenaGivesAlignedPartsThatDoNotOverlap() throws {
    let map = try MemoryMap(byteCount: 1 << 16)
    var random = RandomSource(seed: 1)
    for _ in 0..<200 {
      var arena = Arena(map.bytes)
      var end = 0
      while true {
        let count = random.below(3000)
        let alignment = 1 << random.below(9)
        do {
          let part = try arena.take(count, alignment: alignment)
          let start = place(part) - place(map.bytes)
          #expect(part.count == count)
          #expect(start >= end && start < end + alignment && start % alignment == 0)
          end = start + count
        } catch {
          #expect(error.capacity == 1 << 16)
          #expect(error.needed > 1 << 16 && error.needed < 1 << 16 + 4000)
          #expect(arena.used <= arena.capacity)
          break
        }
      }
    }
  }

  @Test func anArenaSaysWhatWouldHaveBeenEnough() throws {
    let map = try MemoryMap(byteCount: 4096)
    var arena = Arena(map.bytes)
    _ = try arena.take(100)
    #expect(throws: ArenaError(capacity: 4096, needed: 128 + 4000)) { try arena.take(4000) }
    #expect(throws: ArenaError(capacity: 4096, needed: Int.max)) { try arena.take(Int.max) }
    #expect(try arena.take(4096 - 128).count == 4096 - 128)
    #expect(arena.used == 4096)
  }
}

@Suite struct RandomSourceTests {
  @Test func theSequenceOfTheAuthors() {
    // First outputs of splitmix64.c by S. Vigna for the seed 1234567.
    var random = RandomSource(seed: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    for value in expected { #expect(random.next() == value) }
  }

  @Test func belowIsBelowAndEven() {
    var random = RandomSource(seed: 9)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<70_000 { counts[random.below(7)] += 1 }
    for count in counts { #expect(9_500...10_500 ~= count) }
    #expect(random.below(1) == 0)
    for _ in 0..<1000 { #expect(0..<Int.max ~= random.below(Int.max)) }
  }

  @Test func seedsOfTheKernelDiffer() throws {
    var one = try RandomSource()
    var other = try RandomSource()
    #expect(one.next() != other.next())
  }

  @Test func entropyInParts() throws {
    let map = try MemoryMap(byteCount: 1 << 20)
    let bytes = map.bytes
    try fillWithEntropy(bytes)
    #expect(bytes.suffix(1000).contains { $0 != 0 })
    #expect(Set(bytes).count == 256)
  }
}

@Suite struct InstantTests {
  @Test func arithmetic() {
    let start = Instant(nanoseconds: 5)
    #expect(start + .milliseconds(2) == Instant(nanoseconds: 2_000_005))
    #expect(start - .nanoseconds(6) == Instant(nanoseconds: -1))
    #expect(start + .seconds(3) - start == .seconds(3))
    #expect(start < start + .nanoseconds(1))
    #expect(Duration.nanoseconds(-1_500_000).wholeMilliseconds == -1)
    #expect(Duration.seconds(2).wholeNanoseconds == 2_000_000_000)
    #expect(Duration.nanoseconds(Int64.min).wholeNanoseconds == .min)
    #expect(Duration.milliseconds(1500).inSeconds == 1.5)
  }

  @Test func theClockDoesNotGoBack() {
    var last = Instant.now()
    for _ in 0..<1000 {
      let now = Instant.now()
      #expect(now >= last)
      last = now
    }
    let start = Instant.now()
    sleep(for: .milliseconds(5))
    #expect(Instant.now() - start >= .milliseconds(5))
    sleep(for: .seconds(-1))
  }
}

private func countUp(_ context: UnsafeMutableRawPointer?) {
  context?.assumingMemoryBound(to: Int.self).pointee += 1
}

@Suite struct ThreadTests {
  @Test func aThreadRunsAndIsWaitedFor() throws {
    let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    defer { count.deallocate() }
    count.initialize(to: 0)
    // More than there are slots, one after the other: each is given back.
    for round in 1...40 {
      let thread = try Thread(name: "count", context: count, body: countUp)
      thread.join()
      #expect(count.pointee == round)
    }
    do { _ = try Thread(name: "a name that is far too long", context: count, body: countUp) }
    #expect(count.pointee == 41, "deinit waits too")
  }

  /// What is too little differs: 16 KiB on x86_64, 128 KiB on arm64.
  @Test func aStackTooSmallBecomesTheLeast() throws {
    let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    defer { count.deallocate() }
    count.initialize(to: 0)
    try Thread(name: "small", stackBytes: 1, context: count, body: countUp).join()
    #expect(count.pointee == 1)
  }
}
