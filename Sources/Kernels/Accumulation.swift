/// The sums of the reference: one output's window, over int8 weights and activations of 8 or 16
/// bits. What lies outside the picture counts as the zero point, that is as nothing.
enum Accumulation {
  /// Weights by output channel, kernel row, kernel column, input channel.
  static func convolution<Value: FixedWidthInteger>(
    _ shape: WindowShape, _ input: Span<Value>, zeroPoint: Int32, weights: RawSpan, y: Int, x: Int,
    channel: Int
  ) -> Int64 {
    let window = shape.window
    let channels = shape.input.channels
    var sum: Int64 = 0
    for row in 0..<window.height {
      let inputY = y * window.verticalStride - window.padTop + row
      guard (0..<shape.input.height).contains(inputY) else { continue }
      for column in 0..<window.width {
        let inputX = x * window.horizontalStride - window.padLeft + column
        guard (0..<shape.input.width).contains(inputX) else { continue }
        let inputStart = (inputY * shape.input.width + inputX) * channels
        let weightStart = ((channel * window.height + row) * window.width + column) * channels
        for inputChannel in 0..<channels {
          let value = Int64(input[inputStart + inputChannel]) - Int64(zeroPoint)
          let weight = weights.unsafeLoad(
            fromByteOffset: weightStart + inputChannel, as: Int8.self)
          sum += value * Int64(weight)
        }
      }
    }
    return sum
  }

  /// Weights by kernel row, kernel column, output channel. Output channel c reads input channel
  /// c / multiplier.
  static func depthwise<Value: FixedWidthInteger>(
    _ shape: WindowShape, _ input: Span<Value>, zeroPoint: Int32, weights: RawSpan, y: Int, x: Int,
    channel: Int
  ) -> Int64 {
    let window = shape.window
    let inputChannel = channel / (shape.output.channels / shape.input.channels)
    var sum: Int64 = 0
    for row in 0..<window.height {
      let inputY = y * window.verticalStride - window.padTop + row
      guard (0..<shape.input.height).contains(inputY) else { continue }
      for column in 0..<window.width {
        let inputX = x * window.horizontalStride - window.padLeft + column
        guard (0..<shape.input.width).contains(inputX) else { continue }
        let inputIndex =
          (inputY * shape.input.width + inputX) * shape.input.channels + inputChannel
        let weightIndex = (row * window.width + column) * shape.output.channels + channel
        let value = Int64(input[inputIndex]) - Int64(zeroPoint)
        sum += value * Int64(weights.unsafeLoad(fromByteOffset: weightIndex, as: Int8.self))
      }
    }
    return sum
  }
}

/// A layer as its reference sees it.
enum LayerKind {
  case convolution
  case depthwise

  func accept(_ shape: WindowShape) -> Bool {
    switch self {
    case .convolution: shape.hasConsistentWeights
    case .depthwise: shape.isDepthwise
    }
  }

  func weights(_ shape: WindowShape) -> Int {
    switch self {
    case .convolution: shape.convolutionWeights
    case .depthwise: shape.depthwiseWeights
    }
  }
}

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
        var value: Int32
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
        value &+= requantisation.outputZeroPoint
        value = max(requantisation.minimum, min(value, requantisation.maximum))
        output[index] = Value(truncatingIfNeeded: value)
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
