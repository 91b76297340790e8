import CKernels

extension RowForm {
  static func neon(_ kind: LayerKind) -> RowForm {
    RowForm(
      block: kind == .convolution ? 8 : 16, tile: 2, unit: 16, staging: .int8,
      depthwiseWeightBytes: 1, gathers: true, readsInPlace: true)
  }

  static var wideNEON: RowForm? { nil }
}

#if arch(arm64)
  extension RowPass {
    func convolveNEON(_ firstRow: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      convolve_s8_2x8_neon(
        ring: rows, pitch: layer.pitch, rowCount: kernelRows,
        firstRow: layer.gathers ? 0 : firstRow, units: rowUnits, pixels: pixels, step: step,
        weights: weights, sums: sums)
    }

    func depthwiseNEON(_ block: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      depthwise_s8_2x16_neon(
        taps: taps, pairs: layer.tapPairs, offset: block * 16, pixels: pixels, step: step,
        weights: weights, sums: sums)
    }

    /// The outputs of all blocks of one row or piece. False, and nothing done, for raw sums and for
    /// those that are rounded once.
    func makeOutputsNEON(firstPixel: Int, pixels: Int, firstRow: Int) -> Bool {
      guard case .quantised(let requantisation, let residual, let output) = destination,
        requantisation.rounding == .perType
      else { return false }
      let size = layer.form.block
      let way = way(hasResidual: residual != nil)
      var weights = weights
      var target = place(0, firstPixel, in: output)
      var job = job(0, firstPixel, requantisation, residual)
      var left = layer.shape.output.channels
      var block = 0
      while left > 0 {
        job.channels = min(size, left)
        if !makeBlockNEON(way, job, block, pixels, weights, into: target) {
          makeSumsNEON(block, pixels, firstRow, weights)
          requantiseNEON(job, pixels, into: target)
        }
        job.advance(size)
        weights += blockWeightBytes
        target += size
        left &-= size
        block &+= 1
      }
      return true
    }

    /// Kernels that go from inputs to outputs without sums on the way.
    enum WayNEON {
      case depthwise3x3
      case convolution16
    }

    private func way(hasResidual: Bool) -> WayNEON? {
      let window = layer.shape.window
      switch layer.kind {
      case .depthwise:
        return window.height == 3 && window.width == 3 && !hasResidual ? .depthwise3x3 : nil
      case .convolution:
        return layer.variant == .neon && kernelRows == 1 && rowUnits == 1
          ? .convolution16 : nil
      }
    }

    /// False, and nothing done, without a way or where its kernel does not take the block.
    private func makeBlockNEON(
      _ way: WayNEON?, _ job: kernels_requantisation, _ block: Int, _ pixels: Int,
      _ weights: UnsafeRawPointer, into target: UnsafeMutableRawPointer
    ) -> Bool {
      switch way {
      case .depthwise3x3:
        let first = 16 &* block
        return depthwise_s8_3x3x16_neon(
          job, rows: (taps[0] + first, taps[3] + first, taps[6] + first),
          column: layer.shape.input.channels, pixels: pixels, step: step, weights: weights,
          into: target)
      case .convolution16:
        return convolve_s8_1x16x8_neon(
          job, inputs: rows, step: step, pixels: pixels,
          weights: weights, into: target)
      case nil: return false
      }
    }

    /// The sums of one block.
    func makeSumsNEON(
      _ block: Int, _ pixels: Int, _ firstRow: Int, _ weights: UnsafeRawPointer
    ) {
      switch layer.kind {
      case .convolution where layer.variant == .dotProduct:
        convolveDotProduct(firstRow, pixels, weights)
      case .convolution: convolveNEON(firstRow, pixels, weights)
      case .depthwise: depthwiseNEON(block, pixels, weights)
      }
    }

    private func requantiseNEON(
      _ job: kernels_requantisation, _ pixels: Int, into output: UnsafeMutableRawPointer
    ) {
      let stride = 4 &* layer.form.block
      if job.channels <= 8 {
        requantise_s8_x8_neon(job, sums: sums, stride: stride, pixels: pixels, into: output)
        return
      }
      var half = job
      half.channels = 8
      requantise_s8_x8_neon(half, sums: sums, stride: stride, pixels: pixels, into: output)
      half.advance(8)
      half.channels = job.channels &- 8
      requantise_s8_x8_neon(
        half, sums: sums + 32, stride: stride, pixels: pixels, into: output + 8)
    }
  }

  extension kernels_requantisation {
    /// To the constants of the channels after the first `count`, how many there are excepted.
    @inline(__always)
    mutating func advance(_ count: Int) {
      bias += 4 &* count
      table += count
      let common = min(count, residual_channels)
      residual = residual.map { $0 + common }
      residual_channels &-= common
    }
  }
#endif
