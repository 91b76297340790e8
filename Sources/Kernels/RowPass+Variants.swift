import CKernels
import KernelsAVX2

/// The steps of a pass, each in the variant's own instructions.
extension RowPass {
  func stage(
    _ source: UnsafePointer<Int8>, _ count: Int, into staged: UnsafeMutableRawPointer
  ) {
    switch layer.variant {
    case .avx2:
      #if arch(x86_64)
        stage_s8_x16_avx2(source, count: count, zeroPoint: zeroPoint, into: staged)
      #endif
    case .neon: staged.copyMemory(from: source, byteCount: count)
    }
  }

  /// What stands for a picture's outside: 0 once the zero point is subtracted.
  func fill(_ staged: UnsafeMutableRawPointer, _ byteCount: Int) {
    let value: UInt8
    switch layer.variant {
    case .avx2: value = 0
    case .neon: value = UInt8(truncatingIfNeeded: zeroPoint)
    }
    staged.initializeMemory(as: UInt8.self, repeating: value, count: byteCount)
  }

  func convolve(_ firstRow: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
    let shape = layer.shape
    let step =
      shape.window.horizontalStride * shape.input.channels * layer.variant.stagedBytes
    switch layer.variant {
    case .avx2:
      #if arch(x86_64)
        convolve_s8_4x16_avx2(
          ring: ring, pitch: layer.pitch, rowCount: shape.window.height, firstRow: firstRow,
          pairs: layer.rowUnits, pixels: pixels, step: step, weights: weights, sums: sums)
      #endif
    case .neon:
      #if arch(arm64)
        convolve_s8_2x8_neon(
          ring: ring, pitch: layer.pitch, rowCount: shape.window.height, firstRow: firstRow,
          units: layer.rowUnits, pixels: pixels, step: step, weights: weights, sums: sums)
      #endif
    }
  }

  func depthwise(_ block: Int, _ pixels: Int, _ weights: UnsafeRawPointer) {
    let shape = layer.shape
    let step =
      shape.window.horizontalStride * shape.input.channels * layer.variant.stagedBytes
    let offset = block * layer.variant.block * layer.variant.stagedBytes
    switch layer.variant {
    case .avx2:
      #if arch(x86_64)
        depthwise_s8_2x16_avx2(
          taps: taps, pairs: layer.tapPairs, offset: offset, pixels: pixels, step: step,
          weights: weights, sums: sums)
      #endif
    case .neon:
      #if arch(arm64)
        depthwise_s8_2x8_neon(
          taps: taps, pairs: layer.tapPairs, offset: offset, pixels: pixels, step: step,
          weights: weights, sums: sums)
      #endif
    }
  }

  func storeRaw(
    _ block: Int, _ firstPixel: Int, _ pixels: Int, _ output: UnsafeMutablePointer<Int32>
  ) {
    let channels = layer.shape.output.channels
    let first = block * layer.variant.block
    let count = min(layer.variant.block, channels - first)
    for pixel in 0..<pixels {
      let from = sums + pixel * layer.variant.block * 4
      let to = output + ((firstPixel + pixel) * channels + first)
      for channel in 0..<count {
        let sum = from.load(fromByteOffset: 4 * channel, as: Int32.self)
        to[channel] = biased(sum, first + channel)
      }
    }
  }

  func requantise(
    _ block: Int, _ firstPixel: Int, _ pixels: Int, _ requantisation: Requantisation,
    _ residual: UnsafePointer<Int8>?, _ output: UnsafeMutablePointer<Int8>
  ) {
    let channels = layer.shape.output.channels
    let first = block * layer.variant.block
    let count = min(layer.variant.block, channels - first)
    let target = output + (firstPixel * channels + first)
    if requantisation.rounding == .once {
      requantiseOnce(first, count, pixels, requantisation, target)
      return
    }
    let residualChannels = requantisation.residual?.channels ?? 0
    // A residual that ends before this block is never read, but stays inside its tensor.
    let residualFirst = min(first, residualChannels)
    let job = kernels_requantisation(
      table: (packed + 4 * first).assumingMemoryBound(to: Int32.self), pitch: layer.table.padded,
      channels: count, input_zero_point: zeroPoint,
      output_zero_point: requantisation.outputZeroPoint, minimum: requantisation.minimum,
      maximum: requantisation.maximum,
      residual: residual.map { $0 + (firstPixel * residualChannels + residualFirst) },
      residual_stride: residualChannels, residual_channels: residualChannels - residualFirst,
      residual_zero_point: requantisation.residual?.zeroPoint ?? 0,
      residual_multiplier: requantisation.residual?.multiplier ?? 0, output_stride: channels)
    switch layer.variant {
    case .avx2:
      #if arch(x86_64)
        requantise_s8_x8_avx2(job, sums: sums, pixels: pixels, into: target)
      #endif
    case .neon:
      #if arch(arm64)
        requantise_s8_x8_neon(job, sums: sums, pixels: pixels, into: target)
      #endif
    }
  }

  /// Fully connected layers are small: no variant of their own.
  private func requantiseOnce(
    _ first: Int, _ count: Int, _ pixels: Int, _ requantisation: Requantisation,
    _ output: UnsafeMutablePointer<Int8>
  ) {
    for pixel in 0..<pixels {
      let from = sums + pixel * layer.variant.block * 4
      let to = output + pixel * layer.shape.output.channels
      for channel in 0..<count {
        let sum = biased(from.load(fromByteOffset: 4 * channel, as: Int32.self), first + channel)
        let isPositive = sum >= 0
        let value = FixedPoint.scaleOnce(
          Int64(sum),
          multiplier: constant(
            isPositive ? .positiveMultiplier : .negativeMultiplier, first + channel),
          shift: constant(isPositive ? .positiveShift : .negativeShift, first + channel))
        to[channel] = Int8(truncatingIfNeeded: requantisation.bounded(value))
      }
    }
  }

  private func biased(_ sum: Int32, _ channel: Int) -> Int32 {
    let bias = packed.load(fromByteOffset: 4 * channel, as: Int32.self)
    switch layer.variant {
    case .avx2: return sum &+ bias
    case .neon: return sum &+ bias &- zeroPoint &* constant(.weightSum, channel)
    }
  }

  private func constant(_ column: ChannelTable.Column, _ channel: Int) -> Int32 {
    packed.load(fromByteOffset: layer.table.offset(column) + 4 * channel, as: Int32.self)
  }
}
