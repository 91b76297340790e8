import CPlatform
import FrameRing
import Platform

/// Reads any clip: Y4M itself, everything else through the ffmpeg program, which turns it upright
/// by its rotation data, converts it to I420 of BT.601 in limited range, and neither repeats nor
/// drops frames. Every frame keeps the time it has in the clip, counted from the first.
public struct ClipReader: ~Copyable, ClipSource {
  private var frames: Y4MReader
  private var decoder: ClipDecoder?
  private var previous: Instant?

  /// Of every frame.
  public var format: FrameFormat { frames.format }
  /// The clip's nominal rate; the frames' own times may differ from it.
  public var rate: FrameRate { frames.rate }

  /// - Parameter path: a file; "-" is a Y4M clip on standard input.
  /// - Throws: `open`, `programMissing` without ffmpeg, `unsupported` with its words for a file
  ///   that it cannot read, and what ``Y4MReader`` throws.
  public init(path: String) throws(CameraError) {
    let place = FixedString<128>(path)
    if path == "-" {
      frames = try Y4MReader(FileDescriptor(borrowing: 0), path: FixedString("standard input"))
    } else if try Self.isY4M(path) {
      let file: FileDescriptor
      do { file = try .open(path, flags: O_RDONLY) } catch {
        throw CameraError(.open, path: place, errno: error)
      }
      frames = try Y4MReader(file, path: place)
    } else {
      var decoder = try ClipDecoder(path: path)
      do throws(CameraError) {
        frames = try Y4MReader(decoder.takeOutput(), path: place)
      } catch {
        // Mostly there is no header because ffmpeg gave up; its words say more.
        try decoder.finish(hasFrames: false)
        throw error
      }
      self.decoder = consume decoder
    }
  }

  /// As ``ClipSource/readFrame(into:)``.
  /// - Throws: what ``Y4MReader`` throws, or `malformed` with ffmpeg's words for a clip that is
  ///   damaged further on.
  public mutating func readFrame(
    into slot: UnsafeMutableRawBufferPointer
  ) throws(CameraError) -> FrameInfo? {
    var info: FrameInfo?
    do throws(CameraError) { info = try frames.readFrame(into: slot) } catch {
      try decoder?.finish()
      throw error
    }
    guard decoder != nil else { return info }
    guard var frame = info else {
      try decoder?.finish()
      return nil
    }
    let regular = previous.map { $0 + (rate.time(of: 1) - .zero) } ?? .zero
    let known = decoder?.time(of: Int(frame.sequence))
    // Times only rise; where ffmpeg knew none, the clip's rate goes on.
    if let known, known > (previous ?? Instant(nanoseconds: -1)) {
      frame.timestamp = known
    } else {
      frame.timestamp = regular
    }
    previous = frame.timestamp
    return frame
  }

  /// As ``ClipSource/isReadable()``.
  public borrowing func isReadable() throws(CameraError) -> Bool { try frames.isReadable() }

  private static func isY4M(_ path: String) throws(CameraError) -> Bool {
    let name = Array("YUV4MPEG2".utf8)
    var first = [UInt8](repeating: 0, count: name.count)
    let count: Int
    do throws(Errno) {
      let file = try FileDescriptor.open(path, flags: O_RDONLY)
      if try file.isFolder() { throw Errno(code: EISDIR) }
      // A pipe or a device cannot be looked into twice: it must be Y4M.
      guard try file.regularFileSize() != nil else { return true }
      count = try first.withUnsafeMutableBufferPointer { buffer throws(Errno) in
        try file.readFully(into: UnsafeMutableRawBufferPointer(buffer))
      }
    } catch { throw CameraError(.open, path: FixedString(path), errno: error) }
    guard count > 0 else {
      throw CameraError(.malformed("the file is empty"), path: FixedString(path))
    }
    return first == name
  }
}

/// The ffmpeg program that decodes one clip.
struct ClipDecoder: ~Copyable {
  let path: FixedString<128>
  private var process: ChildProcess
  private var log: FfmpegLog
  private var output: FileDescriptor?
  private var start: Int64?
  private var isFinished = false

  init(path: String) throws(CameraError) {
    self.path = FixedString(path)
    do throws(Errno) {
      let log = try FfmpegLog()
      let pair = try DescriptorPair()
      process = try ChildProcess(
        "ffmpeg",
        [
          "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info",
          // `file:` so that no name is taken for a protocol or an option.
          "-i", "file:" + path, "-map", "0:v:0",
          "-vf", "scale=out_color_matrix=bt601:out_range=tv,showinfo=checksum=0",
          "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "pipe:1",
        ], input: nil, output: pair.theirs.raw, errors: log.file.raw)
      self.log = log
      output = pair.takeOurs()
    } catch {
      throw CameraError.spawning("ffmpeg", error, path: FixedString(path))
    }
  }

  /// The pipe that the frames come from; once.
  mutating func takeOutput() -> FileDescriptor {
    let taken = output.take()
    return taken ?? FileDescriptor(borrowing: -1)
  }

  /// When frame `index` is shown, from the first frame on; nil when ffmpeg did not say.
  mutating func time(of index: Int) -> Instant? {
    if log.times.count <= index { log.update() }
    guard index < log.times.count, let time = log.times[index] else { return nil }
    if start == nil { start = time }
    return Instant(nanoseconds: time - (start ?? time))
  }

  /// Waits for ffmpeg to end; throws what it complained about. A second time it does nothing.
  /// - Parameter hasFrames: whether any came.
  mutating func finish(hasFrames: Bool = true) throws(CameraError) {
    guard !isFinished else { return }
    isFinished = true
    let end = try process.waitForEnd(path: path)
    log.update()
    guard var words = log.firstError?[...] else {
      if end == .exit(0) { return }
      throw CameraError(.programFailed("ffmpeg"), path: path)
    }
    // The path is said already.
    if let named = words.range(of: "file:\(path.string): ") { words = words[named.upperBound...] }
    throw CameraError(
      hasFrames ? .malformed("the clip") : .unsupported("a clip that ffmpeg cannot read"),
      path: path, detail: FixedString(String(words)))
  }
}

extension ChildProcess {
  /// Waits for the end, in this module's words.
  mutating func waitForEnd(path: FixedString<128>) throws(CameraError) -> End {
    do throws(Errno) { return try wait() } catch {
      throw CameraError(.programFailed("ffmpeg"), path: path, errno: error)
    }
  }
}

extension CameraError {
  /// A program that could not be started.
  static func spawning(
    _ program: StaticString, _ error: Errno, path: FixedString<128>
  ) -> CameraError {
    error.code == ENOENT
      ? CameraError(.programMissing(program), path: path)
      : CameraError(.programFailed(program), path: path, errno: error)
  }
}
