import CCamera
import CFakeCamera
import FrameRing
import Platform
import Testing

@testable import Camera

@Suite struct NegotiationTests {
  /// The format that a camera with these is asked for.
  func asked(
    _ formats: [fake_format], _ change: (inout CameraOptions) -> Void = { _ in }
  ) throws -> String {
    var options = CameraOptions.small
    (options.width, options.height, options.fps) = (64, 48, 30)
    change(&options)
    let run = try FakeRun([.frame()], options: options, slotBytes: 1 << 16) {
      $0.pointee.setFormats(formats)
    }
    return withUnsafeBytes(of: run.camera.asked_fourcc.littleEndian) {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test func whatNeedsNoConversionComesFirst() throws {
    let all = [
      fake_format("BGR3", converted: true), fake_format("YU12", converted: true),
      fake_format("MJPG"), fake_format("BGR3"), fake_format("RGB3"), fake_format("GREY"),
      fake_format("UYVY"), fake_format("YUYV"),
    ]
    #expect(try asked(all) == "YUYV")
    #expect(try asked(Array(all[..<7])) == "UYVY")
    #expect(try asked(Array(all[..<6])) == "GREY")
    #expect(try asked(Array(all[..<3])) == "YU12")
    #expect(try asked([fake_format("NV12"), fake_format("YUYV")]) == "YUYV")
    #expect(try asked([fake_format("YUYV"), fake_format("NV12")]) { $0.format = .nv12 } == "NV12")
  }

  @Test func aSizeOrRateThatACheapFormatLacksIsTakenFromADearOne() throws {
    let slow = [
      fake_format("YUYV", size: (64, 48), fps: 5), fake_format("MJPG", size: (64, 48), fps: 30),
      fake_format("YU12", converted: true, size: (64, 48), fps: 30),
    ]
    #expect(try asked(slow) == "YU12")
    #expect(try asked(slow) { $0.fps = 5 } == "YUYV")
    let small = [
      fake_format("YUYV", size: (32, 24), fps: 30),
      fake_format("YU12", converted: true, size: (64, 48), fps: 15),
    ]
    #expect(try asked(small) == "YU12")
    #expect(try asked(small) { ($0.width, $0.height) = (32, 24) } == "YUYV")
  }

  @Test func anotherSizeThanAskedIsTakenWhereItFits() throws {
    let run = try FakeRun([.frame()], slotBytes: 4096) {
      $0.pointee.setFormats([fake_format("YUYV", size: (32, 24))])
    }
    #expect(run.found?.format == FrameFormat(pixelFormat: .yuyv, width: 32, height: 24))
    let large = try FakeRun([.frame()], slotBytes: 4096, stopsWhenMissing: true) {
      $0.pointee.setFormats([fake_format("YUYV", size: (1280, 720))])
    }
    #expect(
      large.missing.map { sentence($0) }
        == "/dev/video3: frames of 1280x720 are too large or too small; camera.width and "
        + "camera.height can ask for another size")
  }

  @Test func paddedRowsAreHonoured() throws {
    let run = try FakeRun([.frame()]) { $0.pointee.row_padding = 12 }
    #expect(run.found?.format.bytesPerLine == 28)
    #expect(run.frames.first?.bytes == 2 * 28)
  }

  @Test func controlsAreSetInTheirOrderAndTheOutcomeIsKept() throws {
    var options = CameraOptions.small
    options.controls[.gain] = 200
    options.controls[.autoExposure] = 1
    options.controls[.exposureTimeAbsolute] = 156
    options.controls[.sharpness] = 3
    let run = try FakeRun([.frame()], options: options)
    // auto_exposure, exposure_time_absolute, gain; the camera has no sharpness.
    #expect(run.camera.setControls.map(\.id) == [0x9A0901, 0x9A0902, 0x980913])
    #expect(run.camera.setControls.map(\.value) == [1, 156, 200])
    let facts = try #require(run.found)
    #expect(facts.isChanged(.gain) && !facts.isRefused(.gain))
    #expect(facts.isRefused(.sharpness) && !facts.isChanged(.sharpness))
    #expect(!facts.isChanged(.autoExposure) && !facts.isRefused(.brightness))
  }

  @Test(arguments: [
    (V4L2.metadata | V4L2.streaming, "is no camera but a node for metadata: Fake"),
    (V4L2.output | V4L2.streaming, "is no camera but a node for output: Fake"),
    (V4L2.codec | V4L2.streaming, "is no camera but a codec: Fake"),
    (V4L2.capture, "is no camera but another kind of node: Fake"),
  ])
  func whatIsNoCameraIsNamed(_ capabilities: UInt32, _ text: String) throws {
    let run = try FakeRun([.frame()], stopsWhenMissing: true) {
      $0.pointee.capabilities = capabilities
    }
    #expect(
      run.missing.map { sentence($0) }
        == "/dev/video3: \(text); v4l2-ctl --list-devices shows the cameras")
    #expect(run.missing?.reason == "not-a-camera")
  }

