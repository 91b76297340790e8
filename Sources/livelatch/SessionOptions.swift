import Imaging
import Liveness
import Pipeline
import Platform
import SerialLog
import Settings

/// What replay and annotate have in common: the settings, and what the command line changes of
/// them.
struct SessionOptions {
  static let withValue: Set<String> = [
    "--config", "--models", "--challenges", "--count", "--seed", "--rules", "--rotate",
  ]
  static let switches: Set<String> = ["--mirror"]

  private let options: CommandOptions
  let seed: UInt64?

  init(_ options: CommandOptions) throws(UsageError) {
    self.options = options
    seed = try options.number("--seed", in: UInt64.min...UInt64.max) ?? 0
  }

  /// The settings of the file, changed as the command line says.
  func settings() throws -> Settings {
    var settings = try loadSettings(options)
    if let list = options.value("--challenges") {
      settings.liveness.challenges = try challenges(list)
      settings.liveness.order = .fixed
      settings.liveness.count = settings.liveness.challenges.count
    }
    if let count: Int = try options.number("--count", in: 1...8) { settings.liveness.count = count }
    if let rules = options.value("--rules") {
      guard let known = GestureRules.allCases.first(where: { $0.name.string == rules }) else {
        throw UsageError(message: "--rules \(rules): allowed: pose, book")
      }
      settings.liveness.rules = known
    }
    if let degrees: Int = try options.number("--rotate", in: 0...270) {
      guard degrees % 90 == 0 else {
        throw UsageError(message: "--rotate \(degrees): allowed: 0, 90, 180, 270")
      }
      settings.camera.orientation.rotation =
        Orientation.Rotation(rawValue: UInt8(degrees / 90)) ?? .none
    }
    if options.has("--mirror") { settings.camera.orientation.mirror = true }
    // What the file says was checked as it was read; the command line may contradict it.
    do throws(LivenessError) { try settings.liveness.check() } catch {
      throw UsageError(message: PipelineError.liveness(error).text)
    }
    // The budget is the board's; a laptop takes what large pictures need.
    settings.pipeline.memory = 2 << 30
    settings.pipeline.locksMemory = false
    return settings
  }

  private func challenges(_ text: String) throws(UsageError) -> ChallengeList {
    var list = ChallengeList()
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.filter { $0 != " " }
      guard let challenge = Challenge.allCases.first(where: { $0.name.string == name }) else {
        let all = Challenge.allCases.map(\.name.string).joined(separator: ", ")
        throw UsageError(message: "--challenges: no challenge is called '\(name)'; allowed: \(all)")
      }
      guard list.append(challenge) else {
        throw UsageError(message: "--challenges: at most \(ChallengeList.capacity)")
      }
    }
    return list
  }
}

/// A log with memory of its own, for a program that runs on a laptop.
struct LogMemory: ~Copyable {
  private let service: LogService
  private let memory: MemoryMap

  init(_ options: LogOptions, isSynchronous: Bool) throws {
    let memory = try MemoryMap(byteCount: LogService.memoryByteCount)
    service =
      try isSynchronous
      ? LogService(synchronous: options, memory: memory.bytes)
      : LogService(options, memory: memory.bytes)
    self.memory = memory
  }

  var log: Log { service.log }

  func flush() { _ = service.flush(within: .seconds(2)) }
}
