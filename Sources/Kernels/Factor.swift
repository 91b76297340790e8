#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// ``FixedPoint``'s factors of 4 lanes.
  struct Factor {
    let multiplier: SIMD4<Int32>
    let left: SIMD4<Int32>
    /// The right shift, negative as srshl wants it.
    let right: SIMD4<Int32>

    @inline(__always)
    init(multiplier: SIMD4<Int32>, shift: SIMD4<Int32>) {
      self.multiplier = multiplier
      left = vmaxq_s32(shift, vdupq_n_s32(0))
      right = vminq_s32(shift, vdupq_n_s32(0))
    }

    /// Each lane's own: `negative` where t < 0.
    @inline(__always)
    init(_ t: SIMD4<Int32>, _ positive: Factor, _ negative: Factor) {
      let isNegative = vcltzq_s32(t)
      multiplier = vbslq_s32(isNegative, negative.multiplier, positive.multiplier)
      left = vbslq_s32(isNegative, negative.left, positive.left)
      right = vbslq_s32(isNegative, negative.right, positive.right)
    }

    /// As `FixedPoint.scale` for int32. srshl rounds the half up; taking 1 from negative values
    /// first makes that away from 0. They are at least −2^31 + 1, since no multiplier is −2^31.
    @inline(__always)
    func scaled(_ x: SIMD4<Int32>) -> SIMD4<Int32> {
      let high = vqrdmulhq_s32(vshlq_s32(x, left), multiplier)
      let isNegative = vreinterpretq_s32_u32(vcltzq_s32(vandq_s32(high, right)))
      return vrshlq_s32(vaddq_s32(high, isNegative), right)
    }

    /// The same where no lane shifts to the right.
    @inline(__always)
    func scaledLeft(_ x: SIMD4<Int32>) -> SIMD4<Int32> {
      vqrdmulhq_s32(vshlq_s32(x, left), multiplier)
    }

    /// The same where every lane shifts to the right.
    @inline(__always)
    func scaledRight(_ x: SIMD4<Int32>) -> SIMD4<Int32> {
      let high = vqrdmulhq_s32(x, multiplier)
      return vrshlq_s32(kernels_down_if_negative(high), right)
    }
  }
#endif
