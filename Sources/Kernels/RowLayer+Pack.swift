extension RowLayer {
  /// Writes bias, sums of weights and weights behind the table's scales. `packed` begins with the
  /// table, which is written already.
  func pack<Bias: FixedWidthInteger & BitwiseCopyable>(
    weights: Span<Int8>, bias: Span<Bias>, into packed: UnsafeMutableRawBufferPointer
  ) {
    for channel in 0..<bias.count {
      packed.storeBytes(
        of: bias[channel], toByteOffset: table.biasBytes * channel, as: Bias.self)
      var sum: Int32 = 0
      forEachWeight(channel) { sum &+= Int32(weights[$0]) }
      packed.storeBytes(
        of: sum, toByteOffset: table.offset(.weightSum) + 4 * channel, as: Int32.self)
    }
    for block in 0..<blocks {
      if variant == .vnni { packConstantsVNNI(weights, block, packed: packed) }
      let target = UnsafeMutableRawBufferPointer(
        rebasing: packed[weightsOffset(block)..<weightsOffset(block + 1)])
      switch kind {
      case .convolution: packConvolution(weights, block, target)
      case .depthwise where variant == .vnni: packDepthwiseColumns(weights, block, target)
      case .depthwise: packDepthwise(weights, block, target)
      }
    }
  }

  func forEachWeight(_ channel: Int, _ body: (Int) -> Void) {
    switch kind {
    case .convolution:
      let count = kernelTaps * shape.input.channels
      for index in channel * count..<(channel + 1) * count { body(index) }
    case .depthwise:
      for tap in 0..<kernelTaps { body(tap * shape.output.channels + channel) }
    }
  }

  /// By kernel row, group of elements, channel of the block, element of the group.
  private func packConvolution(
    _ weights: Span<Int8>, _ block: Int, _ target: UnsafeMutableRawBufferPointer
  ) {
    let run = rowRun
    let size = form.group ?? form.unit
    var at = 0
    for row in 0..<kernelRows {
      for group in 0..<rowUnits * form.unit / size {
        for lane in 0..<form.block {
          let channel = block * form.block + lane
          for element in group * size..<(group + 1) * size {
            var weight: Int8 = 0
            if channel < shape.output.channels && element < run {
              weight = weights[(channel * kernelRows + row) * run + element]
            }
            target.storeBytes(of: weight, toByteOffset: at, as: Int8.self)
            at += 1
          }
        }
      }
    }
  }

  /// By pair of taps, in the order that the variant's interleaving gives.
  private func packDepthwise(
    _ weights: Span<Int8>, _ block: Int, _ target: UnsafeMutableRawBufferPointer
  ) {
    for pair in 0..<tapPairs {
      for lane in 0..<form.block {
        for half in 0..<2 {
          let channel = block * form.block + lane
          let tap = 2 * pair + half
          var weight: Int8 = 0
          if channel < shape.output.channels && tap < kernelTaps {
            weight = weights[tap * shape.output.channels + channel]
          }
          let at = depthwisePlace(pair, lane, half)
          if form.depthwiseWeightBytes == 2 {
            target.storeBytes(of: Int16(weight), toByteOffset: at, as: Int16.self)
          } else {
            target.storeBytes(of: weight, toByteOffset: at, as: Int8.self)
          }
        }
      }
    }
  }

  /// Byte offset within a block of the weight of tap 2 * `pair` + `half` for channel `lane`.
  private func depthwisePlace(_ pair: Int, _ lane: Int, _ half: Int) -> Int {
    switch variant {
    case .neon, .dotProduct: (2 * pair + half) * form.block + lane
    case .avx2: Self.depthwisePlaceAVX2(pair, lane, half)
    case .vnni: preconditionFailure("not by pairs")
    }
  }

  /// By group of four kernel rows, kernel column, channel of the block, row of the group.
  private func packDepthwiseColumns(
    _ weights: Span<Int8>, _ block: Int, _ target: UnsafeMutableRawBufferPointer
  ) {
    let window = shape.window
    var at = 0
    for group in 0..<(window.height + 3) / 4 {
      for column in 0..<window.width {
        for lane in 0..<form.block {
          for row in 4 * group..<4 * group + 4 {
            let channel = block * form.block + lane
            var weight: Int8 = 0
            if channel < shape.output.channels && row < window.height {
              weight = weights[(row * window.width + column) * shape.output.channels + channel]
            }
            target.storeBytes(of: weight, toByteOffset: at, as: Int8.self)
            at += 1
          }
        }
      }
    }
  }
}
