/// How well a part of a picture is lit and focused.
public struct PictureQuality: Equatable, Sendable {
  /// Mean luma, 0 to 255 (full range whatever the format's).
  public var meanLuma: Float
  /// Share of pixels below 20, and of those above 235, 0 to 1.
  public var darkShare: Float
  public var brightShare: Float
  /// Variance of a Laplacian over the variance of the luma: 0 for a flat or blurred part, rising
  /// with fine detail.
  public var sharpness: Float

  public init(meanLuma: Float, darkShare: Float, brightShare: Float, sharpness: Float) {
    self.meanLuma = meanLuma
    self.darkShare = darkShare
    self.brightShare = brightShare
    self.sharpness = sharpness
  }
}

/// What a frame looks like from afar, to tell repeated frames and still pictures. 16 x 12 cells in
/// the camera's orientation.
public struct FrameSignature: Equatable, Sendable {
  public static let cells = 192

  /// Of the raw luma samples: equal for a repeated frame, different with the camera's noise.
  public var hash: UInt64
  /// Mean luma of each cell.
  public var grid: InlineArray<192, UInt8>

  public init(hash: UInt64, grid: InlineArray<192, UInt8>) {
    self.hash = hash
    self.grid = grid
  }

  /// Mean absolute difference of the cells, 0 to 255.
  public func difference(to other: FrameSignature) -> Float {
    var sum = 0
    for cell in 0..<Self.cells { sum += abs(Int(grid[cell]) - Int(other.grid[cell])) }
    return Float(sum) / Float(Self.cells)
  }

  public static func == (a: FrameSignature, b: FrameSignature) -> Bool {
    guard a.hash == b.hash else { return false }
    for cell in 0..<cells where a.grid[cell] != b.grid[cell] { return false }
    return true
  }
}

/// Measures a part of the upright picture; what lies outside the picture is left out. A few
/// microseconds: at most 128 x 128 samples.
/// - Returns: nil when nothing of `part` lies in the picture.
public func measureQuality(
  _ frame: borrowing FrameView, within part: Rect
) -> PictureQuality? {
  nil
}

/// The signature of a frame. A few microseconds: 64 x 48 samples.
public func signature(of frame: borrowing FrameView) -> FrameSignature {
  FrameSignature(hash: 0, grid: InlineArray(repeating: 0))
}
