import Inference
import Kernels
import Pipeline
import Platform
import Settings

/// `livelatch models`.
struct ModelsCommand {
  private let options: CommandOptions

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(
      words, withValue: ["--config", "--models"], switches: ["--json", "--kernels"])
    guard options.operands.isEmpty else { throw UsageError(message: "models takes no operand") }
  }

  func run() throws {
    let settings = try loadSettings(options)
    let kernels = KernelSet.detect()
    var lines =
      options.has("--json")
      ? []
      : [
        "kernels: \(kernels.name.string)",
        "network      file KiB  memory KiB  M multiplications  operators  input",
      ]
    let names = modelNames(settings)
    for index in names.indices {
      let name = names[index].string
      let loaded = try LoadedNetwork(
        path: "\(settings.models.string)/\(name)", kernels: kernels)
      lines.append(options.has("--json") ? json(name, loaded) : text(name, loaded))
      if options.has("--kernels") {
        lines += loaded.network.kernelLines(name, asJSON: options.has("--json"))
      }
    }
    printToStandardOutput(lines.joined(separator: "\n"))
  }

  private func text(_ name: String, _ loaded: borrowing LoadedNetwork) -> String {
    let (summary, input) = (loaded.summary, loaded.network.inputDescription(0))
    let hundredths = (summary.multiplications + 5000) / 10_000
    let columns = [
      name.padded(to: 16, left: true), String(summary.byteCount >> 10).padded(to: 5),
      String(loaded.needs.total >> 10).padded(to: 11),
      "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)".padded(to: 17),
      String(summary.operators).padded(to: 10),
      " \(input.width)x\(input.height)x\(input.channels) \(input.type.name.string)",
    ]
    return columns.joined(separator: " ")
  }

  private func json(_ name: String, _ loaded: borrowing LoadedNetwork) -> String {
    let (summary, input) = (loaded.summary, loaded.network.inputDescription(0))
    var line = JSONLine()
    line.add("model", name)
    line.add("file_bytes", summary.byteCount)
    line.add("memory_bytes", loaded.needs.total)
    line.add("weight_bytes", loaded.needs.weights)
    line.add("activation_bytes", loaded.needs.activations)
    line.add("scratch_bytes", loaded.needs.scratch)
    line.add("multiplications", summary.multiplications)
    line.add("operators", summary.operators)
    line.add("fused", summary.isFused)
    line.add("source_crc32", Int(summary.sourceChecksum))
    line.add("input", "\(input.width)x\(input.height)x\(input.channels)")
    line.add("outputs", loaded.network.outputCount)
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
