import Board
import Platform
import SerialLog

/// Owns the outputs, and live a thread that drives them and watches the pipeline, so that a pulse
/// ends whatever the pipeline does. The pipeline only posts what it wants, and is never waited for.
/// On a clip's clock there is no thread: what is wanted is done before the call returns.
struct OutputsService: ~Copyable {
  /// What the two threads share; it stays in place while they run.
  struct Shared: ~Copyable {
    let wanted = WantedOutputs()
    let bell: UnsafeMutablePointer<EventCount>
    let log: Log
    /// The thread's alone while it runs.
    var driver: OutputsDriver
  }

  private let shared: UnsafeMutablePointer<Shared>
  private var thread: Thread?
  private let isLive: Bool
  private let memory: MemoryMap

  /// - Parameters:
  ///   - options: whose lines `outputs` and `inputs` are.
  ///   - limit: how long the pipeline may go without a turn; nil on a clip's clock.
  init(
    _ options: BoardOptions, outputs: consuming Outputs, inputs: consuming Inputs?, log: Log,
    stallsAfter limit: Duration?
  ) throws(Errno) {
    let bellBytes = (MemoryLayout<EventCount>.stride + 63) & ~63
    let memory = try MemoryMap(byteCount: bellBytes + MemoryLayout<Shared>.stride)
    let start = memory.bytes.baseAddress.unsafelyUnwrapped
    let bell = start.bindMemory(to: EventCount.self, capacity: 1)
    let shared = (start + bellBytes).bindMemory(to: Shared.self, capacity: 1)
    bell.initialize(to: EventCount())
    let driver = OutputsDriver(
      outputs: outputs, inputs: inputs, tamperBlocks: options.tamperBlocks, log: log,
      stallsAfter: limit)
    shared.initialize(to: Shared(bell: bell, log: log, driver: driver))
    let thread: Thread?
    do throws(Errno) {
      thread =
        limit == nil
        ? nil
        : try Thread(name: "outputs", stackBytes: 64 << 10, context: shared, body: runOutputs)
    } catch {
      shared.deinitialize(count: 1)
      throw error
    }
    self.shared = shared
    self.thread = thread
    self.memory = memory
    isLive = limit != nil
  }

  /// Whether the relay has power for a verdict; on a clip's clock only.
  var isPulsing: Bool { !isLive && shared.pointee.driver.isPulsing }

  /// Says that the pipeline turns. To be called with every turn.
  func countTurn() { shared.pointee.wanted.countTurn() }

  /// Powers the relay for a pulse, with the next ``show(_:at:)`` at the latest.
  /// - Parameter seen: when the frame was taken that the verdict came with.
  func openDoor(seen: Instant) { shared.pointee.wanted.openDoor(seen: seen) }

  /// Shows `state`. On a clip's clock the lines are driven as of `now`.
  func show(_ state: OutputState, at now: Instant) {
    let isNews = shared.pointee.wanted.show(state)
    if !isLive {
      _ = shared.pointee.driver.step(shared.pointee.wanted, at: now)
    } else if isNews {
      shared.pointee.bell.signal()
    }
  }

  /// Leaves every line at its level for the exit.
  mutating func end(at now: Instant) {
    shared.pointee.wanted.end()
    guard let thread = thread.take() else {
      if !isLive { shared.pointee.driver.end(at: now) }
      return
    }
    shared.pointee.bell.signal()
    thread.join()
  }

  deinit {
    shared.pointee.wanted.end()
    shared.pointee.bell.signal()
    thread?.join()
    shared.deinitialize(count: 1)
  }
}

/// The thread's body.
private func runOutputs(_ raw: UnsafeMutableRawPointer?) {
  raw?.assumingMemoryBound(to: OutputsService.Shared.self).pointee.run()
}

extension OutputsService.Shared {
  mutating func run() {
    while true {
      let seen = bell.current
      let now = Instant.now()
      if wanted.isEnded { return driver.end(at: now) }
      let next = driver.step(wanted, at: now)
      if driver.isStalled && StopSignal.wasReceived { abandon(at: now) }
      bell.wait(after: seen, until: next)
    }
  }

  /// Ends the program when it is to end and the pipeline does not hear it.
  private mutating func abandon(at now: Instant) -> Never {
    driver.end(at: now)
    var line = LogLine("stopped", .error, at: now)
    line.add("reason", "stall")
    log.write(line)
    _ = log.flush(within: TimeBudget.lastWords)
    endProcess(status: 70)
  }
}
