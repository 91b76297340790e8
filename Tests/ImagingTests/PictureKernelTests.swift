import FrameRing
import Glibc
import Platform
import Testing

@testable import Imaging

/// A frame that ends where its memory does: who reads on is stopped by the processor.
final class FencedFrame {
  let format: FrameFormat
  private let memory: UnsafeMutableRawPointer
  private let mapped: Int
  private let start: UnsafeMutableRawPointer
  private static let page = 4096

  init(_ format: FrameFormat, _ random: inout RandomSource) throws {
    let bytes = format.minimumByteCount
    let pages = (bytes + Self.page - 1) / Self.page * Self.page
    mapped = pages + Self.page
    let memory = mmap(nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    self.memory = try #require(memory != MAP_FAILED ? memory : nil)
    try #require(mprotect(self.memory + pages, Self.page, PROT_NONE) == 0)
    self.format = format
    start = self.memory + (pages - bytes)
    for byte in 0..<bytes {
      start.storeBytes(
        of: UInt8(truncatingIfNeeded: random.next()), toByteOffset: byte, as: UInt8.self)
    }
  }

  deinit { munmap(memory, mapped) }

  func view<Result>(
    _ orientation: Orientation, _ body: (borrowing FrameView) throws -> Result
  ) throws -> Result {
    let bytes = UnsafeRawBufferPointer(start: start, count: format.minimumByteCount)
    return try body(
      FrameView(RawSpan(_unsafeBytes: bytes), format: format, orientation: orientation))
  }
}

/// Every variant against the reference, bit for bit, on frames of noise.
struct PictureKernelTests {
  let variants = PictureKernels.allCases.filter { $0.isAvailable && $0 != .reference }

  @Test func thisProcessorHasAVariant() {
    #expect(!variants.isEmpty)
    #expect(PictureKernels.detect().isAvailable)
  }

  @Test func environmentAsksForTheReference() async {
    await #expect(processExitsWith: .success) {
      setenv("LIVELATCH_KERNELS", "reference", 1)
      exit(PictureKernels.detect() == .reference ? 0 : 1)
    }
  }

  func scaled(
    _ frame: FencedFrame, _ orientation: Orientation, width: Int, height: Int,
    _ kernels: PictureKernels
  ) throws -> Guarded {
    let scratch = try MemoryMap(
      byteCount: Downscaler.scratchByteCount(
        width: width, height: height, frameWidth: frame.format.width,
        frameHeight: frame.format.height))
    var downscaler = try Downscaler(
      width: width, height: height, scratch: scratch.bytes, kernels: kernels)
    var output = Guarded(count: width * height * 3)
    try frame.view(orientation) { view in
      try output.write { _ = try downscaler.scale(view, into: &$0) }
    }
    #expect(output.isIntact)
    return output
  }

  func compareScalings(
    _ format: FrameFormat, width: Int, height: Int, _ random: inout RandomSource
  ) throws {
    let frame = try FencedFrame(format, &random)
    for orientation in everyOrientation {
      let expected = try scaled(frame, orientation, width: width, height: height, .reference)
      for variant in variants {
        let found = try scaled(frame, orientation, width: width, height: height, variant)
        let place = zip(found.values, expected.values).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(
          place == nil, "\(variant), \(format) to \(width)x\(height), \(orientation): \(place ?? 0)"
        )
      }
    }
  }

  /// Sizes at random, and those whose tables are even.
  @Test(arguments: PixelFormat.allCases)
  func scalingsAreEqual(_ pixelFormat: PixelFormat) throws {
    var random = RandomSource(seed: 400 + UInt64(pixelFormat.rawValue))
    for _ in 0..<60 {
      try compareScalings(
        oddFormat(pixelFormat, &random), width: 1 + random.below(90),
        height: 1 + random.below(90), &random)
    }
    for factor in [1, 2, 3, 4, 5, 8, 12, 16] {
      for width in [1, 15, 16, 17, 31, 33, 48] {
        let height = 1 + random.below(20)
        var format = FrameFormat(
          pixelFormat: pixelFormat, width: width * factor, height: height * factor)
        format.colorRange = random.below(2) == 0 ? .limited : .full
        try compareScalings(format, width: width, height: height + 2 * random.below(2), &random)
      }
    }
  }

