import Camera
import FrameRing
import Imaging
import Inference
import Kernels
import Pipeline
import Platform
import SerialLog
import Settings

/// What was measured, and how long it took.
struct BenchRow {
  let name: String
  let runs: Int
  let median: Duration
  /// Of ten runs one is faster, and of ten one is slower.
  let fast: Duration
  let slow: Duration
  let mean: Duration
  /// Multiplications of a network or a layer; pixels of a picture: those read by the scaler, those
  /// written by the crop.
  let work: Int
  /// What the layer is, where it is one.
  let layer: String?

  /// - Parameter times: at least one.
  init(_ name: String, _ times: [Duration], work: Int, layer: String? = nil) {
    let sorted = times.sorted()
    self.name = name
    runs = times.count
    median = sorted[sorted.count / 2]
    fast = sorted[sorted.count / 10]
    slow = sorted[sorted.count * 9 / 10]
    mean = times.reduce(Duration.zero, +) / times.count
    self.work = work
    self.layer = layer
  }
}

/// Measures cases on this machine, each on one thread.
struct Bench {
  let settings: Settings
  /// Timed runs of a case; nil for as many as it usually has.
  let runs: Int?
  /// What the whole frame is measured on.
  let clip: String

  /// Files of the networks that the settings need.
  var networks: [String] {
    let names = modelNames(settings)
    return names.indices.map { names[$0].string }
  }

  var usualCases: [BenchCase] {
    let format = FrameFormat(pixelFormat: .yuyv, width: 640, height: 480)
    return networks.map { .network(file: $0) } + [
      .scaler(format, .upright, width: 160, height: 128),
      .scaler(format, .upright, width: 320, height: 256),
      .crop(format, side: 300, output: 192), .frame,
    ]
  }

  func measure(_ one: BenchCase) throws -> BenchRow {
    switch one {
    case .network(let file): try network(file)
    case .layer(let file, let index): try layer(file, index)
    case .scaler(let format, let orientation, let width, let height):
      try scaler(one.text, format, orientation, width, height)
    case .crop(let format, let side, let output): try crop(one.text, format, side, output)
    case .frame: try frame()
    }
  }

