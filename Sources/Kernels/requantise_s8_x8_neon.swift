#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Sums to int8 outputs for one block of up to 8 channels and `pixels` outputs of one row. `sums`
  /// has 8 int32 a pixel, `stride` bytes apart, neither bias nor zero point included; `output` is the
  /// first pixel's first channel of the block.
  func requantise_s8_x8_neon(
    _ block: kernels_requantisation, sums: UnsafeRawPointer, stride: Int, pixels: Int,
    into output: UnsafeMutableRawPointer
  ) {
    switch UsualForm(block) {
    case .plain: requantise(PlainForm.self, block, sums, stride, pixels, output)
    case .bounded: requantise(BoundedForm.self, block, sums, stride, pixels, output)
    case .sloped: requantise(SlopedForm.self, block, sums, stride, pixels, output)
    case .residual: requantise(ResidualForm.self, block, sums, stride, pixels, output)
    case .accumulated: requantise(AccumulatedForm.self, block, sums, stride, pixels, output)
    case nil:
      if block.residual == nil {
        requantiseAny(AnyPlainForm.self, block, sums, stride, pixels, output)
      } else {
        requantiseAny(AnyResidualForm.self, block, sums, stride, pixels, output)
      }
    }
  }

  /// Two pixels a turn, so that less of it is counting.
  @inline(__always)
  private func requantise<Form: OutputForm>(
    _ form: Form.Type, _ block: kernels_requantisation, _ sums: UnsafeRawPointer, _ stride: Int,
    _ pixels: Int, _ output: UnsafeMutableRawPointer
  ) {
    let outputs = EightOutputs<Form>(block)
    let outputStride = block.output_stride
    let residualStride = block.residual_stride
    var from = sums
    var residual = block.residual ?? sums
    var to = output
    var left = pixels
    while left >= 2 {
      let first = outputs.outputs(eight(from), residual)
      let second = outputs.outputs(
        eight(from + stride), Form.hasResidual ? residual + residualStride : residual)
      to.storeBytes(of: first, as: SIMD8<Int8>.self)
      to.storeBytes(of: second, toByteOffset: outputStride, as: SIMD8<Int8>.self)
      from += 2 &* stride
      if Form.hasResidual { residual += 2 &* residualStride }
      to += 2 &* outputStride
      left &-= 2
    }
    if left > 0 {
      to.storeBytes(of: outputs.outputs(eight(from), residual), as: SIMD8<Int8>.self)
    }
  }

  @inline(__always)
  private func requantiseAny<Form: OutputForm>(
    _ form: Form.Type, _ block: kernels_requantisation, _ sums: UnsafeRawPointer, _ stride: Int,
    _ pixels: Int, _ output: UnsafeMutableRawPointer
  ) {
    let outputs = EightOutputs<Form>(block)
    var from = sums
    var residual = block.residual ?? sums
    var to = output
    var left = pixels
    while left > 0 {
      let bytes = outputs.outputs(eight(from), residual)
      if block.channels == 8 {
        to.storeBytes(of: bytes, as: SIMD8<Int8>.self)
      } else {
        storeFirst(block.channels, of: bytes, to)
      }
      from += stride
      if Form.hasResidual { residual += block.residual_stride }
      to += block.output_stride
      left &-= 1
    }
  }

  @inline(__always)
  private func eight(_ sums: UnsafeRawPointer) -> Eight {
    Eight(
      low: sums.loadUnaligned(as: SIMD4<Int32>.self),
      high: sums.loadUnaligned(fromByteOffset: 16, as: SIMD4<Int32>.self))
  }

  /// Fewer than 8 bytes.
  @inline(__always)
  private func storeFirst(_ count: Int, of bytes: SIMD8<Int8>, _ to: UnsafeMutableRawPointer) {
    var rest = unsafeBitCast(bytes, to: UInt64.self)
    var done = 0
    if count & 4 != 0 {
      to.storeBytes(of: UInt32(truncatingIfNeeded: rest), as: UInt32.self)
      rest &>>= 32
      done = 4
    }
    if count & 2 != 0 {
      to.storeBytes(of: UInt16(truncatingIfNeeded: rest), toByteOffset: done, as: UInt16.self)
      rest &>>= 16
      done &+= 2
    }
    if count & 1 != 0 {
      to.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: done, as: UInt8.self)
    }
  }
#endif
