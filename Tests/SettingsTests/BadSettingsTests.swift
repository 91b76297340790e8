import Board
import Foundation
import Liveness
import Platform
import Testing

@testable import Settings

@Suite struct BadSettingsTests {
  struct Case: Sendable {
    let text: String
    let problem: SettingsError.Problem
    let message: String

    init(_ text: String, _ problem: SettingsError.Problem, _ message: String) {
      self.text = text
      self.problem = problem
      self.message = message
    }
  }

  /// A text, the problem, and the whole message.
  static let cases: [Case] = [
    Case(
      "[relay]\nhold_msec = 1000\n", .unknownKey,
      "test.toml:2:1: relay.hold_msec is no setting; is relay.hold_ms meant?"),
    Case(
      "hold_ms = 1\n", .unknownKey,
      "test.toml:1:1: hold_ms is no setting; is liveness.hold_ms meant?"),
    Case("[relay]\nxyzzy = 1\n", .unknownKey, "test.toml:2:1: relay.xyzzy is no setting"),
    Case(
      "[relais]\nline = 1\n", .unknownKey,
      "test.toml:1:2: [relais] is no section; is [relay] meant?"),
    Case(
      "[led.redy]\n", .unknownKey, "test.toml:1:6: [led.redy] is no section; is [led.ready] meant?"),
    Case("[something.else]\n", .unknownKey, "test.toml:1:2: [something] is no section"),
    Case("\"relay.line\" = 3\n", .unknownKey, "test.toml:1:1: relay.line is no setting"),
    Case(
      "[\"led.ready\"]\nline = 3\n", .unknownKey,
      "test.toml:1:2: [led.ready] is no section; is [led.ready] meant?"),
    Case(
      "[camera]\nwidth = \"640\"\n", .wrongType,
      "test.toml:2:9: camera.width = \"640\" is a text; it must be a whole number"),
    Case(
      "[camera]\nwidth = 640.0\n", .wrongType,
      "test.toml:2:9: camera.width = 640 is a fraction; it must be a whole number"),
    Case(
      "[camera]\nmirror = 1\n", .wrongType,
      "test.toml:2:10: camera.mirror = 1 is a whole number; it must be true or false"),
    Case(
      "[camera]\ndevice = 0\n", .wrongType,
      "test.toml:2:10: camera.device = 0 is a whole number; it must be a text in quotation marks"),
    Case(
      "[detector]\nthreshold = true\n", .wrongType,
      "test.toml:2:13: detector.threshold = true is true or false; it must be a number"),
    Case(
      "[detector]\ninput = 2026-11-30\n", .wrongType,
      "test.toml:2:9: detector.input = … is a date or time; it must be a text in quotation marks"),
    Case(
      "[relay]\nline = [17]\n", .wrongType,
      "test.toml:2:8: relay.line = […] is a list; it must be a line's number, its name in quotation marks, or \"none\""
    ),
    Case(
      "relay = 17\n", .wrongType,
      "test.toml:1:9: relay is a whole number; it must be a section: [relay]"),
    Case(
      "[[relay]]\nline = 1\n", .wrongType,
      "test.toml:1:1: relay is a list; it must be a section: [relay]"),
    Case("led = 1\n", .wrongType, "test.toml:1:7: led is a whole number; it holds sections only"),
    Case(
      "[relay.line]\n", .wrongType,
      "test.toml:1:1: relay.line = {…} is a section; it must be a line's number, its name in quotation marks, or \"none\""
    ),
    Case(
      "[liveness]\nchallenges = [\"smile\", 3]\n", .wrongType,
      "test.toml:2:24: liveness.challenges = 3 is a whole number; it must be a list of texts in quotation marks"
    ),
    Case(
      "[led.fail]\nline = \"GPIO6\"\n[exit_button]\nline = \"GPIO6\"\n", .impossible,
      "test.toml:4:8: exit_button.line is the line of another use too: led.fail"),
    Case(
      "[exit_button]\nline = 6\n[tamper]\nline = 6\n", .impossible,
      "test.toml:4:8: tamper.line is the line of another use too: exit_button"),
    Case(
      "[led.fail]\nline = 14\n", .impossible,
      "test.toml:2:8: led.fail.line is one that the board itself uses: serial"),
    Case(
      "[board]\nchip = \"pinctrl-rp1\"\n[tamper]\nline = \"GPIO2\"\n", .impossible,
      "test.toml:4:8: tamper.line is one that the board itself uses: i2c"),
    Case(
      "[relay]\nline = 17\nactive_low = true\n", .impossible,
      "test.toml:2:8: relay.line is drawn to the relay's level for on until the program starts; take 4 to 8, or set relay.accept_boot_glitch = true"
    ),
    Case(
      "[relay]\nline = 6\n", .impossible,
      "test.toml:2:8: relay.line is drawn to the relay's level for on until the program starts; take one of 9 to 13 or 16 to 27, or set relay.accept_boot_glitch = true"
    ),
    Case(
      "[tamper]\nbias = \"left\"\n", .notAllowed,
      "test.toml:2:8: tamper.bias = \"left\" is not allowed; allowed: none, up, down"),
    Case(
      "[door_contact]\ndebounce_ms = 1001\n", .outOfRange,
      "test.toml:2:15: door_contact.debounce_ms = 1001 is out of range: 0 to 1000"),
    Case(
      "[relay]\nhold_ms = 90000\n", .outOfRange,
      "test.toml:2:11: relay.hold_ms = 90000 is out of range: 100 to 5000"),
    Case(
      "[relay]\nhold_ms = 4000\nlongest_hold_ms = 3000\n", .outOfRange,
      "test.toml:2:11: relay.hold_ms = 4000 is out of range: 100 to 3000"),
    Case(
      "[camera]\nfps = -9223372036854775808\n", .outOfRange,
      "test.toml:2:7: camera.fps = -9223372036854775808 is out of range: 1 to 120"),
    Case(
      "[detector]\nthreshold = 1e300\n", .outOfRange,
      "test.toml:2:13: detector.threshold = nan is out of range: 0.1 to 0.95"),
    Case(
      "[detector]\nthreshold = nan\n", .outOfRange,
      "test.toml:2:13: detector.threshold = nan is out of range: 0.1 to 0.95"),
    Case(
      "[faces]\nmin_face_size = 0.02\n", .outOfRange,
      "test.toml:2:17: faces.min_face_size = 0.02 is out of range: 0.03 to 1"),
    Case(
      "[relay]\nline = -1\n", .outOfRange,
      "test.toml:2:8: relay.line = -1 is out of range: 0 to 1023"),
    Case(
      "[camera]\nformat = \"mjpeg\"\n", .notAllowed,
      "test.toml:2:10: camera.format = \"mjpeg\" is not allowed; allowed: auto, yuyv, nv12, grey"),
    Case(
      "[camera]\naccess = \"mmap\"\n", .notAllowed,
      "test.toml:2:10: camera.access = \"mmap\" is not allowed; allowed: libv4l2, direct"),
    Case(
      "[camera.controls]\ngain = \"high\"\n", .wrongType,
      "test.toml:2:8: camera.controls.gain = \"high\" is a text; it must be a whole number, true or false, or \"camera\""
    ),
    Case(
      "[camera.controls]\ngain = 3000000000\n", .outOfRange,
      "test.toml:2:8: camera.controls.gain = 3000000000 is out of range: -2147483648 to 2147483647"
    ),
    Case(
      "[camera]\nrotate = 45\n", .notAllowed,
      "test.toml:2:10: camera.rotate = 45 is not allowed; allowed: 0, 90, 180, 270"),
    Case(
      "[log]\nbaud = 110\n", .notAllowed,
      "test.toml:2:8: log.baud = 110 is not allowed; allowed: 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1000000, 1500000"
    ),
    Case(
      "[relay]\nat_exit = \"maybe\"\n", .notAllowed,
      "test.toml:2:11: relay.at_exit = \"maybe\" is not allowed; allowed: off, on"),
    Case(
      "[faces]\nperformance = \"accurate\"\n", .notAllowed,
      "test.toml:2:15: faces.performance = \"accurate\" is not available yet; allowed: fast"),
    Case("[camera]\ndevice = \"\"\n", .notAllowed, "test.toml:2:10: camera.device = \"\" is empty"),
    Case(
      "[camera]\ndevice = \"/dev/\\u0007\"\n", .notAllowed,
      "test.toml:2:10: camera.device = \"/dev/?\" has a control character in it"),
    Case(
      "[board]\nchip = \"\(String(repeating: "x", count: 65))\"\n", .notAllowed,
      "test.toml:2:8: board.chip = \"\(String(repeating: "x", count: 40))…\" is too long; allowed: 64 bytes"
    ),
    Case(
      "[relay]\nline = \"\(String(repeating: "x", count: 32))\"\n", .notAllowed,
      "test.toml:2:8: relay.line = \"\(String(repeating: "x", count: 32))\" is no line's name: those have 1 to 31 bytes"
    ),
    Case(
      "[liveness]\nchallenges = [\"smile\", \"wink\"]\n", .notAllowed,
      "test.toml:2:24: liveness.challenges = \"wink\": wink is no challenge; allowed: smile, turn, turn_left, turn_right, mouth_open, nod, head_up, head_down, blink"
    ),
    Case(
      "[liveness]\nchallenges = \"smile,,turn\"\n", .notAllowed,
      "test.toml:2:14: liveness.challenges = \"smile,,turn\":  is no challenge; allowed: smile, turn, turn_left, turn_right, mouth_open, nod, head_up, head_down, blink"
    ),
    Case(
      "[faces]\nframes_to_appear = 6\n", .impossible,
      "test.toml:2:20: faces.frames_to_appear is more than faces.appear_window"),
    Case(
      "[faces]\ntracking = false\n", .impossible,
      "test.toml:2:12: faces.tracking = false: a session follows one track, so it must be true"),
    Case(
      "[liveness]\nchallenges = []\n", .impossible,
      "test.toml:2:14: liveness.challenges names none; at least one is needed"),
    Case(
      "[liveness]\nchallenges = [\"turn\"]\n", .impossible,
      "test.toml:2:14: liveness.challenges has one challenge only; to draw liveness.count of them takes two"
    ),
    Case(
      "[liveness]\norder = \"fixed\"\nchallenges = [\"turn\", \"turn\", \"nod\"]\n", .impossible,
      "test.toml:3:14: liveness.challenges asks the same twice in a row"),
    Case(
      "[faces]\nclassification = false\n[liveness]\n", .impossible,
      "test.toml:3:1: liveness.challenges has smile or blink in it, which need faces.classification = true"
    ),
    Case(
      "[faces]\nclassification = false\n", .impossible,
      "test.toml: liveness.challenges has smile or blink in it, which need faces.classification = true"
    ),
    Case(
      "[liveness.blink]\nshut = 0.7\nopen = 0.6\n", .impossible,
      "test.toml:3:8: liveness.blink.open is less than liveness.blink.shut"),
    Case(
      "[liveness.gates]\nnarrowest_face = 0.7\n", .impossible,
      "test.toml:2:18: liveness.gates.narrowest_face is not less than liveness.gates.widest_face"),
    Case(
      "[liveness.gates]\nguide_x = 0.5\n", .impossible,
      "test.toml:1:1: liveness.gates.guide_width and guide_x are together more than 1"),
    Case(
      "[camera]\nfps = 5\n[liveness.gates]\n", .impossible,
      "test.toml:3:1: liveness.gates.fps is more than camera.fps: no session could ever begin"),
    Case(
      "[lockout]\nfirst_s = 3600\nlongest_s = 60\n", .impossible,
      "test.toml:2:11: lockout.first_s is more than lockout.longest_s"),
    Case(
      "[relay]\nline = 17\n[led.ready]\nline = 17\n", .impossible,
      "test.toml:4:8: led.ready.line is the line of another use too: relay"),
  ]

