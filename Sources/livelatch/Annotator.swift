import CPlatform
import Faces
import Imaging
import Liveness

/// What is shown over a picture besides its faces.
struct Caption {
  /// What is asked or wrong at the moment.
  var prompt: String?
  /// How the last session ended.
  var verdict: String?
  var isLive = false
  /// Said in a corner of everything that was not filmed.
  var note: String?
}

/// Draws faces, their measures and the state of the session on a picture.
struct Annotator {
  var canvas: Canvas
  /// Side of a font pixel, from the picture's size.
  private let textSize: Int

  init(canvas: Canvas) {
    self.canvas = canvas
    textSize = max(1, min(canvas.width, canvas.height) / 240)
  }

  mutating func draw(_ faces: [Face], caption: Caption) {
    for face in faces { draw(face) }
    let line = (BitmapFont.height + 3) * textSize
    if let prompt = caption.prompt {
      canvas.text(
        prompt, x: 3 * textSize, y: canvas.height - 2 * line, .yellow, size: textSize + 1)
    }
    if let verdict = caption.verdict {
      canvas.text(
        verdict, x: 3 * textSize, y: 3 * textSize, caption.isLive ? .green : .red,
        size: textSize + 1)
    }
    if let note = caption.note {
      let width = (note.count + 1) * (BitmapFont.width + 1) * textSize
      canvas.text(note, x: canvas.width - width, y: 3 * textSize, .white, size: textSize)
    }
  }

  private mutating func draw(_ face: Face) {
    guard face.unseenFrames == 0 else { return }
    drawFrame(of: face)
    if let landmarks = face.landmarks {
      for point in landmarks.mlKitPoints { canvas.dot(point, radius: textSize + 1, .blue) }
    }
    let line = (BitmapFont.height + 3) * textSize
    var y = min(canvas.height - 5 * line, max(0, Int(face.box.y.clamped(to: canvas.height))))
    let x = Int((face.box.maxX + 6).clamped(to: canvas.width - 1))
    for text in describe(face) {
      canvas.text(text, x: x, y: y, size: textSize)
      y += line
    }
  }

  /// The box, turned with the roll and foreshortened by the yaw.
  private mutating func drawFrame(of face: Face) {
    let roll = (face.pose?.roll ?? 0) * .pi / 180
    let narrowing = max(0.3, cosf((face.pose?.yaw ?? 0) * .pi / 180))
    let center = face.box.center
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { x, y in
      let across = Float(x) * face.box.width * narrowing
      let down = Float(y) * face.box.height
      // Roll is counter-clockwise as seen, and y points down.
      return Point(
        x: center.x + across * cosf(roll) + down * sinf(roll),
        y: center.y - across * sinf(roll) + down * cosf(roll))
    }
    canvas.polygon(corners, .green, thickness: textSize + 1)
  }

  private func describe(_ face: Face) -> [String] {
    var lines: [String] = []
    if let id = face.trackingID { lines.append("ID \(id)") }
    if let pose = face.pose {
      lines.append("X\(signed(pose.pitch)) Y\(signed(pose.yaw)) Z\(signed(pose.roll))")
    }
    if let smile = face.smilingProbability { lines.append("SMILE \(percent(smile))") }
    if let left = face.leftEyeOpenProbability, let right = face.rightEyeOpenProbability {
      lines.append("EYES \(percent(left)) \(percent(right))")
    }
    if let gender = face.gender {
      lines.append("\(gender.label == .man ? "MAN" : "WOMAN") \(percent(gender.probability))")
    }
    return lines
  }

  private func percent(_ share: Float) -> String {
    share.isFinite ? "\(Int((max(0, min(1, share)) * 100).rounded()))%" : "-"
  }

  private func signed(_ degrees: Float) -> String {
    guard degrees.isFinite, abs(degrees) < 1000 else { return "-" }
    let whole = Int(degrees.rounded())
    return whole < 0 ? "\(whole)°" : "+\(whole)°"
  }
}

extension Float {
  /// Held inside 0…limit; 0 where it is not a number.
  fileprivate func clamped(to limit: Int) -> Float {
    isNaN ? 0 : Swift.max(0, Swift.min(Float(limit), self))
  }
}

extension FaceLandmarks {
  /// The ten places of ML Kit, in its order.
  var mlKitPoints: [Point] { named.map(\.1) }
}
