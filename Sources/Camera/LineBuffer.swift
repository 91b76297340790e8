import Platform

/// Bytes that were read but not yet used, for headers of unknown length inside a stream.
struct LineBuffer {
  static let capacity = 1024

  var storage = InlineArray<1024, UInt8>(repeating: 0)
  private(set) var start = 0
  private(set) var end = 0

  var isEmpty: Bool { start == end }

  /// Bytes before the first line end; nil when there is none yet.
  var lineLength: Int? {
    for place in start..<end where storage[place] == UInt8(ascii: "\n") { return place - start }
    return nil
  }

  /// The first bytes.
  @_addressableSelf
  @_lifetime(borrow self)
  func bytes(_ count: Int) -> Span<UInt8> {
    storage.span.extracting(start..<start + count)
  }

  mutating func drop(_ count: Int) {
    precondition(count <= end - start)
    start += count
  }

  /// Moves what is left to the front; false when nothing is free even so.
  mutating func makeRoom() -> Bool {
    for place in start..<end { storage[place - start] = storage[place] }
    end -= start
    start = 0
    return end < Self.capacity
  }

  /// Reads once into the free part; returns how many bytes came, 0 at the end of the file.
  mutating func fill(from file: borrowing FileDescriptor) throws(Errno) -> Int {
    let free = end..<Self.capacity
    let count = try withUnsafeMutableBytes(of: &storage) { bytes throws(Errno) in
      try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[free]))
    }
    end += count
    return count
  }

  /// Moves as many bytes as both hold; returns how many.
  mutating func take(into place: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(place.count, end - start)
    for index in 0..<count { place[index] = storage[start + index] }
    start += count
    return count
  }
}
