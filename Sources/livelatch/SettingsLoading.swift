import Foundation
import Platform
import Settings

/// Reads the settings that `--config` names, or the package's own where it names none; `--models`
/// has the last word on the models' folder.
func loadSettings(_ options: CommandOptions) throws -> Settings {
  var settings = try readSettings(options.value("--config"))
  if let folder = options.value("--models") {
    guard folder.utf8.count < 192 else { throw UsageError(message: "--models: too long a path") }
    settings.models = fixedString(folder)
  }
  return settings
}

/// The settings of a file, or the package's own, or those of an empty file.
func readSettings(_ path: String?) throws -> Settings {
  let usual = "Config/livelatch.toml"
  guard let path = path ?? (FileManager.default.fileExists(atPath: usual) ? usual : nil) else {
    return .defaults
  }
  var report = SettingsReport()
  let settings = path.withCString { Settings.load($0, report: &report) }
  guard let settings else {
    throw ToolError(message: describe(report), status: 78)
  }
  return settings
}

/// All errors, a line each.
func describe(_ report: borrowing SettingsReport) -> String {
  var lines: [String] = []
  for index in 0..<report.count {
    var text = FixedString<384>()
    report.describe(index, into: &text)
    lines.append(text.string)
  }
  if report.overflow > 0 { lines.append("and \(report.overflow) more") }
  return lines.joined(separator: "\n")
}

/// The text, cut at the capacity.
func fixedString<let capacity: Int>(_ text: String) -> FixedString<capacity> {
  var fixed = FixedString<capacity>()
  Array(text.utf8).withUnsafeBufferPointer { fixed.append($0.span) }
  return fixed
}
