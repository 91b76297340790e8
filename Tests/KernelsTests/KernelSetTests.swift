import Glibc
import Kernels
import Testing

@Suite struct KernelSetTests {
  @Test func referenceRunsAnywhereAndNamesDiffer() {
    #expect(KernelSet.reference.isAvailable)
    #expect(Set(KernelSet.allCases.map { "\($0.name)" }).count == KernelSet.allCases.count)
    #expect(KernelSet.detect().isAvailable)
  }

  @Test func environmentForcesASet() async {
    await #expect(processExitsWith: .success) {
      setenv("LIVELATCH_KERNELS", "reference", 1)
      guard KernelSet.detect() == .reference else { exit(1) }
      // Neither a name that nobody has nor a set for another processor is taken.
      setenv("LIVELATCH_KERNELS", "referenc", 1)
      let free = KernelSet.detect()
      setenv("LIVELATCH_KERNELS", KernelSet.neon.isAvailable ? "avx2" : "neon", 1)
      guard KernelSet.detect() == free && free.isAvailable else { exit(1) }
    }
  }
}
