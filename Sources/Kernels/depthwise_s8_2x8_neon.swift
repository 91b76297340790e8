#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Depthwise sums of 8 channels for `pixels` neighbouring outputs of one row: two taps at a time,
  /// whose products fit int16 together (see `convolve_s8_2x8_neon`).
  /// - taps: 2 * `pairs` places in the staged rows, the first output's; an odd kernel's last tap is
  ///   repeated with weights of 0.
  /// - offset: bytes to the first channel of the block.
  /// - step: bytes from one output to the next.
  /// - weights: by tap, channel.
  /// - sums: by pixel, channel. Written, and the inputs read, for `pixels` rounded up to 2.
  func depthwise_s8_2x8_neon(
    taps: UnsafePointer<UnsafeRawPointer>, pairs: Int, offset: Int, pixels: Int, step: Int,
    weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var pixel = 0
    while pixel < pixels {
      let at = offset &+ pixel &* step
      var low0 = vdupq_n_s32(0)
      var high0 = low0
      var low1 = low0
      var high1 = low0
      for pair in 0..<pairs {
        let first = taps[2 &* pair] + at
        let second = taps[2 &* pair &+ 1] + at
        let weight = weights + 16 &* pair
        let w = weight.loadUnaligned(as: SIMD8<Int8>.self)
        let v = weight.loadUnaligned(fromByteOffset: 8, as: SIMD8<Int8>.self)
        let products0 = vmlal_s8(
          vmull_s8(first.loadUnaligned(as: SIMD8<Int8>.self), w),
          second.loadUnaligned(as: SIMD8<Int8>.self), v)
        low0 = vaddw_s16(low0, vget_low_s16(products0))
        high0 = vaddw_high_s16(high0, products0)
        let products1 = vmlal_s8(
          vmull_s8(first.loadUnaligned(fromByteOffset: step, as: SIMD8<Int8>.self), w),
          second.loadUnaligned(fromByteOffset: step, as: SIMD8<Int8>.self), v)
        low1 = vaddw_s16(low1, vget_low_s16(products1))
        high1 = vaddw_high_s16(high1, products1)
      }
      let out = sums + pixel &* 32
      out.storeBytes(of: low0, as: SIMD4<Int32>.self)
      out.storeBytes(of: high0, toByteOffset: 16, as: SIMD4<Int32>.self)
      out.storeBytes(of: low1, toByteOffset: 32, as: SIMD4<Int32>.self)
      out.storeBytes(of: high1, toByteOffset: 48, as: SIMD4<Int32>.self)
      pixel &+= 2
    }
  }
#endif