  @Test(arguments: cases.indices)
  func oneErrorEach(index: Int) {
    let example = Self.cases[index]
    let outcome = Outcome(example.text)
    #expect(outcome.settings == nil)
    #expect(outcome.messages == [example.message])
    #expect(outcome.problems == [example.problem])
  }

  @Test(arguments: [
    "[relay]\nline = 6\nactive_low = true\n",
    "[relay]\nline = 6\naccept_boot_glitch = true\n",
    "[relay]\nline = 40\n",
    "[board]\nchip = \"gpiochip0\"\n[relay]\nline = 2\n",
  ])
  func linesThatAreAllowed(text: String) { #expect(Outcome(text).messages == []) }

  @Test func everythingIsToldAtOnceInTheOrderOfTheFile() {
    let outcome = Outcome(
      """
      [camera]
      width = 1
      hight = 480
      mirror = "yes"
      [relay]
      hold_ms = 90000
      [zzz]
      """)
    #expect(
      outcome.messages == [
        "test.toml:2:9: camera.width = 1 is out of range: 32 to 4096",
        "test.toml:3:1: camera.hight is no setting; is camera.height meant?",
        "test.toml:4:10: camera.mirror = \"yes\" is a text; it must be true or false",
        "test.toml:6:11: relay.hold_ms = 90000 is out of range: 100 to 5000",
        "test.toml:7:2: [zzz] is no section",
      ])
  }

