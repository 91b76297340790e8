import CPlatform
import FrameRing
import Platform

/// Frames a second as a ratio.
public struct FrameRate: Equatable, Sendable {
  public let numerator: Int
  public let denominator: Int

  public init(_ numerator: Int, _ denominator: Int = 1) {
    self.numerator = numerator
    self.denominator = denominator
  }

  public var perSecond: Float { Float(numerator) / Float(denominator) }

  /// When frame `index` (0 is the first) begins.
  func time(of index: UInt32) -> Instant {
    // Whole seconds and the rest apart: with at most 1e9 for each number and at least one frame a
    // second, nothing overflows.
    let periods = Int64(index) * Int64(denominator)
    let seconds = periods / Int64(numerator)
    let rest = periods % Int64(numerator)
    return Instant(nanoseconds: seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(numerator))
  }
}

/// Reads a YUV4MPEG2 clip (yuv4mpeg(5) of mjpegtools) from a file or a pipe, straight into the
/// caller's memory. Colour spaces 420, 420jpeg, 420mpeg2, 420paldv and mono; at most 4096x4096; 1 to
/// 1000 frames a second. Where chroma lies between luma is not told apart.
public struct Y4MReader: ~Copyable, ClipSource {
  static let largestSide = 4096
  static let rates = 1...1000

  let file: FileDescriptor
  public let path: FixedString<128>
  /// I420 or grey, rows without padding.
  public private(set) var format: FrameFormat
  public private(set) var rate: FrameRate
  /// Frames read so far.
  public private(set) var framesRead: UInt32 = 0
  var buffer = LineBuffer()

  /// Opens the clip at `path` and reads its header.
  public init(path: FixedString<128>) throws(CameraError) {
    let file: FileDescriptor
    do {
      file = try path.withCString { name throws(Errno) in
        try FileDescriptor.open(name, flags: O_RDONLY)
      }
    } catch { throw CameraError(.open, path: path, errno: error) }
    try self.init(file, path: path)
  }

  /// Reads the header.
  /// - Parameter path: for errors.
  public init(_ file: consuming FileDescriptor, path: FixedString<128>) throws(CameraError) {
    self.file = file
    self.path = path
    format = FrameFormat(pixelFormat: .i420, width: 0, height: 0)
    rate = FrameRate(1)
    guard let count = try nextLine() else {
      throw CameraError(.malformed("the file is empty"), path: path)
    }
    do {
      let header = try Y4MHeader(buffer.bytes(count))
      format = try header.format()
      rate = try header.rate()
    } catch { throw CameraError(error, path: path) }
    buffer.drop(count + 1)
  }

  /// Reads the next frame.
  /// - Parameter slot: at least `format.byteCount` bytes.
  /// - Returns: nil at the end. The time stamp counts from 0 by the clip's rate.
  /// - Throws: `truncated` when the clip ends inside a frame.
  public mutating func readFrame(
    into slot: UnsafeMutableRawBufferPointer
  ) throws(CameraError) -> FrameInfo? {
    let needed = format.byteCount
    guard slot.count >= needed else {
      throw CameraError(.size(width: format.width, height: format.height), path: path)
    }
    guard let line = try nextLine() else { return nil }
    guard Y4MHeader.startsFrame(buffer.bytes(line)) else {
      throw CameraError(.malformed("no FRAME where one should begin"), path: path)
    }
    buffer.drop(line + 1)
    let buffered = buffer.take(into: UnsafeMutableRawBufferPointer(rebasing: slot[..<needed]))
    let rest = UnsafeMutableRawBufferPointer(rebasing: slot[buffered..<needed])
    let count: Int
    do { count = try file.readFully(into: rest) } catch {
      throw CameraError(.transfer, path: path, errno: error)
    }
    guard count == rest.count else { throw CameraError(.truncated, path: path) }
    let index = framesRead
    guard index < .max else { throw CameraError(.unsupported("more than 2^32 frames"), path: path) }
    framesRead += 1
    return FrameInfo(
      sequence: index, timestamp: rate.time(of: index), format: format, bytesUsed: needed)
  }

  public borrowing func isReadable() throws(CameraError) -> Bool {
    if !buffer.isEmpty { return true }
    do {
      return try file.waitUntilReadable(timeout: .milliseconds(200))
    } catch { throw CameraError(.transfer, path: path, errno: error) }
  }

  /// Bytes of the line that the buffer begins with, without its end; nil at the end of the file.
  private mutating func nextLine() throws(CameraError) -> Int? {
    while true {
      if let count = buffer.lineLength { return count }
      guard buffer.makeRoom() else {
        throw CameraError(.malformed("a header line is too long"), path: path)
      }
      let count: Int
      do { count = try buffer.fill(from: file) } catch {
        throw CameraError(.transfer, path: path, errno: error)
      }
      if count == 0 {
        if buffer.isEmpty { return nil }
        throw CameraError(.truncated, path: path)
      }
    }
  }
}
