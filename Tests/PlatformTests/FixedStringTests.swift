import Platform
import Testing

func fixed<let capacity: Int>(
  _ text: String, _ type: FixedString<capacity>.Type
) -> FixedString<capacity> {
  FixedString(text)
}

@Suite struct FixedStringTests {
  @Test func textThatFitsExactlyIsNotTruncated() {
    let text = fixed("12345678", FixedString<8>.self)
    #expect(text.string == "12345678")
    #expect(!text.isTruncated)
  }

  @Test func textIsCutAtACharacter() {
    // Every length of a text of 1-, 2-, 3- and 4-byte characters against every capacity up to 8.
    let characters: [Character] = ["a", "é", "好", "😀", "b", "你"]
    for rotation in characters.indices {
      let text = String((0..<6).map { characters[($0 + rotation) % 6] })
      let cut = fixed(text, FixedString<8>.self)
      var expected = ""
      for character in text {
        guard (expected + String(character)).utf8.count <= 8 else { break }
        expected.append(character)
      }
      #expect(cut.string == expected)
      #expect(cut.isTruncated)
    }
  }

  @Test func nothingFollowsACut() {
    var text = fixed("1234567好", FixedString<8>.self)
    #expect(text.count == 7 && text.isTruncated)
    text.append("x")
    text.append(byte: 0x78)
    text.append(5)
    #expect(text.string == "1234567")
    text.truncate(to: 3)
    #expect(!text.isTruncated)
    text.append("x")
    #expect(text.string == "123x")
    text.removeAll()
    #expect(text.isEmpty && !text.isTruncated)
  }

  @Test func bytesOfNoCharacterAreCutSomewhere() {
    var text = FixedString<4>()
    let bytes = [UInt8](repeating: 0x80, count: 9)
    text.append(bytes.span)
    #expect(text.count <= 4 && text.isTruncated)
  }

  @Test(arguments: [0, 1, -1, 9, 10, -10, 1_234_567_890, Int.max, Int.min])
  func wholeNumbers(value: Int) {
    var text = FixedString<24>()
    text.append(value)
    #expect(text.string == "\(value)")
  }

  @Test func zerosInFront() {
    var text = FixedString<64>()
    text.append(7, digits: 3)
    text.append(" ")
    text.append(-7, digits: 3)
    text.append(" ")
    text.append(1234, digits: 3)
    text.append(" ")
    text.append(0, digits: 99)
    #expect(text.string == "007 -007 1234 00000000000000000000")
  }

  @Test(
    arguments: [
      (Float(0), 0, "0"), (-0.0, 2, "0.00"), (1.005, 2, "1.00"), (0.125, 2, "0.13"),
      (-0.125, 2, "-0.13"), (2.5, 0, "3"), (-2.5, 0, "-3"), (0.95, 1, "0.9"), (0.96, 1, "1.0"),
      (-0.04, 1, "0.0"), (123.456, 3, "123.456"), (0.001, 3, "0.001"), (99.9999, 3, "100.000"),
      (.nan, 1, "nan"), (.infinity, 1, "nan"), (1e30, 1, "9000000000.0"),
      (-1e30, 9, "-9000000000.000000000"), (.leastNonzeroMagnitude, 9, "0.000000000"),
    ] as [(Float, Int, String)])
  func fractions(value: Float, decimals: Int, expected: String) {
    var text = FixedString<32>()
    text.append(value, decimals: decimals)
    #expect(text.string == expected)
  }

  @Test func fractionsReadBack() {
    var random = RandomSource(seed: 3)
    for _ in 0..<20_000 {
      let value = Float(random.below(2_000_001) - 1_000_000) / Float(1 + random.below(5000))
      let decimals = random.below(7)
      var text = FixedString<32>()
      text.append(value, decimals: decimals)
      let read = Double(text.string)
      let half = 0.50001 * (0..<decimals).reduce(1.0) { unit, _ in unit / 10 }
      #expect(read.map { abs($0 - Double(value)) <= half } == true, "\(value) \(text.string)")
    }
  }

  @Test func hexadecimal() {
    var text = FixedString<64>()
    text.append(hex: 0xDEAD_BEEF, digits: 8)
    text.append(hex: 0xF, digits: 1)
    text.append(hex: UInt64.max, digits: 16)
    text.append(hex: 0x1234, digits: 2)
    #expect(text.string == "deadbeef" + String(repeating: "f", count: 17) + "34")
  }

  @Test func cStringsEndWithAZero() {
    for length in 0...8 {
      let text = fixed(String(repeating: "x", count: length), FixedString<8>.self)
      #expect(text.withCString { String(cString: $0) } == String(repeating: "x", count: length))
    }
  }

  @Test func comparison() {
    let text = fixed("GPIO17", FixedString<32>.self)
    #expect(text == "GPIO17")
    #expect(!(text == "GPIO1"))
    #expect(!(text == "GPIO171"))
    #expect(text == fixed("GPIO17", FixedString<32>.self))
    #expect(text.hasPrefix("GPIO") && text.hasPrefix("") && text.hasPrefix("GPIO17"))
    #expect(!text.hasPrefix("GPIO17x") && !text.hasPrefix("gpio"))
    // What was there before does not count.
    var longer = fixed("GPIO17-old", FixedString<32>.self)
    longer.truncate(to: 6)
    #expect(longer == text)
  }
}
