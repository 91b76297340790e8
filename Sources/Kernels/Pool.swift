import KernelsAVX2

/// Maximum and average over windows, channel by channel; what lies outside the picture is left
/// out. Input and output have the same scale and zero point. `minimum` and `maximum` bound the
/// output, within its type.
public enum Pool {
  /// The largest value under each window.
  public static func maximum(
    _ shape: WindowShape, minimum: Int32 = -128, maximum: Int32 = 127, _ input: Span<Int8>,
    into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) {
    if kernels == .reference {
      maximumReference(shape, minimum, maximum, input, &output)
    } else if goesByPairs(shape, kernels) {
      runPairs(shape, minimum, maximum, input, &output, kernels, isMean: false)
    } else {
      maximumVectors(shape, minimum, maximum, input, &output, kernels)
    }
  }

  /// As for int8. All kernel sets run the reference.
  public static func maximum(
    _ shape: WindowShape, minimum: Int32 = -32768, maximum: Int32 = 32767, _ input: Span<Int16>,
    into output: inout MutableSpan<Int16>, _ kernels: KernelSet
  ) { maximumReference(shape, minimum, maximum, input, &output) }

  /// The mean of what lies under each window, the half rounded away from 0.
  public static func average(
    _ shape: WindowShape, minimum: Int32 = -128, maximum: Int32 = 127, _ input: Span<Int8>,
    into output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) {
    if goesByPairs(shape, kernels) {
      runPairs(shape, minimum, maximum, input, &output, kernels, isMean: true)
    } else {
      averageReference(shape, minimum, maximum, input, &output)
    }
  }

  /// As for int8. All kernel sets run the reference.
  public static func average(
    _ shape: WindowShape, minimum: Int32 = -32768, maximum: Int32 = 32767, _ input: Span<Int16>,
    into output: inout MutableSpan<Int16>, _ kernels: KernelSet
  ) { averageReference(shape, minimum, maximum, input, &output) }

  /// The set whose instructions make averages of int8: `kernels`, or the reference where that has
  /// none for them.
  public static func averageVariant(_ shape: WindowShape, _ kernels: KernelSet) -> KernelSet {
    goesByPairs(shape, kernels) ? kernels : .reference
  }

  /// Whether windows of 2 by 2 lie side by side, all within the picture, as the networks have them,
  /// and the set has kernels for two rows of those.
  private static func goesByPairs(_ shape: WindowShape, _ kernels: KernelSet) -> Bool {
    #if arch(arm64)
      let two = Window(height: 2, width: 2, verticalStride: 2, horizontalStride: 2)
      return kernels != .reference && shape.window == two && shape.input.channels % 16 == 0
        && 2 * shape.output.height <= shape.input.height
        && 2 * shape.output.width <= shape.input.width
    #else
      return false
    #endif
  }

  private static func runPairs(
    _ shape: WindowShape, _ minimum: Int32, _ maximum: Int32, _ input: Span<Int8>,
    _ output: inout MutableSpan<Int8>, _ kernels: KernelSet, isMean: Bool
  ) {
    check(shape, input.count, output.count)
    precondition(kernels.isAvailable, "this processor does not have these kernels")
    precondition(
      -128 <= minimum && minimum <= maximum && maximum <= 127, "bounds outside int8")
    #if arch(arm64)
      let channels = shape.input.channels
      let row = shape.input.width * channels
      output.withUnsafeMutableBytes { output in
        input.withUnsafeBytes { input in
          guard var top = input.baseAddress, var target = output.baseAddress else { return }
          for _ in 0..<shape.output.height {
            if isMean {
              avgpool_s8_2x2x16_neon(
                top, top + row, pixels: shape.output.width, channels: channels,
                minimum: minimum, maximum: maximum, into: target)
            } else {
              maxpool_s8_2x2x16_neon(
                top, top + row, pixels: shape.output.width, channels: channels,
                minimum: minimum, maximum: maximum, into: target)
            }
            top += 2 * row
            target += shape.output.width * channels
          }
        }
      }
    #endif
  }

