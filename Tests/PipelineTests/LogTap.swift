import Foundation
import Platform
import SerialLog

/// A log whose lines a test reads.
final class LogTap {
  private let memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LogService.memoryByteCount, alignment: 64)
  private let output: Int32
  private var service: LogService?
  private var pending: [UInt8] = []

  init(isSynchronous: Bool) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Errno(code: errno) }
    output = ends[0]
    let service = try LogService(
      descriptor: FileDescriptor(owning: ends[1]), level: .debug, isSynchronous: isSynchronous,
      memory: memory)
    log = service.log
    self.service = consume service
  }

  deinit {
    service = nil
    close(output)
    memory.deallocate()
  }

  /// Good until ``end()``.
  let log: Log

  /// The next line; nil after ``end()`` and the last line, or when none comes for so long that none
  /// will.
  func next() -> String? {
    var byte: UInt8 = 0
    var wish = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    while poll(&wish, 1, 60_000) == 1, read(output, &byte, 1) == 1 {
      if byte == 10 {
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
      }
      pending.append(byte)
    }
    return nil
  }

  /// No line comes any more.
  func end() { service = nil }

  /// All lines that are left; nothing can be logged afterwards.
  func rest() -> [String] {
    end()
    var lines: [String] = []
    while let line = next() { lines.append(line) }
    return lines
  }
}

/// What a line of the log says in short, without its time: `relay on`, `board.stall`.
func short(_ line: String) -> String {
  guard let event = Tool.Event(line) else { return line }
  guard event.name == "line" else { return event.name }
  return "\(event.values["name"] ?? "?") \(event.values["value"] ?? "?")"
}
