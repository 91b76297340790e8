import Camera
import Faces
import FrameRing
import Imaging
import Liveness
import Platform
import SerialLog

extension Pipeline {
  /// Takes frames out of the ring until the producer has finished or the program is to end; then
  /// every line is at its level for the exit.
  /// - Parameter status: of the thread that fills the ring.
  public mutating func run(_ status: borrowing CameraStatus) {
    while !StopSignal.wasReceived {
      door.countTurn()
      switch ring.pointee.waitForFrame(timeout: TimeBudget.frameWait) {
      case .frame:
        if let lease = ring.pointee.take() { process(lease) }
      case .timedOut: idle(status)
      case .ended:
        if clock == .clip { leavePicture() }
        finish(status)
        return
      }
      if clock == .live { noteCamera(status) }
      if heartbeat.isDue(at: .now()) { logHeartbeat(status) }
      if clock == .live { saveLockout() }
    }
    finish(status)
  }

  /// No frame came for a while: a clip's clock stands still then.
  private mutating func idle(_ status: borrowing CameraStatus) {
    guard clock == .live else { return }
    door.tick(hasFace: false, hasCamera: status.state == .running, at: .now())
  }

  /// After a clip's end nobody is there any more: a session that still runs fails by its name, and
  /// a verdict's light and a pulse get the time to end by themselves.
  private mutating func leavePicture() {
    guard var time = lastFrame?.timestamp else { return }
    let step = Duration.milliseconds(40)
    time = time + step
    let events = machine.loseSource(at: time)
    for index in 0..<events.count { handle(events[index], seen: time, at: time) }
    door.tick(hasFace: false, hasCamera: true, at: time)
    while !door.isAtRest {
      time = time + step
      door.tick(hasFace: false, hasCamera: true, at: time)
    }
    lastFrame?.timestamp = time
  }

  /// Only a state that changed is put together, or one that a running lock changes.
  private mutating func saveLockout() {
    let now = Instant.now()
    lockout.save(machine.lockoutState(at: lastFrame?.timestamp ?? now), at: now)
  }

  /// Logged after the producer has ended, with the totals.
  public func logEnd() {
    let now = endTime
    var line = LogLine("stopped", .notice, at: now)
    line.add("frames", Int64(frames))
    if clock == .live { line.add("dropped", Int64(ring.pointee.counts.dropped)) }
    line.add("broken", Int64(brokenFrames))
    if clock == .live { line.add("lost", Int64(lostFrames)) }
    if clock == .live, let peak = peakResidentKiB { line.add("rss_kib", peak) }
    log.write(line)
  }

  private var endTime: Instant { clock == .clip ? lastFrame?.timestamp ?? .zero : Instant.now() }

  private mutating func finish(_ status: borrowing CameraStatus) {
    brokenFrames &+= status.broken
    lostFrames = status.lost
    door.end(at: endTime)
  }

  private mutating func logHeartbeat(_ status: borrowing CameraStatus) {
    var line = LogLine("heartbeat", at: .now())
    line.add("frames", Int64(frames))
    if let fps = rate.framesPerSecond { line.add("fps", fps, decimals: 1) }
    line.add("dropped", Int64(ring.pointee.counts.dropped))
    line.add("broken", Int64(brokenFrames &+ status.broken))
    line.add("lost", Int64(status.lost))
    line.add("restarts", Int64(status.restarts))
    add(.faces, "faces_p50_us", "faces_p99_us", to: &line)
    add(.decision, "decision_p50_us", "decision_p99_us", to: &line)
    if let peak = peakResidentKiB { line.add("rss_kib", peak) }
    if log.lostCount > 0 { line.add("log_lost", log.lostCount) }
    log.write(line)
    times.removeAll()
  }

  private func add(
    _ stage: Stage, _ median: StaticString, _ slowest: StaticString, to line: inout LogLine
  ) {
    guard let half = times.percentile(stage, 0.5), let most = times.percentile(stage, 0.99) else {
      return
    }
    line.add(median, half.wholeNanoseconds / 1000)
    line.add(slowest, most.wholeNanoseconds / 1000)
  }
}
