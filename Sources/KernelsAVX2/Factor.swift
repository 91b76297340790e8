#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// `FixedPoint`'s factors of 8 lanes.
  struct Factor {
    let multiplier: __m256i
    let left: __m256i
    let right: __m256i

    @inline(__always)
    init(multiplier: __m256i, shift: __m256i) {
      self.multiplier = multiplier
      let zero = _mm256_setzero_si256()
      left = _mm256_max_epi32(shift, zero)
      right = _mm256_sub_epi32(left, shift)
    }

    /// Each lane's own: `negative` where t < 0.
    @inline(__always)
    init(_ t: __m256i, _ positive: Factor, _ negative: Factor) {
      let isNegative = _mm256_cmpgt_epi32(_mm256_setzero_si256(), t)
      multiplier = _mm256_blendv_epi8(positive.multiplier, negative.multiplier, isNegative)
      left = _mm256_blendv_epi8(positive.left, negative.left, isNegative)
      right = _mm256_blendv_epi8(positive.right, negative.right, isNegative)
    }

    @inline(__always)
    static func == (a: Factor, b: Factor) -> Bool {
      let differs = _mm256_or_si256(
        _mm256_xor_si256(a.multiplier, b.multiplier),
        _mm256_or_si256(_mm256_xor_si256(a.left, b.left), _mm256_xor_si256(a.right, b.right)))
      return _mm256_testz_si256(differs, differs) != 0
    }

    /// As `FixedPoint.scale` for int32. The 64-bit products keep their bits 31...62; the one case
    /// that would saturate needs a multiplier of −2^31, which packing refuses.
    @inline(__always)
    func scaled(_ x: __m256i) -> __m256i {
      let shifted = _mm256_sllv_epi32(x, left)
      let half = _mm256_set1_epi64x(1 << 30)
      let even = _mm256_add_epi64(_mm256_mul_epi32(shifted, multiplier), half)
      let odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64(shifted, 32), _mm256_srli_epi64(multiplier, 32)), half)
      let high = kernels_blend_odd(_mm256_srli_epi64(even, 31), _mm256_add_epi64(odd, odd))
      // Rounding shift: one more where the rest is over half, half itself counting away from 0.
      let ones = _mm256_set1_epi32(-1)
      let mask = _mm256_andnot_si256(_mm256_sllv_epi32(ones, right), ones)
      let rest = _mm256_and_si256(high, mask)
      let isNegative = _mm256_cmpgt_epi32(_mm256_setzero_si256(), high)
      let threshold = _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), isNegative)
      return _mm256_sub_epi32(
        _mm256_srav_epi32(high, right), _mm256_cmpgt_epi32(rest, threshold))
    }
  }
#endif
