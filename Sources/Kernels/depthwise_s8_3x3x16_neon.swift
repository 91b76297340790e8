#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// A depthwise convolution of 3 by 3 from staged rows to outputs, 16 channels at once, `pixels`
  /// neighbouring outputs of one row: all weights stay in registers, and no sum is stored.
  ///
  /// Two products fit int16 (see `convolve_s8_2x8_neon`), so the nine taps are added in five steps.
  /// - rows: the places of the three rows' first taps, the first output's, at the first channel.
  /// - column: bytes from one tap to the next.
  /// - step: bytes from one output to the next.
  /// - weights: by tap, channel.
  ///
  /// Returns false, and does nothing, where the factors are not what networks have.
  func depthwise_s8_3x3x16_neon(
    _ block: kernels_requantisation,
    rows: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer), column: Int, pixels: Int,
    step: Int, weights: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    switch UsualForm(block, channels: 16) {
    case .plain: depthwise(PlainForm.self, block, rows, column, pixels, step, weights, output)
    case .bounded: depthwise(BoundedForm.self, block, rows, column, pixels, step, weights, output)
    case .sloped, .residual, .accumulated, nil: return false
    }
    return true
  }

  @inline(__always)
  private func depthwise<Form: OutputForm>(
    _ form: Form.Type, _ block: kernels_requantisation,
    _ rows: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer), _ column: Int, _ pixels: Int,
    _ step: Int, _ weights: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    let first = EightOutputs<Form>(block)
    var next = block
    next.advance(8)
    let second = EightOutputs<Form>(next)
    let stride = block.output_stride
    let minimum = vdupq_n_s8(Int8(truncatingIfNeeded: block.minimum))
    let maximum = vdupq_n_s8(Int8(truncatingIfNeeded: block.maximum))
    let w0 = sixteen(weights)
    let w1 = sixteen(weights + 16)
    let w2 = sixteen(weights + 32)
    let w3 = sixteen(weights + 48)
    let w4 = sixteen(weights + 64)
    let w5 = sixteen(weights + 80)
    let w6 = sixteen(weights + 96)
    let w7 = sixteen(weights + 112)
    let w8 = sixteen(weights + 128)
    var (a, b, c) = rows
    var to = output
    var left = pixels
    while left > 0 {
      var sums = Sixteen(first.bias, second.bias)
      sums.add(sixteen(a), w0, sixteen(a + column), w1)
      sums.add(sixteen(a + 2 &* column), w2, sixteen(b), w3)
      sums.add(sixteen(b + column), w4, sixteen(b + 2 &* column), w5)
      sums.add(sixteen(c), w6, sixteen(c + column), w7)
      sums.add(sixteen(c + 2 &* column), w8)
      let low = first.positive.scaledRight(Eight(low: sums.a, high: sums.b))
      let high = second.positive.scaledRight(Eight(low: sums.c, high: sums.d))
      let zeroPoint = first.zeroPoint
      var bytes = vqmovn_high_s16(
        vqmovn_s16(vqaddq_s16(vqmovn_high_s32(vqmovn_s32(low.low), low.high), zeroPoint)),
        vqaddq_s16(vqmovn_high_s32(vqmovn_s32(high.low), high.high), zeroPoint))
      if Form.isBounded { bytes = vminq_s8(vmaxq_s8(bytes, minimum), maximum) }
      to.storeBytes(of: bytes, as: SIMD16<Int8>.self)
      to += stride
      a += step
      b += step
      c += step
      left &-= 1
    }
  }

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }

  /// Sums of 16 channels.
  private struct Sixteen {
    var a: SIMD4<Int32>
    var b: SIMD4<Int32>
    var c: SIMD4<Int32>
    var d: SIMD4<Int32>

    @inline(__always)
    init(_ first: Eight, _ second: Eight) {
      (a, b, c, d) = (first.low, first.high, second.low, second.high)
    }

    @inline(__always)
    mutating func add(
      _ x: SIMD16<Int8>, _ w: SIMD16<Int8>, _ y: SIMD16<Int8>, _ v: SIMD16<Int8>
    ) {
      add(
        vmlal_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vget_low_s8(y), vget_low_s8(v)),
        vmlal_high_s8(vmull_high_s8(x, w), y, v))
    }

    @inline(__always)
    mutating func add(_ x: SIMD16<Int8>, _ w: SIMD16<Int8>) {
      add(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_high_s8(x, w))
    }

    @inline(__always)
    private mutating func add(_ low: SIMD8<Int16>, _ high: SIMD8<Int16>) {
      a = vaddw_s16(a, vget_low_s16(low))
      b = vaddw_high_s16(b, low)
      c = vaddw_s16(c, vget_low_s16(high))
      d = vaddw_high_s16(d, high)
    }
  }
#endif
