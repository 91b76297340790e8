import Foundation
import Platform
import Testing

@testable import Settings

/// Damaged settings give settings or messages, nothing else. The ordinary run makes 3,000 mutations;
/// as many as FUZZ_MUTATIONS says are made by `make fuzz`, under the address sanitizer.
///
/// Each mutation has its own seed, FUZZ_SEED plus its number: after a crash, bisect with FUZZ_FIRST.
@Suite struct SettingsFuzzTests {
  let mutations = Self.setting("FUZZ_MUTATIONS", 3_000)
  let first = Self.setting("FUZZ_FIRST", 0)
  let seed = Self.setting("FUZZ_SEED", 1)

  static func setting(_ name: String, _ missing: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? missing
  }

  @Test func mutationsOfTheShippedFile() throws {
    let shipped = [UInt8](
      try Data(contentsOf: configFolder.appendingPathComponent("livelatch.toml")))
    var accepted = 0
    for number in first..<first + mutations {
      var random = RandomSource(seed: UInt64(seed) &+ UInt64(number))
      var bytes = shipped
      for _ in 0...random.below(4) { mutate(&bytes, &random) }
      let outcome = Outcome(bytes)
      #expect((outcome.settings == nil) == !outcome.messages.isEmpty)
      for message in outcome.messages {
        #expect(message.hasPrefix("test.toml:"))
        #expect(!message.utf8.contains { $0 < 0x20 })
      }
      if let settings = outcome.settings {
        accepted += 1
        expectBounds(settings)
      }
    }
    print("\(mutations) damaged settings: \(accepted) accepted, \(mutations - accepted) refused")
    if mutations >= 1_000 {
      #expect(accepted > mutations / 20, "most mutations hit comments: some files stay good")
      #expect(accepted < mutations)
    }
  }

  @Test func valuesOfEveryKindForEveryKey() {
    let values = [
      "0", "-1", "1", "99999999999", "9223372036854775807", "0.5", "-0.0", "1e308", "inf", "nan",
      "true", "false", "\"\"", "\"x\"", "\"none\"", "'\u{202E}'", "[]", "[[]]", "[1, \"a\"]", "{}",
      "{a = 1}", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z",
    ]
    for key in keysOfTheCode() {
      guard let dot = key.lastIndex(of: ".") else { continue }
      for value in values {
        let outcome = Outcome("[\(key[..<dot])]\n\(key[key.index(after: dot)...]) = \(value)\n")
        #expect((outcome.settings == nil) == !outcome.messages.isEmpty)
        #expect(!outcome.problems.contains(.syntax) && !outcome.problems.contains(.unknownKey))
        if let settings = outcome.settings { expectBounds(settings) }
      }
    }
  }

  /// What must hold of settings that were accepted, whatever the text was.
  func expectBounds(_ settings: Settings) {
    #expect(settings.board.relay.hold <= settings.board.relay.longestHold)
    #expect(settings.board.relay.longestHold <= .seconds(60))
    #expect(settings.board.relay.hold > .zero)
    #expect(1...8 ~= settings.liveness.count)
    #expect(10...60 ~= settings.liveness.pose.turn)
    #expect(32...4096 ~= settings.camera.width)
    #expect(settings.faces.tracking && settings.faces.landmarks)
    #expect(!settings.liveness.challenges.isEmpty)
    #expect(settings.liveness.lockout.first >= .seconds(1))
    #expect(!settings.models.isEmpty)
  }

  func mutate(_ bytes: inout [UInt8], _ random: inout RandomSource) {
    let place = random.below(bytes.count)
    switch random.below(6) {
    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
    case 1: bytes[place] = UInt8(random.below(256))
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(Array("=[]\"'.{}#,\n\r\0\t9-_".utf8)[random.below(17)], at: place)
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + random.below(200)))
    default:
      let end = min(bytes.count, place + random.below(200))
      bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
    }
    if bytes.isEmpty { bytes = [0x23] }
  }
}
