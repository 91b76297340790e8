import Imaging
import Kernels
import Platform

/// The outcome of comparing one operation of one kernel set with the reference.
public struct SelfTestCheck: Sendable {
  /// Such as `convolution`.
  public let operation: StaticString
  /// The kernel set, such as `neon`.
  public let variant: StaticString
  /// Cases compared, the failing one included.
  public let cases: Int
  /// The first difference; nil when there was none.
  public let failure: SelfTestFailure?
}

/// The first difference between a variant and the reference.
public struct SelfTestFailure: Equatable, Sendable {
  /// Number of the case in its list, from 0.
  public let caseIndex: Int
  /// The sizes at fault. An elementwise operation has its count as the input's channels.
  public let shape: WindowShape
  /// Index into the output; nil when bytes outside a buffer were written.
  public let index: Int?
  public let expected: Int32
  public let found: Int32
}

/// Compares every kernel set that this processor has with the reference, over the list of cases, with
/// guard bytes around everything that is written. Reports each operation and set once. Needs no heap;
/// some seconds on a slow board.
///
/// Returns whether all was equal. Throws when the memory (``SelfTestMemory/capacity``) cannot be had.
@discardableResult
public func runSelfTest(report: (SelfTestCheck) -> Void) throws(Errno) -> Bool {
  var memory = try SelfTestMemory()
  var passed = true
  var raw: UInt8 = 0
  while let kernels = KernelSet(rawValue: raw) {
    raw += 1
    guard kernels.isAvailable && kernels != .reference else { continue }
    var index = 0
    while let check = compare(index, kernels, &memory) {
      index += 1
      passed = passed && check.failure == nil
      report(check)
    }
  }
  raw = 0
  while let kernels = PictureKernels(rawValue: raw) {
    raw += 1
    guard kernels.isAvailable && kernels != .reference else { continue }
    var index = 0
    while let check = compare(index, kernels, &memory) {
      index += 1
      passed = passed && check.failure == nil
      report(check)
    }
  }
  return passed
}

/// The operations that have variants, by number; nil after the last.
private func compare(
  _ index: Int, _ kernels: KernelSet, _ memory: inout SelfTestMemory
) -> SelfTestCheck? {
  switch index {
  case 0: compareLayers(.convolution, isWide: false, kernels, &memory)
  case 1: compareLayers(.depthwise, isWide: false, kernels, &memory)
  case 2: compareLayers(.convolution, isWide: true, kernels, &memory)
  case 3: compareLayers(.depthwise, isWide: true, kernels, &memory)
  case 4: comparePools(isMean: false, kernels, &memory)
  case 5: comparePools(isMean: true, kernels, &memory)
  case 6: compareAdditions(kernels, &memory)
  case 7: compareDoublings(kernels, &memory)
  default: nil
  }
}

private func compare(
  _ index: Int, _ kernels: PictureKernels, _ memory: inout SelfTestMemory
) -> SelfTestCheck? {
  switch index {
  case 0: compareScalings(kernels, &memory)
  case 1: compareCrops(kernels, &memory)
  default: nil
  }
}

/// The first place where the outputs differ, or that a guard was written to.
func difference<Value: FixedWidthInteger>(
  _ number: Int, _ shape: WindowShape, _ expected: UnsafeMutableBufferPointer<Value>,
  _ found: UnsafeMutableBufferPointer<Value>, _ memory: borrowing SelfTestMemory
) -> SelfTestFailure? {
  for index in 0..<expected.count where expected[index] != found[index] {
    return SelfTestFailure(
      caseIndex: number, shape: shape, index: index, expected: Int32(expected[index]),
      found: Int32(found[index]))
  }
  guard memory.areGuardsWhole() else {
    return SelfTestFailure(caseIndex: number, shape: shape, index: nil, expected: 0, found: 0)
  }
  return nil
}