  private static func maximumVectors(
    _ shape: WindowShape, _ minimum: Int32, _ maximum: Int32, _ input: Span<Int8>,
    _ output: inout MutableSpan<Int8>, _ kernels: KernelSet
  ) {
    check(shape, input.count, output.count)
    precondition(kernels.isAvailable, "this processor does not have these kernels")
    precondition(
      -128 <= minimum && minimum <= maximum && maximum <= 127, "bounds outside int8")
    let channels = shape.input.channels
    let rowStride = shape.input.width * channels
    output.withUnsafeMutableBufferPointer { output in
      input.withUnsafeBufferPointer { input in
        guard let source = input.baseAddress, var target = output.baseAddress else { return }
        for y in 0..<shape.output.height {
          let rows = covered(
            y, shape.window.verticalStride, shape.window.padTop, shape.window.height,
            shape.input.height)
          for x in 0..<shape.output.width {
            let columns = covered(
              x, shape.window.horizontalStride, shape.window.padLeft, shape.window.width,
              shape.input.width)
            let first = source + (rows.lowerBound * rowStride + columns.lowerBound * channels)
            #if arch(x86_64)
              maxpool_s8_x32_avx2(
                first, rows: rows.count, columns: columns.count, rowStride: rowStride,
                columnStride: channels, channels: channels, minimum: minimum, maximum: maximum,
                into: target)
            #elseif arch(arm64)
              maxpool_s8_x16_neon(
                first, rows: rows.count, columns: columns.count, rowStride: rowStride,
                columnStride: channels, channels: channels, minimum: minimum, maximum: maximum,
                into: target)
            #endif
            target += channels
          }
        }
      }
    }
  }

  /// Rows or columns of the picture under a window. Not empty in a consistent shape.
  private static func covered(
    _ index: Int, _ stride: Int, _ pad: Int, _ kernel: Int, _ input: Int
  ) -> Range<Int> {
    let first = index * stride - pad
    return max(first, 0)..<min(first + kernel, input)
  }

  private static func check(_ shape: WindowShape, _ input: Int, _ output: Int) {
    precondition(
      shape.isConsistent && shape.input.channels == shape.output.channels, "inconsistent shape")
    precondition(input == shape.input.count, "input does not fit the shape")
    precondition(output == shape.output.count, "output does not fit the shape")
  }

  private static func maximumReference<Value: FixedWidthInteger>(
    _ shape: WindowShape, _ minimum: Int32, _ maximum: Int32, _ input: Span<Value>,
    _ output: inout MutableSpan<Value>
  ) {
    check(shape, input.count, output.count)
    for y in 0..<shape.output.height {
      for x in 0..<shape.output.width {
        for channel in 0..<shape.output.channels {
          var largest = Int32.min
          forEachValue(shape, input, y, x, channel) { largest = max(largest, $0) }
          output[(y * shape.output.width + x) * shape.output.channels + channel] =
            Value(truncatingIfNeeded: max(minimum, min(largest, maximum)))
        }
      }
    }
  }

  private static func averageReference<Value: FixedWidthInteger>(
    _ shape: WindowShape, _ minimum: Int32, _ maximum: Int32, _ input: Span<Value>,
    _ output: inout MutableSpan<Value>
  ) {
    check(shape, input.count, output.count)
    for y in 0..<shape.output.height {
      for x in 0..<shape.output.width {
        for channel in 0..<shape.output.channels {
          var sum: Int32 = 0
          var count: Int32 = 0
          forEachValue(shape, input, y, x, channel) {
            sum &+= $0
            count += 1
          }
          // A window of fewer than 2^16 values cannot overflow; a consistent one has at least one.
          let mean = sum > 0 ? (sum &+ count / 2) / count : (sum &- count / 2) / count
          output[(y * shape.output.width + x) * shape.output.channels + channel] =
            Value(truncatingIfNeeded: max(minimum, min(mean, maximum)))
        }
      }
    }
  }

  @inline(__always)
  private static func forEachValue<Value: FixedWidthInteger>(
    _ shape: WindowShape, _ input: Span<Value>, _ y: Int, _ x: Int, _ channel: Int,
    _ body: (Int32) -> Void
  ) {
    let window = shape.window
    for row in 0..<window.height {
      let inputY = y * window.verticalStride - window.padTop + row
      guard (0..<shape.input.height).contains(inputY) else { continue }
      for column in 0..<window.width {
        let inputX = x * window.horizontalStride - window.padLeft + column
        guard (0..<shape.input.width).contains(inputX) else { continue }
        body(
          Int32(input[(inputY * shape.input.width + inputX) * shape.input.channels + channel]))
      }
    }
  }
}
