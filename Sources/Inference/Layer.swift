import Kernels

/// One operator of the file, as numbers that kernels take.
struct Layer {
  var kind: ModelFormat.Kind
  /// The output is the accumulator.
  var isRaw: Bool
  var accumulator: Accumulator
  var rounding: Rounding
  var type: ElementType
  var first: Int
  /// -1 without a second input.
  var second: Int
  var output: Int
  var shape: WindowShape
  var padChannels: Int
  var minimum: Int32
  var maximum: Int32
  /// Offsets in the file; 0 if absent.
  var weights: Int
  var bias: Int
  var positive: Int
  var negative: Int
  var accumulatorScales: Int
  var residualMultiplier: Int32
  var leftShift: Int32
  var firstFactor: Factor
  var secondFactor: Factor
  var outputFactor: Factor
  var slopeZeroPoint: Int32
  var inputZeroPoint: Int32
  var secondZeroPoint: Int32
  var outputZeroPoint: Int32
  var secondChannels: Int

  struct Factor { var multiplier: Int32; var shift: Int32 }

  var biasBytes: Int { accumulator == .int64 ? 8 : 4 }

  var weightCount: Int {
    switch kind {
    case .convolution: shape.convolutionWeights
    case .depthwise: shape.depthwiseWeights
    case .prelu: shape.output.channels
    default: 0
    }
  }

  /// Values that one run reads and combines. A checked layer has at most 2^26 outputs and 2^28
  /// places in a window.
  var work: Int {
    var perOutput = 1
    switch kind {
    case .convolution: perOutput = weightCount / shape.output.channels
    case .depthwise, .maximumPool, .averagePool:
      perOutput = shape.window.height * shape.window.width
    default: break
    }
    return shape.output.count * perOutput
  }

  var requantisation: Requantisation {
    Requantisation(
      inputZeroPoint: inputZeroPoint, outputZeroPoint: outputZeroPoint, minimum: minimum,
      maximum: maximum,
      rounding: rounding,
      residual: second < 0
        ? nil
        : Residual(
          zeroPoint: secondZeroPoint, multiplier: residualMultiplier, channels: secondChannels))
  }

  var addition: Addition {
    func term(_ zeroPoint: Int32, _ factor: Factor) -> Addition.Term {
      Addition.Term(zeroPoint: zeroPoint, multiplier: factor.multiplier, shift: factor.shift)
    }
    return Addition(
      leftShift: leftShift, first: term(inputZeroPoint, firstFactor),
      second: term(secondZeroPoint, secondFactor), output: term(outputZeroPoint, outputFactor),
      minimum: minimum, maximum: maximum)
  }

  var rectifier: SlopedRectifier {
    SlopedRectifier(
      inputZeroPoint: inputZeroPoint, slopeZeroPoint: slopeZeroPoint,
      outputZeroPoint: outputZeroPoint, positiveMultiplier: firstFactor.multiplier,
      positiveShift: firstFactor.shift, negativeMultiplier: secondFactor.multiplier,
      negativeShift: secondFactor.shift)
  }

  var padding: Padding {
    Padding(
      input: shape.input, output: shape.output,
      before: Extent(
        height: shape.window.padTop, width: shape.window.padLeft, channels: padChannels),
      value: inputZeroPoint)
  }

  var doubling: Doubling { Doubling(input: shape.input) }
}

extension Model {
  /// Whether the operator's kind and tensor numbers are valid; ``layer(_:)`` demands it.
  func layerHasTensors(_ index: Int) -> ModelError.Fault? {
    let offset = layerOffset(index)
    func word(_ field: ModelFormat.Operator) -> Int32 { self.word(offset, field.rawValue) }
    let tensors: Range<Int32> = 0..<Int32(tensorCount)
    guard let kind = ModelFormat.Kind(rawValue: word(.kind)) else { return .kind }
    guard tensors.contains(word(.first)), tensors.contains(word(.output)) else {
      return .tensorNumber
    }
    let second = word(.second)
    switch kind {
    case .addition: return tensors.contains(second) ? nil : .tensorNumber
    case .convolution, .depthwise:
      return second == -1 || tensors.contains(second) ? nil : .tensorNumber
    default: return second == -1 ? nil : .tensorNumber
    }
  }

  func layer(_ index: Int) -> Layer {
    let offset = layerOffset(index)
    func word(_ field: ModelFormat.Operator) -> Int32 { self.word(offset, field.rawValue) }
    func factor(_ field: ModelFormat.Operator) -> Layer.Factor {
      Layer.Factor(
        multiplier: self.word(offset, field.rawValue), shift: self.word(offset, field.rawValue + 1))
    }
    let first = tensor(Int(word(.first)))
    let output = tensor(Int(word(.output)))
    let second = word(.second) < 0 ? nil : tensor(Int(word(.second)))
    let window = Window(
      height: Int(word(.windowHeight)), width: Int(word(.windowWidth)),
      verticalStride: Int(word(.verticalStride)), horizontalStride: Int(word(.horizontalStride)),
      padTop: Int(word(.padTop)), padLeft: Int(word(.padLeft)))
    return Layer(
      kind: ModelFormat.Kind(rawValue: word(.kind)) ?? .view,
      isRaw: word(.flags) & ModelFormat.rawFlag != 0,
      accumulator: word(.flags) & ModelFormat.int64Flag != 0 ? .int64 : .int32,
      rounding: word(.flags) & ModelFormat.onceFlag != 0 ? .once : .perType, type: first.type,
      first: Int(word(.first)), second: Int(word(.second)),
      output: Int(word(.output)),
      shape: WindowShape(input: first.extent, output: output.extent, window: window),
      padChannels: Int(word(.padChannels)), minimum: word(.minimum), maximum: word(.maximum),
      weights: Int(word(.weights)), bias: Int(word(.bias)), positive: Int(word(.positive)),
      negative: Int(word(.negative)), accumulatorScales: Int(word(.accumulator)),
      residualMultiplier: word(.residualMultiplier), leftShift: word(.leftShift),
      firstFactor: factor(.firstMultiplier), secondFactor: factor(.secondMultiplier),
      outputFactor: factor(.outputMultiplier), slopeZeroPoint: word(.slopeZeroPoint),
      inputZeroPoint: first.zeroPoint, secondZeroPoint: second?.zeroPoint ?? 0,
      outputZeroPoint: output.zeroPoint, secondChannels: second?.extent.channels ?? 0)
  }
}
