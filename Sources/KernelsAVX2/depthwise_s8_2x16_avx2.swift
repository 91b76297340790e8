#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Depthwise sums of 16 channels for `pixels` neighbouring outputs of one row.
  ///
  /// Two taps at a time: their 16 staged int16 values are interleaved, so that vpmaddwd adds both
  /// products of a channel.
  /// - taps: 2 * `pairs` places in the staged rows, the first output's; an odd kernel's last tap is
  ///   repeated with weights of 0.
  /// - offset: bytes to the first channel of the block.
  /// - step: bytes from one output to the next.
  /// - weights: by pair, 32 int16 in the order of the interleaved values: channels 0...3, 8...11,
  ///   4...7, 12...15, both taps of each.
  /// - sums: by pixel, channel. Written, and the inputs read, for `pixels` rounded up to 2.
  @export(interface)
  public func depthwise_s8_2x16_avx2(
    taps: UnsafePointer<UnsafeRawPointer>, pairs: Int, offset: Int, pixels: Int, step: Int,
    weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var pixel = 0
    while pixel < pixels {
      let at = offset &+ pixel &* step
      var low0 = _mm256_setzero_si256()
      var high0 = low0
      var low1 = low0
      var high1 = low0
      for pair in 0..<pairs {
        let first = taps[2 &* pair] + at
        let second = taps[2 &* pair &+ 1] + at
        let weight = weights + 64 &* pair
        let w0 = weight.loadUnaligned(as: __m256i.self)
        let w1 = weight.loadUnaligned(fromByteOffset: 32, as: __m256i.self)
        let x0 = first.loadUnaligned(as: __m256i.self)
        let y0 = second.loadUnaligned(as: __m256i.self)
        low0 = _mm256_add_epi32(low0, _mm256_madd_epi16(_mm256_unpacklo_epi16(x0, y0), w0))
        high0 = _mm256_add_epi32(high0, _mm256_madd_epi16(_mm256_unpackhi_epi16(x0, y0), w1))
        let x1 = first.loadUnaligned(fromByteOffset: step, as: __m256i.self)
        let y1 = second.loadUnaligned(fromByteOffset: step, as: __m256i.self)
        low1 = _mm256_add_epi32(low1, _mm256_madd_epi16(_mm256_unpacklo_epi16(x1, y1), w0))
        high1 = _mm256_add_epi32(high1, _mm256_madd_epi16(_mm256_unpackhi_epi16(x1, y1), w1))
      }
      let out = sums + pixel &* 64
      out.storeBytes(of: kernels_low_halves(low0, high0), as: __m256i.self)
      out.storeBytes(of: kernels_high_halves(low0, high0), toByteOffset: 32, as: __m256i.self)
      out.storeBytes(of: kernels_low_halves(low1, high1), toByteOffset: 64, as: __m256i.self)
      out.storeBytes(of: kernels_high_halves(low1, high1), toByteOffset: 96, as: __m256i.self)
      pixel &+= 2
    }
  }
#endif
