#if arch(x86_64)
  import CImaging
  import _Builtin_intrinsics.intel

  /// The weighted mean of `taps` rows of `count` bytes, 32 or more: 256 times it, rounded, less
  /// 32768.
  /// - weights: in units of 2^-15, at most 32767 each, and 1 in all.
  @export(interface)
  public func sumrows_u8_x32_avx2(
    _ first: UnsafeRawPointer, stride: Int, taps: Int, weights: UnsafePointer<UInt16>, count: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    // Half of what is cut off is added first.
    let bias = _mm256_set1_epi32(64 - (32768 << 7))
    forEachStrip(count) { place in
      var a = bias
      var b = bias
      var c = bias
      var d = bias
      var line = first + place
      var tap = 0
      while tap < taps {
        let upper = line.loadUnaligned(as: __m256i.self)
        // An odd last row goes with itself, without weight.
        let hasPair = tap &+ 1 < taps
        let lower = hasPair ? (line + stride).loadUnaligned(as: __m256i.self) : upper
        let pair =
          Int32(weights[tap]) | (hasPair ? Int32(weights[tap &+ 1]) &<< 16 : 0)
        let weight = _mm256_set1_epi32(pair)
        let low = _mm256_unpacklo_epi8(upper, lower)
        let high = _mm256_unpackhi_epi8(upper, lower)
        let zero = _mm256_setzero_si256()
        a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), weight))
        b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), weight))
        c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), weight))
        d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), weight))
        line += 2 &* stride
        tap &+= 2
      }
      let low = _mm256_packs_epi32(_mm256_srai_epi32(a, 7), _mm256_srai_epi32(b, 7))
      let high = _mm256_packs_epi32(_mm256_srai_epi32(c, 7), _mm256_srai_epi32(d, 7))
      store(low, high, at: place, of: row)
    }
  }

  /// The same for 1 << shift rows of equal weight, at most 256.
  @export(interface)
  public func addrows_u8_x32_avx2(
    _ first: UnsafeRawPointer, stride: Int, shift: Int, count: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    let toMean = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: 8 &- shift))
    let half = _mm256_set1_epi16(.min)
    let taps = 1 &<< shift
    forEachStrip(count) { place in
      let zero = _mm256_setzero_si256()
      var low = zero
      var high = zero
      var line = first + place
      for _ in 0..<taps {
        let bytes = line.loadUnaligned(as: __m256i.self)
        low = _mm256_add_epi16(low, _mm256_unpacklo_epi8(bytes, zero))
        high = _mm256_add_epi16(high, _mm256_unpackhi_epi8(bytes, zero))
        line += stride
      }
      store(
        _mm256_xor_si256(_mm256_sll_epi16(low, toMean), half),
        _mm256_xor_si256(_mm256_sll_epi16(high, toMean), half), at: place, of: row)
    }
  }

  /// The last strip overlaps the one before.
  @inline(__always)
  private func forEachStrip(_ count: Int, _ body: (_ place: Int) -> Void) {
    var place = 0
    while place &+ 32 <= count {
      body(place)
      place &+= 32
    }
    if place < count { body(count &- 32) }
  }

  /// 32 values, unpacked in the halves of the vectors.
  @inline(__always)
  private func store(
    _ low: __m256i, _ high: __m256i, at place: Int, of row: UnsafeMutablePointer<Int16>
  ) {
    let target = UnsafeMutableRawPointer(row + place)
    target.storeBytes(of: imaging_low_halves(low, high), as: __m256i.self)
    target.storeBytes(of: imaging_high_halves(low, high), toByteOffset: 32, as: __m256i.self)
  }
#endif
