#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// 8 int64, the first four and the last four.
  struct WideLanes {
    var low: __m256i
    var high: __m256i

    @inline(__always)
    init(low: __m256i, high: __m256i) {
      self.low = low
      self.high = high
    }

    /// Of 8 int32.
    @inline(__always)
    init(_ lanes: __m256i) {
      low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes))
      high = _mm256_cvtepi32_epi64(kernels_high_half(lanes))
    }

    @inline(__always)
    init(_ values: UnsafeRawPointer) {
      low = values.loadUnaligned(as: __m256i.self)
      high = values.loadUnaligned(fromByteOffset: 32, as: __m256i.self)
    }

    @inline(__always)
    func map(_ body: (__m256i) -> __m256i) -> WideLanes {
      WideLanes(low: body(low), high: body(high))
    }

    @inline(__always)
    func map(_ other: WideLanes, _ body: (__m256i, __m256i) -> __m256i) -> WideLanes {
      WideLanes(low: body(low, other.low), high: body(high, other.high))
    }

    @inline(__always)
    static func + (a: WideLanes, b: WideLanes) -> WideLanes { a.map(b, _mm256_add_epi64) }

    /// All bits where negative.
    @inline(__always)
    var isNegative: WideLanes { map { _mm256_cmpgt_epi64(_mm256_setzero_si256(), $0) } }

    /// The lower halves of the 8, saturated.
    @inline(__always)
    var saturated: __m256i {
      let bounded = map {
        let most = _mm256_set1_epi64x(Int64(Int32.max))
        let least = _mm256_set1_epi64x(Int64(Int32.min))
        let below = _mm256_blendv_epi8($0, most, _mm256_cmpgt_epi64($0, most))
        return _mm256_blendv_epi8(below, least, _mm256_cmpgt_epi64(least, below))
      }
      let mixed = kernels_even_lanes(bounded.low, bounded.high)
      return kernels_swap_middle(mixed)
    }
  }

  /// `FixedPoint`'s factors of 8 int64 lanes.
  struct WideFactor {
    let multiplier: WideLanes
    let right: WideLanes

    /// From a multiplier and a shift as packed.
    @inline(__always)
    init(multiplier: __m256i, shift: __m256i) {
      let most = _mm256_set1_epi32(0x7FFE_FFFF)
      let short = _mm256_srai_epi32(
        _mm256_add_epi32(_mm256_min_epi32(multiplier, most), _mm256_set1_epi32(1 << 15)), 16)
      // What is not below 0x7FFF0000 becomes 0x7FFF.
      let isLarge = _mm256_cmpgt_epi32(multiplier, most)
      self.multiplier = WideLanes(
        _mm256_blendv_epi8(short, _mm256_set1_epi32(0x7FFF), isLarge))
      right = WideLanes(_mm256_sub_epi32(_mm256_set1_epi32(15), shift))
    }

    @inline(__always)
    private init(multiplier: WideLanes, right: WideLanes) {
      self.multiplier = multiplier
      self.right = right
    }

    /// Each lane's own: `negative` where the sum is below 0.
    @inline(__always)
    init(_ sums: WideLanes, _ positive: WideFactor, _ negative: WideFactor) {
      let isNegative = sums.isNegative
      multiplier = WideLanes(
        low: _mm256_blendv_epi8(
          positive.multiplier.low, negative.multiplier.low, isNegative.low),
        high: _mm256_blendv_epi8(
          positive.multiplier.high, negative.multiplier.high, isNegative.high))
      right = WideLanes(
        low: _mm256_blendv_epi8(positive.right.low, negative.right.low, isNegative.low),
        high: _mm256_blendv_epi8(positive.right.high, negative.right.high, isNegative.high))
    }

    /// As `FixedPoint.scale` for int64.
    @inline(__always)
    func scaled(_ sums: WideLanes) -> __m256i {
      let products = sums.map(multiplier) { sum, multiplier in
        // The lower 64 bits of a product, by halves.
        let crossed = _mm256_add_epi64(
          _mm256_mul_epu32(_mm256_srli_epi64(sum, 32), multiplier),
          _mm256_mul_epu32(sum, _mm256_srli_epi64(multiplier, 32)))
        return _mm256_add_epi64(
          _mm256_mul_epu32(sum, multiplier), _mm256_slli_epi64(crossed, 32))
      }
      let rounded = products.map(right) { product, right in
        let one = _mm256_set1_epi64x(1)
        let half = _mm256_sllv_epi64(one, _mm256_sub_epi64(right, one))
        // An arithmetic shift out of a logical one.
        let lowest = _mm256_set1_epi64x(Int64.min)
        let shifted = _mm256_srlv_epi64(
          _mm256_xor_si256(_mm256_add_epi64(product, half), lowest), right)
        return _mm256_sub_epi64(shifted, _mm256_srlv_epi64(lowest, right))
      }
      return rounded.saturated
    }
  }
#endif
