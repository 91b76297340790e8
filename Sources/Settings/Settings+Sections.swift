import Board
import Camera
import Faces
import Imaging
import Liveness
import Platform
import SerialLog

// One function a section, in the order of the shipped file. Here the keys, their units and their
// ranges are decided; `Config/livelatch.toml` explains them.
extension Settings {
  mutating func read(_ reader: inout SettingsReader) {
    readCamera(&reader)
    readCameraControls(&reader)
    readDetector(&reader)
    readFaces(&reader)
    readLiveness(&reader)
    readPose(&reader)
    readBlink(&reader)
    readBook(&reader)
    readGates(&reader)
    readSpoof(&reader)
    readLockout(&reader)
    readGreeting(&reader)
    readBoard(&reader)
    readRelay(&reader)
    readLights(&reader)
    readInputs(&reader)
    readLog(&reader)
    readPipeline(&reader)
    readModels(&reader)
  }

  private mutating func readCamera(_ reader: inout SettingsReader) {
    reader.section("camera")
    camera.device = reader.text("device", default: camera.device)
    camera.width = reader.int("width", default: camera.width, in: 32...4096)
    camera.height = reader.int("height", default: camera.height, in: 32...4096)
    camera.fps = reader.int("fps", default: camera.fps, in: 1...120)
    camera.format = reader.choice(
      "format", default: camera.format, [.auto, .yuyv, .nv12, .grey]
    ) { $0.name }
    camera.access = reader.choice(
      "access", default: camera.access, [.libv4l2, .direct]
    ) { $0.name }

    let degrees = reader.choice("rotate", default: 0, [0, 90, 180, 270])
    camera.orientation.rotation = Orientation.Rotation(rawValue: UInt8(degrees / 90)) ?? .none
    camera.orientation.mirror = reader.bool("mirror", default: camera.orientation.mirror)
  }

  private mutating func readCameraControls(_ reader: inout SettingsReader) {
    reader.section("camera.controls")
    for index in 0..<UInt8(CameraControl.count) {
      guard let control = CameraControl(rawValue: index) else { continue }
      camera.controls[control] = reader.controlValue(control.name)
    }
  }

  private mutating func readDetector(_ reader: inout SettingsReader) {
    reader.section("detector")
    faces.detectorInput = reader.choice(
      "input", default: faces.detectorInput, [.w160h120, .w320h240]
    ) { $0.name }
    faces.detectEvery = reader.int("every", default: faces.detectEvery, in: 1...60)
    faces.detectThreshold = reader.float(
      "threshold", default: faces.detectThreshold, in: 0.1...0.95)
  }

  private mutating func readFaces(_ reader: inout SettingsReader) {
    reader.section("faces")
    faces.performance = reader.choice(
      "performance", default: faces.performance, [.fast, .accurate]
    ) { $0.name }
    if faces.performance == .accurate {
      reader.impossible(
        "performance", "= \"accurate\" is not available yet; allowed: fast", problem: .notAllowed)
    }
    faces.minFaceSize = reader.float("min_face_size", default: faces.minFaceSize, in: 0.03...1)
    faces.landmarks = reader.bool("landmarks", default: faces.landmarks)
    faces.classification = reader.bool("classification", default: faces.classification)
    faces.tracking = reader.bool("tracking", default: faces.tracking)
    faces.framesToAppear = reader.int("frames_to_appear", default: faces.framesToAppear, in: 1...30)
    faces.appearWindow = reader.int("appear_window", default: faces.appearWindow, in: 1...30)
    faces.framesToLose = reader.int("frames_to_lose", default: faces.framesToLose, in: 1...300)
    faces.meshes = reader.int("meshes", default: faces.meshes, in: 1...8)
    if faces.framesToAppear > faces.appearWindow {
      reader.impossible("frames_to_appear", "is more than faces.appear_window")
    }
    if !faces.tracking {
      reader.impossible("tracking", "= false: a session follows one track, so it must be true")
    }
    if !faces.landmarks {
      reader.impossible("landmarks", "= false: every challenge needs them, so it must be true")
    }
  }

