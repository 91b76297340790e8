import FrameRing
import Platform

/// Writes pictures to an MP4 file through the ffmpeg program, H.264 where it has it, else MPEG-4.
public struct ClipWriter: ~Copyable {
  /// Of every picture, in pixels.
  public let width: Int
  public let height: Int
  /// Even: a picture that stays longer is written more than once.
  public let rate: FrameRate
  let path: FixedString<128>
  private var process: ChildProcess
  private var log: FfmpegLog
  private var input: FileDescriptor?
  private var framesWritten: UInt32 = 0

  /// Starts the file, over an older one.
  /// - Throws: `programMissing` without ffmpeg.
  public init(path: String, width: Int, height: Int, rate: FrameRate) throws(CameraError) {
    self.path = FixedString(path)
    self.width = width
    self.height = height
    self.rate = rate
    let codec = try Self.hasH264(self.path) ? ["libx264", "-crf", "18"] : ["mpeg4", "-q:v", "3"]
    do throws(Errno) {
      let log = try FfmpegLog()
      let pair = try DescriptorPair(isSocket: true)
      process = try ChildProcess(
        "ffmpeg",
        [
          "-hide_banner", "-nostats", "-loglevel", "level+error", "-f", "rawvideo",
          "-pix_fmt", "rgb24", "-video_size", "\(width)x\(height)",
          "-framerate", "\(rate.numerator)/\(rate.denominator)", "-i", "pipe:0",
          // Chroma at half size needs even sides.
          "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-c:v",
        ] + codec + ["-movflags", "+faststart", "-f", "mp4", "-y", "file:" + path],
        input: pair.theirs.raw, output: nil, errors: log.file.raw)
      self.log = log
      input = pair.takeOurs()
    } catch { throw CameraError.spawning("ffmpeg", error, path: FixedString(path)) }
  }

  /// Appends a picture of the clip's size, so often that the clip's even rate keeps up with `time`
  /// (from the clip's start); nil appends it once.
  public mutating func write(_ picture: Picture, at time: Instant? = nil) throws(CameraError) {
    guard picture.width == width, picture.height == height else {
      throw CameraError(.size(width: picture.width, height: picture.height), path: path)
    }
    var isDue = true
    while isDue {
      do throws(Errno) {
        try picture.pixels.span.withUnsafeBytes { bytes throws(Errno) in
          try input?.sendFully(bytes)
        }
      } catch {
        try end()
        throw CameraError(.transfer, path: path, errno: error)
      }
      framesWritten += 1
      isDue = time.map { rate.time(of: framesWritten) <= $0 } ?? false
    }
  }

  /// Completes the file.
  /// - Throws: `programFailed` with ffmpeg's words.
  public consuming func finish() throws(CameraError) { try end() }

  private mutating func end() throws(CameraError) {
    input = nil
    guard try process.waitForEnd(path: path) == .exit(0) else {
      log.update()
      throw CameraError(
        .programFailed("ffmpeg"), path: path, detail: FixedString(log.firstError ?? ""))
    }
  }

  /// Whether this ffmpeg was built with the H.264 encoder.
  /// - Parameter path: of the clip to come, for errors.
  private static func hasH264(_ path: FixedString<128>) throws(CameraError) -> Bool {
    do throws(Errno) {
      let list = try FileDescriptor.temporaryFile()
      var process = try ChildProcess(
        "ffmpeg", ["-hide_banner", "-encoders"], input: nil, output: list.raw, errors: nil)
      _ = try process.wait()
      var text = [UInt8](repeating: 0, count: 1 << 18)
      let count = try text.withUnsafeMutableBufferPointer { bytes throws(Errno) in
        try list.read(into: UnsafeMutableRawBufferPointer(bytes), at: 0)
      }
      return String(decoding: text[..<count], as: UTF8.self).range(of: " libx264 ") != nil
    } catch { throw CameraError.spawning("ffmpeg", error, path: path) }
  }
}
