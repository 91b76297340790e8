import Foundation
import Testing

/// Real recordings, where they are at hand.
@Suite(.enabled(if: Tool.hasData, "the recordings of ../shared/data are not here"))
struct RecordingTests {
  static let order = ["--challenges", "smile,turn_right,turn_left"]

  @Test func theLivePersonIsLive() throws {
    let result = try Tool.replay(
      Tool.clip("pair1_live.mov"), Self.order + ["--expect", "live"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try #require(result.events.first { $0.name == "prompt" }).seconds <= 1)
  }

  /// Each for a reason with a name: a failure's, or that of a gate that never opened.
  @Test(arguments: [
    "pair1_replay.mp4", "pair2_live.mp4", "pair2_replay.mp4", "talk1.mp4", "talk2.mp4",
    "empty.mp4",
  ])
  func othersAreNot(clip: String) throws {
    let result = try Tool.replay(Tool.clip(clip), Self.order)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.events.contains { $0.values["verdict"] == "live" }, "\(result.output)")
    #expect(result.events.contains { $0.values["reason"] != nil }, "\(result.output)")
  }

  @Test func noStillPictureIsLive() throws {
    let stills = try FileManager.default.contentsOfDirectory(
      at: Tool.data.appendingPathComponent("stills"), includingPropertiesForKeys: nil)
    #expect(stills.count == 38)
    for still in stills {
      let result = try Tool.replay(still.path, Self.order + ["--seconds", "20"])
      #expect(result.status == 0, "\(still.lastPathComponent): \(result.errors)")
      #expect(
        !result.events.contains { $0.values["verdict"] == "live" }, "\(still.lastPathComponent)")
      #expect(
        result.events.contains { $0.values["reason"] != nil },
        "\(still.lastPathComponent)\n\(result.output)")
    }
  }

  /// 4,800 frames of talking: blinks are seen, and hardly anything that is not there.
  @Test func talkingIsNoGesture() throws {
    let result = try Tool.replay(Tool.clip("franck.mp4"), ["--gestures"])
    #expect(result.status == 0, "\(result.errors)")
    let gestures = result.events.filter { $0.name == "gesture" }
    let blinks = gestures.filter { $0.values["gesture"] == "blink" }
    #expect(50...60 ~= blinks.count, "\(blinks.count) blinks")
    let lengths = blinks.compactMap { $0.values["duration_ms"].flatMap(Int.init) }.sorted()
    #expect(80...170 ~= lengths[lengths.count / 2], "median \(lengths[lengths.count / 2]) ms")
    let moves: Set = ["turn_left", "turn_right", "head_up", "head_down"]
    #expect(gestures.filter { moves.contains($0.values["gesture"] ?? "") }.count <= 1)
    #expect(result.events.filter { $0.name == "face.found" }.count == 1)
    #expect(!result.events.contains { $0.values["verdict"] == "live" })
  }

  @Test func whoLeavesIsLostAndComesBackAsAnother() throws {
    let twice = FileManager.default.temporaryDirectory
      .appendingPathComponent("livelatch-\(UUID().uuidString).mp4")
    defer { try? FileManager.default.removeItem(at: twice) }
    let ffmpeg = Process()
    ffmpeg.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    ffmpeg.arguments = [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-stream_loop", "1", "-i",
      Tool.clip("leave.mov"), "-an", "-vf", "scale=540:360", twice.path,
    ]
    try ffmpeg.run()
    ffmpeg.waitUntilExit()
    try #require(ffmpeg.terminationStatus == 0)
    let result = try Tool.replay(twice.path)
    let faces = result.events.filter { $0.name.hasPrefix("face.") }
    #expect(
      faces.map { "\($0.name) \($0.values["id"] ?? "")" }
        == ["face.found 1", "face.lost 1", "face.found 2", "face.lost 2"], "\(result.output)")
    // He is gone from about frame 71 of 30 a second; ten frames without him are allowed.
    let lost = try #require(faces.first { $0.name == "face.lost" })
    #expect(2.0...3.2 ~= lost.seconds)
  }
}
