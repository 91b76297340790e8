import CKernels

/// What becomes of the sums of a block of channels.
public enum Finish {
  /// int32 sums without bias and zero point go to memory, 16 a pixel, for outputs rounded up to 8.
  case sums(UnsafeMutableRawPointer)
  /// int8 outputs by one factor a channel, whatever the sum's sign.
  case plain(UnsafeMutablePointer<Int8>)
  /// int8 outputs by one factor a channel for positive sums and another for negative ones.
  case slopes(UnsafeMutablePointer<Int8>)
  /// A residual is added before the slopes; its multiplier is a multiple of 256 in 0..<2^23.
  case residual(UnsafeMutablePointer<Int8>)
}

#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// The constants of one block of channels and one row on their way to outputs.
  public struct Block {
    let job: kernels_requantisation
    /// As ``BlockConstants`` says.
    let constants: UnsafeRawPointer
    let finish: Finish

    public init(_ job: kernels_requantisation, _ constants: UnsafeRawPointer, _ finish: Finish) {
      self.job = job
      self.constants = constants
      self.finish = finish
    }

    /// Makes all tiles of a row and finishes them.
    @inline(__always)
    func forEachTile(pixels: Int, _ tile: (_ pixel: Int, _ initial: __m512i) -> Tile) {
      switch finish {
      case .sums(let sums):
        let zero = _mm512_setzero_si512()
        var pixel = 0
        while pixel < pixels {
          tile(pixel, zero).store(sums + 64 &* pixel)
          pixel &+= 8
        }
      case .plain(let output):
        finishTiles(pixels, output, PlainScaler(constants), tile)
      case .slopes(let output):
        finishTiles(pixels, output, SlopeScaler(constants), tile)
      case .residual(let output):
        guard let residual = job.residual else { return }
        finishTiles(
          pixels, output, ResidualScaler(constants, job, residual, pixels: pixels), tile)
      }
    }

    @inline(__always)
    private func finishTiles(
      _ pixels: Int, _ output: UnsafeMutablePointer<Int8>, _ scaler: some Scaler,
      _ tile: (_ pixel: Int, _ initial: __m512i) -> Tile
    ) {
      let row = OutputRow(job, output, pixels: pixels)
      // Sums begin with the bias and with what makes up for the zero point.
      let weightSum = load(UnsafeRawPointer(job.table + 6 &* job.pitch))
      let initial = _mm512_sub_epi32(
        load(job.bias), _mm512_mullo_epi32(weightSum, _mm512_set1_epi32(job.input_zero_point)))
      var pixel = 0
      while pixel < pixels {
        row.finish(tile(pixel, initial), scaler, pixel: pixel)
        pixel &+= 8
      }
    }
  }
#endif
