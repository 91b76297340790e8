import Platform
import Testing

@testable import SerialLog

func string(_ line: LogLine) -> String {
  let ended = line.ended()
  return String(decoding: ended.bytes.indices.map { ended[$0] }, as: UTF8.self)
}

@Suite struct LogLineTests {
  func line(_ add: (inout LogLine) -> Void) -> String {
    var line = LogLine("x", at: .zero)
    add(&line)
    return string(line)
  }

  @Test func aLineAsTheDesignShowsIt() {
    var line = LogLine("face.found", at: Instant(nanoseconds: 12_345_678_901))
    line.add("id", 3)
    line.add("box", [212, 96, 180, 180] as InlineArray<4, Int>)
    #expect(string(line) == "<6>t=12.345 ev=face.found id=3 box=212,96,180,180\n")
  }

  @Test func levelsAreSyslogs() {
    let prefixes = LogLevel.allCases.map { String(string(LogLine("x", $0, at: .zero)).prefix(3)) }
    #expect(prefixes == ["<3>", "<4>", "<5>", "<6>", "<7>"])
    #expect(LogLevel.error < .debug)
  }

  @Test(arguments: [
    (Int64(0), "0.000"), (999_999, "0.000"), (1_000_000, "0.001"), (59_999_999_999, "59.999"),
    (86_400_000_000_000, "86400.000"), (-1_500_000_000, "-1.500"), (.max, "9223372036.854"),
    (.min, "-9223372036.854"),
  ])
  func times(nanoseconds: Int64, text: String) {
    let line = string(LogLine("x", at: Instant(nanoseconds: nanoseconds)))
    #expect(line == "<6>t=\(text) ev=x\n")
  }

