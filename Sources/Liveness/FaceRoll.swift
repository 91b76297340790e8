import Faces

/// Who is there: the tracks that were announced and not yet taken back.
struct FaceRoll {
  /// Faces beyond this many are not announced.
  static let capacity = 8

  private var tracks = InlineArray<8, UInt32>(repeating: 0)
  private var count = 0

  /// Compares with the faces of this frame: first those that left, then those that came.
  mutating func update(_ faces: Span<Face>, events: inout LivenessEvents) {
    var kept = 0
    for index in 0..<count {
      let track = tracks[index]
      if faces.contains(track: track) {
        tracks[kept] = track
        kept += 1
      } else {
        events.append(.faceLost(track: track))
      }
    }
    count = kept
    for index in faces.indices {
      let track = faces[index].track
      if count < Self.capacity && !contains(track) {
        tracks[count] = track
        count += 1
        events.append(.faceFound(track: track))
      }
    }
  }

  private func contains(_ track: UInt32) -> Bool {
    for index in 0..<count where tracks[index] == track { return true }
    return false
  }
}

extension Face {
  /// The track's ID; without tracking all faces are taken for one track.
  var track: UInt32 { trackingID ?? 0 }
}

extension Span where Element == Face {
  func contains(track: UInt32) -> Bool {
    for index in indices where self[index].track == track { return true }
    return false
  }
}
