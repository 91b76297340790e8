import Kernels
import Platform

extension LayerCase {
  /// Calls `body` with every case of int8 or of int16 activations, in the same order each time,
  /// until it answers false.
  ///
  /// All sizes around a variant's tile (blocks of 8 and 16 channels, 2 and 4 outputs, units of 2 and
  /// 8 elements), all windows that the networks have, then layers drawn at random.
  public static func forEach(_ kind: Kind, isWide: Bool, _ body: (LayerCase) -> Bool) {
    guard channelCases(kind, isWide, body), windowCases(kind, isWide, body) else { return }
    randomCases(kind, isWide, body)
  }

  /// The same with int16 activations, every other one with int64 sums.
  private func widened(_ number: Int) -> LayerCase {
    var layer = self
    layer.wide = number % 2 == 0 ? .int32 : .int64
    layer.inputZeroPoint = 0
    layer.outputZeroPoint = 0
    layer.minimum = minimum == -128 ? -32768 : minimum * 200
    layer.maximum = maximum == 127 ? 32767 : maximum * 200
    return layer
  }

  private static func channelCases(_ kind: Kind, _ isWide: Bool, _ body: (LayerCase) -> Bool)
    -> Bool
  {
    for channels in 1...34 {
      switch kind {
      case .depthwise:
        for width in 1...6 {
          let extent = Extent(height: 3, width: width, channels: channels)
          let window = Window(height: 3, width: 3, padTop: 1, padLeft: 1)
          guard
            variations(
              isWide, LayerCase(kind, WindowShape(input: extent, output: extent, window: window)),
              channels + width, body)
          else { return false }
        }
      case .convolution:
        for outputs in 1...34 {
          let width = 1 + (channels + outputs) % 6
          let shape = WindowShape(
            input: Extent(height: 2, width: width, channels: channels),
            output: Extent(height: 2, width: width, channels: outputs),
            window: Window(height: 1, width: 1))
          guard variations(isWide, LayerCase(kind, shape), channels + 3 * outputs, body) else {
            return false
          }
        }
      }
    }
    return true
  }

  /// Kernels up to 4 by 4, strides up to 3, every padding.
  private static func windowCases(_ kind: Kind, _ isWide: Bool, _ body: (LayerCase) -> Bool) -> Bool
  {
    var number = 0
    for kernel in 1...4 {
      for stride in 1...3 {
        for pad in 0..<kernel {
          for width in 1...9 {
            let height = 1 + number % 5
            let window = Window(
              height: kernel, width: 1 + (kernel + number) % 4, verticalStride: stride,
              horizontalStride: 1 + number % 3, padTop: pad, padLeft: 0)
            var shape = WindowShape(
              input: Extent(height: height, width: width, channels: 1 + number % 19),
              output: Extent(height: 1, width: 1, channels: 1 + number % 18), window: window)
            shape.window.padLeft = number % window.width
            shape.output.height = largestOutput(height, kernel, stride, pad)
            shape.output.width = largestOutput(
              width, window.width, window.horizontalStride, shape.window.padLeft)
            if kind == .depthwise { shape.output.channels = shape.input.channels }
            guard variations(isWide, LayerCase(kind, shape), number, body) else { return false }
            number += 1
          }
        }
      }
    }
    return true
  }

  private static func randomCases(_ kind: Kind, _ isWide: Bool, _ body: (LayerCase) -> Bool) {
    var random = RandomSource(seed: 42)
    for number in 0..<150 {
      let window = Window(
        height: 1 + random.below(4), width: 1 + random.below(4),
        verticalStride: 1 + random.below(3), horizontalStride: 1 + random.below(3))
      var shape = WindowShape(
        input: Extent(
          height: 1 + random.below(9), width: 1 + random.below(20), channels: 1 + random.below(70)),
        output: Extent(height: 1, width: 1, channels: 1 + random.below(70)), window: window)
      shape.window.padTop = random.below(window.height)
      shape.window.padLeft = random.below(window.width)
      shape.output.height =
        1
        + random.below(
          largestOutput(
            shape.input.height, window.height, window.verticalStride, shape.window.padTop))
      shape.output.width =
        1
        + random.below(
          largestOutput(
            shape.input.width, window.width, window.horizontalStride, shape.window.padLeft))
      if kind == .depthwise {
        // A few with several outputs a channel, which the variants leave to the reference.
        shape.output.channels = shape.input.channels * (number % 16 == 0 ? 2 : 1)
      }
      guard variations(isWide, LayerCase(kind, shape), random.below(1000), body) else { return }
    }
  }

  /// Outputs for which the last window still touches the picture.
  private static func largestOutput(_ input: Int, _ kernel: Int, _ stride: Int, _ pad: Int) -> Int {
    (input + pad - 1) / stride + 1
  }

  /// One shape with one choice of everything else, so that all choices meet many shapes.
  private static func variations(
    _ isWide: Bool, _ plain: LayerCase, _ number: Int, _ body: (LayerCase) -> Bool
  ) -> Bool {
    var layer = plain
    let zeroPoints: InlineArray<4, Int32> = [0, -128, 127, -3]
    layer.inputZeroPoint = zeroPoints[number % 4]
    layer.outputZeroPoint = zeroPoints[number / 4 % 4]
    if number % 5 == 4 {
      layer.minimum = -100
      layer.maximum = 60
    }
    switch number % 7 {
    case 1, 2: layer.slopes = true
    case 3: layer.residualChannels = layer.shape.output.channels
    case 4:
      layer.slopes = true
      layer.residualChannels = (layer.shape.output.channels + 1) / 2
    case 5: layer.raw = true
    case 6: layer.rounding = .once
    default: break
    }
    switch number % 3 {
    case 1: layer.data = .extreme
    case 2: layer.data = .wild
    default: break
    }
    return body(isWide ? layer.widened(number) : layer)
  }
}
