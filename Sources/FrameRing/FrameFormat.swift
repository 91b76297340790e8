import Platform

/// How the bytes of a frame are laid out. Names are V4L2's.
public enum PixelFormat: UInt8, Sendable {
  /// Packed Y0 U Y1 V, 2 bytes a pixel.
  case yuyv
  /// Packed U Y0 V Y1, 2 bytes a pixel.
  case uyvy
  /// Plane Y, then interleaved U V at half width and height.
  case nv12
  /// Plane Y, then interleaved V U at half width and height.
  case nv21
  /// Planes Y, U, V; U and V at half width and height and half the stride.
  case i420
  /// Luma alone, 1 byte a pixel.
  case grey
  /// Packed R G B, 3 bytes a pixel.
  case rgb24
  /// Packed B G R, 3 bytes a pixel.
  case bgr24
}

/// What luma values mean. BT.601 in either case; RGB formats are always full.
public enum ColorRange: UInt8, Sendable {
  /// Black at 16, white at 235: cameras and most clips.
  case limited
  /// Black at 0, white at 255: JPEG.
  case full
}

/// Size and layout of a frame as the camera gives it, before it is turned upright.
public struct FrameFormat: Equatable, Sendable {
  /// How the bytes are laid out.
  public var pixelFormat: PixelFormat
  /// In pixels, as the camera gives it.
  public var width: Int
  /// In pixels, as the camera gives it.
  public var height: Int
  /// Bytes from one row of the first plane to the next; at least the packed row.
  public var bytesPerLine: Int
  /// What luma values mean.
  public var colorRange: ColorRange

  /// - Parameter bytesPerLine: nil takes the packed row.
  public init(
    pixelFormat: PixelFormat, width: Int, height: Int, bytesPerLine: Int? = nil,
    colorRange: ColorRange = .limited
  ) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.colorRange = colorRange
    self.bytesPerLine = bytesPerLine ?? Self.packedRow(pixelFormat, width: width)
  }

  /// Bytes of one row of the first plane without padding.
  public static func packedRow(_ pixelFormat: PixelFormat, width: Int) -> Int {
    switch pixelFormat {
    case .yuyv, .uyvy: (width + 1) / 2 * 4
    case .nv12, .nv21, .i420, .grey: width
    case .rgb24, .bgr24: width * 3
    }
  }

  /// Rows of a chroma plane.
  public var chromaHeight: Int { (height + 1) / 2 }

  /// Bytes from one row of a chroma plane to the next; 0 for formats without such planes.
  public var chromaBytesPerLine: Int {
    switch pixelFormat {
    case .nv12, .nv21: (bytesPerLine + 1) / 2 * 2
    case .i420: (bytesPerLine + 1) / 2
    case .yuyv, .uyvy, .grey, .rgb24, .bgr24: 0
    }
  }

  /// Bytes of the whole frame, all planes.
  public var byteCount: Int {
    let luma = bytesPerLine * height
    switch pixelFormat {
    case .nv12, .nv21: return luma + chromaBytesPerLine * chromaHeight
    case .i420: return luma + 2 * chromaBytesPerLine * chromaHeight
    case .yuyv, .uyvy, .grey, .rgb24, .bgr24: return luma
    }
  }

  /// Bytes up to the last pixel: the padding after the last row may be missing, as some drivers
  /// leave it out.
  public var minimumByteCount: Int {
    switch pixelFormat {
    case .yuyv, .uyvy, .grey, .rgb24, .bgr24:
      return bytesPerLine * (height - 1) + Self.packedRow(pixelFormat, width: width)
    case .nv12, .nv21: return byteCount - chromaBytesPerLine + (width + 1) / 2 * 2
    case .i420: return byteCount - chromaBytesPerLine + (width + 1) / 2
    }
  }
}

/// What travels with a frame's bytes.
public struct FrameInfo: Equatable, Sendable {
  /// Counts the frames of the source, gaps included.
  public var sequence: UInt32
  /// When the frame was taken (a clip: its own time).
  public var timestamp: Instant
  /// Size and layout. May change from frame to frame, as when a camera is opened anew.
  public var format: FrameFormat
  /// Valid bytes in the slot, from its start.
  public var bytesUsed: Int

  public init(sequence: UInt32, timestamp: Instant, format: FrameFormat, bytesUsed: Int) {
    self.sequence = sequence
    self.timestamp = timestamp
    self.format = format
    self.bytesUsed = bytesUsed
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension PixelFormat: CaseIterable {}
#endif
