import CPlatform
import Liveness
import Platform
import SerialLog

/// Keeps the lock-out over a restart. Written beside the old one and renamed, so that a cut of power
/// leaves one or the other; into ``StateSlots`` where the path is a raw partition. Failures are said
/// once: a door without a place to write still works.
struct LockoutFile {
  private let path: FixedString<128>
  private let log: Log
  /// Nil: a file of its own.
  private var slots: StateSlots?
  private var saidFailure = false
  private var saved = LockoutState()
  private var savedAt: Instant?

  /// While a lock runs, what is left of it is written this often.
  static let pace = Duration.seconds(5)

  /// - Parameter path: empty keeps nothing.
  init(_ path: FixedString<128>, log: Log) {
    self.path = path
    self.log = log
    if !path.isEmpty, StateSlots.isPlace(path) { slots = StateSlots(path) }
  }

  /// What was kept; a fresh state where there is no sound record.
  mutating func load() -> LockoutState {
    guard !path.isEmpty else { return LockoutState() }
    var record = InlineArray<84, UInt8>(repeating: 0)
    var state: LockoutState?
    if slots != nil {
      do throws(Errno) {
        if try slots?.load(into: &record) == true { state = LockoutState(record: record.span) }
      } catch {
        report("lockout.unread", error, at: .now())
      }
      return state ?? LockoutState()
    }
    let found = withUnsafeMutableBytes(of: &record) { bytes -> Bool in
      let path = path
      guard
        let file = try? path.withCString({ name throws(Errno) in
          try FileDescriptor.openForReading(name)
        })
      else { return false }
      return (try? file.readFully(into: bytes)) == LockoutState.recordByteCount
    }
    if found { state = LockoutState(record: record.span) }
    return state ?? LockoutState()
  }

  /// Writes the state if it changed, or if a lock runs and the last record is old.
  mutating func save(_ state: LockoutState, at now: Instant) {
    guard !path.isEmpty else { return }
    let isNew =
      state.locks != saved.locks || state.failureCount != saved.failureCount
      || (state.remaining == nil) != (saved.remaining == nil)
    let isOld = state.remaining != nil && savedAt.map { now - $0 >= Self.pace } ?? true
    guard isNew || isOld else { return }
    saved = state
    savedAt = now
    do throws(Errno) {
      if slots != nil {
        try slots?.save(state.record)
      } else {
        try write(state.record)
      }
    } catch {
      guard !saidFailure else { return }
      saidFailure = true
      report("lockout.unsaved", error, at: now)
    }
  }

  private func write<let count: Int>(_ record: InlineArray<count, UInt8>) throws(Errno) {
    var beside = FixedString<136>()
    beside.append(path)
    beside.append(".new")
    try beside.withCString { temporary throws(Errno) in
      let file = try FileDescriptor.open(
        temporary, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
      try record.span.withUnsafeBytes { bytes throws(Errno) in try file.writeFully(bytes) }
      try file.synchronize()
      let path = path
      try path.withCString { final throws(Errno) in try renameFile(temporary, to: final) }
    }
  }

  private func report(_ event: StaticString, _ error: Errno, at now: Instant) {
    var text = FixedString<192>()
    text.append(path)
    text.append(": ")
    error.describe(into: &text)
    var line = LogLine(event, .warning, at: now)
    line.add("text", text)
    log.write(line)
  }
}
