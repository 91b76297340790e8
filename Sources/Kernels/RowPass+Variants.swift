import CKernels

/// The steps of a pass, each in the variant's own instructions.
extension RowPass {
  func stage(
    _ source: UnsafeRawPointer, _ count: Int, into staged: UnsafeMutableRawPointer
  ) {
    if case .wide = layer.arithmetic {
      staged.copyMemory(from: source, byteCount: 2 * count)
      return
    }
    switch layer.variant {
    case .neon, .dotProduct: staged.copyMemory(from: source, byteCount: count)
    case .avx2:
      #if arch(x86_64)
        stageAVX2(source, count, into: staged)
      #endif
    case .vnni:
      #if arch(x86_64)
        stageVNNI(source, count, into: staged)
      #endif
    }
  }

  /// The sums of one block of output channels, for the caller to finish, or its outputs; returns
  /// whether it made outputs.
  func makeBlock(
    _ block: Int, firstPixel: Int, _ pixels: Int, _ firstRow: Int, _ weights: UnsafeRawPointer
  ) -> Bool {
    switch layer.variant {
    case .neon, .dotProduct:
      #if arch(arm64)
        makeSumsNEON(block, pixels, firstRow, weights)
      #endif
      return false
    case .avx2:
      #if arch(x86_64)
        switch layer.kind {
        case .convolution: convolveAVX2(firstRow, pixels, weights)
        case .depthwise: depthwiseAVX2(block, pixels, weights)
        }
      #endif
      return false
    case .vnni:
      #if arch(x86_64)
        return makeBlockVNNI(block, firstPixel: firstPixel, pixels, firstRow, weights)
      #else
        return false
      #endif
    }
  }

  /// `output` is the first pixel's first channel of the job's block.
  private func requantise(
    _ job: kernels_requantisation, _ pixels: Int, into output: UnsafeMutableRawPointer
  ) {
    switch layer.variant {
    case .neon, .dotProduct: break  // done by the row
    case .avx2, .vnni:
      #if arch(x86_64)
        requantiseAVX2(job, pixels, into: output)
      #endif
    }
  }

  func storeRaw(
    _ block: Int, _ firstPixel: Int, _ pixels: Int, _ output: UnsafeMutablePointer<Int32>
  ) {
    let channels = layer.shape.output.channels
    let first = block * layer.form.block
    let count = min(layer.form.block, channels - first)
    for pixel in 0..<pixels {
      let from = sums + pixel * layer.form.block * 4
      let to = output + ((firstPixel + pixel) * channels + first)
      for channel in 0..<count {
        let sum = from.load(fromByteOffset: 4 * channel, as: Int32.self)
        to[channel] = Int32(clamping: biased(sum, first + channel))
      }
    }
  }

  func requantise(
    _ block: Int, _ firstPixel: Int, _ pixels: Int, _ requantisation: Requantisation,
    _ residual: UnsafeRawPointer?, _ output: UnsafeMutableRawPointer
  ) {
    let target = place(block, firstPixel, in: output)
    if requantisation.rounding == .once {
      requantiseOnce(block, pixels, requantisation, target)
      return
    }
    requantise(job(block, firstPixel, requantisation, residual), pixels, into: target)
  }

  /// The first channel of a block of one pixel.
  func place(
    _ block: Int, _ pixel: Int, in output: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let channels = layer.shape.output.channels
    return output + (pixel * channels + block * layer.form.block) * layer.arithmetic.valueBytes
  }

  /// The constants of one block from `firstPixel` on.
  func job(
    _ block: Int, _ firstPixel: Int, _ requantisation: Requantisation, _ residual: UnsafeRawPointer?
  ) -> kernels_requantisation {
    let channels = layer.shape.output.channels
    let first = block * layer.form.block
    let valueBytes = layer.arithmetic.valueBytes
    let residualChannels = requantisation.residual?.channels ?? 0
    // A residual that ends before this block is never read, but stays inside its tensor.
    let residualFirst = min(first, residualChannels)
    let table = packed + layer.table.offset(.positiveMultiplier) + 4 * first
    return kernels_requantisation(
      bias: packed + layer.table.biasBytes * first,
      table: table.assumingMemoryBound(to: Int32.self), pitch: layer.table.padded,
      channels: min(layer.form.block, channels - first),
      input_zero_point: layer.form.stagedZero(zeroPoint),
      output_zero_point: requantisation.outputZeroPoint, minimum: requantisation.minimum,
      maximum: requantisation.maximum,
      residual: residual.map {
        $0 + (firstPixel * residualChannels + residualFirst) * valueBytes
      },
      residual_stride: residualChannels, residual_channels: residualChannels - residualFirst,
      residual_zero_point: requantisation.residual?.zeroPoint ?? 0,
      residual_multiplier: requantisation.residual?.multiplier ?? 0, output_stride: channels)
  }

  /// Fully connected layers are small: no variant of their own.
  private func requantiseOnce(
    _ block: Int, _ pixels: Int, _ requantisation: Requantisation,
    _ output: UnsafeMutableRawPointer
  ) {
    let first = block * layer.form.block
    let count = min(layer.form.block, layer.shape.output.channels - first)
    for pixel in 0..<pixels {
      let from = sums + pixel * layer.form.block * 4
      for channel in 0..<count {
        let sum = biased(from.load(fromByteOffset: 4 * channel, as: Int32.self), first + channel)
        let isPositive = sum >= 0
        let value = requantisation.bounded(
          FixedPoint.scaleOnce(
            sum,
            multiplier: constant(
              isPositive ? .positiveMultiplier : .negativeMultiplier, first + channel),
            shift: constant(isPositive ? .positiveShift : .negativeShift, first + channel)))
        let place = pixel * layer.shape.output.channels + channel
        switch layer.arithmetic {
        case .narrow:
          output.storeBytes(
            of: Int8(truncatingIfNeeded: value), toByteOffset: place, as: Int8.self)
        case .wide:
          output.storeBytes(
            of: Int16(truncatingIfNeeded: value), toByteOffset: 2 * place, as: Int16.self)
        }
      }
    }
  }

  /// A sum with what belongs to it, as the accumulator's type holds it.
  private func biased(_ sum: Int32, _ channel: Int) -> Int64 {
    switch layer.arithmetic.accumulator {
    case .int32:
      let bias = packed.load(fromByteOffset: 4 * channel, as: Int32.self)
      let zero = layer.form.stagedZero(zeroPoint) &* constant(.weightSum, channel)
      return Int64(sum &+ bias &- zero)
    case .int64:
      return Int64(sum) &+ packed.loadUnaligned(fromByteOffset: 8 * channel, as: Int64.self)
    }
  }

  private func constant(_ column: ChannelTable.Column, _ channel: Int) -> Int32 {
    packed.load(fromByteOffset: layer.table.offset(column) + 4 * channel, as: Int32.self)
  }
}
