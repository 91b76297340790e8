import Kernels
import Testing

@Suite struct WindowShapeTests {
  @Test func sameAndValidAreTensorFlowsRules() {
    // Input, kernel, stride, output, padding before: by hand after TFLite's padding rule.
    let same = [
      (192, 3, 2, 96, 0), (96, 3, 1, 96, 1), (128, 3, 2, 64, 0), (129, 3, 2, 65, 1),
      (7, 2, 2, 4, 0),
      (5, 4, 1, 5, 1), (1, 3, 1, 1, 1), (10, 5, 3, 4, 2),
    ]
    for (input, kernel, stride, output, before) in same {
      let found = Window.same(input: input, kernel: kernel, stride: stride)
      #expect(found.output == output && found.before == before, "\(input) \(kernel) \(stride)")
    }
    #expect(Window.valid(input: 6, kernel: 3, stride: 3) == 2)
    #expect(Window.valid(input: 7, kernel: 3, stride: 2) == 3)
    #expect(Window.valid(input: 2, kernel: 3, stride: 1) == 0)
  }

  static let sound = WindowShape(
    input: Extent(height: 5, width: 5, channels: 4),
    output: Extent(height: 5, width: 5, channels: 8),
    window: Window(height: 3, width: 3, padTop: 1, padLeft: 1))

  @Test func soundShapesAreConsistent() {
    #expect(Self.sound.isConsistent && Self.sound.hasConsistentWeights && Self.sound.isDepthwise)
    #expect(WindowShape(inputs: 288, outputs: 1404).hasConsistentWeights)
  }

  @Test(
    arguments: [
      { (shape: inout WindowShape) in shape.input.height = 0 },
      { $0.input.width = -1 },
      { $0.output.channels = 0 },
      { $0.output.channels = 1 << 40 },
      { $0.window.height = 0 },
      { $0.window.width = 1 << 50 },
      { $0.window.verticalStride = 0 },
      { $0.window.horizontalStride = .max },
      { $0.window.padTop = 3 },
      { $0.window.padLeft = -1 },
      { $0.output.height = 7 },
      { $0.output.width = .max },
      { $0.input = Extent(height: 16_384, width: 16_384, channels: 1) },
    ] as [@Sendable (inout WindowShape) -> Void])
  func unsoundShapesAreNot(_ spoil: @Sendable (inout WindowShape) -> Void) {
    var shape = Self.sound
    spoil(&shape)
    #expect(!shape.isConsistent)
    #expect(!shape.hasConsistentWeights && !shape.isDepthwise)
  }

  @Test func manyWeightsOrUnevenChannelsAreRefused() {
    var shape = WindowShape(inputs: 16_384, outputs: 16_384)
    #expect(shape.isConsistent && !shape.hasConsistentWeights)
    shape = Self.sound
    shape.output.channels = 6
    #expect(shape.hasConsistentWeights && !shape.isDepthwise)
  }
}
