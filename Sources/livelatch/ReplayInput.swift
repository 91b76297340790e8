import CPlatform
import Camera
import FrameRing
import Pipeline
import Platform
import SerialLog
import Settings

/// What replay and annotate read: a clip or a picture.
enum ReplayInput: ~Copyable {
  case clip(ClipReader)
  case picture(Picture, for: Duration)

  /// Frames a second at which a picture is shown.
  static let pictureRate = FrameRate(25)

  /// - Parameter pictureSeconds: how long a picture is shown.
  init(_ path: String, pictureSeconds: Int) throws {
    if path != "-", let kind = try Self.pictureKind(path) {
      guard kind.isSupported else {
        throw ToolError(message: "\(path): a picture other than JPEG or PNG", status: 65)
      }
      self = .picture(try Picture(path: path), for: .seconds(pictureSeconds))
    } else {
      self = .clip(try ClipReader(path: path))
    }
  }

  var format: FrameFormat {
    switch self {
    case .clip(let reader): reader.format
    case .picture(let picture, _): picture.format
    }
  }

  var rate: FrameRate {
    switch self {
    case .clip(let reader): reader.rate
    case .picture: Self.pictureRate
    }
  }

  /// How many frames there are; nil where only the end will tell.
  var frameCount: Int? {
    switch self {
    case .clip: nil
    case .picture(_, let duration): Int(duration.inSeconds * Self.pictureRate.perSecond)
    }
  }

  /// Runs all of it through the pipeline; lines are simulated.
  consuming func run<Observer: PipelineObserver>(
    _ settings: Settings, path: String, seed: UInt64?, realtime: Bool, log: Log,
    observer: Observer
  ) throws(PipelineError) -> Observer {
    let run = PipelineRun(
      clock: realtime ? .live : .clip, format: format, seed: seed, isSimulated: true)
    let source = FixedString<128>(path)
    let feed: Feed
    switch consume self {
    case .clip(let reader): feed = .recording(reader)
    case .picture(let picture, let duration):
      feed = .picture(picture, for: duration, rate: Self.pictureRate)
    }
    return try runPipeline(
      settings, feed: feed, source: source, run: run, log: log, observer: observer)
  }

  private struct PictureKind { let isSupported: Bool }

  /// By the first bytes; nil for what may be a clip.
  private static func pictureKind(_ path: String) throws -> PictureKind? {
    let start = try firstBytes(of: path)
    if start.starts(with: [0xFF, 0xD8, 0xFF]) || start.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      return PictureKind(isSupported: true)
    }
    if start.starts(with: Array("GIF8".utf8)) || start.starts(with: Array("BM".utf8)) {
      return PictureKind(isSupported: false)
    }
    return nil
  }

  private static func firstBytes(of path: String) throws -> [UInt8] {
    var bytes = InlineArray<8, UInt8>(repeating: 0)
    do throws(Errno) {
      let file = try FileDescriptor.open(path, flags: O_RDONLY)
      // A pipe can be read only once, and not by us.
      guard try file.regularFileSize() != nil else { return [] }
      let count = try withUnsafeMutableBytes(of: &bytes) { buffer throws(Errno) in
        try file.readFully(into: buffer)
      }
      return (0..<count).map { bytes[$0] }
    } catch {
      throw CameraError(.open, path: FixedString(path), errno: error)
    }
  }
}
