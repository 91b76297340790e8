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
