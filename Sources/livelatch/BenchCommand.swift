import Camera
import Faces
import FrameRing
import Imaging
import Inference
import Kernels
import Pipeline
import Platform
import Settings

/// `livelatch bench`.
struct BenchCommand {
  /// One row: what, and how long it takes.
  struct Row {
    let name: String
    let median: Duration
    /// Of nine in ten runs, the slowest.
    let slow: Duration
  }

  private let options: CommandOptions

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(
      words, withValue: ["--config", "--models", "--clip"], switches: ["--json", "--layers"])
    guard options.operands.isEmpty else { throw UsageError(message: "bench takes no operand") }
  }

  func run() throws {
    let settings = try loadSettings(options)
    var rows: [Row] = []
    let names = modelNames(settings)
    for index in names.indices {
      let name = names[index].string
      let path = "\(settings.models.string)/\(name)"
      if options.has("--layers") {
        rows += try layers(name, path)
      } else {
        rows.append(try network(name, path))
      }
    }
    if !options.has("--layers") {
      rows += try pictures()
      rows.append(try faces(options.value("--clip") ?? "board/demo/demo.mp4", settings))
    }
    printToStandardOutput(options.has("--json") ? json(rows) : text(rows))
  }

  private func network(_ name: String, _ path: String) throws -> Row {
    var loaded = try LoadedNetwork(path: path, kernels: .detect())
    var times: [Duration] = []
    for _ in 0..<200 {
      let start = Instant.now()
      loaded.network.invoke()
      times.append(Instant.now() - start)
    }
    return row("network \(name)", times)
  }

  /// Each layer of a network, on what a whole run left in its inputs; the last row is the whole run.
  private func layers(_ name: String, _ path: String) throws -> [Row] {
    var loaded = try LoadedNetwork(path: path, kernels: .detect())
    let count = loaded.network.layerCount
    var times = [[Duration]](repeating: [], count: count)
    for _ in 0..<200 {
      for index in 0..<count {
        let start = Instant.now()
        loaded.network.invokeLayer(index)
        times[index].append(Instant.now() - start)
      }
    }
    var rows: [Row] = []
    for index in 0..<count {
      let layer = loaded.network.layerDescription(index)
      guard layer.runs else { continue }
      let (input, output) = (layer.shape.input, layer.shape.output)
      let columns = [
        "\(name) \(index)".padded(to: 18, left: true), layer.text.padded(to: 24, left: true),
        "\(input.width)x\(input.height)x\(input.channels)".padded(to: 12),
        "to \(output.width)x\(output.height)x\(output.channels)".padded(to: 16, left: true),
        (layer.hasResidual ? "+" : " "), String(layer.work / 1000).padded(to: 6),
        "k \(layer.kernels.name.string)",
      ]
      rows.append(row(columns.joined(separator: " "), times[index]))
    }
    rows.append(try network(name, path))
    return rows
  }

  /// The scaler and the crop on a made-up 640x480 YUYV frame.
  private func pictures() throws -> [Row] {
    let format = FrameFormat(pixelFormat: .yuyv, width: 640, height: 480)
    var random = RandomSource(seed: 1)
    let pixels = (0..<format.byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let frame = try FrameView(pixels.span.bytes, format: format)
    var rows: [Row] = []
    for (width, height) in [(160, 128), (320, 256)] {
      let scratch = try MemoryMap(
        byteCount: Downscaler.scratchByteCount(
          width: width, height: height, frameWidth: format.width, frameHeight: format.height))
      var scaler = try Downscaler(width: width, height: height, scratch: scratch.bytes)
      var output = [Int8](repeating: 0, count: width * height * 3)
      var times: [Duration] = []
      for _ in 0..<60 {
        let start = Instant.now()
        var span = output.mutableSpan
        _ = try scaler.scale(frame, into: &span)
        times.append(Instant.now() - start)
      }
      rows.append(row("scaler yuyv 640x480 to \(width)x\(height)", times))
    }
    let region = CropRegion(center: Point(x: 320, y: 240), side: 300, angle: 0.2)
    var output = [Int8](repeating: 0, count: 192 * 192 * 3)
    var times: [Duration] = []
    for _ in 0..<60 {
      let start = Instant.now()
      var span = output.mutableSpan
      try crop(frame, region: region, into: &span, width: 192, height: 192, channels: .rgb)
      times.append(Instant.now() - start)
    }
    rows.append(row("crop yuyv 300 px to 192x192", times))
    return rows
  }

  /// From the frame to the faces, over a clip.
  private func faces(_ path: String, _ settings: Settings) throws -> Row {
    var clip = try ClipReader(path: path)
    var stage = try FaceStage(settings, format: clip.format)
    let slot = try MemoryMap(byteCount: clip.format.byteCount)
    var times: [Duration] = []
    var progress = ProgressBar("bench", total: nil)
    while let info = try clip.readFrame(into: slot.bytes) {
      let bytes = UnsafeRawBufferPointer(slot.bytes)
      let frame = try FrameView(
        RawSpan(_unsafeBytes: bytes), format: info.format)
      let start = Instant.now()
      try stage.finder.process(frame, at: info.timestamp)
      times.append(Instant.now() - start)
      progress.show(times.count)
    }
    progress.finish()
    guard !times.isEmpty else { throw ToolError(message: "\(path): no frames", status: 65) }
    return row("face path, a frame of \(path)", times)
  }

  private func row(_ name: String, _ times: [Duration]) -> Row {
    let sorted = times.sorted()
    return Row(
      name: name, median: sorted[sorted.count / 2], slow: sorted[sorted.count * 9 / 10])
  }

  private func text(_ rows: [Row]) -> String {
    let head = "kernels: \(KernelSet.detect().name.string)\n    median     p90 ms"
    return
      ([head]
      + rows.map {
        "\(milliseconds($0.median).padded(to: 10)) \(milliseconds($0.slow).padded(to: 10))  \($0.name)"
      }).joined(separator: "\n")
  }

  private func json(_ rows: [Row]) -> String {
    var line = JSONLine()
    line.add("kernels", KernelSet.detect().name.string)
    line.add(
      "rows",
      rows.map {
        var row = JSONLine()
        row.add("name", $0.name)
        row.add("median_us", Int($0.median.wholeNanoseconds / 1000))
        row.add("p90_us", Int($0.slow.wholeNanoseconds / 1000))
        return row
      })
    return line.text
  }

  private func milliseconds(_ duration: Duration) -> String {
    let thousandths = duration.wholeNanoseconds / 1000
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
