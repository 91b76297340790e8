import Camera
import FrameRing
import Pipeline
import Platform
import SerialLog
import Settings

/// `livelatchd run`: watches the door until it is told to stop, or a clip until its end.
func runDoor(firstOption: Int) -> Int32 {
  guard let options = DoorOptions(firstOption: firstOption) else { return 64 }
  var report = SettingsReport()
  guard var settings = Settings.load(options.config, report: &report) else {
    if !options.runsOnce { return stayWithFault(report, light: options.faultLight) }
    writeErrors(report)
    return 78
  }
  var clip = FixedString<128>()
  guard options.models.map({ settings.models.take($0, of: "--models") }) ?? true,
    options.camera.map({ settings.camera.device.take($0, of: "--camera") }) ?? true,
    options.clip.map({ clip.take($0, of: "--clip") }) ?? true
  else { return 64 }
  StopSignal.catchAll()
  do throws(Errno) {
    let memory = try MemoryMap(byteCount: LogService.memoryByteCount)
    return runLogged(settings, options, clip: clip, memory: memory.bytes)
  } catch {
    return complain("memory for the log", error)
  }
}

/// `livelatchd check-config [FILE]`.
func checkConfig() -> Int32 {
  guard Arguments.count <= 2 else {
    write("livelatchd: check-config takes one file\n", to: 2)
    return 64
  }
  var report = SettingsReport()
  guard
    Settings.load(Arguments.word(1) ?? DoorOptions.defaultConfig, report: &report) != nil
  else {
    writeErrors(report)
    return 78
  }
  return write("the settings are right\n", to: 1) ? 0 : 74
}

/// Writes all that is wrong with the settings, a line each, to standard error.
func writeErrors(_ report: borrowing SettingsReport) {
  for index in 0..<report.count {
    var line = FixedString<417>()
    report.describe(index, into: &line)
    line.append("\n")
    write(line, to: 2)
  }
  if report.overflow > 0 {
    var line = FixedString<64>("and ")
    line.append(report.overflow)
    line.append(" more\n")
    write(line, to: 2)
  }
}

private func runLogged(
  _ settings: borrowing Settings, _ options: DoorOptions, clip: FixedString<128>,
  memory: UnsafeMutableRawBufferPointer
) -> Int32 {
  guard let service = openLog(settings.log, memory: memory) else { return 74 }
  let log = service.log
  do throws(PipelineError) {
    try runFeed(settings, options, clip: clip, log: log)
    return 0
  } catch {
    var text = FixedString<320>()
    error.describe(into: &text)
    var line = LogLine("fault", .error, at: .now())
    line.add("text", text)
    log.write(line)
    return error.exitStatus
  }
}

/// Nil after saying what is in the way.
func openLog(_ options: LogOptions, memory: UnsafeMutableRawBufferPointer) -> LogService? {
  do throws(LogError) {
    return try LogService(options, memory: memory)
  } catch {
    var text = FixedString<256>("livelatchd: ")
    error.describe(into: &text)
    text.append("\n")
    write(text, to: 2)
    return nil
  }
}

private func runFeed(
  _ settings: borrowing Settings, _ options: DoorOptions, clip: FixedString<128>, log: Log
) throws(PipelineError) {
  if !clip.isEmpty {
    let reader: Y4MReader
    do throws(CameraError) { reader = try Y4MReader(path: clip) } catch { throw .camera(error) }
    let run = PipelineRun(
      clock: .clip, format: reader.format, seed: options.seed, isSimulated: options.isSimulated)
    _ = try runPipeline(
      settings, feed: .clip(reader), source: clip, run: run, log: log, observer: NoObserver())
  } else {
    try runCameraFeed(
      settings, isSimulated: options.isSimulated, waitsForCamera: true, log: log)
  }
}

extension FixedString {
  /// Takes an option's value, whole; false after saying that it is too long.
  fileprivate mutating func take(
    _ value: UnsafePointer<CChar>, of option: StaticString
  ) -> Bool {
    removeAll()
    append(cString: value)
    guard isTruncated else { return true }
    var text = FixedString<128>("livelatchd: ")
    text.append(option)
    text.append(" is too long; allowed: ")
    text.append(capacity)
    text.append(" bytes\n")
    write(text, to: 2)
    return false
  }
}

/// Says on standard error what the system refused; answers the exit code for it.
func complain(_ what: StaticString, _ errno: Errno) -> Int32 {
  var text = FixedString<128>("livelatchd: ")
  text.append(what)
  text.append(": ")
  errno.describe(into: &text)
  text.append("\n")
  write(text, to: 2)
  return 71
}
