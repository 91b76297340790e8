import Platform

/// A knob of a camera, by the name that V4L2 gives it. In the order in which they are set: what is
/// automatic comes before what it would override.
public enum CameraControl: UInt8, Sendable {
  case autoExposure, exposureDynamicFramerate, exposureTimeAbsolute, exposure
  case gainAutomatic, gain
  case whiteBalanceAutomatic, whiteBalanceTemperature
  case powerLineFrequency
  case horizontalFlip, verticalFlip
  case brightness, contrast, saturation, sharpness
  case backlightCompensation
  case focusAutomaticContinuous, focusAbsolute

  public static let count = 18

  /// The name in settings and log, as `v4l2-ctl --list-ctrls` shows it.
  public var name: StaticString {
    switch self {
    case .autoExposure: "auto_exposure"
    case .exposureDynamicFramerate: "exposure_dynamic_framerate"
    case .exposureTimeAbsolute: "exposure_time_absolute"
    case .exposure: "exposure"
    case .gainAutomatic: "gain_automatic"
    case .gain: "gain"
    case .whiteBalanceAutomatic: "white_balance_automatic"
    case .whiteBalanceTemperature: "white_balance_temperature"
    case .powerLineFrequency: "power_line_frequency"
    case .horizontalFlip: "horizontal_flip"
    case .verticalFlip: "vertical_flip"
    case .brightness: "brightness"
    case .contrast: "contrast"
    case .saturation: "saturation"
    case .sharpness: "sharpness"
    case .backlightCompensation: "backlight_compensation"
    case .focusAutomaticContinuous: "focus_automatic_continuous"
    case .focusAbsolute: "focus_absolute"
    }
  }
}

/// The values that are asked for; nil leaves the camera's own.
public struct CameraControls: Equatable, Sendable {
  var values = InlineArray<18, Int32?>(repeating: nil)

  public init() {}

  public subscript(control: CameraControl) -> Int32? {
    get { values[Int(control.rawValue)] }
    set { values[Int(control.rawValue)] = newValue }
  }

  public static func == (a: CameraControls, b: CameraControls) -> Bool {
    for index in 0..<CameraControl.count where a.values[index] != b.values[index] { return false }
    return true
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension CameraControl: CaseIterable {}
#endif
