import Foundation
import Liveness
import Platform
import Testing

@testable import Pipeline

/// What is kept in a raw partition, whatever a cut of power or bad memory does to it.
struct StateSlotsTests {
  private let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("livelatch-slots-\(UUID().uuidString)")
  private var path: FixedString<128> {
    var path = FixedString<128>()
    for byte in file.path.utf8 { path.append(byte: byte) }
    return path
  }

  private func makeEmpty() throws { try Data(count: StateSlots.byteCount).write(to: file) }

  private func record(_ value: UInt8) -> InlineArray<84, UInt8> {
    InlineArray { value &+ UInt8($0) }
  }

  /// First byte of what a new start finds; nil: nothing.
  private func found() throws -> UInt8? {
    var slots = StateSlots(path)
    var kept = record(0)
    guard try slots.load(into: &kept) else { return nil }
    for index in 0..<84 { #expect(kept[index] == kept[0] &+ UInt8(index)) }
    return kept[0]
  }

  @Test func savesInTurn() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try makeEmpty()
    #expect(StateSlots.isPlace(path))
    #expect(try found() == nil)
    var slots = StateSlots(path)
    for value: UInt8 in 1...5 {
      try slots.save(record(value))
      #expect(try found() == value)
    }
    // A new start goes on where the last one ended, in the older slot.
    var later = StateSlots(path)
    var kept = record(0)
    #expect(try later.load(into: &kept))
    #expect(later.number == 5)
    try later.save(record(6))
    #expect(try found() == 6)
  }

  @Test func aSmallFileIsNoPlace() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(!StateSlots.isPlace(path))
    try Data(count: StateSlots.byteCount - 1).write(to: file)
    #expect(!StateSlots.isPlace(path))
  }

  /// The power goes after any byte of the slot that is being written: the old one or the new one is
  /// found, and the next start can write.
  @Test(arguments: [0, StateSlots.secondSlot])
  func cutAtEveryByte(place: Int) throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try makeEmpty()
    var slots = StateSlots(path)
    // The first save goes to the first slot.
    for value: UInt8 in place == 0 ? [1, 2] : [1, 2, 3] { try slots.save(record(value)) }
    let before = try Data(contentsOf: file)
    let old = try #require(try found())
    try slots.save(record(old + 1))
    let after = try Data(contentsOf: file)
    #expect(before[..<place] == after[..<place], "the other slot was written to")
    let written = after[place..<place + 128]
    let handle = try FileHandle(forWritingTo: file)
    for count in 0...128 {
      try handle.seek(toOffset: UInt64(place))
      try handle.write(contentsOf: written.prefix(count) + before[(place + count)..<(place + 128)])
      let kept = try #require(try found())
      #expect(kept == old || (kept == old + 1 && count > 80), "cut after \(count) bytes")
    }
    try handle.close()
    #expect(try found() == old + 1)
  }

  @Test func everyFlippedBitIsSeen() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try makeEmpty()
    var slots = StateSlots(path)
    try slots.save(record(1))
    try slots.save(record(2))
    let sound = try Data(contentsOf: file)
    let handle = try FileHandle(forWritingTo: file)
    for bit in 0..<800 {
      let place = StateSlots.secondSlot + bit / 8
      try handle.seek(toOffset: UInt64(place))
      try handle.write(contentsOf: [sound[place] ^ 1 << UInt8(bit % 8)])
      #expect(try found() == 1, "bit \(bit)")
      try handle.seek(toOffset: UInt64(place))
      try handle.write(contentsOf: [sound[place]])
    }
    try handle.close()
  }

  @Test func aFailedWriteLeavesTheNewest() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    defer { FaultPlan.clear() }
    try makeEmpty()
    var slots = StateSlots(path)
    try slots.save(record(1))
    for call in [SystemCall.open, .write, .sync] {
      FaultPlan.fail(call, code: 5)
      #expect(throws: Errno.self) { try slots.save(record(9)) }
      if call != .sync { #expect(try found() == 1) }
    }
    try slots.save(record(3))
    #expect(try found() == 3)
  }

  /// A part of the medium that answers EIO is an empty slot; where nothing can be read, what comes
  /// later is still newer than what is there.
  @Test func aSlotThatCannotBeRead() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    defer { FaultPlan.clear() }
    try makeEmpty()
    var slots = StateSlots(path)
    for value: UInt8 in 1...6 { try slots.save(record(value)) }
    for (nth, expected) in [(1, 6), (2, 5)] as [(Int, UInt8)] {
      FaultPlan.fail(.read, nth: nth, code: 5)
      #expect(try found() == expected)
    }
    var later = StateSlots(path)
    var kept = record(0)
    FaultPlan.fail(.read, times: 2, code: 5)
    #expect(throws: Errno.self) { try later.load(into: &kept) }
    try later.save(record(7))
    #expect(try found() == 7)
  }

  /// The lock-out in a partition: what is left of a lock, over a restart and over a bad slot.
  @Test func theLockoutIsKeptInSlots() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    defer { FaultPlan.clear() }
    try makeEmpty()
    var state = LockoutState()
    state.locks = 3
    state.remaining = .seconds(100)
    state.appendFailure(age: .seconds(2))
    let tap = try LogTap(isSynchronous: false)
    do {
      var lockout = LockoutFile(path, log: tap.log)
      #expect(lockout.load() == LockoutState())
      lockout.save(state, at: Instant(nanoseconds: 0))
      state.remaining = .seconds(95)
      lockout.save(state, at: Instant(nanoseconds: 5_000_000_000))
      // Too soon, and nothing new in it: rarely means rarely.
      var soon = state
      soon.remaining = .seconds(94)
      lockout.save(soon, at: Instant(nanoseconds: 6_000_000_000))
    }
    #expect(try Data(contentsOf: file).count == StateSlots.byteCount)
    var later = LockoutFile(path, log: tap.log)
    #expect(later.load() == state)
    let handle = try FileHandle(forWritingTo: file)
    try handle.seek(toOffset: UInt64(StateSlots.secondSlot + 20))
    try handle.write(contentsOf: [0xFF, 0xFF])
    try handle.close()
    var damaged = LockoutFile(path, log: tap.log)
    #expect(damaged.load().remaining == .seconds(100))
    FaultPlan.fail(.open, nth: 1, code: 5)
    _ = damaged.load()
    #expect(tap.rest().map(short) == ["lockout.unread"])
  }
}
