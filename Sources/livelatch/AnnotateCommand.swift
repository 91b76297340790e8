import Camera
import Faces
import Foundation
import FrameRing
import Imaging
import Liveness
import Pipeline
import Platform
import SerialLog
import Settings

/// `livelatch annotate IN OUT`.
struct AnnotateCommand {
  private let input: String
  private let output: String
  private let session: SessionOptions
  private let note: String?
  private let onlyFrame: Int?

  init(_ words: [String]) throws {
    let options = try CommandOptions(
      words, withValue: SessionOptions.withValue.union(["--note", "--frame"]),
      switches: SessionOptions.switches)
    guard options.operands.count == 2 else {
      throw UsageError(
        message:
          "a picture or clip and the file to write are needed, \(options.operands.count) are given")
    }
    input = options.operands[0]
    output = options.operands[1]
    session = try SessionOptions(options)
    note = options.value("--note")
    onlyFrame = try options.number("--frame", in: 0...10_000_000)
  }

  func run() throws {
    let settings = try session.settings()
    let source = try ReplayInput(input, pictureSeconds: 1)
    switch consume source {
    case .picture(let picture, _):
      guard onlyFrame == nil else { throw UsageError(message: "--frame is for clips") }
      try checkOutput(ending: "png", of: "a picture")
      try annotate(picture, settings)
    case .clip(let reader):
      try checkOutput(
        ending: onlyFrame == nil ? "mp4" : "png", of: onlyFrame == nil ? "a clip" : "a frame")
      try annotate(.clip(reader), settings)
    }
  }

  /// Refuses to write over the input, and a name that says another kind of file than is written.
  private func checkOutput(ending: String, of what: String) throws(UsageError) {
    let (from, to) = (URL(fileURLWithPath: input), URL(fileURLWithPath: output))
    guard from.resolvingSymlinksInPath() != to.resolvingSymlinksInPath() else {
      throw UsageError(message: "\(output) is the input; give another file to write")
    }
    guard ["", ending].contains(to.pathExtension.lowercased()) else {
      throw UsageError(
        message: "\(output): \(what) is written as .\(ending), not as .\(to.pathExtension)")
    }
  }

  private func annotate(_ picture: Picture, _ settings: Settings) throws {
    let orientation = settings.camera.orientation
    let faces = try findFaces(in: picture, settings, orientation)
    var drawing = Annotator(canvas: Canvas(try FrameView(picture, orientation)))
    drawing.draw(faces, caption: Caption(note: note))
    try drawing.canvas.picture.writePNG(to: output)
  }

  private func annotate(_ source: consuming ReplayInput, _ settings: Settings) throws {
    // The log would tell the same once more.
    var logOptions = settings.log
    logOptions.target = FixedString("/dev/null")
    let service = try LogMemory(logOptions, isSynchronous: true)
    let film = Film(
      output: output, rate: source.rate, onlyFrame: onlyFrame,
      progress: ProgressBar("annotate", total: source.frameCount))
    let observer = AnnotateObserver(film: film, note: note)
    _ = try source.run(
      settings, path: input, seed: session.seed, realtime: false, log: service.log,
      observer: observer)
    try film.finish()
  }
}

/// Draws every frame and hands it to the film.
struct AnnotateObserver: PipelineObserver {
  private let film: Film
  private var caption: Caption

  init(film: Film, note: String?) {
    self.film = film
    caption = Caption(note: note)
  }

  mutating func observe(_ report: borrowing FrameReport) {
    for index in 0..<report.events.count { take(report.events[index]) }
    guard film.wants(Int(report.info.sequence)) else { return }
    let found = report.faces
    let faces = found.indices.map { found[$0] }
    var drawing = Annotator(canvas: Canvas(report.frame))
    drawing.draw(faces, caption: caption)
    film.add(drawing.canvas, at: report.info.timestamp)
  }

  private mutating func take(_ event: LivenessEvent) {
    switch event {
    case .greeting(let greeting, _): caption.prompt = "HELLO (\(greeting.name.string))"
    case .gate(let gate): caption.prompt = gate.map { $0.name.string }
    case .sessionStarted:
      caption.verdict = nil
      caption.prompt = nil
    case .prompt(let challenge, let index):
      caption.prompt = "\(index + 1): \(challenge.name.string)"
    case .passed(let challenge, let index, _):
      caption.prompt = "\(index + 1): \(challenge.name.string) - GOOD"
    case .verdictLive:
      caption.prompt = nil
      caption.verdict = "LIVE"
      caption.isLive = true
    case .verdictFailed(let failure, _):
      caption.prompt = nil
      caption.verdict = failure.name.string
      caption.isLive = false
    case .lockedOut: caption.prompt = "LOCKED OUT"
    case .faceFound, .faceLost, .lockEnded: break
    }
  }
}

/// Where the drawn frames go: a clip, or one frame as a picture. A class, because the pipeline
/// keeps the observer that uses it.
final class Film {
  private let output: String
  private let rate: FrameRate
  private let onlyFrame: Int?
  private var progress: ProgressBar
  private var writer: ClipWriter?
  private var failure: (any Error)?
  private var frames = 0

  init(output: String, rate: FrameRate, onlyFrame: Int?, progress: ProgressBar) {
    self.output = output
    self.rate = rate
    self.onlyFrame = onlyFrame
    self.progress = progress
  }

  func wants(_ frame: Int) -> Bool {
    failure == nil && (onlyFrame == nil || onlyFrame == frame)
  }

  func add(_ canvas: Canvas, at time: Instant) {
    let picture = canvas.picture
    do {
      if onlyFrame != nil {
        try picture.writePNG(to: output)
      } else {
        if writer == nil {
          writer = try ClipWriter(
            path: output, width: canvas.width, height: canvas.height, rate: rate)
        }
        try writer?.write(picture, at: time)
      }
    } catch {
      failure = error
    }
    frames += 1
    progress.show(frames)
  }

  func finish() throws {
    progress.finish()
    if let failure { throw failure }
    guard frames > 0 else {
      throw ToolError(message: "the clip has no such frame", status: 65)
    }
    try writer.take()?.finish()
  }
}

extension Canvas {
  var picture: Picture { Picture(width: width, height: height, pixels: pixels) }

  /// A frame, upright, in colours.
  init(_ frame: borrowing FrameView) {
    let width = frame.width
    let height = frame.height
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    fillUpright(&pixels, from: frame)
    self.init(width: width, height: height, pixels: pixels)
  }
}

/// One sample a pixel through the crop, which knows every format and orientation.
private func fillUpright(_ pixels: inout [UInt8], from frame: borrowing FrameView) {
  let width = frame.width
  let height = frame.height
  var signed = [Int8](repeating: -128, count: pixels.count)
  let whole = CropRegion(
    center: Point(x: Float(width) / 2, y: Float(height) / 2), width: Float(width),
    height: Float(height), angle: 0)
  var span = signed.mutableSpan
  try? crop(frame, region: whole, into: &span, width: width, height: height, channels: .rgb)
  for index in pixels.indices { pixels[index] = UInt8(bitPattern: signed[index]) ^ 0x80 }
}
