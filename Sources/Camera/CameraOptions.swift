import CCamera
import FrameRing
import Imaging
import Platform

/// Which camera, and what is asked of it. The driver may give the nearest it can.
public struct CameraOptions: Equatable, Sendable {
  /// The pixel format to ask for.
  public enum Format: UInt8, Sendable {
    /// What costs least at the size and rate asked for: what needs no conversion, before MJPEG,
    /// before all else that libv4l2 converts.
    case auto
    case yuyv, nv12, grey
  }

  /// The device file (`/dev/video0`, or a link such as those in `/dev/v4l/by-id`), or the camera's
  /// name as `v4l2-ctl --list-devices` shows it.
  public var device = FixedString<128>("/dev/video0")
  /// 32…4096 and 32…4096 pixels.
  public var width = 640
  public var height = 480
  /// Frames per second, 1…120.
  public var fps = 30
  public var format = Format.auto
  public var access = CameraAccess.libv4l2
  /// What else is asked of the camera.
  public var controls = CameraControls()
  /// How the camera hangs and whether it shows a looking glass.
  public var orientation = Orientation()

  public init() {}

  /// Bytes of a ring slot that holds any frame of this size: two bytes a pixel, rows padded to 64.
  public var slotBytes: Int { Self.slotBytes(width: width, height: height) }

  public static func slotBytes(width: Int, height: Int) -> Int {
    (width * 2 + 63) / 64 * 64 * height
  }
}

/// The way to the driver.
public enum CameraAccess: UInt8, Sendable {
  /// Through libv4l2, which converts MJPEG and more. The driver's memory is mapped, and each frame
  /// is copied once, into the ring.
  case libv4l2
  /// The system calls. What the camera itself gives must be a format that is understood here. Where
  /// the driver can, it writes into the ring, and nothing is copied.
  case direct

  /// The name in settings and log.
  public var name: StaticString {
    switch self {
    case .libv4l2: "libv4l2"
    case .direct: "direct"
    }
  }

  /// The way that is really taken: libcamera's layer for old programs, where somebody loaded it
  /// before this one (`libcamerify`), sees direct calls only.
  public var inEffect: CameraAccess { camera_has_compat_layer() == 1 ? .direct : self }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension CameraOptions.Format: CaseIterable {}
  extension CameraAccess: CaseIterable {}
#endif
