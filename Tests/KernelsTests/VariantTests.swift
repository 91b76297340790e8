import Imaging
import Kernels
import Platform
import SelfTest
import Testing

@Suite struct VariantTests {
  @Test func everyVariantEqualsTheReference() throws {
    var checks: [SelfTestCheck] = []
    let passed = try runSelfTest { checks.append($0) }
    for check in checks {
      #expect(
        check.failure == nil,
        "\(check.operation) \(check.variant): \(String(describing: check.failure))")
      #expect(check.cases > 60)
    }
    #expect(passed)
    let variants = KernelSet.allCases.filter { $0.isAvailable && $0 != .reference }
    let pictures = PictureKernels.allCases.filter { $0.isAvailable && $0 != .reference }
    #expect(checks.count == 8 * variants.count + 2 * pictures.count)
  }
}