  @Test func severalPlanesNeedTheLibrary() throws {
    let planes = V4L2.capturePlanes | V4L2.streaming
    let direct = try FakeRun([.frame()], access: .direct, stopsWhenMissing: true) {
      $0.pointee.capabilities = planes
    }
    #expect(direct.missing?.reason == "not-a-camera")
    let library = try FakeRun([.frame()]) { $0.pointee.capabilities = planes }
    #expect(library.found != nil)
  }

  @Test func rawSensorsAreTold() throws {
    let bayer = fake_format("pRAA")
    let only = try FakeRun([.frame()], stopsWhenMissing: true) { $0.pointee.setFormats([bayer]) }
    #expect(
      only.missing.map { sentence($0) }
        == "/dev/video3: is a bare sensor: it gives raw Bayer pictures only; start livelatch with "
        + "libcamerify, or take a USB camera")
    // What libv4l2 makes of 8 bits is a picture from a webcam, and none from the Pi's receiver.
    let eight = [fake_format("BA81"), fake_format("YU12", converted: true)]
    let webcam = try FakeRun([.frame()]) { $0.pointee.setFormats(eight) }
    #expect(webcam.found != nil)
    for driver in ["unicam", "rp1-cfe-csi2"] {
      let receiver = try driver.withCString { driver in
        try FakeRun([.frame()], stopsWhenMissing: true) {
          $0.pointee.setFormats(eight)
          $0.pointee.driver = driver
        }
      }
      #expect(receiver.missing?.reason == "raw-sensor")
    }
  }

  @Test func formatsThatNeedALibraryAreToldWithoutOne() throws {
    let jpeg = try FakeRun([.frame()], access: .direct, stopsWhenMissing: true) {
      $0.pointee.setFormats([fake_format("MJPG")])
    }
    #expect(
      jpeg.missing.map { sentence($0) }
        == "/dev/video3: gives MJPEG only; camera.access = \"libv4l2\" converts that")
    let none = try FakeRun([.frame()], stopsWhenMissing: true) {
      $0.pointee.setFormats([fake_format("H264")])
    }
    #expect(none.missing?.reason == "no-format")
  }

  @Test func aCameraIsFoundByItsName() throws {
    var options = CameraOptions.small
    options.device = FixedString("HD Webcam C525")
    let run = try "HD Webcam C525".withCString { card in
      try FakeRun([.frame()], options: options) { $0.pointee.card = card }
    }
    #expect(run.found?.path.string == "/dev/video3")
    let other = try FakeRun([.frame()], options: options, stopsWhenMissing: true)
    #expect(
      other.missing.map { sentence($0) }
        == "HD Webcam C525: no camera has that name; v4l2-ctl --list-devices shows the cameras")
    let metadata = try "HD Webcam C525".withCString { card in
      try FakeRun([.frame()], options: options, stopsWhenMissing: true) {
        $0.pointee.card = card
        $0.pointee.capabilities = V4L2.metadata | V4L2.streaming
      }
    }
    #expect(metadata.missing?.reason == "no-such-name")
  }

  @Test func anotherProgramsCameraIsBusy() throws {
    let run = try FakeRun([.frame()], stopsWhenMissing: true) { $0.pointee.is_busy = 1 }
    #expect(
      run.missing.map { sentence($0) }
        == "/dev/video3: VIDIOC_S_FMT failed (EBUSY); another program uses it")
  }

  @Test func atTheStartOnlyWhatNeverBecomesACameraIsRefused() throws {
    func check(_ path: String, waits: Bool) -> CameraError? {
      var options = CameraOptions()
      options.device = FixedString(path)
      do throws(CameraError) {
        try checkCamera(options, waits: waits)
        return nil
      } catch { return error }
    }
    #expect(check("/dev/no-such-camera", waits: true) == nil)
    #expect(check("/dev/no-such-camera", waits: false)?.errno == Errno(code: 2))
    for path in ["/dev/null", "/etc/passwd"] {
      #expect(check(path, waits: true)?.reason == "not-a-camera")
    }
    #expect(check("/dev", waits: true)?.reason == "open")
    #expect(check("No such camera", waits: true) == nil)
    #expect(check("No such camera", waits: false)?.reason == "no-such-name")
  }

  @Test func ranksAreDistinct() {
    let order: [PixelFormat] = [.yuyv, .nv12, .uyvy, .nv21, .i420, .grey, .rgb24, .bgr24]
    func ranks(_ isConverted: Bool, _ fromJPEG: Bool) -> [Int] {
      order.map {
        rank($0, isConverted: isConverted, fromJPEG: fromJPEG, wanted: .auto) ?? -1
      }
    }
    #expect(ranks(false, true) + ranks(true, true) + ranks(true, false) == Array(0..<24))
    #expect(rank(.nv12, isConverted: false, fromJPEG: false, wanted: .yuyv) == nil)
    for format in PixelFormat.allCases { #expect(pixelFormat(fourcc(format)) == format) }
    #expect(pixelFormat(0) == nil)
  }
}
