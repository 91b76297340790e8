import CCamera
import CFakeCamera
import FrameRing
import Platform
import Testing

@testable import Camera

@Suite struct CaptureTests {
  let bytes = 8 * 2 * 2

  @Test(arguments: CameraAccess.allCases)
  func framesGoThrough(_ access: CameraAccess) throws {
    let run = try FakeRun([.frame(), .nothing, .frame(), .frame()], access: access) {
      $0.pointee.takes_own_memory = 1
    }
    // Nobody reads while it runs: the newest frame is what a camera's consumer gets.
    #expect(run.frames.map(\.sequence) == [2] && run.frames[0].bytes == bytes)
    #expect(run.frames[0].first == 3)
    #expect(run.state == .stopped && run.missing == nil && run.broken == 0 && run.lost == 0)
    #expect(run.camera.started == 1 && run.camera.opened == run.camera.closed)
    #expect(run.camera.mapped == 0 && run.freeSlots == FakeRun.slots)
    let facts = try #require(run.found)
    #expect(facts.path.string == "/dev/video3" && facts.card.string == "Fake")
    #expect(facts.access == access && facts.isCopied == (access == .libv4l2))
    #expect(facts.format == FrameFormat(pixelFormat: .yuyv, width: 8, height: 2))
    #expect(facts.rate == 30_000)
  }

  @Test func aRingTooSmallOrADriverThatRefusesGetsACopy() throws {
    let refused = try FakeRun([.frame()], access: .direct)
    #expect(refused.found?.isCopied == true && refused.frames.count == 1)
    let small = try FakeRun([.frame()], access: .direct, slots: 3) {
      $0.pointee.takes_own_memory = 1
    }
    #expect(small.found?.isCopied == true && small.camera.used_own_memory == 0)
    // The driver wants to write more than a slot holds.
    let long = try FakeRun([.frame()], access: .direct, slotBytes: 32) {
      $0.pointee.takes_own_memory = 1
      $0.pointee.buffer_padding = 1
    }
    #expect(long.found?.isCopied == true && long.frames.count == 1)
  }

  @Test(arguments: CameraAccess.allCases)
  func brokenAndShortFramesAreLeftOut(_ access: CameraAccess) throws {
    let run = try FakeRun(
      [.frame(), .broken, .frame(bytes: Int32(bytes - 1)), .frame(bytes: 1), .frame(), .broken],
      access: access
    ) { $0.pointee.takes_own_memory = 1 }
    #expect(run.broken == 4 && run.lost == 0 && run.frames.map(\.sequence) == [4])
    #expect(run.freeSlots == FakeRun.slots)
  }

  @Test func onlyBrokenFramesAreAFault() throws {
    let run = try FakeRun(
      Array(repeating: .broken, count: 100) + [.frame()], stopsWhenMissing: true)
    #expect(run.missing?.reason == "broken" || run.found != nil)
    #expect(run.broken >= 31 && run.restarts >= 1)
  }

  @Test func gapsInTheNumbersAreCounted() throws {
    let run = try FakeRun([.frame(), .lost(3), .frame(), .frame(), .lost(2), .broken, .frame()])
    #expect(run.lost == 3 && run.broken == 1)
  }

  @Test(arguments: CameraAccess.allCases)
  func aSilentCameraIsStartedAgainThenOpenedAgain(_ access: CameraAccess) throws {
    let restarted = try FakeRun([.frame(), .silence, .frame()], access: access) {
      $0.pointee.takes_own_memory = 1
    }
    #expect(restarted.restarts == 1 && restarted.camera.started == 2 && restarted.missing == nil)
    // The second silence comes right after that start.
    let reopened = try FakeRun([.frame(), .silence, .silence, .frame()], access: access) {
      $0.pointee.takes_own_memory = 1
    }
    #expect(reopened.restarts == 1 && reopened.camera.started == 3)
    #expect(reopened.frames.count == 1 && reopened.camera.opened == reopened.camera.closed)
    #expect(reopened.freeSlots == FakeRun.slots)
  }

  @Test func aLostCameraIsWaitedForAndFound() throws {
    let run = try FakeRun([.frame(), .gone, .frame()]) { $0.pointee.absent = 0 }
    // Each time once to look who is there, and once to work with.
    #expect(run.camera.opened == 4 && run.restarts == 0)
    #expect(run.frames.count == 1 && run.found != nil)
  }

  @Test func aCameraThatComesLateIsFound() throws {
    let run = try FakeRun([.frame()]) { $0.pointee.absent = 5 }
    #expect(run.frames.count == 1 && run.found != nil && run.state == .stopped)
  }

  @Test func pausesDoubleUpToEight() {
    var pause = CapturePause(CapturePatience())
    var pauses: [Int64] = []
    for _ in 0..<7 {
      pauses.append(pause.next.wholeMilliseconds)
      pause.skip()
    }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 8000, 8000])
    pause.reset()
    #expect(pause.next == .milliseconds(500))
  }

  @Test func aSlowCameraIsNotSilent() {
    let patience = CapturePatience()
    #expect(patience.silence(at: nil) == .seconds(3))
    #expect(patience.silence(at: 120_000) == .seconds(3))
    #expect(patience.silence(at: 500) == .seconds(6))
  }

  /// Every call, one after the other, fails once with every code: whatever happens, the camera is
  /// found again, nothing stays open, mapped or lent, and frames come.
  @Test(arguments: [SystemCall.open, .ioctl, .map, .poll], [4, 5, 11, 16, 19, 22, 28])
  func everyCallMayFail(_ call: SystemCall, _ code: Int32) throws {
    for access in CameraAccess.allCases {
      for nth in 1...60 {
        defer { FaultPlan.clear() }
        let run = try FakeRun(Array(repeating: .frame(), count: 12), access: access) {
          $0.pointee.takes_own_memory = 1
          FaultPlan.fail(call, nth: nth, code: code)
        }
        #expect(run.state == .stopped && !run.frames.isEmpty, "\(access) \(nth)")
        #expect(run.camera.opened == run.camera.closed, "\(access) \(nth)")
        #expect(run.camera.mapped == 0 && run.freeSlots == FakeRun.slots, "\(access) \(nth)")
      }
    }
  }

  /// A camera whose calls all fail from some point on is missing, and said to be.
  @Test(arguments: [SystemCall.open, .ioctl], [5, 16, 19, 22, 28])
  func aCameraThatNeverWorksIsMissing(_ call: SystemCall, _ code: Int32) throws {
    for nth in 1...12 {
      defer { FaultPlan.clear() }
      let run = try FakeRun(Array(repeating: .frame(), count: 2), stopsWhenMissing: true) { _ in
        FaultPlan.fail(call, nth: nth, times: 100_000, code: code)
      }
      #expect(run.camera.opened == run.camera.closed && run.camera.mapped == 0)
      #expect(run.freeSlots == FakeRun.slots)
    }
  }
}

extension CapturePause {
  /// As after a wait.
  mutating func skip() {
    guard let status = try? CameraStatus() else { return }
    status.requestStop()
    wait(status)
  }
}

func == (a: StaticString?, b: String) -> Bool { a.map { "\($0)" } == b }
