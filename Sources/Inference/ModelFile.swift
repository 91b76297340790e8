import Platform

/// A model file in memory of its own. It is needed only while a ``Network`` is made.
public struct ModelFile: ~Copyable {
  private let memory: MemoryMap
  private let byteCount: Int

  /// Reads the whole file. Does not look at what is in it.
  public init(path: UnsafePointer<CChar>) throws(ModelError) {
    let file = try Self.system { () throws(Errno) in try FileDescriptor.openForReading(path) }
    let size = try Self.system { () throws(Errno) in try file.regularFileSize() }
    guard let size else { throw .notAFile }
    guard size <= ModelFormat.mostBytes else { throw .tooLarge(byteCount: size) }
    let memory = try Self.system { () throws(Errno) in try MemoryMap(byteCount: max(size, 1)) }
    let place = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<size])
    // A file that shrinks meanwhile is shorter than its header says.
    let byteCount = try Self.system { () throws(Errno) in try file.readFully(into: place) }
    self.memory = memory
    self.byteCount = byteCount
  }

  private static func system<Result: ~Copyable>(
    _ body: () throws(Errno) -> Result
  ) throws(ModelError) -> Result {
    do throws(Errno) { return try body() } catch { throw .file(error) }
  }

  /// The file's bytes, page aligned, as ``Network`` wants them.
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let used = UnsafeRawBufferPointer(
        rebasing: UnsafeRawBufferPointer(memory.bytes)[..<byteCount])
      return _overrideLifetime(RawSpan(_unsafeBytes: used), borrowing: self)
    }
  }
}
