import Board
import Camera
import FrameRing
import Imaging
import Kernels
import Liveness
import Platform
import SerialLog
import Settings

extension Pipeline {
  /// The boot banner.
  /// - Parameter source: the camera or clip, as a person knows it.
  public func logBanner(
    _ settings: borrowing Settings, source: FixedString<128>, format: FrameFormat
  ) {
    let time = clock == .clip ? Instant.zero : Instant.now()
    var boot = LogLine("boot", .notice, at: time)
    boot.add("version", programVersion)
    boot.add("settings", hex: settings.fingerprint, digits: 16)
    boot.add("chip", settings.board.chip)
    boot.add("rules", settings.liveness.rules.name)
    log.write(boot)

    var camera = LogLine("camera", .notice, at: time)
    camera.add("source", source)
    if clock == .clip {
      camera.add("format", format.pixelFormat.name)
      camera.add("size", [format.width, format.height] as InlineArray<2, Int>)
    } else {
      camera.add("access", settings.camera.access.inEffect.name)
    }
    camera.add("rotate", Int(settings.camera.orientation.rotation.rawValue) * 90)
    camera.add("mirror", settings.camera.orientation.mirror)
    log.write(camera)

    var memory = LogLine("memory", .notice, at: time)
    memory.add("total_kib", plan.total >> 10)
    memory.add("ring_kib", plan.ring >> 10)
    memory.add("networks_kib", plan.networks >> 10)
    memory.add("faces_kib", plan.faces >> 10)
    memory.add("slots", settings.pipeline.slots)
    log.write(memory)
  }

  /// After this nothing is allocated any more.
  public func logStarted() {
    var started = LogLine("started", .notice, at: clock == .clip ? Instant.zero : Instant.now())
    started.add("kernels", kernels.name)
    log.write(started)
  }
}

extension PixelFormat {
  /// The name in the log.
  var name: StaticString {
    switch self {
    case .yuyv: "yuyv"
    case .uyvy: "uyvy"
    case .nv12: "nv12"
    case .nv21: "nv21"
    case .i420: "i420"
    case .grey: "grey"
    case .rgb24: "rgb24"
    case .bgr24: "bgr24"
    }
  }
}
