import Pipeline
import Platform
import SerialLog
import Settings

/// `livelatch run`.
struct RunCommand {
  private let options: CommandOptions

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(
      words, withValue: ["--config", "--models", "--camera"], switches: ["--simulate"])
    guard options.operands.isEmpty else {
      throw UsageError(message: "unexpected: \(options.operands.joined(separator: " "))")
    }
  }

  func run() throws {
    var settings = try loadSettings(options)
    if let camera = options.value("--camera") { settings.camera.device = fixedString(camera) }
    let service = try LogMemory(settings.log, isSynchronous: false)
    StopSignal.catchAll()
    defer { service.flush() }
    try runCameraFeed(settings, isSimulated: options.has("--simulate"), log: service.log)
  }
}
