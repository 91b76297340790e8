#if arch(x86_64)
  import CImaging
  import _Builtin_intrinsics.intel

  /// Takes `count` pairs apart. All three are read and written in multiples of 16 pairs.
  @export(interface)
  public func split2_s16_x16_avx2(
    _ pairs: UnsafePointer<Int16>, count: Int, first: UnsafeMutablePointer<Int16>,
    second: UnsafeMutablePointer<Int16>
  ) {
    let order = _mm256_setr_epi8(
      0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
      0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
    let source = UnsafeRawPointer(pairs)
    let one = UnsafeMutableRawPointer(first)
    let other = UnsafeMutableRawPointer(second)
    var index = 0
    while index < count {
      let place = 4 &* index
      let a = imaging_middle_swapped(
        _mm256_shuffle_epi8(
          source.loadUnaligned(fromByteOffset: place, as: __m256i.self), order))
      let b = imaging_middle_swapped(
        _mm256_shuffle_epi8(
          source.loadUnaligned(fromByteOffset: place &+ 32, as: __m256i.self), order))
      one.storeBytes(of: imaging_low_halves(a, b), toByteOffset: 2 &* index, as: __m256i.self)
      other.storeBytes(of: imaging_high_halves(a, b), toByteOffset: 2 &* index, as: __m256i.self)
      index &+= 16
    }
  }

  /// Takes `count` triples apart. All are read and written in multiples of 8 triples.
  @export(interface)
  public func split3_s16_x8_avx2(
    _ triples: UnsafePointer<Int16>, count: Int, first: UnsafeMutablePointer<Int16>,
    second: UnsafeMutablePointer<Int16>, third: UnsafeMutablePointer<Int16>
  ) {
    let source = UnsafeRawPointer(triples)
    var index = 0
    while index < count {
      let place = source + 6 &* index
      let a = place.loadUnaligned(as: __m128i.self)
      let b = place.loadUnaligned(fromByteOffset: 16, as: __m128i.self)
      let c = place.loadUnaligned(fromByteOffset: 32, as: __m128i.self)
      // Values 0 3 6 | 9 12 15 | 18 21, then those one and two further.
      let x = joined(
        a, _mm_setr_epi8(0, 1, 6, 7, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1),
        b, _mm_setr_epi8(-1, -1, -1, -1, -1, -1, 2, 3, 8, 9, 14, 15, -1, -1, -1, -1),
        c, _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 5, 10, 11))
      let y = joined(
        a, _mm_setr_epi8(2, 3, 8, 9, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1),
        b, _mm_setr_epi8(-1, -1, -1, -1, -1, -1, 4, 5, 10, 11, -1, -1, -1, -1, -1, -1),
        c, _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 6, 7, 12, 13))
      let z = joined(
        a, _mm_setr_epi8(4, 5, 10, 11, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1),
        b, _mm_setr_epi8(-1, -1, -1, -1, 0, 1, 6, 7, 12, 13, -1, -1, -1, -1, -1, -1),
        c, _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 3, 8, 9, 14, 15))
      UnsafeMutableRawPointer(first + index).storeBytes(of: x, as: __m128i.self)
      UnsafeMutableRawPointer(second + index).storeBytes(of: y, as: __m128i.self)
      UnsafeMutableRawPointer(third + index).storeBytes(of: z, as: __m128i.self)
      index &+= 8
    }
  }

  /// Bytes of three vectors, each put where its order says; -1 leaves a byte to another.
  @inline(__always)
  private func joined(
    _ a: __m128i, _ inA: __m128i, _ b: __m128i, _ inB: __m128i, _ c: __m128i, _ inC: __m128i
  ) -> __m128i {
    _mm_or_si128(
      _mm_or_si128(_mm_shuffle_epi8(a, inA), _mm_shuffle_epi8(b, inB)), _mm_shuffle_epi8(c, inC))
  }
#endif
