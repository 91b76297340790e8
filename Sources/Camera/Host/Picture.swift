import CPicture
import CPlatform
import FrameRing
import Platform

/// A still picture in memory: R G B, 8 bits each, upright.
public struct Picture: Sendable {
  /// Pixels of a picture that is read, at most; each side has 1…16384.
  public static let mostPixels = 64 << 20
  static let sides = 1...16384
  static let mostFileBytes = 256 << 20

  /// In pixels.
  public let width: Int
  public let height: Int
  /// height x width x 3.
  public var pixels: [UInt8]

  /// - Parameter pixels: height x width x 3 bytes; another number is a programming error.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(pixels.count == width * height * 3)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// All black.
  public init(width: Int, height: Int) {
    self.init(width: width, height: height, pixels: Array(repeating: 0, count: width * height * 3))
  }

  /// Of ``pixels``, as a frame.
  public var format: FrameFormat {
    FrameFormat(pixelFormat: .rgb24, width: width, height: height, colorRange: .full)
  }

  /// Reads a JPEG or PNG file and turns it upright as its EXIF data says.
  /// - Throws: `open`, `transfer`, `unsupported` for another kind of file, `size`, and `malformed`
  ///   with the library's words for one that is damaged or ends early.
  public init(path: String) throws(CameraError) {
    let bytes = try Self.contents(of: path)
    try self.init(bytes, path: FixedString(path))
  }

  /// As ``init(path:)``, from memory.
  init(_ bytes: [UInt8], path: FixedString<128>) throws(CameraError) {
    guard let codec = PictureCodec(bytes) else {
      let what: CameraFault =
        bytes.isEmpty
        ? .malformed("the file is empty") : .unsupported("a picture other than JPEG or PNG")
      throw CameraError(what, path: path)
    }
    let stored = try codec.decode(bytes, path: path)
    self = stored.turned(by: codec.orientation(bytes))
  }

  static func contents(of path: String) throws(CameraError) -> [UInt8] {
    do throws(Errno) {
      let file = try FileDescriptor.open(path, flags: O_RDONLY)
      let size = try file.regularFileSize() ?? 0
      guard size <= mostFileBytes else { throw Errno(code: EFBIG) }
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while bytes.count <= mostFileBytes {
        let count = try chunk.withUnsafeMutableBufferPointer { buffer throws(Errno) in
          try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
      }
      throw Errno(code: EFBIG)
    } catch { throw CameraError(.open, path: FixedString(path), errno: error) }
  }
}

/// Which library reads a picture.
enum PictureCodec {
  case jpeg, png

  /// By the first bytes; nil for neither.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else {
      return nil
    }
  }

  /// The picture as it is stored.
  func decode(_ bytes: [UInt8], path: FixedString<128>) throws(CameraError) -> Picture {
    var size = picture_size()
    try call("the header", path: path) { message in
      self == .jpeg
        ? picture_jpeg_size(bytes, bytes.count, &size, message)
        : picture_png_size(bytes, bytes.count, &size, message)
    }
    let (width, height) = (Int(size.width), Int(size.height))
    guard Picture.sides ~= width, Picture.sides ~= height, width * height <= Picture.mostPixels
    else { throw CameraError(.size(width: width, height: height), path: path) }
    var picture = Picture(width: width, height: height)
    let count = picture.pixels.count
    try call("the pixels", path: path) { message in
      self == .jpeg
        ? picture_jpeg_decode(bytes, bytes.count, &picture.pixels, count, message)
        : picture_png_decode(bytes, bytes.count, &picture.pixels, count, message)
    }
    return picture
  }

  private func call(
    _ what: StaticString, path: FixedString<128>, _ body: (UnsafeMutablePointer<CChar>) -> Int32
  ) throws(CameraError) {
    guard let words = pictureFailure(body) else { return }
    throw CameraError(.malformed(what), path: path, detail: words)
  }

  func orientation(_ bytes: [UInt8]) -> ExifOrientation {
    switch self {
    case .jpeg: return ExifOrientation(jpeg: bytes)
    case .png:
      var exif = [UInt8](repeating: 0, count: 1 << 16)
      let count = picture_png_exif(bytes, bytes.count, &exif, exif.count)
      return ExifOrientation(tiff: exif[..<count])
    }
  }
}

/// Calls a picture library; the words that it leaves when it fails, nil when it does not.
func pictureFailure(_ call: (UnsafeMutablePointer<CChar>) -> Int32) -> FixedString<160>? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PICTURE_MESSAGE_BYTES)) { message in
    message.initialize(repeating: 0)
    guard let start = message.baseAddress, call(start) != 0 else { return nil }
    var words = FixedString<160>()
    words.append(cString: start)
    return words
  }
}
