import Board
import Pipeline
import Platform
import SerialLog
import Settings

/// From one telling of what is wrong to the next.
private let tellingPause = Duration.seconds(30)

/// What `run` does when the settings are wrong: it stays, so that whoever comes with a serial cable
/// finds all that is wrong, and blinks the light that is given for it. No other line is taken: what
/// the relay is wired to, and what is safe for it, stands in settings that cannot be trusted.
/// - Parameter light: line of the light, counted on the board's own chip; nil: none.
/// - Returns: the exit code, once the program is to end.
func stayWithFault(_ report: borrowing SettingsReport, light: UInt32?) -> Int32 {
  StopSignal.catchAll()
  do throws(Errno) {
    let memory = try MemoryMap(byteCount: LogService.memoryByteCount)
    return stayWithFault(report, light: light, memory: memory.bytes)
  } catch {
    return complain("memory for the log", error)
  }
}

private func stayWithFault(
  _ report: borrowing SettingsReport, light: UInt32?, memory: UnsafeMutableRawBufferPointer
) -> Int32 {
  guard let service = openLog(LogOptions(), memory: memory) else { return 74 }
  let log = service.log
  var board = BoardOptions()
  if let light { board[.fault].place = .offset(light) }
  do throws(BoardError) {
    var outputs = try Outputs(board, isSimulated: false)
    tell(report, log) { now in try? outputs.apply(.fault, at: now) }
  } catch {
    var text = FixedString<320>()
    error.describe(into: &text)
    var line = LogLine("fault", .error, at: .now())
    line.add("text", text)
    log.write(line)
    tell(report, log) { _ in }
  }
  return 78
}

/// Writes all that is wrong, again and again, until the program is to end.
/// - Parameter show: called every step of a pattern, at least.
private func tell(
  _ report: borrowing SettingsReport, _ log: Log, show: (Instant) -> Void
) {
  var next = Instant.now()
  while !StopSignal.wasReceived {
    let now = Instant.now()
    show(now)
    if now >= next {
      next = now + tellingPause
      writeAll(report, log, at: now)
    }
    sleep(for: .milliseconds(50))
  }
}

private func writeAll(_ report: borrowing SettingsReport, _ log: Log, at now: Instant) {
  for index in 0..<report.count {
    var text = FixedString<417>()
    report.describe(index, into: &text)
    var line = LogLine("settings.wrong", .error, at: now)
    line.add("text", text)
    log.write(line)
  }
  var line = LogLine("settings.refused", .error, at: now)
  line.add("errors", report.count + report.overflow)
  line.add("text", FixedString<64>("the door stays shut until they are put right"))
  log.write(line)
}

/// `livelatchd make-safe`: takes the lines of the settings and leaves each at its level for the
/// exit. For whoever watches over the firmware, after it ended in another way than it should.
func makeSafe(firstOption: Int) -> Int32 {
  guard let options = DoorOptions(firstOption: firstOption) else { return 64 }
  var report = SettingsReport()
  guard let settings = Settings.load(options.config, report: &report) else {
    writeErrors(report)
    return 78
  }
  do throws(BoardError) {
    var outputs = try Outputs(settings.board, isSimulated: options.isSimulated)
    outputs.end(at: .now())
    if let fault = outputs.fault { throw fault }
    return 0
  } catch {
    var text = FixedString<320>("livelatchd: ")
    error.describe(into: &text)
    text.append("\n")
    write(text, to: 2)
    return PipelineError.board(error).exitStatus
  }
}
