import Foundation
import Testing

/// Bad input: a clear message, an exit code, and no line that was ever on.
@Suite struct BadInputTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("livelatch-bad-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func file(_ name: String, _ bytes: Data) throws -> String {
    let url = folder.appendingPathComponent(name)
    try bytes.write(to: url)
    return url.path
  }

  private func expectFailure(
    _ result: Tool.Result, _ status: Int32, says word: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let said = result.errors + result.output
    #expect(result.status == status, "\(said)", sourceLocation: location)
    #expect(said.contains(word), "\(said)", sourceLocation: location)
    #expect(
      !result.events.contains { $0.name == "line" && $0.values["name"] == "relay" },
      "\(said)", sourceLocation: location)
  }

  @Test func models() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    expectFailure(
      try Tool.replay(DemoTests.demo, ["--models", folder.path]), 66, says: "yunet-320.llm")
    let models = Tool.root.appendingPathComponent("Models")
    for name in ["yunet-320.llm", "mesh468.llm", "eye-open.llm", "smile.llm", "gender.llm"] {
      try FileManager.default.copyItem(
        at: models.appendingPathComponent(name), to: folder.appendingPathComponent(name))
    }
    let whole = try Data(contentsOf: models.appendingPathComponent("mesh468.llm"))
    _ = try file("mesh468.llm", whole.prefix(100_000))
    expectFailure(
      try Tool.replay(DemoTests.demo, ["--models", folder.path]), 65, says: "truncated")
    var flipped = whole
    flipped[flipped.count / 2] ^= 0x10
    _ = try file("mesh468.llm", flipped)
    expectFailure(
      try Tool.replay(DemoTests.demo, ["--models", folder.path]), 65, says: "checksum")
    let other = try Data(contentsOf: models.appendingPathComponent("smile.llm"))
    _ = try file("mesh468.llm", other)
    expectFailure(try Tool.replay(DemoTests.demo, ["--models", folder.path]), 65, says: "mesh")
  }

  @Test func clipsAndPictures() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    expectFailure(try Tool.replay("/nowhere/clip.mp4"), 66, says: "/nowhere/clip.mp4")
    expectFailure(try Tool.replay(try file("empty.mp4", Data())), 65, says: "empty")
    let huge = Data("YUV4MPEG2 W100000 H100000 F25:1 C420\nFRAME\n".utf8)
    expectFailure(try Tool.replay(try file("huge.y4m", huge)), 65, says: "huge.y4m")
    let short = Data("YUV4MPEG2 W64 H64 F25:1 C420jpeg\nFRAME\nshort".utf8)
    expectFailure(try Tool.replay(try file("short.y4m", short)), 65, says: "ends too early")
    let demo = try Data(contentsOf: URL(fileURLWithPath: DemoTests.demo))
    let cut = try file("cut.mp4", demo.prefix(3000))
    let broken = try Tool.replay(cut)
    #expect(broken.status != 0)
    #expect(broken.errors.contains("cut.mp4"))
    let portrait = try Data(
      contentsOf: Tool.root.appendingPathComponent("board/demo/portrait.png"))
    expectFailure(
      try Tool.run("livelatch", ["detect", try file("cut.png", portrait.prefix(5000))]), 65,
      says: "cut.png")
  }

  @Test func settings() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    func check(_ text: String) throws -> Tool.Result {
      try Tool.run("livelatch", ["check-config", try file("s.toml", Data(text.utf8))])
    }
    expectFailure(try check("[relay]\nhold_ms = 90000\n"), 78, says: "s.toml:2:")
    expectFailure(try check("[relay]\nhodl_ms = 300\n"), 78, says: "hold_ms")
    expectFailure(try check("[camera]\nwidth = \"wide\"\n"), 78, says: "camera.width")
    expectFailure(try check("[camera]\nwidth = 640\nwidth = 640\n"), 78, says: "s.toml:3")
    let binary = try file("b.toml", Data((0..<200).map { UInt8($0) }))
    expectFailure(try Tool.run("livelatch", ["check-config", binary]), 78, says: "b.toml")
    #expect(try check("\u{FEFF}[camera]\r\nwidth = 640\r\n").status == 0)
    let both = try check("[relay]\nhold_ms = 90000\n[camera]\nfps = 0\n")
    #expect(both.errors.contains("hold_ms") && both.errors.contains("fps"))
  }

  @Test func devices() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = "[board]\nchip = \"no-such-chip\"\n[relay]\nline = 17\n"
    let models = Tool.root.appendingPathComponent("Models").path
    let config = try file("chip.toml", Data(text.utf8))
    let clip = Data("YUV4MPEG2 W64 H64 F25:1 C420jpeg\n".utf8)
    let result = try Tool.run(
      "livelatchd",
      ["--clip", try file("none.y4m", clip), "--config", config, "--models", models])
    expectFailure(result, 66, says: "no-such-chip")
    let simulated = ["--config", config, "--models", models, "--simulate"]
    // The firmware waits for a camera that is not there, but not for a file to become one.
    for program in [["livelatchd", "/dev/null"], ["livelatch", "run", "/dev/no-such-camera"]] {
      let device = program[program.count - 1]
      let camera = try Tool.run(
        program[0], program[1..<program.count - 1] + ["--camera", device] + simulated)
      expectFailure(camera, 66, says: device)
    }
    let seed = try Tool.run("livelatchd", ["--seed", "1", "--config", config])
    expectFailure(seed, 64, says: "--seed")
  }

}
