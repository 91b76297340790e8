import Camera
import Faces
import FrameRing
import Imaging
import Pipeline
import Platform
import Settings

/// `livelatch detect PICTURE…`.
struct DetectCommand {
  private let pictures: [String]
  private let options: CommandOptions
  private let printsJSON: Bool

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(
      words, withValue: ["--config", "--models", "--min-face-size"], switches: ["--json"])
    pictures = options.operands
    guard !pictures.isEmpty else { throw UsageError(message: "name at least one picture") }
    printsJSON = options.has("--json")
  }

  func run() throws {
    var settings = try loadSettings(options)
    if let text = options.value("--min-face-size") {
      guard let size = Float(text), 0.03...1 ~= size else {
        throw UsageError(message: "--min-face-size \(text): a share from 0.03 to 1")
      }
      settings.faces.minFaceSize = size
    }
    var progress = ProgressBar("detect", total: pictures.count)
    var failures = 0
    for (index, path) in pictures.enumerated() {
      do {
        let picture = try Picture(path: path)
        let found = try findFaces(in: picture, settings)
        printToStandardOutput(printsJSON ? json(path, picture, found) : text(path, picture, found))
      } catch let error as CameraError {
        failures += 1
        printToStandardError("livelatch: \(error.text)")
      }
      if pictures.count > 1 { progress.show(index + 1) }
    }
    progress.finish()
    guard failures == 0 else {
      throw ToolError(
        message: failures == pictures.count ? "" : "\(failures) pictures could not be read",
        status: 65)
    }
  }

  private func json(_ path: String, _ picture: Picture, _ faces: [Face]) -> String {
    var line = JSONLine()
    line.add("picture", path)
    line.add("width", picture.width)
    line.add("height", picture.height)
    line.add("faces", faces.map(\.json))
    return line.text
  }

  private func text(_ path: String, _ picture: Picture, _ faces: [Face]) -> String {
    let count = faces.count == 1 ? "1 face" : "\(faces.count) faces"
    return
      (["\(path): \(picture.width)x\(picture.height), \(count)"]
      + faces.map { "  \($0.summary)" }).joined(separator: "\n")
  }
}

/// The faces of one picture; no tracking, as many meshes as may be.
func findFaces(in picture: Picture, _ settings: Settings) throws(PipelineError) -> [Face] {
  var settings = settings
  settings.faces.tracking = false
  settings.faces.meshes = 8
  var stage = try FaceStage(settings, format: picture.format)
  let faces: [Face]? = picture.pixels.span.withBytes { bytes in
    guard let frame = try? FrameView(bytes, format: picture.format) else { return nil }
    try? stage.finder.process(frame, at: .zero)
    let found = stage.finder.faces
    return found.indices.map { found[$0] }
  }
  return faces ?? []
}

extension Span where Element == UInt8 {
  fileprivate func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result { body(bytes) }
}

extension Face {
  /// One line for a person.
  var summary: String {
    func whole(_ value: Float) -> String { String(Int(value.isFinite ? value.rounded() : 0)) }
    func share(_ value: Float?) -> String { value.map { "\(whole($0 * 100)) %" } ?? "-" }
    var parts = [
      "box \(whole(box.x)),\(whole(box.y)) \(whole(box.width))x\(whole(box.height))",
      "score \(share(score))",
    ]
    if let pose {
      parts.append("pitch \(whole(pose.pitch))° yaw \(whole(pose.yaw))° roll \(whole(pose.roll))°")
    }
    if smilingProbability != nil { parts.append("smile \(share(smilingProbability))") }
    if leftEyeOpenProbability != nil || rightEyeOpenProbability != nil {
      parts.append("eyes open \(share(leftEyeOpenProbability)), \(share(rightEyeOpenProbability))")
    }
    if let gender {
      parts.append("\(gender.label == .man ? "man" : "woman") \(share(gender.probability))")
    }
    return parts.joined(separator: "; ")
  }
}

extension CameraError {
  var text: String {
    var text = FixedString<512>()
    describe(into: &text)
    return text.string
  }
}
