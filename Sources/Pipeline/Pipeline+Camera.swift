import Camera
import FrameRing
import Platform
import SerialLog

extension Pipeline {
  /// Logs what is new about the camera. One that stays missing for the same reason is said once.
  mutating func noteCamera(_ status: borrowing CameraStatus) {
    switch status.takeNews() {
    case nil: break
    case .found(let facts):
      saidOfCamera.removeAll()
      logFound(facts)
    case .missing(let error):
      var text = FixedString<256>()
      error.describe(into: &text)
      guard text != saidOfCamera else { return }
      saidOfCamera = text
      var line = LogLine("camera.missing", .error, at: .now())
      line.add("reason", error.reason)
      if let name = error.errno?.name { line.add("error", name) }
      line.add("text", text)
      log.write(line)
    }
  }

  private func logFound(_ facts: CameraFacts) {
    let now = Instant.now()
    var line = LogLine("camera.found", .notice, at: now)
    line.add("card", facts.card)
    line.add("device", facts.path)
    line.add("format", facts.format.pixelFormat.name)
    line.add("size", [facts.format.width, facts.format.height] as InlineArray<2, Int>)
    if let rate = facts.rate { line.add("fps", Float(rate) / 1000, decimals: 1) }
    line.add("access", facts.access.name)
    line.add("copy", facts.isCopied)
    log.write(line)
    for index in 0..<UInt8(CameraControl.count) {
      guard let control = CameraControl(rawValue: index) else { continue }
      let isRefused = facts.isRefused(control)
      guard isRefused || facts.isChanged(control) else { continue }
      var line = LogLine("camera.control", .warning, at: now)
      line.add("name", control.name)
      line.add("state", isRefused ? "refused" : "other-value")
      log.write(line)
    }
  }
}
