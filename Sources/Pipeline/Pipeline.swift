import Board
import Camera
import Faces
import FrameRing
import Imaging
import Inference
import Kernels
import Liveness
import Platform
import SerialLog
import Settings

/// What a run is, besides its settings.
public struct PipelineRun: Sendable {
  /// Whose time counts.
  public enum Clock: UInt8, Sendable {
    /// The machine's: frames come when they come.
    case live
    /// The frames' own: a clip gives the same events every time.
    case clip
  }

  public var clock: Clock
  /// Upper bound of the frames to come.
  public var format: FrameFormat
  /// Draws the same challenges every time; nil takes the kernel's entropy.
  public var seed: UInt64?
  /// Lines are only logged.
  public var isSimulated: Bool

  public init(clock: Clock, format: FrameFormat, seed: UInt64? = nil, isSimulated: Bool) {
    self.clock = clock
    self.format = format
    self.seed = seed
    self.isSimulated = isSimulated
  }
}

/// Wires the stages: frames out of the ring, faces, decisions, outputs and log. Everything is taken
/// in `init`; nothing is allocated afterwards.
public struct Pipeline<Observer: PipelineObserver>: ~Copyable {
  public let plan: MemoryPlan
  public let kernels: KernelSet
  /// Shared with the producer's thread; lives as long as the pipeline.
  public let ring: UnsafeMutablePointer<FrameRing>
  public var observer: Observer

  let clock: PipelineRun.Clock
  let orientation: Orientation
  let greetings: GreetingTexts
  let log: Log
  var finder: FaceFinder
  var machine: LivenessMachine
  var door: Door
  var times = StageTimes()
  var rate = MeasuredRate()
  var frames: UInt64 = 0
  var lastFrame: FrameInfo?
  var hasFace = false
  var brokenFrames: UInt64 = 0
  /// Frames that the camera counted and nobody got.
  var lostFrames: UInt64 = 0
  /// What was said last of a missing camera; empty once it is there.
  var saidOfCamera = FixedString<256>()
  var heartbeat: Heartbeat
  var lockout: LockoutFile
  // Last, so that it is given back after all that lies in it.
  private let memory: MemoryMap

  /// Loads models, computes and maps the memory plan, takes the lines.
  public init(
    _ settings: borrowing Settings, run: PipelineRun, log: Log, observer: Observer
  ) throws(PipelineError) {
    let kernels = KernelSet.detect()
    let files = try ModelFiles(settings)
    var plan = MemoryPlan()
    plan.networks = try files.byteCount(kernels)
    plan.ring = FrameRing.byteCount(
      slots: settings.pipeline.slots, slotBytes: run.format.byteCount)
    plan.faces = FaceFinder.byteCount(
      settings.faces, frameWidth: run.format.width, frameHeight: run.format.height)
    let allowed = settings.pipeline.memory
    guard plan.total <= allowed else { throw .budget(needed: plan.total, allowed: allowed) }

    let memory = try Self.map(plan.total)
    var arena = Arena(memory.bytes)
    let ring = try Self.makeRing(settings, run, plan, &arena)
    let finder = try files.finder(
      settings, format: run.format, arena: &arena, kernels: kernels)
    var lockout = LockoutFile(
      run.clock == .live ? settings.lockoutFile : FixedString(), log: log)
    let machine = try Self.makeMachine(settings, seed: run.seed, lockout.load())
    let outputs = try Self.driveLines(settings, run, log)

    self.plan = plan
    self.kernels = kernels
    self.ring = ring
    self.observer = observer
    clock = run.clock
    orientation = settings.camera.orientation
    greetings = settings.greetings
    self.log = log
    self.finder = finder
    self.machine = machine
    door = Door(outputs: outputs)
    heartbeat = Heartbeat(every: run.clock == .live ? settings.pipeline.heartbeat : .zero)
    self.lockout = lockout
    self.memory = memory
  }

  private static func map(_ byteCount: Int) throws(PipelineError) -> MemoryMap {
    do throws(Errno) { return try MemoryMap(byteCount: byteCount) } catch {
      throw .system("memory", error)
    }
  }

  private static func makeRing(
    _ settings: borrowing Settings, _ run: PipelineRun, _ plan: MemoryPlan, _ arena: inout Arena
  ) throws(PipelineError) -> UnsafeMutablePointer<FrameRing> {
    // Its own words come first so that the slots stay page aligned.
    let slots = try take(plan.ring, alignment: 4096, &arena)
    let place = try take(MemoryLayout<FrameRing>.stride, alignment: 64, &arena)
    let ring = place.bindMemory(to: FrameRing.self)
    do throws(FrameRingError) {
      ring.initializeElement(
        at: 0,
        to: try FrameRing(
          memory: slots, slots: settings.pipeline.slots, slotBytes: run.format.byteCount,
          mode: run.clock == .clip ? .lockstep : .live))
    } catch {
      throw .ring(error)
    }
    return ring.baseAddress.unsafelyUnwrapped
  }

  private static func makeMachine(
    _ settings: borrowing Settings, seed: UInt64?, _ lockout: LockoutState
  ) throws(PipelineError) -> LivenessMachine {
    let random: RandomSource
    do throws(Errno) {
      random = if let seed { RandomSource(seed: seed) } else { try RandomSource() }
    } catch {
      throw .system("entropy", error)
    }
    do throws(LivenessError) {
      return try LivenessMachine(options: settings.liveness, random: random, lockout: lockout)
    } catch {
      throw .liveness(error)
    }
  }

  /// Takes the lines; live, somebody drives them from then on.
  private static func driveLines(
    _ settings: borrowing Settings, _ run: PipelineRun, _ log: Log
  ) throws(PipelineError) -> OutputsService {
    let outputs = try takeOutputs(settings, run)
    let inputs = try takeInputs(settings, run)
    do throws(Errno) {
      return try OutputsService(
        settings.board, outputs: outputs, inputs: inputs, log: log,
        stallsAfter: run.clock == .live ? TimeBudget.stall : nil)
    } catch {
      throw .system("outputs", error)
    }
  }

  private static func takeOutputs(
    _ settings: borrowing Settings, _ run: PipelineRun
  ) throws(PipelineError) -> Outputs {
    do throws(BoardError) { return try Outputs(settings.board, isSimulated: run.isSimulated) } catch
    {
      throw .board(error)
    }
  }

  /// None for a clip: nobody presses a button in it.
  private static func takeInputs(
    _ settings: borrowing Settings, _ run: PipelineRun
  ) throws(PipelineError) -> Inputs? {
    guard run.clock == .live else { return nil }
    do throws(BoardError) { return try Inputs(settings.board, isSimulated: run.isSimulated) } catch
    {
      throw .board(error)
    }
  }
}

/// From the arena, with the plan's sizes: a failure is a wrong plan, told as such.
private func take(
  _ byteCount: Int, alignment: Int, _ arena: inout Arena
) throws(PipelineError) -> UnsafeMutableRawBufferPointer {
  do throws(ArenaError) { return try arena.take(byteCount, alignment: alignment) } catch {
    throw .budget(needed: error.needed, allowed: error.capacity)
  }
}
