import Camera
import FrameRing
import Imaging
import Platform
import Testing

@testable import Faces

/// The real networks on pictures and clips that lie beside the repository.
@Suite(.enabled(if: TestFiles.hasShared, "the recordings of ../shared/data are not here"))
struct RecordingTests {
  /// What a clip shows in each frame.
  static func run(
    _ clip: String, _ options: FaceOptions = FaceOptions(), times: Int = 1
  ) throws -> [[Face]] {
    var all: [[Face]] = []
    var finder: RealFinder?
    var start = Instant.zero
    for _ in 0..<times {
      var reader = try ClipReader(path: TestFiles.shared + "/clips/" + clip)
      let format = reader.format
      var bytes = [UInt8](repeating: 0, count: format.byteCount)
      let current =
        try finder ?? RealFinder(options, width: format.width, height: format.height)
      finder = current
      var last = start
      while let info = try bytes.withUnsafeMutableBytes({ try reader.readFrame(into: $0) }) {
        last = start + (info.timestamp - .zero)
        all.append(try current.process(bytes, info.format, at: last))
      }
      start = last + .milliseconds(33)
    }
    return all
  }

  static func ids(_ frames: [[Face]]) -> [UInt32] {
    Set(frames.flatMap { $0.compactMap(\.trackingID) }).sorted()
  }

  @Test func findsTheFaceOfEveryPortrait() throws {
    var (pictures, found, meshes) = (0, 0, 0)
    let finder = try RealFinder.forPictures(width: 600, height: 600)
    for number in 0..<250 {
      let name = String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
      let picture = try Picture(path: TestFiles.shared + "/detection/\(name).jpg")
      let faces = try finder.process(picture)
      pictures += 1
      if faces.count == 1 { found += 1 }
      if faces.first?.pose != nil { meshes += 1 }
    }
    #expect(pictures == 250)
    #expect(found >= 248)
    #expect(meshes >= 247)
  }

  @Test func findsNoFaceWhereThereIsNone() throws {
    for number in stride(from: 2, through: 34, by: 2) {
      let name = number < 10 ? "0\(number)" : "\(number)"
      let picture = try Picture(path: TestFiles.shared + "/noface/\(name).jpg")
      let finder = try RealFinder.forPictures(width: picture.width, height: picture.height) {
        $0.minFaceSize = 0.03
      }
      #expect(try finder.process(picture).isEmpty)
    }
    #expect(try Self.run("empty.mp4").allSatisfy(\.isEmpty))
  }

  @Test func oneTrackUntilHeLeavesAndAnotherWhenHeIsBack() throws {
    let frames = try Self.run("leave.mov", times: 2)
    #expect(Self.ids(frames) == [1, 2])
    let lost = frames.firstIndex { $0.isEmpty && frames[3].count == 1 } ?? 0
    #expect(lost <= 2)
    let seen = frames.indices.filter { frames[$0].contains { $0.trackingID == 1 } }
    let unseen = frames.filter { $0.contains { $0.trackingID == 1 && $0.unseenFrames > 0 } }
    // He is there up to frame 71, and then held for one frame less than it takes to lose him.
    #expect(abs((seen.last ?? 0) - 80) <= 3)
    #expect(unseen.count == FaceOptions().framesToLose - 1)
  }

  /// He turns to the picture's left, to profile, and then to its right; four frames look straight.
  /// In profile the mesh comes and goes, but the face is held by the detector.
  @Test func turnsHaveTheirSignsAndProfilesKeepTheTrack() throws {
    let frames = try Self.run("pair1_live.mov")
    #expect(frames.count == 199)
    #expect(Self.ids(frames) == [1])
    #expect(frames[2...].allSatisfy { $0.count == 1 && $0[0].unseenFrames == 0 })
    func yaws(_ range: ClosedRange<Int>) -> [Float] {
      frames[range].compactMap { $0.first?.pose?.yaw }
    }
    let (straight, left, right) = (yaws(5...15), yaws(102...130), yaws(140...175))
    #expect(straight.allSatisfy { abs($0) < 8 })
    #expect(left.filter { $0 < -20 }.count >= 6 && left.allSatisfy { $0 < 0 })
    #expect(right.filter { $0 > 20 }.count >= 20 && right.allSatisfy { $0 > 0 })
    #expect(yaws(134...136).count == 3 && yaws(134...136).allSatisfy { abs($0) < 12 })
    let smile = frames[25...60].compactMap { $0[0].smilingProbability }
    let neutral = frames[5...12].compactMap { $0[0].smilingProbability }
    #expect(smile.filter { $0 > 0.7 }.count > 30)
    #expect(neutral.allSatisfy { $0 < 0.5 })
    #expect((frames[198][0].relief ?? 0) > 0.8)
  }

  /// About 17 blinks a minute, and no turn of the head that could be taken for an answer.
  @Test func blinksAreSeenInTalk() throws {
    let frames = try Self.run("franck.mp4")
    #expect(frames.count == 4800)
    #expect(Self.ids(frames) == [1])
    #expect(frames[2...].allSatisfy { $0.count == 1 && $0[0].unseenFrames == 0 })
    var (closed, blinks) = (false, 0)
    for face in frames.compactMap(\.first) {
      guard let left = face.leftEyeOpenProbability, let right = face.rightEyeOpenProbability else {
        continue
      }
      let open = max(left, right)
      if open < 0.4, !closed { blinks += 1 }
      closed = open < (closed ? 0.6 : 0.4)
    }
    #expect(50...60 ~= blinks)
    let yaws = frames.compactMap { $0.first?.pose?.yaw }
    let middle = yaws.sorted()[yaws.count / 2]
    #expect(yaws.allSatisfy { abs($0 - middle) < 20 })
  }
}
