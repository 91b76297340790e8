import Faces
import Platform

/// Who is there: the tracks that were announced and not yet taken back.
struct FaceRoll {
  /// Faces beyond this many are not announced.
  static let capacity = 8

  private struct Entry {
    var track: UInt32 = 0
    var since = Instant.zero
    var vote = GreetingVote()
    var isGreeted = false
  }

  private var entries = InlineArray<8, Entry>(repeating: Entry())
  private var count = 0

  /// Compares with the faces of this frame: first those that left, then those that came.
  mutating func update(_ faces: Span<Face>, at time: Instant, events: inout LivenessEvents) {
    var kept = 0
    for index in 0..<count {
      let entry = entries[index]
      if faces.face(on: entry.track) != nil {
        entries[kept] = entry
        kept += 1
      } else {
        events.append(.faceLost(track: entry.track))
      }
    }
    count = kept
    for index in faces.indices where count < Self.capacity {
      let track = faces[index].track
      guard place(of: track) == nil else { continue }
      entries[count] = Entry(track: track, since: time)
      count += 1
      events.append(.faceFound(track: track))
    }
  }

  /// Takes the face's vote, and says the greeting once it is decided.
  mutating func greet(
    _ face: Face, at time: Instant, _ options: GreetingOptions, events: inout LivenessEvents
  ) {
    guard options.enabled, let place = place(of: face.track), !entries[place].isGreeted else {
      return
    }
    if face.unseenFrames == 0, let gender = face.gender { entries[place].vote.add(gender) }
    guard
      entries[place].vote.count >= options.votes
        || time.isAtLeast(options.patience, after: entries[place].since)
    else { return }
    entries[place].isGreeted = true
    events.append(.greeting(entries[place].vote.result(options), track: face.track))
  }

  /// Whether the track's greeting was said, or is not wanted.
  func isGreeted(_ track: UInt32, _ options: GreetingOptions) -> Bool {
    guard options.enabled, let place = place(of: track) else { return true }
    return entries[place].isGreeted
  }

  private func place(of track: UInt32) -> Int? {
    for index in 0..<count where entries[index].track == track { return index }
    return nil
  }
}

extension Face {
  /// The track's ID; without tracking all faces are taken for one track.
  var track: UInt32 { trackingID ?? 0 }
}