  @Test func moreErrorsThanAreKeptAreCounted() {
    let outcome = Outcome((0..<100).map { "unknown_\($0) = 1\n" }.joined())
    #expect(outcome.settings == nil)
    #expect(outcome.messages.count == SettingsReport.capacity)
    #expect(outcome.overflow == 100 - SettingsReport.capacity)
  }

  @Test func whatIsTwiceIsASyntaxError() {
    for text in ["[relay]\nline = 1\nline = 2\n", "[relay]\nline = 1\n[relay]\nhold_ms = 500\n"] {
      let outcome = Outcome(text)
      #expect(outcome.problems == [.syntax])
      #expect(outcome.messages.first?.hasPrefix("test.toml:3:") == true)
      #expect(outcome.messages.first?.contains("redefine") == true)
    }
  }

  @Test(arguments: [
    "[relay\n", "x = \n", "= 1\n", "[relay]\nline = 1 2\n", "a = \"\n", "{}\n", "a = {%=1}\n",
  ])
  func whatIsNotTOML(text: String) {
    let outcome = Outcome(text)
    #expect(outcome.settings == nil)
    #expect(outcome.problems == [.syntax])
    #expect(outcome.messages.first?.hasPrefix("test.toml:") == true)
  }

  @Test func lineEndsOfWindowsAndAByteOrderMarkAreFine() throws {
    let text = "\u{FEFF}[camera]\r\nwidth = 1280\r\n[greeting]\r\nman = \"您好\"\r\n"
    let settings = try #require(Outcome(text).settings)
    #expect(settings.camera.width == 1280)
    #expect(settings.greetings.man == "您好")
    #expect(
      Outcome("\u{FEFF}[camera]\r\nwidth = 1\r\n").messages == [
        "test.toml:2:9: camera.width = 1 is out of range: 32 to 4096"
      ])
  }

  @Test func bytesThatAreNoText() {
    let utf16 = Outcome([0xFF, 0xFE, 0x5B, 0, 0x61, 0])
    #expect(utf16.messages == ["test.toml: the text is UTF-16; save it as UTF-8"])
    #expect(Outcome([0x61, 0, 0x62]).problems == [.encoding])
    #expect(Outcome(Array("a = \"".utf8) + [0xC3, 0x28] + Array("\"".utf8)).problems == [.syntax])
    #expect(Outcome([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]).problems == [.syntax])
  }

  @Test func tablesWithinTablesWithoutEnd() {
    // As deep as a file can have them: neither reading nor freeing may run out of stack.
    let deep = "[a" + String(repeating: ".a", count: 32_000) + "]\nb = 1\n"
    #expect(Outcome(deep).messages == ["test.toml:1:2: [a] is no section"])
    #expect(Outcome("a = " + String(repeating: "[", count: 60_000)).problems == [.syntax])
    #expect(Outcome("a = " + String(repeating: "{a=", count: 20_000)).problems == [.syntax])
  }
}

