import Camera
import FrameRing
import Pipeline
import Platform
import SerialLog
import Settings

/// `livelatchd run`: watches the door until it is told to stop, or a clip until its end.
func runDoor(firstOption: Int) -> Int32 {
  guard let options = DoorOptions(firstOption: firstOption) else { return 64 }
  guard var settings = loadSettings(options.config) else { return 78 }
  if let models = options.models {
    settings.models = FixedString()
    settings.models.append(cString: models)
  }
  if let camera = options.camera {
    settings.camera.device = FixedString()
    settings.camera.device.append(cString: camera)
  }
  StopSignal.catchAll()
  do throws(Errno) {
    let memory = try MemoryMap(byteCount: LogService.memoryByteCount)
    return runLogged(settings, options, memory: memory.bytes)
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
  guard loadSettings(Arguments.word(1) ?? DoorOptions.defaultConfig) != nil else { return 78 }
  return write("the settings are right\n", to: 1) ? 0 : 1
}

/// Nil after writing all errors, a line each, to standard error.
private func loadSettings(_ path: UnsafePointer<CChar>) -> Settings? {
  var report = SettingsReport()
  let settings = Settings.load(path, report: &report)
  for index in 0..<report.count {
    var line = FixedString<384>()
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
  return settings
}

private func runLogged(
  _ settings: borrowing Settings, _ options: DoorOptions, memory: UnsafeMutableRawBufferPointer
) -> Int32 {
  let service: LogService
  do throws(LogError) {
    service = try LogService(settings.log, memory: memory)
  } catch {
    var text = FixedString<256>("livelatchd: ")
    error.describe(into: &text)
    text.append("\n")
    write(text, to: 2)
    return 74
  }
  let log = service.log
  do throws(PipelineError) {
    try runFeed(settings, options, log: log)
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

private func runFeed(
  _ settings: borrowing Settings, _ options: DoorOptions, log: Log
) throws(PipelineError) {
  if let path = options.clip {
    var name = FixedString<128>()
    name.append(cString: path)
    let reader: Y4MReader
    do throws(CameraError) { reader = try Y4MReader(path: name) } catch { throw .camera(error) }
    let run = PipelineRun(
      clock: .clip, format: reader.format, seed: options.seed, isSimulated: options.isSimulated)
    _ = try runPipeline(
      settings, feed: .clip(reader), source: name, run: run, log: log, observer: NoObserver())
  } else {
    try runCameraFeed(settings, isSimulated: options.isSimulated, log: log)
  }
}

private func complain(_ what: StaticString, _ errno: Errno) -> Int32 {
  var text = FixedString<128>("livelatchd: ")
  text.append(what)
  text.append(": ")
  errno.describe(into: &text)
  text.append("\n")
  write(text, to: 2)
  return 71
}
