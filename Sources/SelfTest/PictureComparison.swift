import FrameRing
import Imaging
import Kernels
import Platform

/// Frames of noise in every format and orientation, scaled to sizes at random and to those that are
/// whole parts of the frame.
func compareScalings(_ kernels: PictureKernels, _ memory: inout SelfTestMemory) -> SelfTestCheck {
  var random = RandomSource(seed: 21)
  var failure: SelfTestFailure?
  var cases = 0
  while failure == nil && cases < 320 {
    var picture = PictureCase(number: cases, &random)
    let height = 1 + random.below(40)
    if cases % 2 == 0 {
      let factor = 1 << random.below(5)
      picture.format = PictureCase.format(
        picture.format.pixelFormat, width: factor * picture.width, height: factor * height,
        &random)
    }
    memory.reset()
    let frame = picture.draw(&random, &memory)
    let scratch = UnsafeMutableRawBufferPointer(
      memory.take(
        Downscaler.scratchByteCount(
          width: picture.width, height: height, frameWidth: picture.format.width,
          frameHeight: picture.format.height), of: UInt8.self))
    let expected = memory.take(picture.width * height * 3, of: Int8.self)
    let found = memory.take(expected.count, of: Int8.self)
    do throws(ImagingError) {
      let view = try FrameView(
        frame.bytes, format: picture.format, orientation: picture.orientation)
      try scale(view, picture.width, height, scratch, .reference, into: expected)
      try scale(view, picture.width, height, scratch, kernels, into: found)
    } catch {
      failure = picture.refused(cases)
      continue
    }
    failure = difference(
      cases, picture.shape(width: picture.width, height: height, channels: 3), expected, found,
      memory)
    cases += 1
  }
  return SelfTestCheck(
    operation: "scaling", variant: kernels.name, cases: cases, failure: failure)
}

private func scale(
  _ frame: borrowing FrameView, _ width: Int, _ height: Int,
  _ scratch: UnsafeMutableRawBufferPointer, _ kernels: PictureKernels,
  into output: UnsafeMutableBufferPointer<Int8>
) throws(ImagingError) {
  var downscaler = try Downscaler(
    width: width, height: height, scratch: scratch, kernels: kernels)
  var span = output.mutableSpan
  _ = try downscaler.scale(frame, into: &span)
}

/// A frame to be drawn.
private struct PictureCase {
  var format: FrameFormat
  let orientation: Orientation
  /// Of the output.
  let width: Int

  init(number: Int, _ random: inout RandomSource) {
    let pixelFormat = PixelFormat(rawValue: UInt8(number % 8)) ?? .yuyv
    let rotation = Orientation.Rotation(rawValue: UInt8(random.below(4))) ?? .none
    orientation = Orientation(rotation: rotation, mirror: random.below(2) == 0)
    width = 1 + random.below(80)
    format = Self.format(
      pixelFormat, width: 1 + random.below(200), height: 1 + random.below(60), &random)
  }

  static func format(
    _ pixelFormat: PixelFormat, width: Int, height: Int, _ random: inout RandomSource
  ) -> FrameFormat {
    FrameFormat(
      pixelFormat: pixelFormat, width: width, height: height,
      bytesPerLine: FrameFormat.packedRow(pixelFormat, width: width) + random.below(40),
      colorRange: random.below(2) == 0 ? .limited : .full)
  }

  func draw(
    _ random: inout RandomSource, _ memory: inout SelfTestMemory
  ) -> UnsafeRawBufferPointer {
    let bytes = memory.take(format.minimumByteCount, of: UInt8.self)
    for index in 0..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
    return UnsafeRawBufferPointer(bytes)
  }

  func shape(width: Int, height: Int, channels: Int) -> WindowShape {
    WindowShape(
      input: Extent(height: format.height, width: format.width, channels: 1),
      output: Extent(height: height, width: width, channels: channels),
      window: Window(height: 1, width: 1))
  }

  /// A case that could not run: its first output counts as missing.
  func refused(_ number: Int) -> SelfTestFailure {
    SelfTestFailure(
      caseIndex: number, shape: shape(width: width, height: 1, channels: 1), index: 0, expected: 0,
      found: -1)
  }
}

/// Regions of frames of noise, many partly outside, with every shrink from growing to the mean of
/// 4x4 samples.
func compareCrops(_ kernels: PictureKernels, _ memory: inout SelfTestMemory) -> SelfTestCheck {
  var random = RandomSource(seed: 22)
  var failure: SelfTestFailure?
  var cases = 0
  while failure == nil && cases < 480 {
    let picture = PictureCase(number: cases, &random)
    let height = 1 + random.below(40)
    let channels: CropChannels = random.below(3) == 0 ? .grey : .rgb
    memory.reset()
    let frame = picture.draw(&random, &memory)
    let expected = memory.take(picture.width * height * channels.count, of: Int8.self)
    let found = memory.take(expected.count, of: Int8.self)
    let region = CropRegion(
      center: Point(x: Float(random.below(240) - 20), y: Float(random.below(100) - 20)),
      width: Float(1 + random.below(4 * picture.width)),
      height: Float(1 + random.below(4 * height)),
      angle: Float(random.below(629)) / 100)
    do throws(ImagingError) {
      let view = try FrameView(
        frame.bytes, format: picture.format, orientation: picture.orientation)
      var span = expected.mutableSpan
      try crop(
        view, region: region, into: &span, width: picture.width, height: height,
        channels: channels, kernels: .reference)
      span = found.mutableSpan
      try crop(
        view, region: region, into: &span, width: picture.width, height: height,
        channels: channels, kernels: kernels)
    } catch {
      failure = picture.refused(cases)
      continue
    }
    failure = difference(
      cases, picture.shape(width: picture.width, height: height, channels: channels.count),
      expected, found, memory)
    cases += 1
  }
  return SelfTestCheck(
    operation: "crop", variant: kernels.name, cases: cases, failure: failure)
}
