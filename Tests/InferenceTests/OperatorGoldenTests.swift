import Inference
import Kernels
import ModelPacker
import Testing

/// Every operator over odd sizes, strides, paddings, zero points, channel counts and activations
/// against the TFLite reference kernels, bit for bit, in every kernel set.
@Suite struct OperatorGoldenTests {
  @Test(arguments: kernelSets)
  func operatorsEqualTheReference(kernels: KernelSet) throws {
    let cases = try GoldenCase.read("Tests/Golden/operators.golden")
    #expect(cases.count > 300)
    for golden in cases where !golden.outputs.isEmpty {
      let packed: PackedModel
      do {
        packed = try pack(golden.model, options: .unfused)
      } catch {
        Issue.record("\(golden.name): \(error)")
        continue
      }
      var loaded = try LoadedNetwork(packed.bytes, kernels: kernels)
      loaded.fill(golden.inputs)
      loaded.network.invoke()
      #expect(loaded.network.outputCount == golden.outputs.count)
      for (index, expected) in golden.outputs.enumerated() {
        let size = loaded.network.outputDescription(index).type.byteCount
        let difference = firstDifference(loaded.outputBytes(index), expected, size: size)
        #expect(difference == nil, "\(golden.name), \(kernels): \(difference ?? "")")
      }
    }
  }

  @Test func unsupportedModelsAreRefusedWithTheirOperator() throws {
    let refused = try GoldenCase.read("Tests/Golden/operators.golden").filter(\.outputs.isEmpty)
    #expect(refused.count > 5)
    for golden in refused {
      #expect {
        try pack(golden.model)
      } throws: { error in
        "\(error)".contains(golden.name)
      }
    }
  }
}