@Suite struct SettingsValuesTests {
  @Test func everySectionReachesItsOptions() throws {
    let settings = try #require(
      Outcome(
        """
        [camera]
        device = "/dev/video7"
        format = "nv12"
        rotate = 270
        mirror = true
        [detector]
        input = "160x120"
        threshold = 1
        [faces]
        min_face_size = 1
        [liveness]
        rules = "book"
        order = "fixed"
        challenges = " smile , turn_left,mouth_open, "
        count = 3
        reaction_ms = 100
        [liveness.pose]
        turn = 25.5
        [lockout]
        window_s = 60
        file = ""
        [greeting]
        enabled = false
        neutral = "Grüß Gott"
        [board]
        chip = "pinctrl-rp1"
        [relay]
        line = "GPIO6"
        active_low = true
        longest_hold_ms = 60000
        hold_ms = 20000
        at_fault = "on"
        [led.prompt_head_down]
        line = 1023
        [log]
        target = "/dev/ttyUSB0"
        baud = 9600
        level = "debug"
        [pipeline]
        memory_mib = 24
        heartbeat_s = 0
        [models]
        folder = "/opt/models"
        """.replacingOccurrences(of: "threshold = 1\n", with: "threshold = 0.95\n")
      ).settings)
    #expect(settings.camera.device == "/dev/video7")
    #expect(settings.camera.format == .nv12)
    #expect(settings.camera.orientation.rotation == .clockwise270)
    #expect(settings.camera.orientation.mirror)
    #expect(settings.faces.detectorInput == .w160h120)
    #expect(settings.faces.detectThreshold == 0.95)
    #expect(settings.faces.minFaceSize == 1)
    #expect(settings.liveness.rules == .book)
    #expect(settings.liveness.order == .fixed)
    #expect(settings.liveness.challenges == ChallengeList([.smile, .turnLeft, .mouthOpen]))
    #expect(settings.liveness.reactionTime == .milliseconds(100))
    #expect(settings.liveness.pose.turn == 25.5)
    #expect(settings.liveness.lockout.window == .seconds(60))
    #expect(settings.lockoutFile.isEmpty)
    #expect(!settings.liveness.greeting.enabled)
    #expect(settings.greetings.text(of: .neutral) == "Grüß Gott")
    #expect(settings.greetings.text(of: .woman) == "女士你好")
    #expect(settings.board.chip == "pinctrl-rp1")
    #expect(settings.board[.relay].place == .name(FixedString("GPIO6")))
    #expect(settings.board[.relay].activeLow)
    #expect(settings.board.relay.hold == .seconds(20))
    #expect(settings.board.relay.onAtFault)
    #expect(!settings.board.relay.onAtRequest)
    #expect(settings.board[.promptHeadDown].place == .offset(1023))
    #expect(settings.log.target == "/dev/ttyUSB0")
    #expect(settings.log.baud == 9600)
    #expect(settings.log.level == .debug)
    #expect(settings.pipeline.memory == 24 << 20)
    #expect(settings.pipeline.heartbeat == .zero)
    #expect(settings.models == "/opt/models")
  }

  @Test func aShorterLongestHoldShortensTheDefaultHold() throws {
    let settings = try #require(Outcome("[relay]\nlongest_hold_ms = 1000\n").settings)
    #expect(settings.board.relay.hold == .seconds(1))
  }

  @Test func lightsHaveTheNamesOfTheirChallenges() {
    for challenge in Challenge.allCases {
      let output = Output.prompt(challenge.rawValue)
      #expect(output.map { "\($0.name)" } == "led.prompt_\(challenge.name)")
    }
    #expect(Challenge.allCases.count == Output.promptCount)
  }
}

