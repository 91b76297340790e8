import Glibc
import Kernels
import Platform
import SelfTest
import Testing

/// Buffers that end where their memory ends: reading or writing one byte more ends the process.
@Suite struct BoundaryTests {
  /// Memory whose end cannot be passed.
  final class Cliff {
    let start: UnsafeMutableRawPointer
    let size = 1 << 19

    init() throws {
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let whole = mmap(
        nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      start = try #require(whole != MAP_FAILED ? whole : nil)
      try #require(mprotect(start + size, page, PROT_NONE) == 0)
    }

    deinit { munmap(start, size + Int(sysconf(Int32(_SC_PAGESIZE)))) }

    /// The last `count` elements before the end.
    func last<Element>(_ count: Int, _ type: Element.Type) -> UnsafeMutableBufferPointer<Element> {
      let place = start + (size - count * MemoryLayout<Element>.stride)
      return UnsafeMutableBufferPointer(
        start: place.bindMemory(to: Element.self, capacity: count), count: count)
    }

    func lastBytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(last(count, UInt8.self))
    }
  }

  @Test(arguments: KernelSet.allCases.filter(\.isAvailable))
  func layersStayWithinTheirBuffers(_ kernels: KernelSet) throws {
    let (input, residual, output) = (try Cliff(), try Cliff(), try Cliff())
    let (packedMemory, scratchMemory) = (try Cliff(), try Cliff())
    for kind in [LayerCase.Kind.convolution, .depthwise] {
      for isWide in [false, true] {
        var number = 0
        LayerCase.forEach(kind, isWide: isWide) { layer in
          number += 1
          // Every third keeps this short; 3 divides none of the list's other periods but one.
          if number % 3 == 0 {
            run(layer, kernels, input, residual, output, packedMemory, scratchMemory)
          }
          return true
        }
        #expect(number > 500)
      }
    }
  }

  private func run(
    _ layer: LayerCase, _ kernels: KernelSet, _ input: Cliff, _ residual: Cliff, _ output: Cliff,
    _ packedMemory: Cliff, _ scratchMemory: Cliff
  ) {
    let channels = layer.shape.output.channels
    var weights = [Int8](repeating: 3, count: layer.weightCount)
    var bias = [UInt8](repeating: 1, count: channels * layer.biasBytes)
    var multipliers = [Int32](repeating: 1 << 30, count: 3 * channels)
    var shifts = [Int32](repeating: -6, count: 3 * channels)
    // Packed weights begin at a multiple of 4, which their size is not always.
    let packedBytes = (layer.packedBytes(kernels) + 3) / 4 * 4
    let packed = packedMemory.lastBytes(packedBytes)
    let requantisation = Requantisation(
      inputZeroPoint: layer.inputZeroPoint, outputZeroPoint: layer.outputZeroPoint,
      minimum: layer.minimum, maximum: layer.maximum, rounding: layer.rounding,
      residual: layer.residualChannels == 0
        ? nil
        : Residual(
          zeroPoint: layer.wide == nil ? 1 : 0, multiplier: 9, channels: layer.residualChannels))
    weights.withUnsafeMutableBufferPointer { weights in
      bias.withUnsafeMutableBytes { bias in
        multipliers.withUnsafeMutableBufferPointer { multipliers in
          shifts.withUnsafeMutableBufferPointer { shifts in
            let buffers = LayerBuffers(
              weights: weights, bias: bias, multipliers: multipliers, shifts: shifts,
              input: input.lastBytes(layer.shape.input.count * layer.valueBytes),
              residual: residual.lastBytes(layer.residualCount * layer.valueBytes))
            layer.pack(buffers, into: packed, kernels)
            layer.run(
              requantisation, buffers, packed: packed,
              scratch: scratchMemory.lastBytes(layer.scratchBytes(kernels)),
              into: output.lastBytes(layer.shape.output.count * layer.outputBytes), kernels)
          }
        }
      }
    }
  }

  @Test(arguments: KernelSet.allCases.filter(\.isAvailable))
  func poolsAndAdditionsStayWithinTheirBuffers(_ kernels: KernelSet) throws {
    let (first, second, output) = (try Cliff(), try Cliff(), try Cliff())
    let term = Addition.Term(zeroPoint: 0, multiplier: 1 << 30, shift: 0)
    let addition = Addition(
      leftShift: 20, first: term, second: term,
      output: Addition.Term(zeroPoint: 0, multiplier: 1 << 30, shift: -18), minimum: -128,
      maximum: 127)
    for count in 0...70 {
      var target = output.last(count, Int8.self).mutableSpan
      addition.run(
        UnsafeBufferPointer(first.last(count, Int8.self)).span,
        UnsafeBufferPointer(second.last(count, Int8.self)).span, into: &target, kernels)
    }
    for channels in 1...70 {
      let shape = WindowShape(
        input: Extent(height: 5, width: 5, channels: channels),
        output: Extent(height: 3, width: 3, channels: channels),
        window: Window(height: 2, width: 2, verticalStride: 2, horizontalStride: 2))
      var target = output.last(shape.output.count, Int8.self).mutableSpan
      let source = UnsafeBufferPointer(first.last(shape.input.count, Int8.self)).span
      Pool.maximum(shape, source, into: &target, kernels)
      let doubling = Doubling(input: shape.output)
      var larger = output.last(doubling.output.count, Int8.self).mutableSpan
      let small = UnsafeBufferPointer(first.last(shape.output.count, Int8.self)).span
      doubling.run(small, into: &larger, kernels)
    }
  }
}
