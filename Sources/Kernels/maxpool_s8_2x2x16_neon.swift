#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// The largest of every 2 by 2 values of two neighbouring rows, within bounds: `pixels` outputs of
  /// `channels` channels, a multiple of 16.
  @inline(never)  // so that profiles and the check of its loop find it
  func maxpool_s8_2x2x16_neon(
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
        let upper = vmaxq_s8(sixteen(a), sixteen(a + channels))
        let lower = vmaxq_s8(sixteen(b), sixteen(b + channels))
        let largest = vminq_s8(vmaxq_s8(vmaxq_s8(upper, lower), lowest), highest)
        to.storeBytes(of: largest, as: SIMD16<Int8>.self)
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

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }
#endif
