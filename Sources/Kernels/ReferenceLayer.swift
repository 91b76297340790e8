/// The scalar reference of convolution and depthwise convolution. Its packed form is the channel
/// table, then the weights in TFLite's order.
struct ReferenceLayer {
  let kind: LayerKind
  let shape: WindowShape
  let table: ChannelTable
  let accumulator: Accumulator

  init(_ kind: LayerKind, _ shape: WindowShape, _ accumulator: Accumulator = .int32) {
    self.kind = kind
    self.shape = shape
    self.accumulator = accumulator
    table = ChannelTable(
      channels: shape.output.channels, biasBytes: accumulator == .int32 ? 4 : 8)
  }

  var packedBytes: Int { table.byteCount + kind.weights(shape) }

  func pack<Bias: FixedWidthInteger>(
    weights: Span<Int8>, bias: Span<Bias>, into packed: UnsafeMutableRawBufferPointer
  ) {
    for channel in 0..<bias.count {
      packed.storeBytes(
        of: bias[channel], toByteOffset: channel * MemoryLayout<Bias>.size, as: Bias.self)
    }
    for index in 0..<weights.count {
      packed.storeBytes(of: weights[index], toByteOffset: table.byteCount + index, as: Int8.self)
    }
  }

  /// Calls `body` for every output with its index, its channel and its sum, bias included.
  func forEachSum<Value: FixedWidthInteger>(
    _ input: Span<Value>, zeroPoint: Int32, packed: RawSpan,
    _ body: (_ index: Int, _ channel: Int, _ sum: Int64) -> Void
  ) {
    let weights = packed.extracting(table.byteCount..<packedBytes)
    let channels = shape.output.channels
    for y in 0..<shape.output.height {
      for x in 0..<shape.output.width {
        for channel in 0..<channels {
          var sum: Int64
          switch kind {
          case .convolution:
            sum = Accumulation.convolution(
              shape, input, zeroPoint: zeroPoint, weights: weights, y: y, x: x, channel: channel)
          case .depthwise:
            sum = Accumulation.depthwise(
              shape, input, zeroPoint: zeroPoint, weights: weights, y: y, x: x, channel: channel)
          }
          switch accumulator {
          case .int32:
            sum += Int64(
              packed.unsafeLoadUnaligned(fromByteOffset: 4 * channel, as: Int32.self))
            sum = Int64(Int32(truncatingIfNeeded: sum))
          case .int64:
            sum &+= packed.unsafeLoadUnaligned(fromByteOffset: 8 * channel, as: Int64.self)
          }
          body((y * shape.output.width + x) * channels + channel, channel, sum)
        }
      }
    }
  }

  func run<Value: FixedWidthInteger>(
    _ requantisation: Requantisation, input: Span<Value>, packed: RawSpan, residual: Span<Value>,
    into output: inout MutableSpan<Value>
  ) {
    let channels = shape.output.channels
    // A span cannot be captured for writing by a closure that the loop calls; its memory can.
    output.withUnsafeMutableBufferPointer { output in
      forEachSum(input, zeroPoint: requantisation.inputZeroPoint, packed: packed) {
        index, channel, sum in
        let value: Int32
        if let plus = requantisation.residual {
          let (multiplier, shift) = table.scale(.accumulatorMultiplier, channel, packed)
          var t = scale(sum, multiplier, shift, .perType)
          if channel < plus.channels {
            let step = Int32(residual[index / channels * plus.channels + channel]) - plus.zeroPoint
            t &+= step &* plus.multiplier
          }
          value = table.activate(t, channel, packed)
        } else {
          let column: ChannelTable.Column = sum >= 0 ? .positiveMultiplier : .negativeMultiplier
          let (multiplier, shift) = table.scale(column, channel, packed)
          value = scale(sum, multiplier, shift, requantisation.rounding)
        }
        output[index] = Value(
          truncatingIfNeeded: requantisation.bounded(value))
      }
    }
  }

  func runRaw<Value: FixedWidthInteger>(
    inputZeroPoint: Int32, input: Span<Value>, packed: RawSpan,
    into output: inout MutableSpan<Int32>
  ) {
    output.withUnsafeMutableBufferPointer { output in
      forEachSum(input, zeroPoint: inputZeroPoint, packed: packed) { index, _, sum in
        output[index] = Int32(clamping: sum)
      }
    }
  }

  private func scale(
    _ sum: Int64, _ multiplier: Int32, _ shift: Int32, _ rounding: Rounding
  ) -> Int32 {
    switch (rounding, accumulator) {
    case (.once, _): FixedPoint.scaleOnce(sum, multiplier: multiplier, shift: shift)
    case (.perType, .int32):
      FixedPoint.scale(Int32(truncatingIfNeeded: sum), multiplier: multiplier, shift: shift)
    case (.perType, .int64): FixedPoint.scale(sum, multiplier: multiplier, shift: shift)
    }
  }
}
