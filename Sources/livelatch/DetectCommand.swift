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
    var failures: [CameraError] = []
    for (index, path) in pictures.enumerated() {
      do {
        let picture = try Picture(path: path)
        let found = try findFaces(in: picture, settings)
        printToStandardOutput(printsJSON ? json(path, picture, found) : text(path, picture, found))
      } catch let error as CameraError {
        failures.append(error)
        printToStandardError("livelatch: \(error.text)")
      }
      if pictures.count > 1 { progress.show(index + 1) }
    }
    progress.finish()
    guard let first = failures.first else { return }
    throw ToolError(
      message: pictures.count == 1
        ? "" : "\(failures.count) of \(pictures.count) pictures could not be read",
      status: PipelineError.camera(first).exitStatus)
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
func findFaces(
  in picture: Picture, _ settings: Settings, _ orientation: Orientation = .upright
) throws(PipelineError) -> [Face] {
  var settings = settings
  settings.faces.tracking = false
  settings.faces.meshes = 8
  var stage = try FaceStage(settings, format: picture.format)
  do throws(ImagingError) {
    let frame = try FrameView(picture, orientation)
    try stage.finder.process(frame, at: .zero)
  } catch { throw .faces(.picture(error)) }
  let found = stage.finder.faces
  return found.indices.map { found[$0] }
}

extension FrameView {
  /// A picture as a frame.
  @_lifetime(borrow picture)
  init(_ picture: borrowing Picture, _ orientation: Orientation) throws(ImagingError) {
    try self.init(picture.pixels.span.bytes, format: picture.format, orientation: orientation)
  }
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
