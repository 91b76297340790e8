/// A reader for FlatBuffers (the wire format of .tflite) that trusts no offset: every read is
/// checked against the file's length and a bad one throws the place. Little endian, as the format.
/// Source: the FlatBuffers internals document.
struct FlatBuffer {
  let bytes: [UInt8]

  func check(_ offset: Int, _ count: Int, _ what: String) throws(PackError) {
    guard offset >= 0, count >= 0, offset <= bytes.count - count else {
      throw .damaged("\(what) at byte \(offset) reaches beyond the file's \(bytes.count) bytes")
    }
  }

  func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) throws(PackError) -> T {
    try check(offset, MemoryLayout<T>.size, "a number")
    return bytes.withUnsafeBytes { raw in
      T(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
  }

  /// Follows a forward reference.
  func reference(at offset: Int) throws(PackError) -> Int {
    let target = offset + Int(try integer(UInt32.self, at: offset))
    try check(target, 4, "a reference's target")
    return target
  }

  func table(at position: Int) throws(PackError) -> FlatTable {
    let vtable = position - Int(try integer(Int32.self, at: position))
    try check(vtable, 4, "a table's layout")
    let size = Int(try integer(UInt16.self, at: vtable))
    guard size >= 4, size % 2 == 0 else {
      throw .damaged("a table's layout at byte \(vtable) has the length \(size)")
    }
    try check(vtable, size, "a table's layout")
    return FlatTable(buffer: self, position: position, vtable: vtable, vtableSize: size)
  }

  func root() throws(PackError) -> FlatTable { try table(at: try reference(at: 0)) }
}

/// One table. Fields are named by their number in the schema.
struct FlatTable {
  let buffer: FlatBuffer
  let position: Int
  let vtable: Int
  let vtableSize: Int

  /// The place of a field; nil when the file leaves it out.
  private func place(_ field: Int) throws(PackError) -> Int? {
    let entry = 4 + 2 * field
    guard entry + 2 <= vtableSize else { return nil }
    let offset = Int(try buffer.integer(UInt16.self, at: vtable + entry))
    return offset == 0 ? nil : position + offset
  }

  func number<T: FixedWidthInteger>(_ field: Int, default missing: T) throws(PackError) -> T {
    guard let place = try place(field) else { return missing }
    return try buffer.integer(T.self, at: place)
  }

  func table(_ field: Int) throws(PackError) -> FlatTable? {
    guard let place = try place(field) else { return nil }
    return try buffer.table(at: try buffer.reference(at: place))
  }

  /// The bytes of a vector whose elements have `stride` bytes; nil when it is left out.
  func vector(_ field: Int, stride: Int) throws(PackError) -> Range<Int>? {
    guard let place = try place(field) else { return nil }
    let start = try buffer.reference(at: place)
    let count = Int(try buffer.integer(UInt32.self, at: start))
    // A count is at most 2^32 and a stride at most 8: the product cannot overflow.
    try buffer.check(start + 4, count * stride, "a vector of \(count) elements")
    return start + 4..<start + 4 + count * stride
  }

  func numbers<T: FixedWidthInteger>(_ field: Int, _ type: T.Type) throws(PackError) -> [T] {
    let size = MemoryLayout<T>.size
    guard let range = try vector(field, stride: size) else { return [] }
    var out: [T] = []
    out.reserveCapacity(range.count / size)
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: size) {
      out.append(try buffer.integer(T.self, at: offset))
    }
    return out
  }

  func floats(_ field: Int) throws(PackError) -> [Float] {
    try numbers(field, UInt32.self).map { Float(bitPattern: $0) }
  }

  func string(_ field: Int) throws(PackError) -> String {
    guard let range = try vector(field, stride: 1) else { return "" }
    return String(decoding: buffer.bytes[range], as: UTF8.self)
  }

  func tables(_ field: Int) throws(PackError) -> [FlatTable] {
    guard let range = try vector(field, stride: 4) else { return [] }
    var out: [FlatTable] = []
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      out.append(try buffer.table(at: try buffer.reference(at: offset)))
    }
    return out
  }
}
