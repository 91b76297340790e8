import Inference
import Kernels
import Pipeline
import Platform
import Settings

/// `livelatch models`.
struct ModelsCommand {
  private let options: CommandOptions

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(words, withValue: ["--config", "--models"], switches: ["--json"])
    guard options.operands.isEmpty else { throw UsageError(message: "models takes no operand") }
  }

  func run() throws {
    let settings = try loadSettings(options)
    let kernels = KernelSet.detect()
    var lines =
      options.has("--json")
      ? [] : ["kernels: \(kernels.name.string)", "network      file KiB  memory KiB  input"]
    let names = modelNames(settings)
    for index in names.indices {
      let name = names[index].string
      lines.append(try describe("\(settings.models.string)/\(name)", name, kernels))
    }
    printToStandardOutput(lines.joined(separator: "\n"))
  }

  private func describe(
    _ path: String, _ name: String, _ kernels: KernelSet
  ) throws(PipelineError) -> String {
    let loaded = try LoadedNetwork(path: path, kernels: kernels)
    let input = loaded.network.inputDescription(0)
    return options.has("--json")
      ? json(name, loaded.fileBytes, loaded.needs, input, outputs: loaded.network.outputCount)
      : text(name, loaded.fileBytes, loaded.needs, input)
  }

  private func text(
    _ name: String, _ size: Int, _ needs: NetworkRequirements, _ input: TensorDescription
  ) -> String {
    let columns = [
      name.padded(to: 16, left: true), String(size >> 10).padded(to: 5),
      String(needs.total >> 10).padded(to: 10),
      "  \(input.width)x\(input.height)x\(input.channels) \(input.type.name.string)",
    ]
    return columns.joined(separator: " ")
  }

  private func json(
    _ name: String, _ size: Int, _ needs: NetworkRequirements, _ input: TensorDescription,
    outputs: Int
  ) -> String {
    var line = JSONLine()
    line.add("model", name)
    line.add("file_bytes", size)
    line.add("memory_bytes", needs.total)
    line.add("weight_bytes", needs.weights)
    line.add("activation_bytes", needs.activations)
    line.add("scratch_bytes", needs.scratch)
    line.add("input", "\(input.width)x\(input.height)x\(input.channels)")
    line.add("outputs", outputs)
    return line.text
  }
}

extension String {
  /// With spaces in front (or, `left`, behind) up to `width` characters.
  func padded(to width: Int, left: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - count))
    return left ? self + space : space + self
  }
}