  private mutating func readLiveness(_ reader: inout SettingsReader) {
    reader.section("liveness")
    liveness.rules = reader.choice("rules", default: liveness.rules, [.pose, .book]) { $0.name }
    liveness.challenges = reader.challenges("challenges", default: liveness.challenges)
    liveness.order = reader.choice("order", default: liveness.order, [.random, .fixed]) { $0.name }
    liveness.count = reader.int("count", default: liveness.count, in: 1...8)
    liveness.reactionTime = reader.milliseconds(
      "reaction_ms", default: liveness.reactionTime, in: 0...1000)
    liveness.actionWindow = reader.milliseconds(
      "action_window_ms", default: liveness.actionWindow, in: 2000...5000)
    liveness.holdTime = reader.milliseconds("hold_ms", default: liveness.holdTime, in: 0...2000)
    liveness.holdFrames = reader.int("hold_frames", default: liveness.holdFrames, in: 1...30)
    liveness.neutralFrames = reader.int(
      "neutral_frames", default: liveness.neutralFrames, in: 1...30)
    liveness.neutralWindow = reader.milliseconds(
      "neutral_window_ms", default: liveness.neutralWindow, in: 1000...20_000)
    liveness.pauseAfterLive = reader.milliseconds(
      "pause_after_live_ms", default: liveness.pauseAfterLive, in: 0...60_000)
    liveness.pauseAfterFailure = reader.milliseconds(
      "pause_after_failure_ms", default: liveness.pauseAfterFailure, in: 0...60_000)
    liveness.againAfter = reader.milliseconds(
      "again_after_ms", default: liveness.againAfter, in: 0...3_600_000)
    do {
      try liveness.check()
    } catch {
      switch error {
      case .noChallenges: reader.impossible("challenges", "names none; at least one is needed")
      case .nothingToDrawFrom:
        reader.impossible(
          "challenges", "has one challenge only; to draw liveness.count of them takes two")
      case .sameTwice:
        reader.impossible("challenges", "asks the same twice in a row")
      }
    }
    if !faces.classification
      && (liveness.challenges.contains(.smile) || liveness.challenges.contains(.blink))
    {
      reader.impossible(
        "challenges", "has smile or blink in it, which need faces.classification = true")
    }
  }

  private mutating func readPose(_ reader: inout SettingsReader) {
    reader.section("liveness.pose")
    var pose = liveness.pose
    pose.turn = reader.float("turn", default: pose.turn, in: 10...60)
    pose.headUp = reader.float("head_up", default: pose.headUp, in: 5...40)
    pose.headDown = reader.float("head_down", default: pose.headDown, in: 5...40)
    pose.mouthOpening = reader.float("mouth_opening", default: pose.mouthOpening, in: 0.05...1)
    pose.smileRise = reader.float("smile_rise", default: pose.smileRise, in: 0.1...0.9)
    liveness.pose = pose
  }

  private mutating func readBlink(_ reader: inout SettingsReader) {
    reader.section("liveness.blink")
    var blink = liveness.blink
    blink.shut = reader.float("shut", default: blink.shut, in: 0.05...0.7)
    blink.open = reader.float("open", default: blink.open, in: 0.05...0.95)
    blink.shortest = reader.milliseconds("shortest_ms", default: blink.shortest, in: 20...3000)
    blink.longest = reader.milliseconds("longest_ms", default: blink.longest, in: 20...3000)
    if blink.open < blink.shut { reader.impossible("open", "is less than liveness.blink.shut") }
    if blink.longest < blink.shortest {
      reader.impossible("longest_ms", "is less than liveness.blink.shortest_ms")
    }
    liveness.blink = blink
  }

  private mutating func readBook(_ reader: inout SettingsReader) {
    reader.section("liveness.book")
    var book = liveness.book
    book.viewWidth = reader.float("view_width", default: book.viewWidth, in: 100...10_000)
    book.viewHeight = reader.float("view_height", default: book.viewHeight, in: 100...10_000)
    book.turn = reader.float("turn", default: book.turn, in: 1...1000)
    book.headUp = reader.float("head_up", default: book.headUp, in: -1000...1000)
    book.headDown = reader.float("head_down", default: book.headDown, in: -1000...1000)
    book.mouthOpening = reader.float("mouth_opening", default: book.mouthOpening, in: 1...1000)
    book.smile = reader.float("smile", default: book.smile, in: 0.05...0.95)
    liveness.book = book
  }

