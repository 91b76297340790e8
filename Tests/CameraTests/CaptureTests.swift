import FrameRing
import Platform
import Testing

@testable import Camera

/// A camera that does what a script says, without a driver.
final class Script {
  enum Step {
    case frame(bytes: Int = 32, broken: Bool = false, timestamp: Int64 = 7)
    case nothing
    case fail(Int32)
    case stop
  }

  var steps: [Step]
  var queued: [UInt32] = []
  var served: UInt32 = 0
  let status: UnsafePointer<CameraStatus>

  init(_ steps: [Step], _ status: UnsafePointer<CameraStatus>) {
    self.steps = steps
    self.status = status
  }
}

struct ScriptedCamera: ~Copyable, CaptureDevice {
  // 8x2 YUYV; rows of 16 bytes.
  let format = FrameFormat(pixelFormat: .yuyv, width: 8, height: 2)
  let script: Script
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)

  deinit { memory.deallocate() }

  init(_ script: Script) { self.script = script }

  borrowing func waitForFrame(timeout: Duration) throws(Errno) -> Bool {
    switch script.steps.first {
    case .nothing:
      script.steps.removeFirst()
      return false
    case .stop, nil:
      script.status.pointee.requestStop()
      return false
    default: return true
    }
  }

  borrowing func dequeue() throws(Errno) -> CapturedFrame {
    let step = script.steps.removeFirst()
    if case .fail(let code) = step { throw Errno(code: code) }
    guard case .frame(let bytes, let broken, let timestamp) = step else { throw Errno(code: 11) }
    script.served += 1
    for place in 0..<64 { memory[place] = UInt8(script.served) }
    return CapturedFrame(
      index: script.served % 4, bytes: UnsafeRawBufferPointer(rebasing: memory[..<bytes]),
      sequence: script.served, timestamp: Instant(nanoseconds: timestamp), isBroken: broken)
  }

  borrowing func queue(_ index: UInt32) throws(Errno) { script.queued.append(index) }
}

struct CaptureTests {
  struct Outcome {
    var error: CameraError?
    var frames: [(sequence: UInt32, bytes: Int, first: UInt8, time: Int64)] = []
    var broken: UInt64 = 0
    var state = CameraStatus.State.starting
    var queued: [UInt32] = []
    var pause = CapturePause()
  }

  /// Runs a script to its end and takes what is in the ring then.
  func run(_ steps: [Script.Step], slotBytes: Int = 64) throws -> Outcome {
    let memory = try MemoryMap(byteCount: FrameRing.byteCount(slots: 16, slotBytes: slotBytes))
    let ring = try FrameRing(
      memory: memory.bytes, slots: 16, slotBytes: slotBytes, mode: .lockstep)
    let status = CameraStatus()
    var outcome = Outcome()
    outcome.pause.skip()
    withUnsafePointer(to: status) { status in
      let script = Script(steps, status)
      let camera = ScriptedCamera(script)
      do throws(CameraError) {
        try capture(
          from: camera, path: FixedString("camera"), into: ring, status: status.pointee,
          pause: &outcome.pause)
      } catch { outcome.error = error }
      outcome.queued = script.queued
      outcome.broken = status.pointee.broken
      outcome.state = status.pointee.state
    }
    while let lease = ring.take() {
      outcome.frames.append(
        (
          lease.info.sequence, lease.info.bytesUsed, lease.bytes.unsafeLoad(as: UInt8.self),
          lease.info.timestamp.nanoseconds
        ))
    }
    return outcome
  }

  @Test func framesGoThrough() throws {
    let outcome = try run([.frame(), .nothing, .frame(), .frame(), .stop])
    #expect(outcome.error == nil && outcome.state == .running)
    #expect(outcome.frames.map(\.sequence) == [1, 2, 3])
    #expect(outcome.frames.map(\.first) == [1, 2, 3])
    #expect(outcome.frames.allSatisfy { $0.bytes == 32 && $0.time == 7 })
    #expect(outcome.queued == [1, 2, 3])
    // Frames end a row of failures.
    #expect(outcome.pause.next == .milliseconds(500))
  }

  @Test func brokenAndShortFramesAreLeftOut() throws {
    let outcome = try run([
      .frame(), .frame(broken: true), .frame(bytes: 31), .frame(bytes: 0), .frame(bytes: 60), .stop,
    ])
    #expect(outcome.error == nil && outcome.broken == 3)
    #expect(outcome.frames.map(\.sequence) == [1, 5])
    // Bytes beyond the format are not the frame's.
    #expect(outcome.frames.map(\.bytes) == [32, 32])
    #expect(outcome.queued.count == 5)
  }

