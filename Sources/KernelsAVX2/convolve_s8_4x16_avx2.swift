#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Sums of 16 output channels for `pixels` neighbouring outputs of one row.
  ///
  /// A kernel row reads one contiguous run of staged int16 values (see `stage_s8_x16_avx2`), taken
  /// in pairs: vpmaddwd multiplies a pair by the two weights of each of 8 channels and adds, exactly.
  /// - ring: `rowCount` staged rows, `pitch` bytes apart, the first kernel row in slot `firstRow`.
  /// - step: bytes from one output's run to the next.
  /// - weights: by kernel row, pair, channel, element of the pair.
  /// - sums: by pixel, channel. Written, and the inputs read, for `pixels` rounded up to 4.
  @export(interface)
  public func convolve_s8_4x16_avx2(
    ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, pairs: Int, pixels: Int,
    step: Int, weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var pixel = 0
    while pixel < pixels {
      var row = firstRow
      var weight = weights
      let out = sums + pixel &* 64
      if pixel &+ 1 == pixels {
        var a0 = _mm256_setzero_si256()
        var b0 = a0
        for _ in 0..<rowCount {
          var run = ring + (row &* pitch &+ pixel &* step)
          for _ in 0..<pairs {
            let w0 = widened(weight)
            let w1 = widened(weight + 16)
            let x0 = broadcast(run)
            a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(x0, w0))
            b0 = _mm256_add_epi32(b0, _mm256_madd_epi16(x0, w1))
            run += 4
            weight += 32
          }
          row = row &+ 1 == rowCount ? 0 : row &+ 1
        }
        out.storeBytes(of: a0, as: __m256i.self)
        out.storeBytes(of: b0, toByteOffset: 32, as: __m256i.self)
        return
      }
      var a0 = _mm256_setzero_si256()
      var a1 = a0
      var a2 = a0
      var a3 = a0
      var b0 = a0
      var b1 = a0
      var b2 = a0
      var b3 = a0
      for _ in 0..<rowCount {
        var run = ring + (row &* pitch &+ pixel &* step)
        for _ in 0..<pairs {
          let w0 = widened(weight)
          let w1 = widened(weight + 16)
          let x0 = broadcast(run)
          a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(x0, w0))
          b0 = _mm256_add_epi32(b0, _mm256_madd_epi16(x0, w1))
          let x1 = broadcast(run + step)
          a1 = _mm256_add_epi32(a1, _mm256_madd_epi16(x1, w0))
          b1 = _mm256_add_epi32(b1, _mm256_madd_epi16(x1, w1))
          let x2 = broadcast(run + step &* 2)
          a2 = _mm256_add_epi32(a2, _mm256_madd_epi16(x2, w0))
          b2 = _mm256_add_epi32(b2, _mm256_madd_epi16(x2, w1))
          let x3 = broadcast(run + step &* 3)
          a3 = _mm256_add_epi32(a3, _mm256_madd_epi16(x3, w0))
          b3 = _mm256_add_epi32(b3, _mm256_madd_epi16(x3, w1))
          run += 4
          weight += 32
        }
        row = row &+ 1 == rowCount ? 0 : row &+ 1
      }
      out.storeBytes(of: a0, as: __m256i.self)
      out.storeBytes(of: b0, toByteOffset: 32, as: __m256i.self)
      out.storeBytes(of: a1, toByteOffset: 64, as: __m256i.self)
      out.storeBytes(of: b1, toByteOffset: 96, as: __m256i.self)
      out.storeBytes(of: a2, toByteOffset: 128, as: __m256i.self)
      out.storeBytes(of: b2, toByteOffset: 160, as: __m256i.self)
      out.storeBytes(of: a3, toByteOffset: 192, as: __m256i.self)
      out.storeBytes(of: b3, toByteOffset: 224, as: __m256i.self)
      pixel &+= 4
    }
  }

  /// 16 int8 as int16.
  @inline(__always)
  private func widened(_ weights: UnsafeRawPointer) -> __m256i {
    _mm256_cvtepi8_epi16(weights.loadUnaligned(as: __m128i.self))
  }

  /// A pair of int16 in all eight places.
  @inline(__always)
  private func broadcast(_ pair: UnsafeRawPointer) -> __m256i {
    _mm256_set1_epi32(pair.loadUnaligned(as: Int32.self))
  }
#endif
