import CKernels

extension RowForm {
  static var neon: RowForm {
    RowForm(block: 8, tile: 2, unit: 8, staging: .int8, depthwiseWeightBytes: 1)
  }

  static var wideNEON: RowForm? { nil }
}

#if arch(arm64)
  extension RowPass {
    func convolveNEON(_ firstRow: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      convolve_s8_2x8_neon(
        ring: ring, pitch: layer.pitch, rowCount: layer.shape.window.height, firstRow: firstRow,
        units: layer.rowUnits, pixels: pixels, step: layer.step, weights: weights, sums: sums)
    }

    func depthwiseNEON(_ block: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      depthwise_s8_2x8_neon(
        taps: taps, pairs: layer.tapPairs, offset: block * 8, pixels: pixels, step: layer.step,
        weights: weights, sums: sums)
    }

    func requantiseNEON(
      _ job: kernels_requantisation, _ pixels: Int, into output: UnsafeMutableRawPointer
    ) {
      requantise_s8_x8_neon(
        job, sums: sums, pixels: pixels, into: output.assumingMemoryBound(to: Int8.self))
    }
  }
#endif
