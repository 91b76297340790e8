#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Sums of 16 channels, bias and zero point included, to values in the output's steps: exactly what
  /// `FixedPoint.scale` gives, for blocks whose constants promise that nothing overflows.
  protocol Scaler {
    /// - Parameter pixel: which output of the row.
    func scaled(_ sums: __m512i, pixel: Int) -> __m512i
  }

  /// Doubled sums times one multiplier a lane, in halves of 64 bits: even lanes and odd ones. What
  /// lies above 32 bits is the product of `FixedPoint.roundingDoublingHigh`, not yet rounded.
  private struct Product {
    let even: __m512i
    let odd: __m512i

    @inline(__always)
    init(doubled: __m512i, multiplier: __m512i, oddMultiplier: __m512i) {
      even = _mm512_mul_epi32(doubled, multiplier)
      odd = _mm512_mul_epi32(oddLanes(doubled), oddMultiplier)
    }

    /// What lies above 32 bits after an addition.
    @inline(__always)
    func high(adding halves: Halves) -> __m512i {
      kernels_high_lanes(
        _mm512_add_epi64(even, halves.even), _mm512_add_epi64(odd, halves.odd))
    }
  }

  /// Half of 2^32, for rounding, with an addend a lane above it.
  private struct Halves {
    let even: __m512i
    let odd: __m512i

    @inline(__always)
    init() {
      even = _mm512_set1_epi64(1 << 31)
      odd = even
    }

    @inline(__always)
    init(adding above: __m512i) {
      let half = _mm512_set1_epi64(1 << 31)
      even = _mm512_or_si512(_mm512_slli_epi64(above, 32), half)
      odd = _mm512_mask_blend_epi32(0x5555, above, half)
    }
  }

  /// ``Finish/plain``.
  struct PlainScaler: Scaler {
    private let multiplier: __m512i
    private let oddMultiplier: __m512i
    private let halves: Halves
    private let right: __m512i
    private let signShift: __m512i

    @inline(__always)
    init(_ constants: UnsafeRawPointer) {
      multiplier = load(constants, BlockConstants.positiveMultiplier.offset)
      oddMultiplier = oddLanes(multiplier)
      halves = Halves(adding: load(constants, BlockConstants.positiveRounding.offset))
      right = load(constants, BlockConstants.positiveRight.offset)
      signShift = load(constants, BlockConstants.signShift.offset)
    }

    @inline(__always)
    func scaled(_ sums: __m512i, pixel: Int) -> __m512i {
      let product = Product(
        doubled: _mm512_slli_epi32(sums, 1), multiplier: multiplier, oddMultiplier: oddMultiplier)
      // One less where negative, so that the half counts away from 0.
      return _mm512_srav_epi32(
        _mm512_sub_epi32(product.high(adding: halves), _mm512_srlv_epi32(sums, signShift)), right)
    }
  }

  /// ``Finish/slopes``.
  struct SlopeScaler: Scaler {
    private let positiveMultiplier: __m512i
    private let negativeMultiplier: __m512i
    private let positiveRounding: __m512i
    private let negativeRounding: __m512i
    private let positiveRight: __m512i
    private let negativeRight: __m512i

    @inline(__always)
    init(_ constants: UnsafeRawPointer) {
      positiveMultiplier = load(constants, BlockConstants.positiveMultiplier.offset)
      negativeMultiplier = load(constants, BlockConstants.negativeMultiplier.offset)
      positiveRounding = load(constants, BlockConstants.positiveRounding.offset)
      negativeRounding = load(constants, BlockConstants.negativeRounding.offset)
      positiveRight = load(constants, BlockConstants.positiveRight.offset)
      negativeRight = load(constants, BlockConstants.negativeRight.offset)
    }

    @inline(__always)
    func scaled(_ sums: __m512i, pixel: Int) -> __m512i {
      let isNegative = _mm512_movepi32_mask(sums)
      let multiplier = _mm512_mask_blend_epi32(
        isNegative, positiveMultiplier, negativeMultiplier)
      let rounding = _mm512_mask_blend_epi32(isNegative, positiveRounding, negativeRounding)
      let right = _mm512_mask_blend_epi32(isNegative, positiveRight, negativeRight)
      let product = Product(
        doubled: _mm512_slli_epi32(sums, 1), multiplier: multiplier,
        oddMultiplier: oddLanes(multiplier))
      return _mm512_srav_epi32(_mm512_add_epi32(product.high(adding: Halves()), rounding), right)
    }
  }

  /// ``Finish/residual``.
  struct ResidualScaler: Scaler {
    private let slopes: SlopeScaler
    private let left: __m512i
    private let multiplier: __m512i
    private let oddMultiplier: __m512i
    private let halves: Halves
    private let residual: UnsafeRawPointer
    private let stride: Int
    private let last: Int
    private let isAdded: __mmask16
    private let step: __m512i

    /// - Parameter pixels: outputs in the row: the residual has no more.
    @inline(__always)
    init(
      _ constants: UnsafeRawPointer, _ block: kernels_requantisation,
      _ residual: UnsafeRawPointer, pixels: Int
    ) {
      slopes = SlopeScaler(constants)
      left = load(constants, BlockConstants.residualLeft.offset)
      multiplier = load(constants, BlockConstants.residualMultiplier.offset)
      oddMultiplier = oddLanes(multiplier)
      isAdded = __mmask16(truncatingIfNeeded: (1 &<< max(0, min(16, block.residual_channels))) &- 1)
      let zero = _mm512_set1_epi32(0 &- block.residual_zero_point &* block.residual_multiplier)
      halves = Halves(adding: _mm512_maskz_mov_epi32(isAdded, zero))
      self.residual = residual
      stride = block.residual_stride
      last = pixels &- 1
      // Residuals go into the upper byte of an int16: 256 times their value.
      step = _mm512_set1_epi32(block.residual_multiplier &>> 8)
    }

    @inline(__always)
    func scaled(_ sums: __m512i, pixel: Int) -> __m512i {
      let product = Product(
        doubled: _mm512_sllv_epi32(sums, left), multiplier: multiplier,
        oddMultiplier: oddMultiplier)
      let bytes = _mm_maskz_loadu_epi8(isAdded, residual + min(pixel, last) &* stride)
      let sum = _mm512_dpwssd_epi32(
        product.high(adding: halves), kernels_bytes_to_second(bytes), step)
      return slopes.scaled(sum, pixel: pixel)
    }
  }
#endif
