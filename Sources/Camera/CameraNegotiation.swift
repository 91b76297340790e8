import CCamera
import FrameRing
import Platform

/// What camera and program agreed on.
struct AgreedFormat {
  var format: FrameFormat
  /// Bytes of a driver's buffer, which may be more than the format needs.
  var bufferBytes: Int
  /// In frames per 1000 s, as the driver says it; nil where it says nothing.
  var rate: Int64?
  var controls: ControlsOutcome
}

/// Controls that are not as they were asked for, a bit each by the control's raw value.
struct ControlsOutcome: Equatable, Sendable {
  /// The camera has no such control, or does not take the value.
  var refused: UInt32 = 0
  /// The camera took another value.
  var changed: UInt32 = 0
}

/// One of the formats that a camera lists.
private struct Offer {
  var format: PixelFormat
  var isConverted: Bool
}

extension CameraHandle {
  /// Agrees with the driver on a format that is understood here and fits, on rate and controls.
  borrowing func negotiate(
    _ options: CameraOptions, with found: FoundCamera, largestFrame: Int
  ) throws(CameraError) -> AgreedFormat {
    let wanted = try bestOffer(options, found)
    var answer = camera_format(
      fourcc: fourcc(wanted), width: UInt32(truncatingIfNeeded: options.width),
      height: UInt32(truncatingIfNeeded: options.height), bytes_per_line: 0, bytes: 0,
      full_range: 0)
    do { _ = try call { camera_set_format($0, $1, &answer) } } catch {
      throw CameraError(.call("VIDIOC_S_FMT"), path: found.path, errno: error)
    }
    guard let format = frameFormat(answer) else {
      throw CameraError(.noFormat(nil), path: found.path)
    }
    guard isSensible(format), format.byteCount <= largestFrame else {
      throw CameraError(
        .size(width: Int(answer.width), height: Int(answer.height)), path: found.path)
    }
    return AgreedFormat(
      format: format, bufferBytes: max(Int(answer.bytes), format.byteCount),
      rate: setRate(options.fps), controls: setControls(options.controls))
  }

  /// A camera without a settable rate still gives frames.
  private borrowing func setRate(_ fps: Int) -> Int64? {
    var rate: Int64 = 0
    _ = try? call {
      rate = camera_set_rate($0, $1, UInt32(truncatingIfNeeded: fps))
      return rate < 0 ? -1 : 0
    }
    return rate > 0 ? rate : nil
  }

  private borrowing func setControls(_ controls: CameraControls) -> ControlsOutcome {
    var outcome = ControlsOutcome()
    for index in 0..<UInt32(CameraControl.count) {
      guard let wanted = controls.values[Int(index)] else { continue }
      var value = wanted
      do {
        _ = try call { camera_set_control($0, $1, index, &value) }
        if value != wanted { outcome.changed |= 1 << index }
      } catch {
        outcome.refused |= 1 << index
      }
    }
    return outcome
  }

  /// The offer that costs least.
  private borrowing func bestOffer(
    _ options: CameraOptions, _ found: FoundCamera
  ) throws(CameraError) -> PixelFormat {
    var best: (offer: Offer, cost: Int)?
    var isRaw = false
    var hasJPEG = false
    // No camera lists as many.
    for index in UInt32(0)..<64 {
      var code: UInt32 = 0
      var converted: Int32 = 0
      do {
        _ = try call { camera_offered($0, $1, index, &code, &converted) }
      } catch {
        if error.code == 22 { break }
        throw CameraError(.call("VIDIOC_ENUM_FMT"), path: found.path, errno: error)
      }
      if converted == 0 {
        isRaw = isRaw || camera_is_raw(code) == 1
        hasJPEG = hasJPEG || camera_is_jpeg(code) == 1
      }
      guard let format = pixelFormat(code) else { continue }
      let offer = Offer(format: format, isConverted: converted != 0)
      guard let cost = cost(of: offer, options, hasJPEG: hasJPEG) else { continue }
      if let known = best, known.cost <= cost { continue }
      best = (offer, cost)
    }
    // libv4l2 would make pictures of some raw formats, dark and green ones: these drivers leave to
    // libcamera what makes them good.
    let isBareSensor = found.driver.equals("unicam") || found.driver.hasPrefix("rp1-cfe")
    if isRaw && (best == nil || isBareSensor && best?.offer.isConverted == true) {
      throw CameraError(.rawSensor, path: found.path)
    }
    guard let best else {
      let needsConversion: StaticString? = hasJPEG ? "MJPEG only" : nil
      throw CameraError(.noFormat(needsConversion), path: found.path)
    }
    return best.offer.format
  }

