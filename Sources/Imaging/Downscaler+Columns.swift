/// How a row of values becomes the means that go into output pixels: the taps of an axis as the row
/// steps want them.
struct ColumnMeans {
  enum Kind {
    /// Output i is value i.
    case same
    /// It is the mean of values 2 i and 2 i + 1, or of 4 i to 4 i + 3.
    case pairs
    case fours
    /// It is a weighted mean.
    case weighted
  }

  let kind: Kind
  let count: Int
  /// Where the values of each output begin; and their weights, in units of -2^-15, filled up with 0
  /// to `blocks` times 8. In the order: 8 outputs, block, output, value.
  let firsts: UnsafeMutablePointer<Int32>
  let weights: UnsafeMutablePointer<Int16>
  let blocks: Int

  static let group = 8

  static func firstCount(outputs: Int) -> Int { (outputs + group - 1) / group * group }

  /// With n outputs none has more than 4/3 · inputs / n + 3 taps, or all inputs. Up to 7 more make
  /// whole blocks of 8, and up to 7 more outputs a whole group.
  static func weightCount(outputs: Int, inputs: Int) -> Int {
    9 * inputs + 10 * firstCount(outputs: outputs) + 64
  }

  /// Whether the taps are those of equal, neighbouring parts without weights, `size` values each; in
  /// reverse order where said.
  private static func isEven(_ table: TapTable, size: Int, isReversed: Bool) -> Bool {
    for index in 0..<table.count {
      let taps = table.taps[index]
      let part = isReversed ? table.count - 1 - index : index
      guard taps.count == size, taps.first == part * size else { return false }
      for tap in 0..<size
      where Int(table.weights[Int(taps.weights) + tap]) * size != TapTable.one { return false }
    }
    return true
  }

  private static func evenKind(_ table: TapTable, isReversed: Bool) -> Kind? {
    switch table.taps[0].count {
    case 1 where isEven(table, size: 1, isReversed: isReversed): .same
    case 2 where isEven(table, size: 2, isReversed: isReversed): .pairs
    case 4 where isEven(table, size: 4, isReversed: isReversed): .fours
    default: nil
    }
  }

  /// The kinds of luma and chroma, where both need no weights.
  static func evenKinds(_ luma: TapTable, _ chroma: TapTable, isReversed: Bool) -> (Kind, Kind)? {
    guard let first = evenKind(luma, isReversed: isReversed),
      let second = evenKind(chroma, isReversed: isReversed)
    else { return nil }
    return (first, second)
  }

  /// Of a kind that needs no weights.
  init(
    _ kind: Kind, count: Int, firsts: UnsafeMutablePointer<Int32>,
    weights: UnsafeMutablePointer<Int16>
  ) {
    self.kind = kind
    self.count = count
    self.firsts = firsts
    self.weights = weights
    blocks = 0
  }

  /// - Parameters:
  ///   - length: values of a row.
  ///   - firsts, weights: room for the tables, ``firstCount(outputs:)`` and
  ///     ``weightCount(outputs:inputs:)`` elements.
  init(
    _ table: TapTable, length: Int, firsts: UnsafeMutablePointer<Int32>,
    weights: UnsafeMutablePointer<Int16>
  ) {
    kind = .weighted
    count = table.count
    self.firsts = firsts
    self.weights = weights
    var most = 1
    for index in 0..<table.count { most = max(most, Int(table.taps[index].count)) }
    blocks = (most + 7) / 8
    let padded = Self.firstCount(outputs: count)
    precondition(
      padded * blocks * 8 <= Self.weightCount(outputs: count, inputs: length),
      "more weights than there is room for")
    weights.update(repeating: 0, count: padded * blocks * 8)
    for index in 0..<padded {
      guard index < count else {
        firsts[index] = 0
        continue
      }
      let taps = table.taps[index]
      // Blocks end within the row where it is long enough.
      let first = max(0, min(Int(taps.first), length - 8 * blocks))
      firsts[index] = Int32(truncatingIfNeeded: first)
      for source in 0..<Int(taps.count) {
        let tap = Int(taps.first) - first + source
        let group = index / Self.group * blocks + tap / 8
        let place = (group * Self.group + index % Self.group) * 8 + tap % 8
        weights[place] = Int16(truncatingIfNeeded: -Int(table.weights[Int(taps.weights) + source]))
      }
    }
  }
}
