import CKernels

/// A family of variants of the loops that scale and cut pictures. Chosen once at start; every one
/// gives the bytes that ``reference`` gives.
public enum PictureKernels: UInt8, Equatable, Sendable {
  /// Plain loops: what the other variants are measured against. Runs anywhere.
  case reference
  /// The vector instructions that every 64-bit ARM has.
  case neon
  /// x86_64 with AVX2.
  case avx2

  /// The best that this processor runs. `LIVELATCH_KERNELS=reference` in the environment asks for
  /// the reference, as it does of the networks' kernels.
  public static func detect() -> PictureKernels {
    let name = reference.name
    if kernels_environment_is(name.utf8Start, name.utf8CodeUnitCount) != 0 { return .reference }
    return avx2.isAvailable ? .avx2 : neon.isAvailable ? .neon : .reference
  }

  /// Whether this processor and this build can run it.
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
    }
  }

  public var name: StaticString {
    switch self {
    case .reference: "reference"
    case .neon: "neon"
    case .avx2: "avx2"
    }
  }
}

#if !hasFeature(Embedded)
  extension PictureKernels: CaseIterable {}
#endif
