import CCamera
import CFakeCamera
import Platform
import Testing

@testable import Camera
@testable import FrameRing

/// V4L2's numbers that tests need.
enum V4L2 {
  static func fourcc(_ letters: String) -> UInt32 {
    letters.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
  static let capture: UInt32 = 0x1
  static let output: UInt32 = 0x2
  static let capturePlanes: UInt32 = 0x1000
  static let codec: UInt32 = 0x8000
  static let metadata: UInt32 = 0x80_0000
  static let streaming: UInt32 = 0x400_0000
}

/// A step of the fake camera's script.
enum Step {
  case frame(bytes: Int32 = 0), broken, lost(Int32), nothing, fail(Int32), silence, gone

  var c: fake_step {
    switch self {
    case .frame(let bytes): fake_step(kind: FAKE_FRAME, value: bytes)
    case .broken: fake_step(kind: FAKE_BROKEN, value: 0)
    case .lost(let count): fake_step(kind: FAKE_LOST, value: count)
    case .nothing: fake_step(kind: FAKE_NOTHING, value: 0)
    case .fail(let code): fake_step(kind: FAKE_ERROR, value: code)
    case .silence: fake_step(kind: FAKE_SILENCE, value: 0)
    case .gone: fake_step(kind: FAKE_GONE, value: 0)
    }
  }
}

/// What a run of the capture thread's work on the fake camera came to.
struct FakeRun {
  var frames: [(sequence: UInt32, bytes: Int, first: UInt8)] = []
  var broken: UInt64 = 0
  var lost: UInt64 = 0
  var restarts: UInt64 = 0
  /// The last news, and every fault that was told.
  var found: CameraFacts?
  var missing: CameraError?
  var state = CameraStatus.State.starting
  /// The fake camera as it was left.
  var camera = fake_camera()
  /// Slots that are free at the end: all, unless some were not given back.
  var freeSlots = 0

  static let slots = 16
  static let size = (width: 8, height: 2)

  /// Runs until the script ends.
  /// - Parameters:
  ///   - formats: YUYV of any size unless said otherwise.
  ///   - setUp: changes the camera, or plans faults, right before the run.
  ///   - stopsWhenMissing: ends at the first fault that is told, for cameras that never work.
  init(
    _ steps: [Step], access: CameraAccess = .libv4l2, options: CameraOptions = .small,
    slotBytes: Int = 4096, slots: Int = FakeRun.slots, stopsWhenMissing: Bool = false,
    setUp: (UnsafeMutablePointer<fake_camera>) -> Void = { _ in }
  ) throws {
    fake_camera_reset()
    let fake = fake_camera_here()!
    fake.pointee.setFormats([fake_format.yuyv])
    fake.pointee.setSteps(steps)
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: slots, slotBytes: slotBytes))
    let ring = try FrameRing(memory: memory.bytes, slots: slots, slotBytes: slotBytes)
    let status = try CameraStatus()
    setUp(fake)
    let calls = CameraCalls(look: fake_camera_calls(), work: fake_camera_calls(), access: access)
    try withUnsafePointer(to: ring) { ring in
      try withUnsafePointer(to: status) { status in
        let watcher = Watcher(ring, status)
        fake.pointee.context = Unmanaged.passUnretained(watcher).toOpaque()
        fake.pointee.at_end = { context in
          guard let context else { return }
          Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue().stop()
        }
        var watching: Thread?
        if stopsWhenMissing {
          watching = try Thread(
            name: "watcher", context: Unmanaged.passUnretained(watcher).toOpaque(), body: watch)
        }
        runCamera(options, calls, .short, into: ring.pointee, status: status.pointee)
        _ = consume watching
        watcher.take()
        frames = watcher.frames
        found = watcher.found
        missing = watcher.missing
        broken = status.pointee.broken
        lost = status.pointee.lost
        restarts = status.pointee.restarts
        state = status.pointee.state
        camera = fake.pointee
        freeSlots = Self.count(ring.pointee)
      }
    }
    fake_camera_reset()
  }

  private static func count(_ ring: borrowing FrameRing) -> Int {
    var count = 0
    for index in 0..<ring.slotCount where ring.control.word(index).isIn(.free) { count += 1 }
    return count
  }
}

/// Empties the ring and keeps the news.
private final class Watcher: @unchecked Sendable {
  let ring: UnsafePointer<FrameRing>
  let status: UnsafePointer<CameraStatus>
  var frames: [(sequence: UInt32, bytes: Int, first: UInt8)] = []
  var found: CameraFacts?
  var missing: CameraError?

  init(_ ring: UnsafePointer<FrameRing>, _ status: UnsafePointer<CameraStatus>) {
    self.ring = ring
    self.status = status
  }

  func stop() { status.pointee.requestStop() }

  func take() {
    switch status.pointee.takeNews() {
    case .found(let facts): found = facts
    case .missing(let error): missing = error
    case nil: break
    }
    while let lease = ring.pointee.take() {
      frames.append(
        (lease.info.sequence, lease.info.bytesUsed, lease.bytes.unsafeLoad(as: UInt8.self)))
    }
  }
}

private func watch(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let watcher = Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue()
  while watcher.missing == nil && watcher.status.pointee.state != .stopped {
    watcher.take()
    sleep(for: .milliseconds(1))
  }
  watcher.stop()
}

extension CapturePatience {
  /// For tests, which need not wait for a real camera.
  static var short: CapturePatience {
    CapturePatience(
      look: .milliseconds(1), silence: .milliseconds(5), shortestPause: .milliseconds(1),
      longestPause: .milliseconds(4))
  }
}

extension CameraOptions {
  /// As small as the fake camera's frames.
  static var small: CameraOptions {
    var options = CameraOptions()
    options.device = FixedString("/dev/video3")
    (options.width, options.height) = FakeRun.size
    return options
  }
}

extension fake_format {
  static var yuyv: fake_format { fake_format("YUYV") }

  init(
    _ letters: String, converted: Bool = false, size: (UInt32, UInt32) = (0, 0), fps: UInt32 = 0
  ) {
    self.init(
      fourcc: V4L2.fourcc(letters), converted: converted ? 1 : 0, width: size.0, height: size.1,
      fps: fps)
  }
}

extension fake_camera {
  mutating func setFormats(_ list: [fake_format]) {
    precondition(list.count <= Int(FAKE_FORMATS))
    format_count = UInt32(list.count)
    withUnsafeMutableBytes(of: &formats) { bytes in
      let formats = bytes.bindMemory(to: fake_format.self)
      for (index, format) in list.enumerated() { formats[index] = format }
    }
  }

  mutating func setSteps(_ list: [Step]) {
    precondition(list.count <= Int(FAKE_STEPS))
    step_count = UInt32(list.count)
    withUnsafeMutableBytes(of: &steps) { bytes in
      let steps = bytes.bindMemory(to: fake_step.self)
      for (index, step) in list.enumerated() { steps[index] = step.c }
    }
  }

  /// The controls that were set, as (V4L2's number, value).
  var setControls: [(id: Int32, value: Int32)] {
    withUnsafeBytes(of: controls) { bytes in
      let numbers = bytes.bindMemory(to: Int32.self)
      return (0..<Int(control_count)).map { (numbers[2 * $0], numbers[2 * $0 + 1]) }
    }
  }
}