  @Test func realScalingsAreEqual() throws {
    var random = RandomSource(seed: 77)
    for (width, height) in [(640, 480), (1280, 720), (641, 479), (800, 600)] {
      for pixelFormat in [PixelFormat.yuyv, .nv12, .rgb24] {
        let format = FrameFormat(pixelFormat: pixelFormat, width: width, height: height)
        for (across, down) in [(160, 128), (320, 256)] {
          try compareScalings(format, width: across, height: down, &random)
        }
      }
    }
  }

  /// More taps than a block of a variant has, and one output alone.
  @Test func extremeScalingsAreEqual() throws {
    var random = RandomSource(seed: 78)
    for (width, height, across, down) in [
      (1000, 3, 1, 1), (3, 1000, 1, 1), (999, 700, 7, 5), (2, 2, 300, 200), (1, 64, 200, 20),
      (16384, 1, 3, 1),
    ] {
      for pixelFormat in PixelFormat.allCases {
        try compareScalings(
          FrameFormat(pixelFormat: pixelFormat, width: width, height: height), width: across,
          height: down, &random)
      }
    }
  }
}

extension PictureKernelTests {
  func compareCrops(
    _ frame: FencedFrame, _ region: CropRegion, width: Int, height: Int, _ channels: CropChannels,
    _ orientation: Orientation
  ) throws {
    func cut(_ kernels: PictureKernels) throws -> Guarded {
      var output = Guarded(count: width * height * channels.count)
      try frame.view(orientation) { view in
        try output.write {
          try crop(
            view, region: region, into: &$0, width: width, height: height, channels: channels,
            kernels: kernels)
        }
      }
      #expect(output.isIntact)
      return output
    }
    let expected = try cut(.reference)
    for variant in variants {
      let found = try cut(variant)
      let place = zip(found.values, expected.values).enumerated().first { $1.0 != $1.1 }?.offset
      #expect(
        place == nil,
        "\(variant), \(frame.format), \(region) to \(width)x\(height), \(orientation): \(place ?? 0)"
      )
    }
  }

  /// Regions at random, many partly outside; with shrinks that make pixels, blocks and means.
  @Test(arguments: PixelFormat.allCases)
  func cropsAreEqual(_ pixelFormat: PixelFormat) throws {
    var random = RandomSource(seed: 500 + UInt64(pixelFormat.rawValue))
    let crops = CropTests()
    for _ in 0..<150 {
      let frame = try FencedFrame(oddFormat(pixelFormat, &random), &random)
      let orientation = everyOrientation[random.below(8)]
      let size = try frame.view(orientation) { ($0.width, $0.height) }
      for _ in 0..<4 {
        try compareCrops(
          frame, crops.region(size, &random), width: 1 + random.below(70),
          height: 1 + random.below(50), random.below(3) == 0 ? .grey : .rgb, orientation)
      }
    }
  }

  /// The sizes of the networks, in the middle and over the edges of real frames; and more columns
  /// than one part has.
  @Test func realCropsAreEqual() throws {
    var random = RandomSource(seed: 79)
    for (width, height) in [(640, 480), (641, 479)] {
      for pixelFormat in [PixelFormat.yuyv, .uyvy] {
        let frame = try FencedFrame(
          FrameFormat(pixelFormat: pixelFormat, width: width, height: height), &random)
        for side: Float in [40, 150, 280, 310, 590, 1300, 3000, 6000] {
          for (x, y) in [(320, 240), (20, 30), (630, 470)] as [(Float, Float)] {
            let region = CropRegion(
              center: Point(x: x, y: y), side: side, angle: Float(random.below(628)) / 100)
            try compareCrops(frame, region, width: 192, height: 192, .rgb, .upright)
            try compareCrops(frame, region, width: 32, height: 24, .grey, .upright)
          }
        }
        let whole = CropRegion(
          center: Point(x: 320, y: 240), width: 640, height: 480, angle: 0)
        try compareCrops(frame, whole, width: 640, height: 480, .rgb, .upright)
        try compareCrops(frame, whole, width: 500, height: 40, .rgb, .upright)
      }
    }
  }
}
