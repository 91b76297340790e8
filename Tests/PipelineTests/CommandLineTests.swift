import Foundation
import Testing

/// What a newcomer types: help is where it is looked for, and nothing that is wrong passes silently.
@Suite struct CommandLineTests {
  struct Case: CustomTestStringConvertible {
    let line: String
    let status: Int32
    let says: String

    var testDescription: String { line }

    init(_ line: String, _ status: Int32, _ says: String) {
      self.line = line
      self.status = status
      self.says = says
    }
  }

  static let help: [Case] = [
    Case("livelatch", 64, "usage: livelatch"),
    Case("livelatch --help", 0, "usage: livelatch"),
    Case("livelatch help detect", 0, "usage: livelatch detect"),
    Case("livelatch replay --help", 0, "usage: livelatch replay"),
    Case("livelatch help dance", 64, "unknown command dance"),
    Case("livelatch dance", 64, "unknown command dance"),
    Case("livelatchd --help", 0, "usage: livelatchd"),
    Case("livelatchd help", 0, "usage: livelatchd"),
    Case("livelatchd run --help", 0, "usage: livelatchd"),
    Case("livelatchd check-config --help", 0, "usage: livelatchd"),
    Case("livelatchd self-test --help", 0, "usage: livelatchd"),
    Case("livelatchd dance", 64, "dance is not known"),
  ]

  static let words: [Case] = [
    Case("livelatch replay", 64, "one clip or picture is needed, 0 are given"),
    Case("livelatch detect -x", 64, "unknown option -x"),
    Case("livelatch detect -- -x", 66, "-x: cannot be opened"),
    Case("livelatch check-config --loud", 64, "allowed: --help"),
    Case("livelatch detect --min-face-size", 64, "--min-face-size needs a value"),
    Case("livelatch replay a.mp4 --seed x", 64, "0 to 18446744073709551615"),
    Case("livelatch replay a.mp4 --challenges smile,fly", 64, "no challenge is called 'fly'"),
    Case("livelatch replay a.mp4 --challenges smile,smile", 64, "twice in a row"),
    Case("livelatch replay a.mp4 --challenges 'smile, blink'", 66, "a.mp4: cannot be opened"),
    Case("livelatch run --camera /dev/\(String(repeating: "x", count: 130))", 64, "128 bytes"),
    Case("livelatch bench --case scaler:yuyv:640x480:0x5", 64, "allowed: network:FILE"),
    Case("livelatch bench --case crop:yuyv:64x48:20:16 --runs 0", 64, "1 to 100000"),
    Case("livelatch bench --case frame --layers", 64, "exclude each other"),
    Case("livelatchd --loud", 64, "--loud is not known"),
    Case("livelatchd --config", 64, "--config needs a value"),
    Case("livelatchd --clip a --camera b", 64, "exclude each other"),
    Case("livelatchd self-test now", 64, "self-test takes no operand"),
    Case(
      "livelatchd --config board/demo/demo.toml --models \(String(repeating: "x", count: 200))", 64,
      "192 bytes"),
  ]

  static let files: [Case] = [
    Case("livelatch detect nowhere.png", 66, "nowhere.png: cannot be opened"),
    Case("livelatch detect board", 66, "board: cannot be opened"),
    Case("livelatch replay board", 66, "board: cannot be opened"),
    Case("livelatch replay README.md", 65, "README.md: is not supported"),
    Case("livelatch check-config nowhere/a.toml", 78, "nowhere/a.toml: cannot be read"),
    Case("livelatch models --models README.md", 66, "README.md/yunet-320.llm"),
    Case(
      "livelatch annotate board/demo/portrait.png ./board/demo/portrait.png", 64, "is the input"),
    Case("livelatch annotate board/demo/portrait.png /tmp/a.jpg", 64, "is written as .png"),
    Case("livelatch annotate board/demo/demo.mp4 /tmp/a.png", 64, "is written as .mp4"),
    Case("livelatch annotate board/demo/portrait.png a.png --frame 3", 64, "--frame is for clips"),
    Case(
      "livelatch annotate board/demo/portrait.png /dev/full", 74,
      "/dev/full: reading or writing failed (ENOSPC)"),
    Case("livelatch annotate board/demo/portrait.png /nowhere/a.png", 66, "cannot be opened"),
    Case("livelatchd check-config nowhere/a.toml", 78, "nowhere/a.toml: cannot be read"),
  ]

  @Test(arguments: help + words + files)
  func isAnswered(_ example: Case) throws {
    let result = try Tool.bash(example.line)
    #expect(result.status == example.status, "\(result.output)\(result.errors)")
    let said = example.status == 0 ? result.output : result.errors
    #expect(said.contains(example.says), "\(said)")
    // What is wrong is said on standard error, what was asked for on standard output.
    #expect((example.status == 0 ? result.errors : result.output).isEmpty)
  }

  /// Words that do not arrive are no success.
  @Test(arguments: [
    "livelatch --version", "livelatch check-config Config/livelatch.toml",
    "livelatch detect board/demo/portrait.png", "livelatch replay board/demo/portrait.png",
    "livelatchd --version", "livelatchd self-test",
  ])
  func aFullDiskIsToldOf(_ line: String) throws {
    #expect(try Tool.bash("\(line) > /dev/full").status != 0)
  }

  /// `| head` ends a command as it ends every other: quietly, and long before the clip does.
  @Test(arguments: ["", "--json --frames"])
  func aReaderThatLeavesEndsTheReplay(_ options: String) throws {
    let result = try Tool.bash(
      "livelatch replay board/demo/portrait.png --seconds 3600 \(options) | head -n 1")
    #expect(result.status == 128 + SIGPIPE)
    #expect(result.errors.isEmpty, "\(result.errors)")
  }

  @Test func namesWithSpacesInAnotherFolder() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("livelatch odd \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let portrait = Tool.root.appendingPathComponent("board/demo/portrait.png")
    try FileManager.default.copyItem(at: portrait, to: folder.appendingPathComponent("a b.png"))
    let models = Tool.root.appendingPathComponent("Models").path
    let result = try Tool.bash(
      "livelatch annotate 'a b.png' 'c d.png' --rotate 90 --models '\(models)' && livelatch detect"
        + " 'c d.png' --models '\(models)'", in: folder)
    #expect(result.output.contains("c d.png: 240x320"), "\(result.output)\(result.errors)")
    let without = try Tool.bash("livelatch detect 'a b.png'", in: folder)
    #expect(without.status == 66)
    #expect(without.errors.contains("--config"), "\(without.errors)")
  }
}
