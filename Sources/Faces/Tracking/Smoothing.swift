import Imaging
import Platform

/// One-Euro filters over a face's box and pose. Boxes move in shares of their own width, so that a
/// near and a far face are smoothed alike.
struct Smoothing {
  /// After a longer gap the next measurement is taken as it is.
  static let longestGap: Float = 0.5

  /// Hertz, and hertz for each width a second.
  static let place = OneEuroFilter.Tuning(atRest: 2, perSpeed: 6)
  static let size = OneEuroFilter.Tuning(atRest: 1, perSpeed: 4)
  /// Hertz, and hertz for each degree a second.
  static let angle = OneEuroFilter.Tuning(atRest: 2, perSpeed: 0.1)

  private var box: BoxFilters?
  private var boxTime = Instant.zero
  private var pose: PoseFilters?
  private var poseTime = Instant.zero

  init() {}

  mutating func smooth(_ measured: Rect, at time: Instant) -> Rect {
    let step = (time - boxTime).inSeconds
    boxTime = time
    guard var filters = box, step > 0, step <= Self.longestGap else {
      box = BoxFilters(measured)
      return measured
    }
    filters.update(measured, after: step)
    box = filters
    return filters.box
  }

  mutating func smooth(_ measured: Pose, at time: Instant) -> Pose {
    let step = (time - poseTime).inSeconds
    poseTime = time
    guard var filters = pose, step > 0, step <= Self.longestGap else {
      pose = PoseFilters(measured)
      return measured
    }
    filters.update(measured, after: step)
    pose = filters
    return filters.pose
  }
}

private struct BoxFilters {
  var x, y, width, height: OneEuroFilter

  init(_ box: Rect) {
    x = OneEuroFilter(box.center.x)
    y = OneEuroFilter(box.center.y)
    width = OneEuroFilter(box.width)
    height = OneEuroFilter(box.height)
  }

  mutating func update(_ box: Rect, after step: Float) {
    let unit = max(1, width.value)
    x.update(box.center.x, after: step, Smoothing.place.scaled(by: unit))
    y.update(box.center.y, after: step, Smoothing.place.scaled(by: unit))
    width.update(box.width, after: step, Smoothing.size.scaled(by: unit))
    height.update(box.height, after: step, Smoothing.size.scaled(by: unit))
  }

  var box: Rect {
    Rect(
      x: x.value - width.value / 2, y: y.value - height.value / 2, width: width.value,
      height: height.value)
  }
}

private struct PoseFilters {
  var pitch, yaw, roll: OneEuroFilter

  init(_ pose: Pose) {
    pitch = OneEuroFilter(pose.pitch)
    yaw = OneEuroFilter(pose.yaw)
    roll = OneEuroFilter(pose.roll)
  }

  mutating func update(_ pose: Pose, after step: Float) {
    pitch.update(pose.pitch, after: step, Smoothing.angle)
    yaw.update(Self.nearest(pose.yaw, to: yaw.value), after: step, Smoothing.angle)
    roll.update(Self.nearest(pose.roll, to: roll.value), after: step, Smoothing.angle)
  }

  var pose: Pose {
    Pose(
      pitch: pitch.value, yaw: Self.nearest(yaw.value, to: 0),
      roll: Self.nearest(roll.value, to: 0))
  }

  /// The same angle, within half a turn of another.
  static func nearest(_ angle: Float, to other: Float) -> Float {
    angle - 360 * ((angle - other) / 360).rounded()
  }
}