  @Test func onlyBrokenFramesAreAFault() throws {
    let outcome = try run(Array(repeating: .frame(broken: true), count: 100))
    let error = try #require(outcome.error)
    #expect(sentence(error).contains("broken") && outcome.broken == 31)
    // The pause goes on growing: nothing good came.
    #expect(outcome.pause.next == .seconds(1))
  }

  @Test func lostCameraIsAnError() throws {
    let outcome = try run([.frame(), .fail(19), .frame()])
    let error = try #require(outcome.error)
    #expect(error.errno == Errno(code: 19))
    #expect(sentence(error) == "camera: VIDIOC_DQBUF failed (ENODEV)")
    #expect(outcome.frames.count == 1)
  }

  @Test func emptyHandsAreNoError() throws {
    let outcome = try run([.fail(11), .frame(), .stop])
    #expect(outcome.error == nil && outcome.frames.count == 1)
  }

  @Test func framesWithoutATimeGetOne() throws {
    let before = Instant.now()
    let outcome = try run([.frame(timestamp: 0), .stop])
    #expect(try #require(outcome.frames.first).time >= before.nanoseconds)
  }

  @Test func pausesDoubleUpToEight() {
    var pause = CapturePause()
    var pauses: [Int64] = []
    for _ in 0..<7 {
      pauses.append(pause.next.wholeMilliseconds)
      pause.skip()
    }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 8000, 8000])
  }

  @Test(arguments: [("/dev/null-camera", 2), ("/dev/null", 25)])
  func noCameraIsSaidAndRetried(_ path: String, _ code: Int32) throws {
    var options = CameraOptions()
    options.device = FixedString(path)
    let memory = try MemoryMap(
      byteCount: FrameRing.byteCount(slots: 2, slotBytes: options.slotBytes))
    let ring = try FrameRing(memory: memory.bytes, slots: 2, slotBytes: options.slotBytes)
    let status = CameraStatus()
    try withUnsafePointer(to: ring) { ring in
      try withUnsafePointer(to: status) { status in
        let context = CameraContext(options, ring, status)
        try withExtendedLifetime(context) {
          let thread = try Thread(
            name: "camera", context: Unmanaged.passUnretained(context).toOpaque(),
            body: cameraBody)
          while status.pointee.state == .starting { sleep(for: .milliseconds(5)) }
          #expect(status.pointee.state == .noCamera)
          #expect(status.pointee.errno == Errno(code: code))
          #expect(status.pointee.reason == .open || status.pointee.reason == .notACamera)
          status.pointee.requestStop()
          _ = consume thread
          #expect(status.pointee.state == .stopped)
          #expect(ring.pointee.waitForFrame(timeout: .zero) == .ended)
        }
      }
    }
  }

  @Test func choosesByRank() {
    func rank(_ format: PixelFormat, _ emulated: Bool = false) -> Int? {
      V4L2Camera.rank(format, isEmulated: emulated, wanted: .auto)
    }
    let order: [PixelFormat] = [.yuyv, .nv12, .uyvy, .nv21, .i420, .grey, .rgb24, .bgr24]
    let ranks = order.map { rank($0) ?? -1 } + order.map { rank($0, true) ?? -1 }
    #expect(ranks == Array(0..<16))
    #expect(V4L2Camera.rank(.nv12, isEmulated: false, wanted: .yuyv) == nil)
    #expect(V4L2Camera.rank(.nv12, isEmulated: true, wanted: .nv12) == 8)
    for format in PixelFormat.allCases {
      #expect(V4L2Camera.pixelFormat(V4L2Camera.fourcc(format)) == format)
    }
    #expect(V4L2Camera.pixelFormat(0) == nil)
  }
}

extension CapturePause {
  /// As after a wait.
  mutating func skip() {
    let status = CameraStatus()
    status.requestStop()
    wait(status)
  }
}

final class CameraContext: @unchecked Sendable {
  let options: CameraOptions
  let ring: UnsafePointer<FrameRing>
  let status: UnsafePointer<CameraStatus>

  init(
    _ options: CameraOptions, _ ring: UnsafePointer<FrameRing>,
    _ status: UnsafePointer<CameraStatus>
  ) {
    self.options = options
    self.ring = ring
    self.status = status
  }
}

func cameraBody(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let camera = Unmanaged<CameraContext>.fromOpaque(context).takeUnretainedValue()
  runCamera(camera.options, into: camera.ring.pointee, status: camera.status.pointee)
}
