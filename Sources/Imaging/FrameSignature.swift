import FrameRing

/// What a frame looks like from afar, to tell repeated frames and still pictures. In the camera's
/// orientation.
public struct FrameSignature: Equatable, Sendable {
  /// 16 columns by 12 rows.
  public static let cells = 192

  /// Of 64 x 48 luma samples as they are stored: equal for a repeated frame, different with the
  /// camera's noise.
  public var hash: UInt64
  /// Mean of the 4 x 4 samples in each cell.
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

/// The signature of a frame. About 10 µs on one core of a PC.
@export(interface)
public func signature(of frame: borrowing FrameView) -> FrameSignature {
  var work = SignatureWork(width: frame.format.width, height: frame.format.height)
  return frame.perform(&work)
}

struct SignatureWork: PixelWork {
  let width: Int
  let height: Int

  func run<Reader: PixelReader>(_ reader: Reader) -> FrameSignature {
    // FNV-1a (Fowler, Noll, Vo), a byte at a time.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var grid = InlineArray<192, UInt8>(repeating: 0)
    for row in 0..<12 {
      var sums = InlineArray<16, Int32>(repeating: 0)
      for line in 0..<4 {
        // The middles of a grid of 64 x 48.
        let y = (2 * (4 * row + line) + 1) * height / 96
        for sample in 0..<64 {
          let luma = reader.luma(x: (2 * sample + 1) * width / 128, y: y)
          sums[sample / 4] += luma
          hash = (hash ^ UInt64(truncatingIfNeeded: luma)) &* 0x0000_0100_0000_01B3
        }
      }
      for column in 0..<16 {
        grid[16 * row + column] = UInt8(truncatingIfNeeded: (sums[column] + 8) / 16)
      }
    }
    return FrameSignature(hash: hash, grid: grid)
  }
}
