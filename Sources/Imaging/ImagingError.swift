/// Why a picture could not be used. Counts are bytes, sizes are pixels.
public enum ImagingError: Error, Equatable, Sendable {
  /// Width or height is not in 1…16384.
  case size(width: Int, height: Int)
  /// A row is shorter than its pixels, or longer than 1 MiB.
  case bytesPerLine(given: Int, needed: Int)
  /// The frame ends early.
  case bytesMissing(given: Int, needed: Int)
  /// The output's place holds fewer values than the picture has.
  case outputTooSmall(given: Int, needed: Int)
  case scratchTooSmall(given: Int, needed: Int)
  /// A place that is not a number, or a region without an area or beyond ±1e6 pixels.
  case region
}
