import Foundation
import Platform
import Settings

/// The package's own settings, seen from its folder.
let usualSettings = "Config/livelatch.toml"

/// Reads the settings that `--config` names, or the package's own where it names none; `--models`
/// has the last word on the models' folder. With that alone the rest is as an empty file has it.
func loadSettings(_ options: CommandOptions) throws -> Settings {
  var settings = Settings.defaults
  if let path = options.value("--config") {
    settings = try readSettings(path)
  } else if FileManager.default.fileExists(atPath: usualSettings) {
    settings = try readSettings(usualSettings)
  } else if options.value("--models") == nil {
    throw ToolError(
      message: "no \(usualSettings) in this folder; give --config FILE or --models FOLDER",
      status: 66)
  }
  if let folder = options.value("--models") {
    settings.models = try fitting(folder, of: "--models")
  }
  return settings
}

/// The settings of a file; all that is wrong with it is thrown at once.
func readSettings(_ path: String) throws(ToolError) -> Settings {
  var report = SettingsReport()
  guard let settings = Settings.load(path, report: &report) else {
    throw ToolError(message: describe(report), status: 78)
  }
  return settings
}

/// A value of an option that has its place in the settings, whole or not at all.
func fitting<let capacity: Int>(
  _ text: String, of option: String
) throws(UsageError) -> FixedString<capacity> {
  let fixed = FixedString<capacity>(text)
  guard !fixed.isTruncated else {
    throw UsageError(message: "\(option) is too long; allowed: \(capacity) bytes")
  }
  return fixed
}

/// All errors, a line each.
func describe(_ report: borrowing SettingsReport) -> String {
  var lines: [String] = []
  for index in 0..<report.count {
    var text = FixedString<416>()
    report.describe(index, into: &text)
    lines.append(text.string)
  }
  if report.overflow > 0 { lines.append("and \(report.overflow) more") }
  return lines.joined(separator: "\n")
}
