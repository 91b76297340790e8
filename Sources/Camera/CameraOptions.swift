import FrameRing
import Imaging
import Platform

/// Which camera, and what is asked of it. The driver may give the nearest it can.
public struct CameraOptions: Equatable, Sendable {
  /// The pixel format to ask for.
  public enum Format: UInt8, Sendable {
    /// The first of YUYV, NV12, GREY that the camera has; else whatever libv4l2 converts to YUYV.
    case auto
    case yuyv, nv12, grey
  }

  /// The device file.
  public var device = FixedString<64>("/dev/video0")
  /// 32…4096 and 32…4096 pixels.
  public var width = 640
  public var height = 480
  /// Frames per second, 1…120.
  public var fps = 30
  public var format = Format.auto
  /// How the camera hangs and whether it shows a looking glass.
  public var orientation = Orientation()

  public init() {}

  /// Bytes of a ring slot that holds any frame of this size: two bytes a pixel, rows padded to 64.
  public var slotBytes: Int { Self.slotBytes(width: width, height: height) }

  public static func slotBytes(width: Int, height: Int) -> Int {
    (width * 2 + 63) / 64 * 64 * height
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension CameraOptions.Format: CaseIterable {}
#endif