@Suite struct SettingsFileTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("livelatch-settings-\(UUID().uuidString)")

  func write(_ data: Data, as name: String) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name)
    try data.write(to: file)
    return file.path
  }

  @Test func missingDirectoryAndTooLarge() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(
      Outcome(path: folder.appendingPathComponent("none.toml").path).messages == [
        "\(folder.path)/none.toml: cannot be read: no such file or folder (ENOENT)"
      ])
    let largest = try write(Data(repeating: 0x23, count: Settings.mostBytes), as: "largest.toml")
    #expect(Outcome(path: largest).messages == [])
    let large = try write(Data(repeating: 0x23, count: Settings.mostBytes + 1), as: "large.toml")
    #expect(
      Outcome(path: large).messages == ["\(large): the file is too large; allowed: 65536 bytes"])
    #expect(Outcome(path: folder.path + "/").problems == [.unreadable])
  }

  @Test func aReadThatFails() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    defer { FaultPlan.clear() }
    let path = try write(Data(), as: "a.toml")
    FaultPlan.fail(.read, code: EIO)
    #expect(
      Outcome(path: path).messages == ["\(path): cannot be read: input or output failed (EIO)"])
    FaultPlan.fail(.map, code: ENOMEM)
    #expect(Outcome(path: path).messages == ["\(path): cannot be read: not enough memory (ENOMEM)"])
  }

  @Test func aModelFolderTooFarAway() throws {
    let outcome = Outcome(path: "/" + String(repeating: "x", count: 200) + "/a.toml")
    #expect(outcome.messages == ["a.toml: cannot be read: no such file or folder (ENOENT)"])
  }
}