  private mutating func readGates(_ reader: inout SettingsReader) {
    reader.section("liveness.gates")
    var gates = liveness.gates
    gates.narrowestFace = reader.float(
      "narrowest_face", default: gates.narrowestFace, in: 0.03...0.9)
    gates.widestFace = reader.float("widest_face", default: gates.widestFace, in: 0.1...1)
    gates.guide.x = reader.float("guide_x", default: gates.guide.x, in: 0...0.9)
    gates.guide.y = reader.float("guide_y", default: gates.guide.y, in: 0...0.9)
    gates.guide.width = reader.float("guide_width", default: gates.guide.width, in: 0.1...1)
    gates.guide.height = reader.float("guide_height", default: gates.guide.height, in: 0.1...1)
    gates.overhang = reader.float("overhang", default: gates.overhang, in: 0...0.5)
    gates.secondFace = reader.float("second_face", default: gates.secondFace, in: 0...1)
    gates.darkestLuma = reader.float("darkest", default: gates.darkestLuma, in: 0...255)
    gates.brightestLuma = reader.float("brightest", default: gates.brightestLuma, in: 0...255)
    gates.darkShare = reader.float("dark_share", default: gates.darkShare, in: 0...1)
    gates.brightShare = reader.float("bright_share", default: gates.brightShare, in: 0...1)
    gates.sharpness = reader.float("sharpness", default: gates.sharpness, in: 0...1)
    gates.yaw = reader.float("yaw", default: gates.yaw, in: 1...90)
    gates.pitch = reader.float("pitch", default: gates.pitch, in: 1...90)
    gates.roll = reader.float("roll", default: gates.roll, in: 1...90)
    gates.framesPerSecond = reader.float("fps", default: gates.framesPerSecond, in: 0...120)
    gates.framesToOpen = reader.int("frames_to_open", default: gates.framesToOpen, in: 1...30)
    gates.patience = reader.milliseconds("patience_ms", default: gates.patience, in: 0...10_000)
    if gates.narrowestFace >= gates.widestFace {
      reader.impossible("narrowest_face", "is not less than liveness.gates.widest_face")
    }
    if gates.darkestLuma >= gates.brightestLuma {
      reader.impossible("darkest", "is not less than liveness.gates.brightest")
    }
    if gates.guide.maxX > 1.0001 {
      reader.impossible("guide_width", "and guide_x are together more than 1")
    }
    if gates.guide.maxY > 1.0001 {
      reader.impossible("guide_height", "and guide_y are together more than 1")
    }
    if gates.framesPerSecond > Float(camera.fps) {
      reader.impossible("fps", "is more than camera.fps: no session could ever begin")
    }
    liveness.gates = gates
  }

  private mutating func readSpoof(_ reader: inout SettingsReader) {
    reader.section("liveness.spoof")
    var spoof = liveness.spoof
    spoof.flatRelief = reader.float("flat_relief", default: spoof.flatRelief, in: 0...1)
    spoof.flatFrames = reader.int("flat_frames", default: spoof.flatFrames, in: 1...300)
    spoof.stillTime = reader.milliseconds("still_ms", default: spoof.stillTime, in: 2000...60_000)
    spoof.stillness = reader.float("stillness", default: spoof.stillness, in: 0.001...0.1)
    spoof.repeatTime = reader.milliseconds("repeat_ms", default: spoof.repeatTime, in: 500...60_000)
    spoof.weakSigns = reader.int("weak_signs", default: spoof.weakSigns, in: 0...4)
    liveness.spoof = spoof
  }

  private mutating func readLockout(_ reader: inout SettingsReader) {
    reader.section("lockout")
    var lockout = liveness.lockout
    lockout.failures = reader.int("failures", default: lockout.failures, in: 0...16)
    lockout.window = reader.seconds("window_s", default: lockout.window, in: 10...3600)
    lockout.first = reader.seconds("first_s", default: lockout.first, in: 1...3600)
    lockout.longest = reader.seconds("longest_s", default: lockout.longest, in: 1...86_400)
    if lockout.first > lockout.longest {
      reader.impossible("first_s", "is more than lockout.longest_s")
    }
    liveness.lockout = lockout
    lockoutFile = reader.text("file", default: lockoutFile, mayBeEmpty: true)
  }

  private mutating func readGreeting(_ reader: inout SettingsReader) {
    reader.section("greeting")
    var greeting = liveness.greeting
    greeting.enabled = reader.bool("enabled", default: greeting.enabled)
    greetings.man = reader.text("man", default: greetings.man, mayBeEmpty: true)
    greetings.woman = reader.text("woman", default: greetings.woman, mayBeEmpty: true)
    greetings.neutral = reader.text("neutral", default: greetings.neutral, mayBeEmpty: true)
    greeting.votes = reader.int("votes", default: greeting.votes, in: 1...15)
    greeting.probability = reader.float("probability", default: greeting.probability, in: 0.5...1)
    greeting.patience = reader.milliseconds("patience_ms", default: greeting.patience, in: 0...500)
    liveness.greeting = greeting
  }

  private mutating func readBoard(_ reader: inout SettingsReader) {
    reader.section("board")
    board.chip = reader.text("chip", default: board.chip)
  }

  private mutating func readRelay(_ reader: inout SettingsReader) {
    reader.section("relay")
    readLine(.relay, &reader)
    var relay = board.relay
    relay.longestHold = reader.milliseconds(
      "longest_hold_ms", default: relay.longestHold, in: 100...60_000)
    let longest = Int(relay.longestHold.wholeMilliseconds)
    let standard = min(relay.hold, relay.longestHold)
    relay.hold = reader.milliseconds("hold_ms", default: standard, in: 100...longest)
    relay.onAtRequest = reader.level("at_request", default: relay.onAtRequest)
    relay.onAtFault = reader.level("at_fault", default: relay.onAtFault)
    relay.onAtExit = reader.level("at_exit", default: relay.onAtExit)
    relay.acceptsBootGlitch = reader.bool("accept_boot_glitch", default: relay.acceptsBootGlitch)
    board.relay = relay
    let line = board[.relay]
    if !relay.acceptsBootGlitch,
      HeaderPin(line.place, chip: board.chip)?.isOnAtReset(activeLow: line.activeLow) ?? false
    {
      reader.impossible(
        "line", "is drawn to the relay's level for on until the program starts; take ",
        line.activeLow
          ? "4 to 8, or set relay.accept_boot_glitch = true"
          : "one of 9 to 13 or 16 to 27, or set relay.accept_boot_glitch = true")
    }
  }

