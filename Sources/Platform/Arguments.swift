import CPlatform

/// The words the program was started with. Embedded Swift has no `CommandLine`, and none of this
/// needs a heap.
public enum Arguments {
  /// Number of words after the program's name.
  public static var count: Int { max(0, Int(platform_argument_count()) - 1) }

  /// The word at `index` (0 is the first after the program's name), zero terminated, for the
  /// program's whole life; nil past the end.
  public static func word(_ index: Int) -> UnsafePointer<CChar>? {
    guard index >= 0 && index < count else { return nil }
    return UnsafePointer(platform_argument(Int32(index + 1)))
  }

  /// Whether the word at `index` is `text`.
  public static func word(_ index: Int, is text: StaticString) -> Bool {
    guard let word = word(index) else { return false }
    return text.withUTF8Buffer { expected in
      for index in 0..<expected.count where UInt8(bitPattern: word[index]) != expected[index] {
        return false
      }
      return word[expected.count] == 0
    }
  }
}
