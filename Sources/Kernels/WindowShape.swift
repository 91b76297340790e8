/// Height, width and channels of a tensor stored channels last: channel c at (x, y) lies at index
/// (y * width + x) * channels + c.
public struct Extent: Equatable, Sendable {
  public var height: Int
  public var width: Int
  public var channels: Int

  public init(height: Int, width: Int, channels: Int) {
    self.height = height
    self.width = width
    self.channels = channels
  }

  /// Elements in the tensor.
  public var count: Int { height * width * channels }
}

/// How a window slides over a picture: kernel size, strides, and how far the first window reaches
/// beyond the top left corner. What lies outside on the other sides follows from the output's size.
public struct Window: Equatable, Sendable {
  public var height: Int
  public var width: Int
  public var verticalStride: Int
  public var horizontalStride: Int
  public var padTop: Int
  public var padLeft: Int

  public init(
    height: Int, width: Int, verticalStride: Int = 1, horizontalStride: Int = 1, padTop: Int = 0,
    padLeft: Int = 0
  ) {
    self.height = height
    self.width = width
    self.verticalStride = verticalStride
    self.horizontalStride = horizontalStride
    self.padTop = padTop
    self.padLeft = padLeft
  }

  /// Output length and leading padding of TFLite's SAME rule along one axis: the odd element of
  /// padding goes to the end.
  public static func same(input: Int, kernel: Int, stride: Int) -> (output: Int, before: Int) {
    let output = (input + stride - 1) / stride
    return (output, max((output - 1) * stride + kernel - input, 0) / 2)
  }

  /// Output length of TFLite's VALID rule along one axis; at most 0 where the kernel does not fit.
  public static func valid(input: Int, kernel: Int, stride: Int) -> Int {
    (input - kernel + stride) / stride
  }
}

/// Input, output and window of a convolution, a depthwise convolution or a pool.
public struct WindowShape: Equatable, Sendable {
  public var input: Extent
  public var output: Extent
  public var window: Window

  public init(input: Extent, output: Extent, window: Window) {
    self.input = input
    self.output = output
    self.window = window
  }

  /// A fully connected layer is a convolution over one pixel. Its TFLite weights (outputs by
  /// inputs) are in the right order.
  public init(inputs: Int, outputs: Int) {
    self.init(
      input: Extent(height: 1, width: 1, channels: inputs),
      output: Extent(height: 1, width: 1, channels: outputs), window: Window(height: 1, width: 1))
  }

  /// The largest value that a length, a kernel side or a stride may have.
  public static let longest = 16_384
  /// The most elements that a tensor or the weights of one layer may have.
  public static let mostElements = 1 << 26

  /// Whether the numbers fit together: everything is within ``longest`` and ``mostElements``, and
  /// every window lies at least partly on the picture. Kernels demand it; a loader asks first.
  public var isConsistent: Bool {
    Self.isSane(input) && Self.isSane(output)
      && Self.isSane(
        Extent(height: window.height, width: window.width, channels: input.channels))
      && Self.fits(
        input: input.height, output: output.height, kernel: window.height,
        stride: window.verticalStride, pad: window.padTop)
      && Self.fits(
        input: input.width, output: output.width, kernel: window.width,
        stride: window.horizontalStride, pad: window.padLeft)
  }

  /// Whether a convolution with ``isConsistent`` shape has an acceptable number of weights.
  public var hasConsistentWeights: Bool {
    isConsistent && convolutionWeights <= Self.mostElements
  }

  /// Whether channels fit a depthwise convolution: each input channel gives the same number of
  /// outputs.
  public var isDepthwise: Bool {
    isConsistent && output.channels % input.channels == 0
      && depthwiseWeights <= Self.mostElements
  }

  /// Weights of a convolution: output channels, kernel rows, kernel columns, input channels.
  public var convolutionWeights: Int {
    output.channels * window.height * window.width * input.channels
  }

  /// Weights of a depthwise convolution: kernel rows, kernel columns, output channels.
  public var depthwiseWeights: Int { window.height * window.width * output.channels }

  private static func isSane(_ extent: Extent) -> Bool {
    let lengths = 1...longest
    return lengths.contains(extent.height) && lengths.contains(extent.width)
      && lengths.contains(extent.channels) && extent.count <= mostElements
  }

  private static func fits(input: Int, output: Int, kernel: Int, stride: Int, pad: Int) -> Bool {
    (1...longest).contains(stride) && (0..<kernel).contains(pad)
      && (output - 1) * stride - pad < input
  }
}
