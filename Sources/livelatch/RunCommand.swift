import Board
import Pipeline
import Platform
import SerialLog
import Settings

/// `livelatch run`.
struct RunCommand {
  private let options: CommandOptions

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(
      words, withValue: ["--config", "--models", "--camera"], switches: ["--simulate", "--wait"])
    guard options.operands.isEmpty else {
      throw UsageError(message: "run takes no operand: \(options.operands.joined(separator: " "))")
    }
  }

  func run() throws {
    var settings = try loadSettings(options)
    if let camera = options.value("--camera") {
      settings.camera.device = try fitting(camera, of: "--camera")
    }
    let service = try LogMemory(settings.log, isSynchronous: false)
    StopSignal.catchAll()
    defer { service.flush() }
    do throws(PipelineError) {
      try runCameraFeed(
        settings, isSimulated: options.has("--simulate"), waitsForCamera: options.has("--wait"),
        log: service.log)
    } catch {
      guard case .board(.unknownChip) = error else { throw error }
      throw ToolError(
        message: "\(error.text); --simulate runs without lines", status: error.exitStatus)
    }
  }
}
