/// Copies a tensor into a larger one and fills the rest, usually with the zero point.
public struct Padding: Equatable, Sendable {
  public var input: Extent
  public var output: Extent
  /// Rows, columns and channels of filling before the input's.
  public var before: Extent
  public var value: Int32

  public init(input: Extent, output: Extent, before: Extent, value: Int32) {
    self.input = input
    self.output = output
    self.before = before
    self.value = value
  }

  /// Whether the input lies within the output. Kernels demand it; a loader asks first.
  public var isConsistent: Bool {
    Self.fits(input.height, output.height, before.height)
      && Self.fits(input.width, output.width, before.width)
      && Self.fits(input.channels, output.channels, before.channels)
      && output.count <= WindowShape.mostElements
  }

  private static func fits(_ input: Int, _ output: Int, _ before: Int) -> Bool {
    let lengths = 1...WindowShape.longest
    return lengths.contains(input) && lengths.contains(output)
      && (0...output).contains(before) && before + input <= output
  }

  public func run(
    _ input: Span<Int8>, into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) { reference(input, &output) }

  public func run(
    _ input: Span<Int16>, into output: inout MutableSpan<Int16>, _ kernels: KernelSet
  ) { reference(input, &output) }

  private func reference<Value: FixedWidthInteger>(
    _ source: Span<Value>, _ target: inout MutableSpan<Value>
  ) {
    precondition(isConsistent && source.count == input.count && target.count == output.count)
    var index = 0
    for y in 0..<output.height {
      let row = y - before.height
      for x in 0..<output.width {
        let column = x - before.width
        for channel in 0..<output.channels {
          let plane = channel - before.channels
          let isInside =
            (0..<input.height).contains(row) && (0..<input.width).contains(column)
            && (0..<input.channels).contains(plane)
          target[index] =
            isInside
            ? source[(row * input.width + column) * input.channels + plane]
            : Value(truncatingIfNeeded: value)
          index += 1
        }
      }
    }
  }
}

/// Doubles height and width: every pixel becomes four.
public struct Doubling: Equatable, Sendable {
  public var input: Extent

  public init(input: Extent) { self.input = input }

  public var output: Extent {
    Extent(height: 2 * input.height, width: 2 * input.width, channels: input.channels)
  }

  /// Whether the output stays within the bounds of a tensor. Kernels demand it; a loader asks first.
  public var isConsistent: Bool {
    let lengths = 1...WindowShape.longest
    return lengths.contains(input.height) && lengths.contains(input.width)
      && lengths.contains(input.channels) && output.count <= WindowShape.mostElements
  }

  public func run(
    _ input: Span<Int8>, into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) { run(input, &output, kernels) }

  public func run(
    _ input: Span<Int16>, into output: inout MutableSpan<Int16>, _ kernels: KernelSet
  ) { run(input, &output, kernels) }

  private func run<Value: FixedWidthInteger & BitwiseCopyable>(
    _ source: Span<Value>, _ target: inout MutableSpan<Value>, _ kernels: KernelSet
  ) {
    precondition(isConsistent && source.count == input.count && target.count == output.count)
    if kernels == .reference { reference(source, &target) } else { copy(source, &target) }
  }

  /// Pixel by pixel into every other row, then those rows once more.
  private func copy<Value: BitwiseCopyable>(
    _ source: Span<Value>, _ target: inout MutableSpan<Value>
  ) {
    target.withUnsafeMutableBytes { target in
      source.withUnsafeBytes { source in
        guard var from = source.baseAddress, var to = target.baseAddress else { return }
        let pixel = input.channels * MemoryLayout<Value>.size
        let row = output.width * pixel
        for _ in 0..<input.height {
          let first = to
          for _ in 0..<input.width {
            to.copyMemory(from: from, byteCount: pixel)
            (to + pixel).copyMemory(from: from, byteCount: pixel)
            to += 2 * pixel
            from += pixel
          }
          to.copyMemory(from: first, byteCount: row)
          to += row
        }
      }
    }
  }

  private func reference<Value: FixedWidthInteger>(
    _ source: Span<Value>, _ target: inout MutableSpan<Value>
  ) {
    for y in 0..<output.height {
      for x in 0..<output.width {
        let from = (y / 2 * input.width + x / 2) * input.channels
        let to = (y * output.width + x) * input.channels
        for channel in 0..<input.channels { target[to + channel] = source[from + channel] }
      }
    }
  }
}