  /// Lower is better; nil: not wanted. A size that the camera does not have weighs most, then a
  /// rate, then what it costs to make the format and to read it.
  private borrowing func cost(
    of offer: Offer, _ options: CameraOptions, hasJPEG: Bool
  ) -> Int? {
    guard
      let rank = rank(
        offer.format, isConverted: offer.isConverted, fromJPEG: hasJPEG, wanted: options.format)
    else { return nil }
    let code = fourcc(offer.format)
    let (width, height) = (
      UInt32(truncatingIfNeeded: options.width), UInt32(truncatingIfNeeded: options.height)
    )
    var hasSize: Int32 = -1
    var fastest: Int64 = -1
    // What a driver does not tell is taken for granted: its answer to S_FMT is what counts.
    _ = try? call {
      hasSize = camera_has_size($0, $1, code, width, height)
      fastest = camera_fastest($0, $1, code, width, height)
      return 0
    }
    // 29.97 is 30.
    let isSlow = fastest >= 0 && fastest * 20 < Int64(options.fps) * 1000 * 19
    return (hasSize == 0 ? 200 : 0) + (isSlow ? 100 : 0) + rank
  }
}

/// The cost of a format in no particular unit; nil: not wanted.
func rank(
  _ offered: PixelFormat, isConverted: Bool, fromJPEG: Bool, wanted: CameraOptions.Format
) -> Int? {
  let rank: Int
  switch (wanted, offered) {
  case (.yuyv, .yuyv), (.nv12, .nv12), (.grey, .grey): rank = 0
  case (.auto, .yuyv): rank = 0
  case (.auto, .nv12): rank = 1
  case (.auto, .uyvy): rank = 2
  case (.auto, .nv21): rank = 3
  case (.auto, .i420): rank = 4
  case (.auto, .grey): rank = 5
  case (.auto, .rgb24): rank = 6
  case (.auto, .bgr24): rank = 7
  default: return nil
  }
  return isConverted ? rank + (fromJPEG ? 8 : 16) : rank
}

private func isSensible(_ format: FrameFormat) -> Bool {
  let row = FrameFormat.packedRow(format.pixelFormat, width: format.width)
  return 1...4096 ~= format.width && 1...4096 ~= format.height
    && row...(1 << 16) ~= format.bytesPerLine
}

/// What the driver answered; nil for a pixel format that is not known here.
private func frameFormat(_ answer: camera_format) -> FrameFormat? {
  guard let pixelFormat = pixelFormat(answer.fourcc) else { return nil }
  return FrameFormat(
    pixelFormat: pixelFormat, width: Int(answer.width), height: Int(answer.height),
    bytesPerLine: answer.bytes_per_line == 0 ? nil : Int(answer.bytes_per_line),
    colorRange: answer.full_range == 0 ? .limited : .full)
}

func pixelFormat(_ fourcc: UInt32) -> PixelFormat? {
  switch fourcc {
  case camera_yuyv: .yuyv
  case camera_uyvy: .uyvy
  case camera_nv12: .nv12
  case camera_nv21: .nv21
  case camera_yuv420: .i420
  case camera_grey: .grey
  case camera_rgb24: .rgb24
  case camera_bgr24: .bgr24
  default: nil
  }
}

func fourcc(_ format: PixelFormat) -> UInt32 {
  switch format {
  case .yuyv: camera_yuyv
  case .uyvy: camera_uyvy
  case .nv12: camera_nv12
  case .nv21: camera_nv21
  case .i420: camera_yuv420
  case .grey: camera_grey
  case .rgb24: camera_rgb24
  case .bgr24: camera_bgr24
  }
}

extension FixedString {
  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasPrefix(text) }
}
