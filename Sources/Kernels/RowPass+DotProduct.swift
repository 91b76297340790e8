import KernelsDotProduct

extension RowForm {
  /// Depthwise layers have too few products an output for the instruction: they are NEON's.
  static func dotProduct(_ kind: LayerKind) -> RowForm {
    switch kind {
    case .convolution:
      RowForm(
        block: 8, tile: 8, unit: 16, group: 4, staging: .int8, depthwiseWeightBytes: 1,
        gathers: true, readsInPlace: true)
    case .depthwise: .neon(kind)
    }
  }

  static var wideDotProduct: RowForm? { .wideNEON }
}

#if arch(arm64)
  extension RowPass {
    func convolveDotProduct(_ firstRow: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      convolve_s8_8x8_dot(
        ring: rows, pitch: layer.pitch, rowCount: kernelRows,
        firstRow: layer.gathers ? 0 : firstRow, units: rowUnits, pixels: pixels, step: step,
        weights: weights, sums: sums)
    }
  }
#endif