  @Test func numbers() {
    #expect(
      line {
        $0.add("a", Int.min)
        $0.add("b", UInt32.max)
        $0.add("c", true)
        $0.add("d", Float(-0.25), decimals: 1)
        $0.add("e", Float(2.0) / 3, decimals: 3)
        $0.add("f", milliseconds: .microseconds(1_999))
        $0.add("g", hex: 0xBEEF, digits: 8)
        $0.add("h", [1.25, -20, 0] as InlineArray<3, Float>, decimals: 1)
        $0.add("i", Float.nan, decimals: 2)
      } == "<6>t=0.000 ev=x a=-9223372036854775808 b=4294967295 c=1 d=-0.3 e=0.667 f=1"
        + " g=0000beef h=1.3,-20.0,0.0 i=nan\n")
  }

  @Test(arguments: [
    ("plain", "plain"),
    ("先生你好", "先生你好"),
    ("", "\"\""),
    ("two words", "\"two words\""),
    ("a=b", "\"a=b\""),
    ("say \"no\"", "\"say \\\"no\\\"\""),
    ("back\\slash", "\"back\\\\slash\""),
    ("line\nfeed\r\t", "\"line\\nfeed\\r\\t\""),
    ("\u{0}\u{1B}[31m\u{7F}", "\"\\x00\\x1b[31m\\x7f\""),
    ("/dev/video0", "/dev/video0"),
    ("😀é", "😀é"),
  ])
  func texts(value: String, expected: String) {
    let bytes = Array(value.utf8)
    #expect(line { $0.add("k", bytes.span) } == "<6>t=0.000 ev=x k=\(expected)\n")
  }

  @Test(arguments: [
    ([0xC3] as [UInt8], "\\xc3"),
    ([0x80], "\\x80"),
    ([0xC0, 0xAF], "\\xc0\\xaf"),
    ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
    ([0xF4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),
    ([0xE4, 0xBD, 0x61], "\\xe4\\xbda"),
    ([0xF0, 0x9F, 0x98], "\\xf0\\x9f\\x98"),
    ([0xFF, 0xFE], "\\xff\\xfe"),
  ])
  func bytesThatAreNoUTF8(value: [UInt8], expected: String) {
    #expect(line { $0.add("k", value.span) } == "<6>t=0.000 ev=x k=\"\(expected)\"\n")
  }

  @Test func aLongTextIsCutAtACharacterAndSaysSo() {
    let value = Array(String(repeating: "好", count: 300).utf8)
    let text = line {
      $0.add("k", value.span)
      $0.add("late", 1)
    }
    #expect(text.utf8.count <= LogLine.capacity)
    #expect(text.hasPrefix("<6>t=0.000 ev=x k=好好"))
    #expect(text.hasSuffix("好 cut=1\n"))
    #expect(text.utf8.count > LogLine.capacity - 12)
  }

  @Test func aNumberIsWholeOrNotThere() {
    // Every fill level: the number is there as it is, or it is not and the line says so.
    for filler in 470..<512 {
      let value = [UInt8](repeating: 0x61, count: filler)
      let text = line {
        $0.add("k", value.span)
        $0.add("n", 1_234_567_890)
      }
      #expect(text.utf8.count <= LogLine.capacity)
      #expect(text.hasSuffix(" n=1234567890\n") || text.hasSuffix(" cut=1\n"), "\(filler)")
      #expect(!text.contains(" n=") || text.contains(" n=1234567890"))
    }
  }

  @Test func aQuotedTextStaysQuotedWhereverItIsCut() {
    for filler in 440..<512 {
      let value = [UInt8](repeating: 0x61, count: filler)
      let quoted = Array("a \"b\" \n 好 end".utf8)
      let text = line {
        $0.add("k", value.span)
        $0.add("q", quoted.span)
      }
      #expect(text.utf8.count <= LogLine.capacity)
      #expect(fields(of: text) != nil, "\(text)")
    }
  }

  @Test func whateverIsLoggedIsOneLineThatReadsBack() {
    var random = RandomSource(seed: 7)
    for _ in 0..<20_000 {
      let bytes = (0..<random.below(40)).map { _ -> UInt8 in
        switch random.below(4) {
        case 0: UInt8(random.below(256))
        case 1: Array("\"\\= \n\r\t\u{0}\u{7F}".utf8)[random.below(9)]
        case 2: Array("先生é😀".utf8)[random.below(12)]
        default: UInt8(97 + random.below(26))
        }
      }
      let text = line {
        $0.add("k", bytes.span)
        $0.add("n", 5)
      }
      let fields = fields(of: text)
      #expect(fields?["k"] == bytes)
      #expect(fields?["n"] == [0x35])
      #expect(text.filter { $0 == "\n" }.count == 1)
    }
  }

  /// Reads a line as the documentation of `LogLine` has it; nil when it is not one.
  func fields(of line: String) -> [String: [UInt8]]? {
    var rest = ArraySlice(Array(line.utf8))
    guard rest.popLast() == 0x0A, rest.prefix(1) == [0x3C], rest.dropFirst(2).first == 0x3E else {
      return nil
    }
    rest = rest.dropFirst(3)
    var fields: [String: [UInt8]] = [:]
    while !rest.isEmpty {
      let key = rest.prefix { $0 != 0x3D }
      guard key.allSatisfy({ 0x61...0x7A ~= $0 }), !key.isEmpty else { return nil }
      rest = rest.dropFirst(key.count + 1)
      var value: [UInt8] = []
      if rest.first == 0x22 {
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != 0x22 {
          guard byte == 0x5C else {
            value.append(byte)
            continue
          }
          switch rest.popFirst() {
          case 0x6E: value.append(0x0A)
          case 0x72: value.append(0x0D)
          case 0x74: value.append(0x09)
          case 0x78:
            guard
              let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            value.append(byte)
            rest = rest.dropFirst(2)
          case .some(let other): value.append(other)
          case nil: return nil
          }
        }
      } else {
        value = Array(rest.prefix { $0 != 0x20 })
        if value.isEmpty || value.contains(where: { $0 < 0x21 || $0 == 0x3D }) { return nil }
        rest = rest.dropFirst(value.count)
      }
      fields[String(decoding: key, as: UTF8.self)] = value
      guard rest.isEmpty || rest.popFirst() == 0x20 else { return nil }
    }
    return fields
  }
}
