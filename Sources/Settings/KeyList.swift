import Platform

/// The keys that were asked for, as they were asked for: what is allowed follows from what is read.
struct KeyList {
  static let capacity = 288

  struct Key {
    var section: StaticString
    var key: StaticString
  }

  private var storage = InlineArray<288, Key>(repeating: Key(section: "", key: ""))
  private(set) var count = 0

  subscript(index: Int) -> Key {
    precondition(index < count)
    return storage[index]
  }

  mutating func append(section: StaticString, key: StaticString) {
    precondition(count < Self.capacity, "raise the capacity: the keys are those of the code")
    storage[count] = Key(section: section, key: key)
    count += 1
  }

  func contains(section: Span<UInt8>, key: Span<UInt8>) -> Bool {
    for index in 0..<count
    where storage[index].section.equals(section) && storage[index].key.equals(key) { return true }
    return false
  }

  func containsSection(_ path: Span<UInt8>) -> Bool {
    for index in 0..<count where storage[index].section.equals(path) { return true }
    return false
  }

  /// Whether a section lies inside `path`, as `led.ready` does inside `led`.
  func containsSection(inside path: Span<UInt8>) -> Bool {
    for index in 0..<count where storage[index].section.isInside(path) { return true }
    return false
  }

  /// The key of `section` most like `key`, or the one of another section that is the same; nil when
  /// none is close.
  func nearest(section: Span<UInt8>, key: Span<UInt8>) -> Key? {
    var best: Key?
    var bestDistance = Self.closeness(key) + 1
    for index in 0..<count {
      let candidate = storage[index]
      let isHere = candidate.section.equals(section)
      let distance =
        isHere ? candidate.key.distance(to: key) : candidate.key.equals(key) ? 1 : Int.max
      if distance < bestDistance {
        best = candidate
        bestDistance = distance
      }
    }
    return best
  }

  /// The section most like `path`; nil when none is close.
  func nearestSection(_ path: Span<UInt8>) -> StaticString? {
    var best: StaticString?
    var bestDistance = Self.closeness(path) + 1
    for index in 0..<count {
      let distance = storage[index].section.distance(to: path)
      if distance < bestDistance {
        best = storage[index].section
        bestDistance = distance
      }
    }
    return best
  }

  /// Edits that a slip of the finger makes.
  private static func closeness(_ word: Span<UInt8>) -> Int { word.count < 5 ? 1 : 2 }
}

extension StaticString {
  func equals(_ text: Span<UInt8>) -> Bool {
    withUTF8Buffer { mine in
      guard mine.count == text.count else { return false }
      for index in 0..<mine.count where mine[index] != text[index] { return false }
      return true
    }
  }

  func equals(_ other: StaticString) -> Bool { other.withUTF8Buffer { equals($0.span) } }

  /// Whether this is `path`, a dot and more.
  fileprivate func isInside(_ path: Span<UInt8>) -> Bool {
    withUTF8Buffer { mine in
      guard mine.count > path.count, mine[path.count] == UInt8(ascii: ".") else { return false }
      for index in 0..<path.count where mine[index] != path[index] { return false }
      return true
    }
  }

  /// Levenshtein's distance: letters to put in, take out or change. For words of at most 31 bytes;
  /// longer ones are far from everything.
  fileprivate func distance(to text: Span<UInt8>) -> Int {
    withUTF8Buffer { mine in
      guard mine.count < 32, text.count < 32 else { return Int.max }
      var row = InlineArray<32, Int>(repeating: 0)
      for column in 0...text.count { row[column] = column }
      for line in 0..<mine.count {
        var diagonal = row[0]
        row[0] = line + 1
        for column in 0..<text.count {
          let above = row[column + 1]
          let changed = diagonal + (mine[line] == text[column] ? 0 : 1)
          // Not `min` of three: its rest of none is an array.
          row[column + 1] = min(changed, min(above, row[column]) + 1)
          diagonal = above
        }
      }
      return row[text.count]
    }
  }
}
