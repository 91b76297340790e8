#if arch(x86_64)
  import CImaging
  import _Builtin_intrinsics.intel

  /// Means of pairs, rounded half up. Reads and writes for `count` outputs rounded up to 16.
  @export(interface)
  public func mean2_s16_x16_avx2(
    _ values: UnsafePointer<Int16>, count: Int, into means: UnsafeMutablePointer<Int16>
  ) {
    let source = UnsafeRawPointer(values)
    let ones = _mm256_set1_epi16(1)
    let half = _mm256_set1_epi32(1)
    var index = 0
    while index < count {
      let a = _mm256_madd_epi16(
        source.loadUnaligned(fromByteOffset: 4 &* index, as: __m256i.self), ones)
      let b = _mm256_madd_epi16(
        source.loadUnaligned(fromByteOffset: 4 &* index &+ 32, as: __m256i.self), ones)
      let both = _mm256_packs_epi32(
        _mm256_srai_epi32(_mm256_add_epi32(a, half), 1),
        _mm256_srai_epi32(_mm256_add_epi32(b, half), 1))
      UnsafeMutableRawPointer(means + index).storeBytes(
        of: imaging_middle_swapped(both), as: __m256i.self)
      index &+= 16
    }
  }

  /// Means of four, rounded half up. Reads and writes for `count` outputs rounded up to 16.
  @export(interface)
  public func mean4_s16_x16_avx2(
    _ values: UnsafePointer<Int16>, count: Int, into means: UnsafeMutablePointer<Int16>
  ) {
    let source = UnsafeRawPointer(values)
    let ones = _mm256_set1_epi16(1)
    let half = _mm256_set1_epi32(2)
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)
    var index = 0
    while index < count {
      let place = source + 8 &* index
      let a = _mm256_madd_epi16(place.loadUnaligned(as: __m256i.self), ones)
      let b = _mm256_madd_epi16(place.loadUnaligned(fromByteOffset: 32, as: __m256i.self), ones)
      let c = _mm256_madd_epi16(place.loadUnaligned(fromByteOffset: 64, as: __m256i.self), ones)
      let d = _mm256_madd_epi16(place.loadUnaligned(fromByteOffset: 96, as: __m256i.self), ones)
      // In halves: 0 1 2 3 | 4 5 6 7 of the sums of pairs become sums 0 1 | 4 5 and so on.
      let low = _mm256_srai_epi32(_mm256_add_epi32(_mm256_hadd_epi32(a, b), half), 2)
      let high = _mm256_srai_epi32(_mm256_add_epi32(_mm256_hadd_epi32(c, d), half), 2)
      UnsafeMutableRawPointer(means + index).storeBytes(
        of: _mm256_permutevar8x32_epi32(_mm256_packs_epi32(low, high), order), as: __m256i.self)
      index &+= 16
    }
  }

  /// Weighted means: output i is that of the 8 · blocks values from firsts[i] on. Reads and writes
  /// for `count` outputs rounded up to 8.
  /// - weights: in units of -2^-15, so that 1 can be said; by group of 8 outputs, block, output.
  @export(interface)
  public func mean_s16_x8_avx2(
    _ values: UnsafePointer<Int16>, firsts: UnsafePointer<Int32>, weights: UnsafePointer<Int16>,
    blocks: Int, count: Int, into means: UnsafeMutablePointer<Int16>
  ) {
    let half = _mm256_set1_epi32(1 << 14)
    var weight = UnsafeRawPointer(weights)
    var index = 0
    while index < count {
      var a = _mm256_setzero_si256()
      var b = a
      var c = a
      var d = a
      let first = firsts + index
      var block = 0
      while block < blocks {
        let start = UnsafeRawPointer(values + 8 &* block)
        a = _mm256_add_epi32(a, products(start, first[0], first[1], weight))
        b = _mm256_add_epi32(b, products(start, first[2], first[3], weight + 32))
        c = _mm256_add_epi32(c, products(start, first[4], first[5], weight + 64))
        d = _mm256_add_epi32(d, products(start, first[6], first[7], weight + 96))
        weight += 128
        block &+= 1
      }
      // 0 2 4 6 | 1 3 5 7.
      let sums = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d))
      let rounded = _mm256_srai_epi32(_mm256_sub_epi32(half, sums), 15)
      let both = _mm256_packs_epi32(rounded, rounded)
      UnsafeMutableRawPointer(means + index).storeBytes(
        of: _mm_unpacklo_epi16(imaging_low_half(both), imaging_high_half(both)), as: __m128i.self)
      index &+= 8
    }
  }

  /// Sums of neighbouring products of two outputs.
  @inline(__always)
  private func products(
    _ start: UnsafeRawPointer, _ one: Int32, _ other: Int32, _ weights: UnsafeRawPointer
  ) -> __m256i {
    let low = start.loadUnaligned(fromByteOffset: 2 &* Int(one), as: __m128i.self)
    let high = start.loadUnaligned(fromByteOffset: 2 &* Int(other), as: __m128i.self)
    return _mm256_madd_epi16(
      _mm256_set_m128i(high, low), weights.loadUnaligned(as: __m256i.self))
  }
#endif
