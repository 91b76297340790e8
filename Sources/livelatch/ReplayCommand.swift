import Camera
import Faces
import FrameRing
import Imaging
import Liveness
import Pipeline
import Platform
import SerialLog
import Settings

/// `livelatch replay CLIP`.
struct ReplayCommand {
  private let input: String
  private let session: SessionOptions
  private let pictureSeconds: Int
  private let isRealtime: Bool
  private let printsJSON: Bool
  private let printsFrames: Bool
  private let printsGestures: Bool
  private let expected: String?

  init(_ words: [String]) throws {
    let options = try CommandOptions(
      words, withValue: SessionOptions.withValue.union(["--expect", "--seconds"]),
      switches: SessionOptions.switches.union(["--realtime", "--json", "--frames", "--gestures"]))
    input = try options.operand("clip or picture")
    session = try SessionOptions(options)
    pictureSeconds = try options.number("--seconds", in: 1...3600) ?? 20
    isRealtime = options.has("--realtime")
    printsJSON = options.has("--json")
    printsFrames = options.has("--frames")
    printsGestures = options.has("--gestures")
    expected = options.value("--expect")
    if let expected, !["live", "failed"].contains(expected) {
      throw UsageError(message: "--expect \(expected): allowed: live, failed")
    }
    if printsFrames && !printsJSON { throw UsageError(message: "--frames goes with --json") }
  }

  func run() throws {
    let settings = try session.settings()
    var logOptions = settings.log
    // JSON takes the log's place on standard output; warnings still go somewhere a person sees.
    if printsJSON {
      logOptions.target = FixedString("/dev/stderr")
      logOptions.level = .warning
    }
    let service = try LogMemory(logOptions, isSynchronous: !isRealtime)
    // Lines are simulated, so nothing has to be left in a safe state when nobody listens any more.
    BrokenPipe.endsTheProcess()
    let source = try ReplayInput(input, pictureSeconds: pictureSeconds)
    let observer = ReplayObserver(
      log: service.log, settings: settings, printsJSON: printsJSON, printsFrames: printsFrames,
      printsGestures: printsGestures, progress: ProgressBar("replay", total: source.frameCount))
    defer { service.flush() }
    var last = try source.run(
      settings, path: input, seed: session.seed, realtime: isRealtime, log: service.log,
      observer: observer)
    last.finish()
    // Played in real time the log may lose lines, and says so itself.
    guard isRealtime || service.log.lostCount == 0 else {
      throw ToolError(message: "\(service.log.lostCount) lines of the log are lost", status: 74)
    }
    if let expected, last.lastVerdict != expected {
      throw ToolError(
        message: "the last verdict is \(last.lastVerdict ?? "missing"), expected \(expected)",
        status: 1)
    }
  }
}

/// Prints what the command line asks for while a clip runs.
struct ReplayObserver: PipelineObserver {
  private let log: Log
  private let printsJSON: Bool
  private let printsFrames: Bool
  private var gestures: GestureDetector?
  private var progress: ProgressBar
  private var frames = 0
  private(set) var lastVerdict: String?

  init(
    log: Log, settings: Settings, printsJSON: Bool, printsFrames: Bool, printsGestures: Bool,
    progress: ProgressBar
  ) {
    self.log = log
    self.printsJSON = printsJSON
    self.printsFrames = printsFrames
    gestures = printsGestures ? GestureDetector(options: settings.liveness) : nil
    self.progress = progress
  }

  mutating func observe(_ report: borrowing FrameReport) {
    let time = report.info.timestamp
    for index in 0..<report.events.count {
      let event = report.events[index]
      switch event {
      case .verdictLive: lastVerdict = "live"
      case .verdictFailed: lastVerdict = "failed"
      default: break
      }
      if printsJSON { printToStandardOutput(event.json(at: time).text) }
    }
    observeGestures(report, at: time)
    if printsFrames { printFrame(report, at: time) }
    frames += 1
    progress.show(frames)
  }

  mutating func finish() { progress.finish() }

  private mutating func observeGestures(_ report: borrowing FrameReport, at time: Instant) {
    guard gestures != nil else { return }
    let faces = report.faces
    let found = gestures?.process(report.observation, face: faces.isEmpty ? nil : faces[0])
    guard let found else { return }
    for index in 0..<found.count {
      guard case .ended(let gesture, let since, let duration, true) = found[index] else { continue }
      if printsJSON {
        var line = JSONLine()
        line.add("t", Float(since.nanoseconds) * 1e-9)
        line.add("event", "gesture")
        line.add("gesture", gesture.name.string)
        line.add("duration_ms", Int(duration.wholeMilliseconds))
        printToStandardOutput(line.text)
      } else {
        var line = LogLine("gesture", at: time)
        line.add("gesture", gesture.name)
        line.add("since_ms", since.nanoseconds / 1_000_000)
        line.add("duration_ms", milliseconds: duration)
        log.write(line)
      }
    }
  }

  private func printFrame(_ report: borrowing FrameReport, at time: Instant) {
    var line = JSONLine()
    line.add("t", Float(time.nanoseconds) * 1e-9)
    line.add("event", "frame")
    line.add("frame", Int(report.info.sequence))
    line.add("luma", report.observation.quality?.meanLuma)
    line.add("sharpness", report.observation.quality?.sharpness)
    let faces = report.faces
    line.add("faces", faces.indices.map { faces[$0].json })
    printToStandardOutput(line.text)
  }
}
