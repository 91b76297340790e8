#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// A convolution over 16 inputs an output, from inputs to outputs, 8 output channels at once: all
  /// weights and factors stay in registers, and no sum is stored.
  ///
  /// Products as in `convolve_s8_2x8_neon`. Inputs lie `step` bytes apart, weights by channel, input.
  /// Returns false, and does nothing, where the factors are not what networks have.
  func convolve_s8_1x16x8_neon(
    _ block: kernels_requantisation, inputs: UnsafeRawPointer, step: Int, pixels: Int,
    weights: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    switch UsualForm(block) {
    case .plain: convolve(PlainForm.self, block, inputs, step, pixels, weights, output)
    case .bounded: convolve(BoundedForm.self, block, inputs, step, pixels, weights, output)
    case .sloped: convolve(SlopedForm.self, block, inputs, step, pixels, weights, output)
    case .residual: convolve(ResidualForm.self, block, inputs, step, pixels, weights, output)
    case .accumulated: convolve(AccumulatedForm.self, block, inputs, step, pixels, weights, output)
    case nil: return false
    }
    return true
  }

  @inline(__always)
  private func convolve<Form: OutputForm>(
    _ form: Form.Type, _ block: kernels_requantisation, _ inputs: UnsafeRawPointer, _ step: Int,
    _ pixels: Int, _ weights: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    let outputs = EightOutputs<Form>(block)
    let outputStride = block.output_stride
    let residualStride = block.residual_stride
    let w0 = sixteen(weights)
    let w1 = sixteen(weights + 16)
    let w2 = sixteen(weights + 32)
    let w3 = sixteen(weights + 48)
    let w4 = sixteen(weights + 64)
    let w5 = sixteen(weights + 80)
    let w6 = sixteen(weights + 96)
    let w7 = sixteen(weights + 112)
    var from = inputs
    var residual = block.residual ?? inputs
    var to = output
    var left = pixels
    while left > 0 {
      let x = sixteen(from)
      let sums = Eight(
        low: totals(pairs(x, w0), pairs(x, w1), pairs(x, w2), pairs(x, w3)),
        high: totals(pairs(x, w4), pairs(x, w5), pairs(x, w6), pairs(x, w7)))
      to.storeBytes(of: outputs.outputs(sums, residual), as: SIMD8<Int8>.self)
      from += step
      if Form.hasResidual { residual += residualStride }
      to += outputStride
      left &-= 1
    }
  }

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }

  /// 16 products in 4 sums of four.
  @inline(__always)
  private func pairs(_ x: SIMD16<Int8>, _ w: SIMD16<Int8>) -> SIMD4<Int32> {
    vpaddlq_s16(vmlal_high_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), x, w))
  }

  /// The four lanes of each added up.
  @inline(__always)
  private func totals(
    _ a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>
  ) -> SIMD4<Int32> {
    vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d))
  }
#endif
