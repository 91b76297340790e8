#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Sums to int8 outputs for one block of up to 8 channels and `pixels` outputs of one row. `sums`
  /// has 8 int32 a pixel, neither bias nor zero point included; `output` is the first pixel's first
  /// channel of the block.
  func requantise_s8_x8_neon(
    _ block: kernels_requantisation, sums: UnsafeRawPointer, pixels: Int,
    into output: UnsafeMutablePointer<Int8>
  ) {
    let zeroPoint = vdupq_n_s32(block.input_zero_point)
    let lowBias = vmlsq_s32(biases(block, 0), column(block, 6, 0), zeroPoint)
    let highBias = vmlsq_s32(biases(block, 4), column(block, 6, 4), zeroPoint)
    let lowPositive = factor(block, 0, 0)
    let highPositive = factor(block, 0, 4)
    let lowNegative = factor(block, 2, 0)
    let highNegative = factor(block, 2, 4)
    if let residual = block.residual {
      let lowSum = factor(block, 4, 0)
      let highSum = factor(block, 4, 4)
      let added = min(8, block.residual_channels)
      forEachPixel(block, sums, pixels, output) { pixel, low, high in
        let steps = residualSteps(block, residual + pixel &* block.residual_stride, added)
        let t0 = vaddq_s32(
          lowSum.scaled(vaddq_s32(low, lowBias)), addend(block, vget_low_s16(steps)))
        let t1 = vaddq_s32(
          highSum.scaled(vaddq_s32(high, highBias)), addend(block, vget_high_s16(steps)))
        return Eight(
          low: Factor(t0, lowPositive, lowNegative).scaled(t0),
          high: Factor(t1, highPositive, highNegative).scaled(t1))
      }
    } else if lowPositive == lowNegative && highPositive == highNegative {
      forEachPixel(block, sums, pixels, output) { _, low, high in
        Eight(
          low: lowPositive.scaled(vaddq_s32(low, lowBias)),
          high: highPositive.scaled(vaddq_s32(high, highBias)))
      }
    } else {
      forEachPixel(block, sums, pixels, output) { _, low, high in
        let t0 = vaddq_s32(low, lowBias)
        let t1 = vaddq_s32(high, highBias)
        return Eight(
          low: Factor(t0, lowPositive, lowNegative).scaled(t0),
          high: Factor(t1, highPositive, highNegative).scaled(t1))
      }
    }
  }

  private struct Eight {
    let low: SIMD4<Int32>
    let high: SIMD4<Int32>
  }

  @inline(__always)
  private func biases(_ block: kernels_requantisation, _ first: Int) -> SIMD4<Int32> {
    (block.bias + 4 &* first).loadUnaligned(as: SIMD4<Int32>.self)
  }

  @inline(__always)
  private func factor(_ block: kernels_requantisation, _ index: Int, _ first: Int) -> Factor {
    Factor(multiplier: column(block, index, first), shift: column(block, index &+ 1, first))
  }

  @inline(__always)
  private func column(
    _ block: kernels_requantisation, _ index: Int, _ first: Int
  ) -> SIMD4<Int32> {
    UnsafeRawPointer(block.table + (index &* block.pitch &+ first)).loadUnaligned(
      as: SIMD4<Int32>.self)
  }

  /// 8 channels of a residual less its zero point, of which the first `count` exist.
  @inline(__always)
  private func residualSteps(
    _ block: kernels_requantisation, _ residual: UnsafeRawPointer, _ count: Int
  ) -> SIMD8<Int16> {
    let zeroPoint = Int8(truncatingIfNeeded: block.residual_zero_point)
    var bytes = vdup_n_s8(zeroPoint)
    if count == 8 {
      bytes = residual.loadUnaligned(as: SIMD8<Int8>.self)
    } else {
      for index in 0..<count {
        bytes[index] = residual.load(fromByteOffset: index, as: Int8.self)
      }
    }
    return vsubl_s8(bytes, vdup_n_s8(zeroPoint))
  }

  @inline(__always)
  private func addend(_ block: kernels_requantisation, _ steps: SIMD4<Int16>) -> SIMD4<Int32> {
    vmulq_s32(vmovl_s16(steps), vdupq_n_s32(block.residual_multiplier))
  }

  /// Takes each pixel through `scale`, adds the zero point, saturates, bounds and stores.
  @inline(__always)
  private func forEachPixel(
    _ block: kernels_requantisation, _ sums: UnsafeRawPointer, _ pixels: Int,
    _ output: UnsafeMutablePointer<Int8>,
    _ scale: (_ pixel: Int, _ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> Eight
  ) {
    let zeroPoint = vdupq_n_s16(Int16(truncatingIfNeeded: block.output_zero_point))
    let minimum = vdup_n_s8(Int8(truncatingIfNeeded: block.minimum))
    let maximum = vdup_n_s8(Int8(truncatingIfNeeded: block.maximum))
    for pixel in 0..<pixels {
      let from = sums + 32 &* pixel
      let scaled = scale(
        pixel, from.loadUnaligned(as: SIMD4<Int32>.self),
        from.loadUnaligned(fromByteOffset: 16, as: SIMD4<Int32>.self))
      let words = vqaddq_s16(
        vcombine_s16(vqmovn_s32(scaled.low), vqmovn_s32(scaled.high)), zeroPoint)
      let bytes = vmin_s8(vmax_s8(vqmovn_s16(words), minimum), maximum)
      let to = output + pixel &* block.output_stride
      if block.channels == 8 {
        UnsafeMutableRawPointer(to).storeBytes(of: bytes, as: SIMD8<Int8>.self)
      } else {
        for index in 0..<block.channels { to[index] = bytes[index] }
      }
    }
  }
#endif
