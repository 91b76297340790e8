import Faces
import Platform

/// Signs that a picture of a face is shown, gathered over a session. One alone proves nothing but
/// flatness; several together are enough to doubt.
struct SpoofSigns {
  /// A relief up to this many times the flat one is a weak sign.
  private static let lowRelief: Float = 1.5
  /// Repeated frames beyond this share are a weak sign.
  private static let repeatShare: Float = 0.2
  /// People blink every three or four seconds; none in so long is a weak sign.
  private static let blinkTime: Duration = .seconds(15)

  private var frames = 0
  private var repeats = 0
  private var flatFrames = 0
  private var relief: Float?
  private var hasBlinked = false
  private var sawEyes = false
  private var longestStillness: Duration = .zero

  mutating func update(
    _ face: Face?, isRepeat: Bool, hasBlinked: Bool, stillness: Duration, _ options: SpoofOptions
  ) {
    frames += 1
    if isRepeat { repeats += 1 }
    if hasBlinked { self.hasBlinked = true }
    longestStillness = max(longestStillness, stillness)
    guard let face else { return }
    if face.leftEyeOpenProbability != nil { sawEyes = true }
    guard let relief = face.relief else { return }
    self.relief = relief
    flatFrames = relief < options.flatRelief ? flatFrames + 1 : 0
  }

  func isFlat(_ options: SpoofOptions) -> Bool { flatFrames >= max(1, options.flatFrames) }

  func isSuspect(at time: Instant, since start: Instant, _ options: SpoofOptions) -> Bool {
    guard options.weakSigns > 0 else { return false }
    var signs = 0
    if let relief, relief < Self.lowRelief * options.flatRelief { signs += 1 }
    if Float(repeats) > Self.repeatShare * Float(frames) { signs += 1 }
    if sawEyes && !hasBlinked && time.isAtLeast(Self.blinkTime, after: start) { signs += 1 }
    if longestStillness + longestStillness >= options.stillTime { signs += 1 }
    return signs >= options.weakSigns
  }
}
