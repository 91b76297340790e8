import Foundation

/// Runs the built programs as a user would.
enum Tool {
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    /// The log's lines, taken apart.
    var events: [Event] { output.split(separator: "\n").compactMap { Event(String($0)) } }
  }

  /// One line of the log.
  struct Event {
    let name: String
    let seconds: Double
    let values: [String: String]

    init?(_ line: String) {
      guard line.hasPrefix("<"), let start = line.firstIndex(of: ">") else { return nil }
      var values: [String: String] = [:]
      for part in Self.split(String(line[line.index(after: start)...])) {
        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return nil }
        values[String(pair[0])] = String(pair[1])
      }
      guard let name = values["ev"], let seconds = values["t"].flatMap(Double.init) else {
        return nil
      }
      self.name = name
      self.seconds = seconds
      self.values = values
    }

    /// At spaces outside of quotation marks, which are taken off.
    private static func split(_ text: String) -> [String] {
      var parts = [""]
      var isQuoted = false
      var isEscaped = false
      for character in text {
        if isEscaped {
          parts[parts.count - 1].append(character)
          isEscaped = false
        } else if character == "\\" && isQuoted {
          isEscaped = true
        } else if character == "\"" {
          isQuoted.toggle()
        } else if character == " " && !isQuoted {
          parts.append("")
        } else {
          parts[parts.count - 1].append(character)
        }
      }
      return parts.filter { !$0.isEmpty }
    }
  }

  /// The package's folder.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Recordings that are not part of the package; tests that need them are skipped without.
  static let data = root.deletingLastPathComponent().appendingPathComponent("shared/data")
  static let hasData = FileManager.default.fileExists(atPath: data.path)

  static func clip(_ name: String) -> String { data.appendingPathComponent("clips/\(name)").path }

  /// Where the build put the programs: beside the test bundle.
  private static let products: URL = {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let own = bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return own.deletingLastPathComponent()
  }()

  static func run(_ program: String, _ arguments: [String]) throws -> Result {
    try run(products.appendingPathComponent(program), arguments, in: root)
  }

  /// Runs a line of bash that finds the programs, and fails where any part of a pipeline does.
  static func bash(_ line: String, in folder: URL = root) throws -> Result {
    try run(
      URL(fileURLWithPath: "/bin/bash"),
      ["-o", "pipefail", "-c", "PATH=\"$0:$PATH\"; \(line)", products.path], in: folder)
  }

  private static func run(
    _ program: URL, _ arguments: [String], in folder: URL
  ) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // Both pipes are emptied at once, so that neither fills up.
    nonisolated(unsafe) var errorBytes = Data()
    let reader = Thread { errorBytes = errors.fileHandleForReading.readDataToEndOfFile() }
    reader.start()
    let outputBytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    while !reader.isFinished { usleep(1000) }
    return Result(
      status: process.terminationStatus, output: String(decoding: outputBytes, as: UTF8.self),
      errors: String(decoding: errorBytes, as: UTF8.self))
  }

  static func replay(_ clip: String, _ arguments: [String] = []) throws -> Result {
    try run("livelatch", ["replay", clip] + arguments)
  }
}
