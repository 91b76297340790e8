import CKernels

/// A family of kernel variants. Chosen once at start; every variant gives the bytes that
/// ``reference`` gives.
public enum KernelSet: UInt8, Equatable, Sendable {
  /// Plain loops: what the other variants are measured against. Runs anywhere.
  case reference
  /// The vector instructions that every 64-bit ARM has.
  case neon
  /// x86_64 with AVX2.
  case avx2
  /// The vector instructions with ARM's 8-bit dot product (Cortex-A76 and later).
  case neonDotProduct
  /// x86_64 with AVX-512 and its 8-bit dot product (VNNI).
  case vnni

  /// The best set that this processor runs. The environment variable `LIVELATCH_KERNELS` with the
  /// name of an available set overrides it; any other value of it is ignored.
  public static func detect() -> KernelSet {
    // Each processor's sets are listed from the plainest to the best.
    var best = KernelSet.reference
    var raw: UInt8 = 0
    while let set = KernelSet(rawValue: raw) {
      raw += 1
      guard set.isAvailable else { continue }
      if set.isForced { return set }
      best = set
    }
    return best
  }

  /// Whether this processor and this build can run the set.
  public var isAvailable: Bool {
    switch self {
    case .reference: return true
    case .neon:
      #if arch(arm64)
        return true
      #else
        return false
      #endif
    case .avx2:
      #if arch(x86_64)
        return kernels_cpu_has_avx2() != 0
      #else
        return false
      #endif
    case .neonDotProduct:
      #if arch(arm64)
        return kernels_cpu_has_dot_product() != 0
      #else
        return false
      #endif
    case .vnni:
      #if arch(x86_64)
        return kernels_cpu_has_vnni() != 0
      #else
        return false
      #endif
    }
  }

  /// As in `LIVELATCH_KERNELS`, the boot banner and the variants' names.
  public var name: StaticString {
    switch self {
    case .reference: "reference"
    case .neon: "neon"
    case .avx2: "avx2"
    case .neonDotProduct: "dot-product"
    case .vnni: "vnni"
    }
  }

  private var isForced: Bool { kernels_environment_is(name.utf8Start, name.utf8CodeUnitCount) != 0 }
}

#if !hasFeature(Embedded)
  extension KernelSet: CaseIterable {}
#endif
