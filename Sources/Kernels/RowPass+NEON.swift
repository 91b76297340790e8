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
        ring: rows, pitch: layer.pitch, rowCount: layer.kernelRows,
        firstRow: layer.gathers ? 0 : firstRow, units: layer.rowUnits, pixels: pixels,
        step: layer.gathers ? layer.windowStep : layer.step, weights: weights, sums: sums)
    }

    func depthwiseNEON(_ block: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      depthwise_s8_2x16_neon(
        taps: taps, pairs: layer.tapPairs, offset: block * 16, pixels: pixels, step: layer.step,
        weights: weights, sums: sums)
    }

    /// Makes the outputs of a block without sums on the way. False where no kernel does that.
    func makeOutputsNEON(
      _ block: Int, _ firstPixel: Int, _ pixels: Int, _ weights: UnsafeRawPointer
    ) -> Bool {
      guard case .quantised(let requantisation, let residual, let output) = destination,
        requantisation.rounding == .perType
      else { return false }
      let window = layer.shape.window
      switch layer.kind {
      case .depthwise:
        guard window.height == 3 && window.width == 3 && residual == nil else { return false }
        let first = 16 * block
        return depthwise_s8_3x3x16_neon(
          job(block, firstPixel, requantisation, nil),
          rows: (taps[0] + first, taps[3] + first, taps[6] + first),
          column: layer.shape.input.channels, pixels: pixels, step: layer.step, weights: weights,
          into: place(block, firstPixel, in: output))
      case .convolution:
        guard layer.kernelRows == 1 && layer.rowUnits == 1 else { return false }
        return convolve_s8_1x16x8_neon(
          job(block, firstPixel, requantisation, residual), inputs: rows,
          step: layer.gathers ? layer.windowStep : layer.step, pixels: pixels, weights: weights,
          into: place(block, firstPixel, in: output))
      }
    }

    func requantiseNEON(
      _ job: kernels_requantisation, _ pixels: Int, into output: UnsafeMutableRawPointer
    ) {
      let stride = 4 * layer.form.block
      var first = job
      first.channels = min(8, job.channels)
      requantise_s8_x8_neon(first, sums: sums, stride: stride, pixels: pixels, into: output)
      if job.channels > 8 {
        requantise_s8_x8_neon(
          job.next8, sums: sums + 32, stride: stride, pixels: pixels, into: output + 8)
      }
    }
  }
#endif
