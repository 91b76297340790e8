#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// int32 values of 8 channels.
  struct Eight {
    let low: SIMD4<Int32>
    let high: SIMD4<Int32>
  }

  /// Factors of 8 channels.
  struct Factors {
    let low: Factor
    let high: Factor

    /// Columns `index` and `index` + 1 of the table.
    @inline(__always)
    init(_ block: kernels_requantisation, _ index: Int) {
      low = Factor(multiplier: column(block, index, 0), shift: column(block, index &+ 1, 0))
      high = Factor(multiplier: column(block, index, 4), shift: column(block, index &+ 1, 4))
    }

    /// Each lane's own: `negative` where t < 0.
    @inline(__always)
    init(_ t: Eight, _ positive: Factors, _ negative: Factors) {
      low = Factor(t.low, positive.low, negative.low)
      high = Factor(t.high, positive.high, negative.high)
    }

    @inline(__always)
    private init(low: Factor, high: Factor) {
      self.low = low
      self.high = high
    }

    @inline(__always)
    func scaled(_ t: Eight) -> Eight { Eight(low: low.scaled(t.low), high: high.scaled(t.high)) }

    @inline(__always)
    func scaledLeft(_ t: Eight) -> Eight {
      Eight(low: low.scaledLeft(t.low), high: high.scaledLeft(t.high))
    }

    @inline(__always)
    func scaledRight(_ t: Eight) -> Eight {
      Eight(low: low.scaledRight(t.low), high: high.scaledRight(t.high))
    }
  }

  /// The way of 8 channels from sums to outputs, its constants in registers.
  struct EightOutputs<Form: OutputForm> {
    let bias: Eight
    let positive: Factors
    let negative: Factors
    let accumulator: Factors
    let residualChannels: Int
    let residualZeroPoint: SIMD8<Int8>
    let residualMultiplier: SIMD4<Int32>
    /// Minus half of it, where the form is usual.
    let residualHalf: SIMD8<Int16>
    let zeroPoint: SIMD8<Int16>
    let minimum: SIMD8<Int8>
    let maximum: SIMD8<Int8>

    @inline(__always)
    init(_ block: kernels_requantisation) {
      let inputZeroPoint = vdupq_n_s32(block.input_zero_point)
      bias = Eight(
        low: vmlsq_s32(biases(block, 0), column(block, 6, 0), inputZeroPoint),
        high: vmlsq_s32(biases(block, 4), column(block, 6, 4), inputZeroPoint))
      positive = Factors(block, 0)
      negative = Factors(block, 2)
      accumulator = Factors(block, 4)
      residualChannels = block.residual_channels
      residualZeroPoint = vdup_n_s8(Int8(truncatingIfNeeded: block.residual_zero_point))
      residualMultiplier = vdupq_n_s32(block.residual_multiplier)
      residualHalf = vdupq_n_s16(Int16(truncatingIfNeeded: 0 &- block.residual_multiplier / 2))
      zeroPoint = vdupq_n_s16(Int16(truncatingIfNeeded: block.output_zero_point))
      minimum = vdup_n_s8(Int8(truncatingIfNeeded: block.minimum))
      maximum = vdup_n_s8(Int8(truncatingIfNeeded: block.maximum))
    }

    /// Outputs for sums without bias. `residual` is only read where the form has one.
    @inline(__always)
    func outputs(_ sums: Eight, _ residual: UnsafeRawPointer) -> SIMD8<Int8> {
      var t = Eight(low: vaddq_s32(sums.low, bias.low), high: vaddq_s32(sums.high, bias.high))
      if Form.hasAccumulator {
        t = Form.isUsual ? accumulator.scaledLeft(t) : accumulator.scaled(t)
      }
      if Form.hasResidual {
        t = added(residualBytes(residual), to: t)
      }
      let factors = Form.hasSlopes ? Factors(t, positive, negative) : positive
      let scaled = Form.isUsual ? factors.scaledRight(t) : factors.scaled(t)
      let bytes = vqmovn_s16(
        vqaddq_s16(vqmovn_high_s32(vqmovn_s32(scaled.low), scaled.high), zeroPoint))
      return Form.isBounded ? vmin_s8(vmax_s8(bytes, minimum), maximum) : bytes
    }

    /// Twice the steps times minus half the multiplier is subtracted where the form is usual: that fits
    /// 16 bits for the multiplier 65536, and widens while it adds.
    @inline(__always)
    private func added(_ residual: SIMD8<Int8>, to t: Eight) -> Eight {
      let steps = vsubl_s8(residual, residualZeroPoint)
      if Form.isUsual {
        let twice = vaddq_s16(steps, steps)
        return Eight(
          low: vmlsl_s16(t.low, vget_low_s16(twice), vget_low_s16(residualHalf)),
          high: vmlsl_high_s16(t.high, twice, residualHalf))
      }
      return Eight(
        low: vmlaq_s32(t.low, vmovl_s16(vget_low_s16(steps)), residualMultiplier),
        high: vmlaq_s32(t.high, vmovl_high_s16(steps), residualMultiplier))
    }

    @inline(__always)
    private func residualBytes(_ residual: UnsafeRawPointer) -> SIMD8<Int8> {
      if Form.isUsual || residualChannels >= 8 {
        return residual.loadUnaligned(as: SIMD8<Int8>.self)
      }
      var bytes = residualZeroPoint
      var channel = 0
      while channel < residualChannels {
        bytes[channel] = residual.load(fromByteOffset: channel, as: Int8.self)
        channel &+= 1
      }
      return bytes
    }
  }

  @inline(__always)
  private func biases(_ block: kernels_requantisation, _ first: Int) -> SIMD4<Int32> {
    (block.bias + 4 &* first).loadUnaligned(as: SIMD4<Int32>.self)
  }

  @inline(__always)
  private func column(
    _ block: kernels_requantisation, _ index: Int, _ first: Int
  ) -> SIMD4<Int32> {
    UnsafeRawPointer(block.table + (index &* block.pitch &+ first)).loadUnaligned(
      as: SIMD4<Int32>.self)
  }
#endif
