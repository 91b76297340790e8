#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Sums of 16 output channels for `pixels` neighbouring outputs of one row, finished while they are
  /// in registers.
  ///
  /// A kernel row reads one contiguous run of staged uint8 values (see `stage_s8_x64_vnni`), taken
  /// four at a time: vpdpbusd adds their products with the four weights of each channel.
  /// - ring: `rowCount` staged rows, `pitch` bytes apart, the first kernel row in slot `firstRow`.
  ///   Read for `pixels` rounded up to 8.
  /// - step: bytes from one output's run to the next.
  /// - weights: by kernel row, unit of four, channel, element of the unit.
  @export(interface)
  public func convolve_s8_8x16_vnni(
    _ block: Block, ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, units: Int,
    pixels: Int, step: Int, weights: UnsafeRawPointer
  ) {
    let step3 = 3 &* step
    let step5 = 5 &* step
    let step7 = 7 &* step
    block.forEachTile(pixels: pixels) { pixel, initial in
      var sums = Tile(repeating: initial)
      var row = firstRow
      var weight = weights
      for _ in 0..<rowCount {
        var run = ring + (row &* pitch &+ pixel &* step)
        for _ in 0..<units {
          let w = load(weight)
          sums.s0 = _mm512_dpbusd_epi32(sums.s0, broadcast(run), w)
          sums.s1 = _mm512_dpbusd_epi32(sums.s1, broadcast(run + step), w)
          sums.s2 = _mm512_dpbusd_epi32(sums.s2, broadcast(run + 2 &* step), w)
          sums.s3 = _mm512_dpbusd_epi32(sums.s3, broadcast(run + step3), w)
          sums.s4 = _mm512_dpbusd_epi32(sums.s4, broadcast(run + 4 &* step), w)
          sums.s5 = _mm512_dpbusd_epi32(sums.s5, broadcast(run + step5), w)
          sums.s6 = _mm512_dpbusd_epi32(sums.s6, broadcast(run + 2 &* step3), w)
          sums.s7 = _mm512_dpbusd_epi32(sums.s7, broadcast(run + step7), w)
          run += 4
          weight += 64
        }
        row = row &+ 1 == rowCount ? 0 : row &+ 1
      }
      return sums
    }
  }
#endif
