#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// The mean of every 2 by 2 values of two neighbouring rows, the half rounded away from 0, within
  /// bounds: `pixels` outputs of `channels` channels, a multiple of 16.
  @inline(never)  // so that profiles and the check of its loop find it
  func avgpool_s8_2x2x16_neon(
    _ top: UnsafeRawPointer, _ bottom: UnsafeRawPointer, pixels: Int, channels: Int,
    minimum: Int32, maximum: Int32, into output: UnsafeMutableRawPointer
  ) {
    let lowest = vdupq_n_s8(Int8(truncatingIfNeeded: minimum))
    let highest = vdupq_n_s8(Int8(truncatingIfNeeded: maximum))
    var a = top
    var b = bottom
    var to = output
    var pixelsLeft = pixels
    while pixelsLeft > 0 {
      var left = channels
      repeat {
        let (x, y) = (sixteen(a), sixteen(a + channels))
        let (z, w) = (sixteen(b), sixteen(b + channels))
        let low = vaddq_s16(
          vaddl_s8(vget_low_s8(x), vget_low_s8(y)), vaddl_s8(vget_low_s8(z), vget_low_s8(w)))
        let high = vaddq_s16(vaddl_high_s8(x, y), vaddl_high_s8(z, w))
        let mean = vmovn_high_s16(vmovn_s16(quarter(low)), quarter(high))
        to.storeBytes(of: vminq_s8(vmaxq_s8(mean, lowest), highest), as: SIMD16<Int8>.self)
        a += 16
        b += 16
        to += 16
        left &-= 16
      } while left > 0
      a += channels
      b += channels
      pixelsLeft &-= 1
    }
  }

  /// The shift rounds the half up; taking 1 from negative sums first makes that away from 0.
  @inline(__always)
  private func quarter(_ sums: SIMD8<Int16>) -> SIMD8<Int16> {
    kernels_quarter_16(kernels_down_if_negative_16(sums))
  }

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }
#endif
