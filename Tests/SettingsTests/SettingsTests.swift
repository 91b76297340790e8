import Board
import Camera
import Foundation
import Platform
import Testing

@testable import Settings

/// The repository's folder of settings.
let configFolder = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("Config")

/// What came of a text: the settings, or the messages.
struct Outcome {
  var settings: Settings?
  var messages: [String] = []
  var problems: [SettingsError.Problem] = []
  var overflow = 0

  init(_ bytes: [UInt8]) {
    var report = SettingsReport()
    settings = Settings.parse(bytes.span, file: FixedString("test.toml"), report: &report)
    take(report)
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  init(path: String) {
    var report = SettingsReport()
    settings = Settings.load(path, report: &report)
    take(report)
  }

  private mutating func take(_ report: borrowing SettingsReport) {
    overflow = report.overflow
    for index in 0..<report.count {
      var text = FixedString<512>()
      report.describe(index, into: &text)
      messages.append(text.string)
      problems.append(report[index].problem)
    }
  }
}

/// Every key that is read, as `section.key`.
func keysOfTheCode() -> [String] {
  var report = SettingsReport()
  return withUnsafeMutablePointer(to: &report) { report in
    let text: [UInt8] = []
    var reader = SettingsReader(text.span, report: report)
    var settings = Settings()
    settings.read(&reader)
    return (0..<reader.keys.count).map { "\(reader.keys[$0].section).\(reader.keys[$0].key)" }
  }
}

@Suite struct ShippedSettingsTests {
  static let boards = [
    "raspberry-pi-3", "raspberry-pi-4", "raspberry-pi-5", "raspberry-pi-zero-2-w",
  ]

  func shipped() throws -> String {
    try String(contentsOf: configFolder.appendingPathComponent("livelatch.toml"), encoding: .utf8)
  }

  @Test(arguments: boards + ["livelatch"])
  func theyParse(name: String) {
    let outcome = Outcome(path: configFolder.appendingPathComponent("\(name).toml").path)
    #expect(outcome.messages == [])
    #expect(outcome.settings != nil)
  }

  @Test func thereIsOneForEveryBoard() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: configFolder.path)
    #expect(
      Set(files.filter { $0.hasSuffix(".toml") })
        == Set((Self.boards + ["livelatch"]).map { "\($0).toml" }))
  }

  @Test func theShippedValuesAreTheDefaults() throws {
    var settings = try #require(Outcome(try shipped()).settings)
    #expect(settings.fingerprint != 0)
    settings.fingerprint = 0
    for output in Output.allCases { settings.board[output].place = .unused }
    #expect(settings == Settings.defaults)
  }

  @Test func anEmptyFileIsTheDefaults() throws {
    var settings = try #require(Outcome("").settings)
    settings.fingerprint = 0
    #expect(settings == Settings.defaults)
  }

  @Test func controlsAreNumbersOrSwitches() throws {
    let text =
      "[camera.controls]\ngain = 16\nbrightness = -7\nhorizontal_flip = true\n"
      + "focus_automatic_continuous = false\ncontrast = \"camera\"\n"
    let settings = try #require(Outcome(text).settings)
    var controls = CameraControls()
    controls[.gain] = 16
    controls[.brightness] = -7
    controls[.horizontalFlip] = 1
    controls[.focusAutomaticContinuous] = 0
    #expect(settings.camera.controls == controls)
  }

  /// Key by key: what the file explains is read, and what is read is explained.
  @Test func everyKeyIsDocumentedAndEveryDocumentedKeyExists() throws {
    var section = ""
    var documented: [String] = []
    for line in try shipped().split(separator: "\n") {
      if line.hasPrefix("[") {
        section = String(line.dropFirst().prefix { $0 != "]" })
      } else if let equals = line.firstIndex(of: "="), !line.hasPrefix("#") {
        documented.append(section + "." + line[..<equals].trimmingCharacters(in: .whitespaces))
      }
    }
    #expect(Set(documented).count == documented.count)
    #expect(Set(documented) == Set(keysOfTheCode()))
    #expect(keysOfTheCode().count == documented.count, "no key is read twice")
  }

  @Test func linesAreShortAndPlain() throws {
    for (number, line) in try shipped().split(separator: "\n").enumerated() {
      #expect(line.count <= 100, "line \(number + 1)")
      #expect(!line.contains("\t"))
    }
  }

  @Test func modelsLieBesideTheSettings() {
    let path = configFolder.appendingPathComponent("livelatch.toml").path
    #expect(
      Outcome(path: path).settings.map { $0.models.string }
        == configFolder.appendingPathComponent("models").path)
  }

  @Test func theFingerprintTellsFilesApart() throws {
    let text = try shipped()
    let one = try #require(Outcome(text).settings)
    let same = try #require(Outcome(text).settings)
    let other = try #require(Outcome(text + "#").settings)
    #expect(one.fingerprint == same.fingerprint)
    #expect(one.fingerprint != other.fingerprint)
    // Golden: FNV-1a of the three bytes of "\n\n\n".
    #expect(try #require(Outcome("\n\n\n").settings).fingerprint == fnv1a("\n\n\n"))
  }

  /// As the authors define it, written again.
  func fnv1a(_ text: String) -> UInt64 {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for byte in text.utf8 {
      hash ^= UInt64(byte)
      hash = hash.multipliedReportingOverflow(by: 1_099_511_628_211).partialValue
    }
    return hash
  }
}
