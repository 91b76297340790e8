import Foundation
import Testing

/// The main job on the shipped clip, as `make run` does it.
@Suite struct DemoTests {
  static let demo = Tool.root.appendingPathComponent("board/demo/demo.mp4").path
  static let settings = Tool.root.appendingPathComponent("board/demo/demo.toml").path

  @Test func goesFromTheBannerToTheRelay() throws {
    let result = try Tool.replay(Self.demo, ["--config", Self.settings, "--expect", "live"])
    #expect(result.status == 0, "\(result.errors)")
    let events = result.events
    let wanted = [
      "boot", "started", "face.found", "greeting", "prompt", "passed", "prompt", "passed",
      "prompt", "passed", "verdict", "stopped",
    ]
    let order = events.map(\.name).filter(Set(wanted).contains)
    #expect(order == wanted)
    #expect(
      events.filter { $0.name == "prompt" }.map { $0.values["challenge"] }
        == ["smile", "turn_left", "mouth_open"])
    let firstPrompt = try #require(events.first { $0.name == "prompt" })
    #expect(firstPrompt.seconds <= 1)
    #expect(events.first { $0.name == "verdict" }?.values["verdict"] == "live")
    #expect(events.first { $0.name == "greeting" }?.values["text"] == "女士你好")

    let relay = events.filter { $0.name == "line" && $0.values["name"] == "relay" }
    #expect(relay.map { $0.values["value"] } == ["on", "off"])
    let pulse = try #require(relay.last?.seconds) - (try #require(relay.first?.seconds))
    #expect(abs(pulse - 3) < 0.05)
  }

  @Test func givesTheSameEventsTwice() throws {
    let arguments = ["--config", Self.settings, "--seed", "7", "--gestures"]
    let first = try Tool.replay(Self.demo, arguments)
    let second = try Tool.replay(Self.demo, arguments)
    #expect(first.status == 0)
    #expect(!first.output.isEmpty)
    #expect(first.output == second.output)
  }

  /// Left stays the person's own in the looking glass, in both rule sets.
  @Test(arguments: ["pose", "book"])
  func turnsToTheOwnLeftWhateverTheMirrorSays(rules: String) throws {
    for mirror in [[], ["--mirror"]] {
      let left = try Tool.replay(
        Self.demo,
        ["--config", Self.settings, "--challenges", "turn_left", "--rules", rules] + mirror)
      #expect(left.events.contains { $0.name == "passed" }, "\(rules) \(mirror)\n\(left.output)")
      let right = try Tool.replay(
        Self.demo,
        ["--config", Self.settings, "--challenges", "turn_right", "--rules", rules] + mirror)
      #expect(!right.events.contains { $0.values["verdict"] == "live" }, "\(rules) \(mirror)")
    }
  }

  @Test func neverIsLiveForAnotherOrder() throws {
    let result = try Tool.replay(
      Self.demo, ["--config", Self.settings, "--challenges", "mouth_open,turn_right,smile"])
    #expect(!result.events.contains { $0.values["verdict"] == "live" })
    #expect(result.events.contains { $0.values["verdict"] == "failed" })
  }

  @Test func aStillPictureIsNeverLive() throws {
    let portrait = Tool.root.appendingPathComponent("board/demo/portrait.png").path
    let result = try Tool.replay(portrait, ["--config", Self.settings, "--seconds", "20"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.events.contains { $0.values["verdict"] == "live" })
    #expect(result.events.contains { $0.values["reason"] == "repeated-frames" })
  }

  @Test func firmwareAndToolAgree() throws {
    let clip = try Self.cut(seconds: "4")
    defer { try? FileManager.default.removeItem(at: clip) }
    let tool = try Tool.replay(clip.path, ["--config", Self.settings])
    let firmware = try Tool.run(
      "livelatchd", ["--clip", clip.path, "--config", Self.settings, "--simulate", "--seed", "0"])
    #expect(firmware.status == 0, "\(firmware.output)")
    // The memory's budget and its lock are the board's own.
    let own = ["ev=memory", "ev=boot"]
    func shared(_ result: Tool.Result) -> [Substring] {
      result.output.split(separator: "\n").filter { line in !own.contains { line.contains($0) } }
    }
    #expect(shared(tool) == shared(firmware))
    // It breaks off in the middle of a session, which fails by its name and at once.
    let end = tool.events.filter { ["verdict", "face.lost", "stopped"].contains($0.name) }
    #expect(end.map(\.name) == ["face.lost", "verdict", "stopped"])
    #expect(end.map { $0.values["reason"] } == [nil, "face-lost", nil])
    #expect(end.first?.seconds == 4)
  }

  @Test func aPulseGoesOnAfterTheClip() throws {
    let clip = try Self.cut(seconds: "10.4")
    defer { try? FileManager.default.removeItem(at: clip) }
    let result = try Tool.replay(clip.path, ["--config", Self.settings, "--expect", "live"])
    #expect(result.status == 0, "\(result.errors)")
    let relay = result.events.filter { $0.values["name"] == "relay" }
    #expect(relay.map { $0.values["value"] } == ["on", "off"])
    let pulse = try #require(relay.last?.seconds) - (try #require(relay.first?.seconds))
    #expect(abs(pulse - 3) < 0.05)
  }

  /// The beginning of the demo clip as raw frames.
  private static func cut(seconds: String) throws -> URL {
    let clip = FileManager.default.temporaryDirectory
      .appendingPathComponent("livelatch-\(UUID().uuidString).y4m")
    let ffmpeg = Process()
    ffmpeg.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    ffmpeg.arguments = [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-i", demo, "-t", seconds, "-pix_fmt", "yuv420p",
      clip.path,
    ]
    try ffmpeg.run()
    ffmpeg.waitUntilExit()
    try #require(ffmpeg.terminationStatus == 0)
    return clip
  }
}
