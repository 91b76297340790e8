import Foundation
import Platform
import Testing

@testable import Board

@Suite struct HeaderPinTests {
  /// The manifest's pins, read line by line: `key = value` below each `[[pin]]`.
  func manifest() throws -> [[String: String]] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("board/header40.toml")
    return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "[[pin]]")
      .dropFirst().map { part in
        let pairs = part.split(separator: "\n").compactMap { line -> (String, String)? in
          let words = line.components(separatedBy: " = ")
          return words.count == 2
            ? (words[0], words[1].trimmingCharacters(in: ["\""])) : nil
        }
        return Dictionary(uniqueKeysWithValues: pairs)
      }
  }

  @Test func pinsAreThoseOfTheManifest() throws {
    let pins = try manifest()
    #expect(Set(pins.compactMap { $0["line"] }) == Set((0..<28).map { "\($0)" }))
    for entry in pins {
      let line = try #require(entry["line"].flatMap { UInt32($0) })
      let pin = try #require(HeaderPin(line: line))
      #expect("\(pin.pull.name)" == entry["pull"], "line \(line)")
      #expect(pin.reservation.map { "\($0.name)" } == entry["reserved"], "line \(line)")
    }
    #expect(HeaderPin(line: 28) == nil)
  }

  @Test func linesAreFoundByNumberAndName() {
    func line(_ place: LinePlace, _ chip: StaticString = "auto") -> UInt32? {
      HeaderPin(place, chip: FixedString(chip))?.line
    }
    #expect(line(.offset(17)) == 17)
    #expect(line(.name(FixedString("GPIO17"))) == 17)
    #expect(line(.name(FixedString("GPIO5")), "pinctrl-rp1") == 5)
    for name in ["GPIO", "GPIO1x", "GPIO100", "gpio17", "ID_SDA"] {
      var text = FixedString<32>()
      for byte in name.utf8 { text.append(byte: byte) }
      #expect(line(.name(text)) == nil, "\(name)")
    }
    #expect(line(.unused) == nil)
    #expect(line(.offset(28)) == nil)
    #expect(line(.offset(17), "pinctrl-sim") == nil, "of other chips nothing is known")
  }
}
