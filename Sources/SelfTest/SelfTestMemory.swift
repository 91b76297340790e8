import Platform

/// Memory for one case at a time: regions with guard bytes before, between and after them.
public struct SelfTestMemory: ~Copyable {
  /// Bytes mapped.
  public static let capacity = 4 << 20

  private static let guardBytes = 64
  private static let guardByte: UInt8 = 0xA5

  private let map: MemoryMap
  private var used = 0
  private var guards = InlineArray<24, Int>(repeating: 0)
  private var guardCount = 0

  public init() throws(Errno) { map = try MemoryMap(byteCount: Self.capacity) }

  /// Forgets all regions.
  mutating func reset() {
    used = 0
    guardCount = 0
    placeGuard()
  }

  /// A region of `count` elements at a multiple of 64 bytes, followed by a guard. The bytes are
  /// what the last case left: a kernel must not depend on them.
  mutating func take<Element>(_ count: Int, of: Element.Type) -> UnsafeMutableBufferPointer<Element>
  {
    let bytes = count * MemoryLayout<Element>.stride
    precondition(used + bytes + 3 * Self.guardBytes <= Self.capacity, "a case is too large")
    let start = map.bytes.baseAddress.map { $0 + used }
    used += bytes
    placeGuard()
    return UnsafeMutableBufferPointer(
      start: start?.bindMemory(to: Element.self, capacity: count), count: count)
  }

  mutating func takeBytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(take(count, of: UInt8.self))
  }

  /// Whether every guard is as it was placed.
  func areGuardsWhole() -> Bool {
    for index in 0..<guardCount {
      for byte in guards[index]..<guards[index] + Self.guardBytes {
        if map.bytes[byte] != Self.guardByte { return false }
      }
    }
    return true
  }

  private mutating func placeGuard() {
    for byte in used..<used + Self.guardBytes { map.bytes[byte] = Self.guardByte }
    guards[guardCount] = used
    guardCount += 1
    used = (used + Self.guardBytes + 63) & ~63
  }
}
