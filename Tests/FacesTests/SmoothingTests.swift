import Imaging
import Platform
import Testing

@testable import Faces

@Suite struct SmoothingTests {
  static let frame = Duration.milliseconds(33)

  static func time(_ frame: Int) -> Instant { .zero + Self.frame * frame }

  static func square(x: Float, width: Float) -> Rect {
    Rect(x: x, y: 50, width: width, height: width)
  }

  /// "Following is sluggish" is what others complain of: less than a frame behind.
  @Test(arguments: [Float(30), 60, 120, 240])
  func aTurningHeadIsLessThanAFrameLate(degreesPerSecond: Float) {
    var smoothing = Smoothing()
    for index in 0..<10 {
      _ = smoothing.smooth(Pose(pitch: 0, yaw: 0, roll: 0), at: Self.time(index))
    }
    var measured: Float = 0
    var late: Float = 0
    for index in 10..<40 where measured < 60 {
      measured += degreesPerSecond * 0.033
      let pose = smoothing.smooth(Pose(pitch: 0, yaw: measured, roll: 0), at: Self.time(index))
      late = measured - pose.yaw
    }
    #expect(late < degreesPerSecond * 0.033)
  }

  @Test(arguments: [Float(40), 400])
  func aMovingBoxIsLessThanAFrameLateAtAnySize(width: Float) {
    var smoothing = Smoothing()
    var late: Float = 0
    for index in 0..<40 {
      // Half a width a second: a person who steps aside.
      let x = width * 0.5 * 0.033 * Float(index)
      let box = smoothing.smooth(Self.square(x: x, width: width), at: Self.time(index))
      late = x - box.x
    }
    #expect(late < width * 0.5 * 0.033)
  }

  @Test func restIsSteadier() {
    var smoothing = Smoothing()
    var random = RandomSource(seed: 21)
    var (rawSquares, smoothSquares) = (Float(0), Float(0))
    for index in 0..<600 {
      let noise = Float.random(in: -1...1, using: &random)
      let pose = smoothing.smooth(Pose(pitch: 3, yaw: 5 + noise, roll: 1), at: Self.time(index))
      guard index > 30 else { continue }
      rawSquares += noise * noise
      smoothSquares += (pose.yaw - 5) * (pose.yaw - 5)
    }
    #expect(smoothSquares < rawSquares / 3)
  }

  @Test func aGapOrATimeThatDoesNotGoOnStartsAnew() {
    var smoothing = Smoothing()
    _ = smoothing.smooth(Self.square(x: 0, width: 50), at: Self.time(0))
    #expect(smoothing.smooth(Self.square(x: 90, width: 50), at: Self.time(30)).x == 90)
    #expect(smoothing.smooth(Self.square(x: 20, width: 50), at: Self.time(30)).x == 20)
    #expect(smoothing.smooth(Self.square(x: 70, width: 50), at: Self.time(10)).x == 70)
  }

  @Test func rollGoesThroughHalfATurn() {
    var smoothing = Smoothing()
    for index in 0..<60 {
      let roll = 150 + Float(index)
      let pose = smoothing.smooth(
        Pose(pitch: 0, yaw: 0, roll: roll > 180 ? roll - 360 : roll), at: Self.time(index))
      let off = pose.roll - roll
      #expect(abs(off - 360 * (off / 360).rounded()) < 5)
      #expect(abs(pose.roll) <= 180)
    }
  }
}
