import CKernels
import KernelsAVX2

extension RowForm {
  static var avx2: RowForm {
    RowForm(block: 16, tile: 4, unit: 2, staging: .int16, depthwiseWeightBytes: 2)
  }

  static var wideAVX2: RowForm? { .avx2 }
}

extension RowLayer {
  /// As `depthwise_s8_2x16_avx2` interleaves: unpacklo and unpackhi work within 128 bits, so that
  /// groups of four channels change places.
  static func depthwisePlaceAVX2(_ pair: Int, _ lane: Int, _ half: Int) -> Int {
    let place = [0, 2, 1, 3] as InlineArray<4, Int>
    return 2 * (pair * 32 + place[lane / 4] * 8 + lane % 4 * 2 + half)
  }
}

#if arch(x86_64)
  extension RowPass {
    func stageAVX2(
      _ source: UnsafeRawPointer, _ count: Int, into staged: UnsafeMutableRawPointer
    ) {
      stage_s8_x16_avx2(
        source.assumingMemoryBound(to: Int8.self), count: count, zeroPoint: zeroPoint,
        into: staged)
    }

    func convolveAVX2(_ firstRow: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      convolve_s8_4x16_avx2(
        ring: ring, pitch: layer.pitch, rowCount: layer.shape.window.height, firstRow: firstRow,
        pairs: layer.rowUnits, pixels: pixels, step: layer.step, weights: weights, sums: sums)
    }

    func depthwiseAVX2(_ block: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
      depthwise_s8_2x16_avx2(
        taps: taps, pairs: layer.tapPairs, offset: block * 32, pixels: pixels, step: layer.step,
        weights: weights, sums: sums)
    }

    func requantiseAVX2(
      _ job: kernels_requantisation, _ pixels: Int, into output: UnsafeMutableRawPointer
    ) {
      switch layer.arithmetic {
      case .narrow:
        requantise_s8_x8_avx2(
          job, sums: sums, pixels: pixels, into: output.assumingMemoryBound(to: Int8.self))
      case .wide(.int32): requantise_s16_x8_avx2(job, sums: sums, pixels: pixels, into: output)
      case .wide(.int64): requantise_s64_x8_avx2(job, sums: sums, pixels: pixels, into: output)
      }
    }
  }
#endif
