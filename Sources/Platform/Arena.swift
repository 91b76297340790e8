/// Hands out parts of one region, front to back. Nothing is given back: the plan is made once.
public struct Arena: ~Copyable {
  let region: UnsafeMutableRawBufferPointer
  /// Bytes handed out so far, what alignment cost among them.
  public private(set) var used = 0

  /// `region` must outlive everything taken from the arena.
  public init(_ region: UnsafeMutableRawBufferPointer) { self.region = region }

  /// Bytes in all.
  public var capacity: Int { region.count }

  /// The next `byteCount` bytes at a multiple of `alignment` (a power of two), counted from the
  /// region's start, which must be aligned so itself. Throws when they do not fit, with the
  /// capacity that would have been enough (`Int.max`: none).
  public mutating func take(
    _ byteCount: Int, alignment: Int = 64
  ) throws(ArenaError) -> UnsafeMutableRawBufferPointer {
    precondition(alignment > 0 && alignment & (alignment - 1) == 0 && byteCount >= 0)
    let start = (used + alignment - 1) & ~(alignment - 1)
    // Byte counts come out of files: their sum may be beyond any number.
    let (end, isBeyond) = start.addingReportingOverflow(byteCount)
    guard !isBeyond, end <= region.count else {
      throw ArenaError(capacity: region.count, needed: isBeyond ? Int.max : end)
    }
    used = end
    return UnsafeMutableRawBufferPointer(rebasing: region[start..<end])
  }
}

/// A part did not fit.
public struct ArenaError: Error, Equatable, Sendable {
  /// Bytes that the arena has.
  public let capacity: Int
  /// Bytes that would have been enough so far; `Int.max`: no number is.
  public let needed: Int
}
