import CPlatform
import FrameRing
import Glibc
import Platform

/// Writes pictures to an MP4 file through the ffmpeg program, H.264 where it has it, else MPEG-4.
public struct ClipWriter: ~Copyable {
  public let width: Int
  public let height: Int
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
    let codec = try Self.hasH264() ? ["libx264", "-crf", "18"] : ["mpeg4", "-q:v", "3"]
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
      try send(picture.pixels)
      framesWritten += 1
      isDue = time.map { rate.time(of: framesWritten) <= $0 } ?? false
    }
  }

  private mutating func send(_ bytes: [UInt8]) throws(CameraError) {
    let socket = input?.raw ?? -1
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        done += try checkedCount {
          bytes.withUnsafeBytes { raw in
            let rest = UnsafeRawBufferPointer(rebasing: raw[done...])
            // The reader may be gone: an error then, no signal.
            return Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          }
        }
      } catch {
        try end()
        throw CameraError(.transfer, path: path, errno: error)
      }
    }
  }

  /// Completes the file.
  /// - Throws: `programFailed` with ffmpeg's words.
  public consuming func finish() throws(CameraError) { try end() }

  private mutating func end() throws(CameraError) {
    input = nil
    guard process.wait() == .exit(0) else {
      log.update()
      throw CameraError(
        .programFailed("ffmpeg"), path: path, detail: FixedString(log.lastError ?? ""))
    }
  }

  /// Whether this ffmpeg was built with the H.264 encoder.
  private static func hasH264() throws(CameraError) -> Bool {
    do throws(Errno) {
      let list = try temporaryFile()
      var process = try ChildProcess(
        "ffmpeg", ["-hide_banner", "-encoders"], input: nil, output: list.raw, errors: nil)
      _ = process.wait()
      var text = [UInt8](repeating: 0, count: 1 << 18)
      let count = max(0, pread(list.raw, &text, text.count, 0))
      return String(decoding: text[..<count], as: UTF8.self).range(of: " libx264 ") != nil
    } catch { throw CameraError.spawning("ffmpeg", error, path: FixedString()) }
  }
}
