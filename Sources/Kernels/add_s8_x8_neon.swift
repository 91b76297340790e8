#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// TFLite's quantised addition of `count` values, a multiple of 8.
  @inline(never)  // so that profiles and the check of its loop find it
  func add_s8_x8_neon(
    _ addition: kernels_addition, _ a: UnsafePointer<Int8>, _ b: UnsafePointer<Int8>, count: Int,
    into output: UnsafeMutablePointer<Int8>
  ) {
    let left = vdupq_n_s32(addition.left_shift)
    let zeroA = vdup_n_s8(Int8(truncatingIfNeeded: addition.first_zero_point))
    let zeroB = vdup_n_s8(Int8(truncatingIfNeeded: addition.second_zero_point))
    let zeroOutput = vdupq_n_s16(Int16(truncatingIfNeeded: addition.output_zero_point))
    let minimum = vdup_n_s8(Int8(truncatingIfNeeded: addition.minimum))
    let maximum = vdup_n_s8(Int8(truncatingIfNeeded: addition.maximum))
    let factorA = Factor(addition.first_multiplier, addition.first_shift)
    let factorB = Factor(addition.second_multiplier, addition.second_shift)
    let factorOutput = Factor(addition.output_multiplier, addition.output_shift)
    var index = 0
    while index < count {
      let x = vsubl_s8(eight(a + index), zeroA)
      let y = vsubl_s8(eight(b + index), zeroB)
      let low = vaddq_s32(
        factorA.scaled(vshlq_s32(vmovl_s16(vget_low_s16(x)), left)),
        factorB.scaled(vshlq_s32(vmovl_s16(vget_low_s16(y)), left)))
      let high = vaddq_s32(
        factorA.scaled(vshlq_s32(vmovl_high_s16(x), left)),
        factorB.scaled(vshlq_s32(vmovl_high_s16(y), left)))
      let words = vqaddq_s16(
        vcombine_s16(vqmovn_s32(factorOutput.scaled(low)), vqmovn_s32(factorOutput.scaled(high))),
        zeroOutput)
      let bounded = vmin_s8(vmax_s8(vqmovn_s16(words), minimum), maximum)
      UnsafeMutableRawPointer(output + index).storeBytes(of: bounded, as: SIMD8<Int8>.self)
      index &+= 8
    }
  }

  extension Factor {
    @inline(__always)
    fileprivate init(_ multiplier: Int32, _ shift: Int32) {
      self.init(multiplier: vdupq_n_s32(multiplier), shift: vdupq_n_s32(shift))
    }
  }

  @inline(__always)
  private func eight(_ values: UnsafePointer<Int8>) -> SIMD8<Int8> {
    UnsafeRawPointer(values).loadUnaligned(as: SIMD8<Int8>.self)
  }
#endif
