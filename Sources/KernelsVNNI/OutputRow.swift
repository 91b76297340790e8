#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Where the int8 outputs of one block of channels and one row go.
  struct OutputRow {
    private let start: UnsafeMutableRawPointer
    private let stride: Int
    private let mask: __mmask16
    private let zeroPoint: __m512i
    private let minimum: __m512i
    private let maximum: __m512i
    /// Places of the packed bytes, so that each output's channels are neighbours.
    private let order: __m512i
    private let pixels: Int

    @inline(__always)
    init(_ block: kernels_requantisation, _ output: UnsafeMutablePointer<Int8>, pixels: Int) {
      start = UnsafeMutableRawPointer(output)
      stride = block.output_stride
      mask = __mmask16(truncatingIfNeeded: (1 &<< block.channels) &- 1)
      zeroPoint = _mm512_set1_epi16(Int16(truncatingIfNeeded: block.output_zero_point))
      minimum = _mm512_set1_epi8(Int8(truncatingIfNeeded: block.minimum))
      maximum = _mm512_set1_epi8(Int8(truncatingIfNeeded: block.maximum))
      order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0)
      self.pixels = pixels
    }

    /// Scales, saturates, bounds and stores the tile of outputs from `pixel` on.
    @inline(__always)
    func finish(_ tile: Tile, _ scaler: some Scaler, pixel: Int) {
      store(
        packed(
          scaler.scaled(tile.s0, pixel: pixel), scaler.scaled(tile.s1, pixel: pixel &+ 1),
          scaler.scaled(tile.s2, pixel: pixel &+ 2), scaler.scaled(tile.s3, pixel: pixel &+ 3)),
        pixel)
      store(
        packed(
          scaler.scaled(tile.s4, pixel: pixel &+ 4), scaler.scaled(tile.s5, pixel: pixel &+ 5),
          scaler.scaled(tile.s6, pixel: pixel &+ 6), scaler.scaled(tile.s7, pixel: pixel &+ 7)),
        pixel &+ 4)
    }

    /// The 16 bytes of each of four outputs.
    @inline(__always)
    private func packed(_ a: __m512i, _ b: __m512i, _ c: __m512i, _ d: __m512i) -> __m512i {
      let bytes = _mm512_packs_epi16(
        _mm512_adds_epi16(_mm512_packs_epi32(a, b), zeroPoint),
        _mm512_adds_epi16(_mm512_packs_epi32(c, d), zeroPoint))
      let bounded = _mm512_min_epi8(_mm512_max_epi8(bytes, minimum), maximum)
      return _mm512_permutexvar_epi32(order, bounded)
    }

    @inline(__always)
    private func store(_ bytes: __m512i, _ pixel: Int) {
      let to = start + pixel &* stride
      if mask == 0xFFFF && pixel &+ 4 <= pixels {
        if stride == 16 {
          to.storeBytes(of: bytes, as: __m512i.self)
        } else {
          to.storeBytes(of: _mm512_castsi512_si128(bytes), as: __m128i.self)
          (to + stride).storeBytes(of: kernels_quarter_1(bytes), as: __m128i.self)
          (to + 2 &* stride).storeBytes(of: kernels_quarter_2(bytes), as: __m128i.self)
          (to + 3 &* stride).storeBytes(of: kernels_quarter_3(bytes), as: __m128i.self)
        }
      } else {
        if pixel < pixels { _mm_mask_storeu_epi8(to, mask, _mm512_castsi512_si128(bytes)) }
        if pixel &+ 1 < pixels {
          _mm_mask_storeu_epi8(to + stride, mask, kernels_quarter_1(bytes))
        }
        if pixel &+ 2 < pixels {
          _mm_mask_storeu_epi8(to + 2 &* stride, mask, kernels_quarter_2(bytes))
        }
        if pixel &+ 3 < pixels {
          _mm_mask_storeu_epi8(to + 3 &* stride, mask, kernels_quarter_3(bytes))
        }
      }
    }
  }
#endif