  private mutating func readLights(_ reader: inout SettingsReader) {
    var index: UInt8 = 1
    while let output = Output(rawValue: index) {
      reader.section(output.name)
      readLine(output, &reader)
      index += 1
    }
  }

  private mutating func readLine(_ output: Output, _ reader: inout SettingsReader) {
    board[output].place = reader.place("line", default: board[output].place)
    board[output].activeLow = reader.bool("active_low", default: board[output].activeLow)
    board[output].openDrain = reader.bool("open_drain", default: board[output].openDrain)
    refuseReserved(board[output].place, &reader)
    refuseSecondUse(of: board[output].place, by: .output(output), &reader)
  }

  private mutating func readInputs(_ reader: inout SettingsReader) {
    var index: UInt8 = 0
    while let input = Input(rawValue: index) {
      reader.section(input.name)
      var options = board[input]
      options.place = reader.place("line", default: options.place)
      options.activeLow = reader.bool("active_low", default: options.activeLow)
      options.bias = reader.choice("bias", default: options.bias, [.none, .up, .down]) { $0.name }
      options.debounce = reader.milliseconds("debounce_ms", default: options.debounce, in: 0...1000)
      board[input] = options
      refuseReserved(options.place, &reader)
      refuseSecondUse(of: options.place, by: .input(input), &reader)
      if input == .tamper {
        board.tamperBlocks = reader.bool("blocks_verdicts", default: board.tamperBlocks)
      }
      index += 1
    }
  }

  /// Finds a line that the board itself uses. To be called in the section of the line's use.
  private func refuseReserved(_ place: LinePlace, _ reader: inout SettingsReader) {
    guard let reservation = HeaderPin(place, chip: board.chip)?.reservation else { return }
    reader.impossible("line", "is one that the board itself uses: ", reservation.name)
  }

  /// Finds a line that another use has already. To be called in the section of `use`, in the order
  /// of the uses: outputs, then inputs.
  private func refuseSecondUse(
    of place: LinePlace, by use: LineUse, _ reader: inout SettingsReader
  ) {
    guard place != .unused else { return }
    var code: UInt8 = 0
    while let other = Output(rawValue: code), use != .output(other) {
      if board[other].place == place { refuse(.output(other)) }
      code += 1
    }
    guard case .input = use else { return }
    code = 0
    while let other = Input(rawValue: code), use != .input(other) {
      if board[other].place == place { refuse(.input(other)) }
      code += 1
    }
    func refuse(_ other: LineUse) {
      reader.impossible("line", "is the line of another use too: ", other.name)
    }
  }

  private mutating func readLog(_ reader: inout SettingsReader) {
    reader.section("log")
    log.target = reader.text("target", default: log.target)
    let baud = reader.choice("baud", default: Int(log.baud), Baud.rates)
    log.baud = UInt32(baud)
    log.level = reader.choice(
      "level", default: log.level, [.error, .warning, .notice, .info, .debug]
    ) { $0.name }
  }

  private mutating func readPipeline(_ reader: inout SettingsReader) {
    reader.section("pipeline")
    pipeline.slots = reader.int("slots", default: pipeline.slots, in: 3...16)
    pipeline.memory = reader.int("memory_mib", default: pipeline.memory >> 20, in: 4...256) << 20
    pipeline.locksMemory = reader.bool("lock_memory", default: pipeline.locksMemory)
    pipeline.heartbeat = reader.seconds("heartbeat_s", default: pipeline.heartbeat, in: 0...3600)
  }

  private mutating func readModels(_ reader: inout SettingsReader) {
    reader.section("models")
    models = reader.text("folder", default: models)
  }
}

extension CameraOptions.Format {
  var name: StaticString {
    switch self {
    case .auto: "auto"
    case .yuyv: "yuyv"
    case .nv12: "nv12"
    case .grey: "grey"
    }
  }
}

extension DetectorInput {
  var name: StaticString {
    switch self {
    case .w160h120: "160x120"
    case .w320h240: "320x240"
    }
  }
}

extension PerformanceMode {
  var name: StaticString {
    switch self {
    case .fast: "fast"
    case .accurate: "accurate"
    }
  }
}