  /// A few runs to warm up, then those that count.
  private func times(usually count: Int, _ body: () throws -> Void) rethrows -> [Duration] {
    let count = runs ?? count
    for _ in 0..<min(10, count / 4 + 1) { try body() }
    var times: [Duration] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      let start = Instant.now()
      try body()
      times.append(Instant.now() - start)
    }
    return times
  }

  // MARK: - Networks

  private func load(_ file: String) throws -> LoadedNetwork {
    try LoadedNetwork(
      path: file.contains("/") ? file : "\(settings.models.string)/\(file)", kernels: .detect())
  }

  private func network(_ file: String) throws -> BenchRow {
    var loaded = try load(file)
    let times = times(usually: 200) { loaded.network.invoke() }
    return BenchRow("network \(file)", times, work: loaded.summary.multiplications)
  }

  /// All layers of a network, one by one; the last row is the whole run.
  func layers(_ file: String) throws -> [BenchRow] {
    var loaded = try load(file)
    var rows: [BenchRow] = []
    loaded.network.invoke()
    for index in 0..<loaded.network.layerCount where loaded.network.layerDescription(index).runs {
      rows.append(row(&loaded, file, index))
    }
    rows.append(try network(file))
    return rows
  }

  private func layer(_ file: String, _ index: Int) throws -> BenchRow {
    var loaded = try load(file)
    guard index < loaded.network.layerCount, loaded.network.layerDescription(index).runs else {
      throw ToolError(message: "\(file) has no layer \(index) that runs", status: 65)
    }
    loaded.network.invoke()
    return row(&loaded, file, index)
  }

  private func row(_ loaded: inout LoadedNetwork, _ file: String, _ index: Int) -> BenchRow {
    let layer = loaded.network.layerDescription(index)
    let times = times(usually: 200) { loaded.network.invokeLayer(index) }
    let (input, output) = (layer.shape.input, layer.shape.output)
    let columns = [
      "\(file) \(index)".padded(to: 18, left: true), layer.text.padded(to: 24, left: true),
      "\(input.width)x\(input.height)x\(input.channels)".padded(to: 12),
      "to \(output.width)x\(output.height)x\(output.channels)".padded(to: 16, left: true),
      (layer.hasResidual ? "+" : " "), String(layer.work / 1000).padded(to: 6),
      "k \(layer.kernels.name.string)",
    ]
    return BenchRow(columns.joined(separator: " "), times, work: layer.work, layer: layer.text)
  }

  // MARK: - Pictures

  /// A frame of noise, and memory for it.
  private func withFrame<Result>(
    _ format: FrameFormat, _ orientation: Orientation,
    _ body: (borrowing FrameView) throws -> Result
  ) throws -> Result {
    var random = RandomSource(seed: 1)
    let pixels = (0..<format.byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return try body(FrameView(pixels.span.bytes, format: format, orientation: orientation))
  }

  private func scaler(
    _ name: String, _ format: FrameFormat, _ orientation: Orientation, _ width: Int, _ height: Int
  ) throws -> BenchRow {
    let scratch = try MemoryMap(
      byteCount: Downscaler.scratchByteCount(
        width: width, height: height, frameWidth: format.width, frameHeight: format.height))
    var scaler = try Downscaler(width: width, height: height, scratch: scratch.bytes)
    var output = [Int8](repeating: 0, count: width * height * 3)
    return try withFrame(format, orientation) { frame in
      let times = try times(usually: 200) {
        var span = output.mutableSpan
        _ = try scaler.scale(frame, into: &span)
      }
      return BenchRow(name, times, work: format.width * format.height)
    }
  }

  private func crop(
    _ name: String, _ format: FrameFormat, _ side: Int, _ output: Int
  ) throws -> BenchRow {
    let center = Point(x: Float(format.width) / 2, y: Float(format.height) / 2)
    let region = CropRegion(center: center, side: Float(side), angle: 0.2)
    let kernels = PictureKernels.detect()
    var pixels = [Int8](repeating: 0, count: output * output * 3)
    return try withFrame(format, .upright) { frame in
      let times = try times(usually: 200) {
        var span = pixels.mutableSpan
        try Imaging.crop(
          frame, region: region, into: &span, width: output, height: output, channels: .rgb,
          kernels: kernels)
      }
      return BenchRow(name, times, work: output * output)
    }
  }

  // MARK: - The whole frame

  /// Every frame of the clip as a camera's YUYV: from the ring to the events in the log. A clip in
  /// which nobody is followed says nothing of that.
  private func frame() throws -> BenchRow {
    var clip = try ClipReader(path: clip)
    let source = clip.format
    guard source.pixelFormat == .i420 else {
      throw ToolError(message: "\(self.clip): frames of \(source.pixelFormat)", status: 65)
    }
    var logOptions = LogOptions()
    logOptions.target = FixedString("/dev/null")
    let log = try LogMemory(logOptions, isSynchronous: true)
    var settings = settings
    settings.pipeline.locksMemory = false
    let format = FrameFormat(pixelFormat: .yuyv, width: source.width, height: source.height)
    var pipeline = try Pipeline(
      settings, run: PipelineRun(clock: .clip, format: format, seed: 0, isSimulated: true),
      log: log.log, observer: FollowCount())
    let slot = try MemoryMap(byteCount: source.byteCount)
    var times: [Duration] = []
    while times.count < runs ?? .max, let info = try clip.readFrame(into: slot.bytes) {
      guard let lease = pipeline.ring.pointee.beginWrite() else { break }
      writeYUYV(UnsafeRawBufferPointer(slot.bytes), source, into: lease.buffer)
      lease.commit(
        FrameInfo(
          sequence: info.sequence, timestamp: info.timestamp, format: format,
          bytesUsed: format.byteCount))
      let start = Instant.now()
      pipeline.processWaitingFrame()
      times.append(Instant.now() - start)
    }
    guard !times.isEmpty else { throw ToolError(message: "\(self.clip): no frames", status: 65) }
    guard pipeline.observer.followed * 10 > times.count * 9 else {
      throw ToolError(
        message: "\(self.clip): a face in \(pipeline.observer.followed) of \(times.count) frames",
        status: 65)
    }
    return BenchRow(
      "frame yuyv \(format.width)x\(format.height) of \(self.clip)", times,
      work: format.width * format.height)
  }

  /// Two rows share the chroma of one.
  private func writeYUYV(
    _ planes: UnsafeRawBufferPointer, _ format: FrameFormat,
    into pairs: UnsafeMutableRawBufferPointer
  ) {
    let chroma = format.bytesPerLine * format.height
    let secondChroma = chroma + format.chromaBytesPerLine * format.chromaHeight
    let row = FrameFormat.packedRow(.yuyv, width: format.width)
    for y in 0..<format.height {
      let luma = y * format.bytesPerLine
      let line = y / 2 * format.chromaBytesPerLine
      for pair in 0..<(format.width + 1) / 2 {
        let place = y * row + 4 * pair
        pairs[place] = planes[luma + 2 * pair]
        pairs[place + 1] = planes[chroma + line + pair]
        pairs[place + 2] = planes[luma + min(2 * pair + 1, format.width - 1)]
        pairs[place + 3] = planes[secondChroma + line + pair]
      }
    }
  }
}

/// Counts the frames in which a face is followed.
private struct FollowCount: PipelineObserver {
  private(set) var followed = 0

  mutating func observe(_ report: borrowing FrameReport) {
    let faces = report.faces
    if !faces.isEmpty && faces[0].unseenFrames == 0 { followed += 1 }
  }
}
