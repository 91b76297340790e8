import CCamera
import FrameRing
import Platform

extension V4L2Camera {
  /// Agrees with the driver on a format that is understood here and fits.
  static func configure(
    _ handle: borrowing CameraHandle, _ options: CameraOptions, largestFrame: Int
  ) throws(CameraError) -> FrameFormat {
    let path = options.path
    let captures: Int32
    do { captures = try handle.call(camera_captures) } catch {
      throw CameraError(.notACamera, path: path, errno: error)
    }
    guard captures == 1 else { throw CameraError(.notACamera, path: path) }
    guard let wanted = bestOffer(handle, options.format) else {
      throw CameraError(.noFormat, path: path)
    }
    var answer = camera_format(
      fourcc: fourcc(wanted), width: UInt32(truncatingIfNeeded: options.width),
      height: UInt32(truncatingIfNeeded: options.height), bytes_per_line: 0, full_range: 0)
    do { _ = try handle.call { camera_set_format($0, &answer) } } catch {
      throw CameraError(.call("VIDIOC_S_FMT"), path: path, errno: error)
    }
    guard let format = format(answer) else { throw CameraError(.noFormat, path: path) }
    guard isSensible(format), format.byteCount <= largestFrame else {
      throw CameraError(.size(width: Int(answer.width), height: Int(answer.height)), path: path)
    }
    return format
  }

  static func isSensible(_ format: FrameFormat) -> Bool {
    let row = FrameFormat.packedRow(format.pixelFormat, width: format.width)
    return 1...4096 ~= format.width && 1...4096 ~= format.height
      && row...(1 << 16) ~= format.bytesPerLine
  }

  /// What the driver answered; nil for a pixel format that is not known here.
  static func format(_ answer: camera_format) -> FrameFormat? {
    guard let pixelFormat = pixelFormat(answer.fourcc) else { return nil }
    return FrameFormat(
      pixelFormat: pixelFormat, width: Int(answer.width), height: Int(answer.height),
      bytesPerLine: answer.bytes_per_line == 0 ? nil : Int(answer.bytes_per_line),
      colorRange: answer.full_range == 0 ? .limited : .full)
  }

  /// The first choice among the formats that the camera has; those that libv4l2 would have to
  /// convert to (from MJPEG and the like) come after all others. nil when there is none.
  static func bestOffer(
    _ handle: borrowing CameraHandle, _ format: CameraOptions.Format
  ) -> PixelFormat? {
    var best: (format: PixelFormat, rank: Int)?
    // No camera lists as many.
    for index in UInt32(0)..<64 {
      var code: UInt32 = 0
      var emulated: Int32 = 0
      guard (try? handle.call { camera_offered($0, index, &code, &emulated) }) != nil else { break }
      guard let offered = pixelFormat(code) else { continue }
      guard let rank = rank(offered, isEmulated: emulated != 0, wanted: format) else { continue }
      if let known = best, known.rank <= rank { continue }
      best = (offered, rank)
    }
    return best?.format
  }

  /// Lower is better; nil: not wanted.
  static func rank(
    _ offered: PixelFormat, isEmulated: Bool, wanted: CameraOptions.Format
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
    return isEmulated ? rank + 8 : rank
  }

  static func pixelFormat(_ fourcc: UInt32) -> PixelFormat? {
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

  static func fourcc(_ format: PixelFormat) -> UInt32 {
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
}
