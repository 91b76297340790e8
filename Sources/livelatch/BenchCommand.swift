import Imaging
import Kernels
import Platform
import Settings

/// `livelatch bench`.
struct BenchCommand {
  private let options: CommandOptions
  private let runs: Int?
  /// What `--case` names; nil for the usual ones.
  private let chosen: [BenchCase]?

  init(_ words: [String]) throws(UsageError) {
    options = try CommandOptions(
      words, withValue: ["--config", "--models", "--clip", "--case", "--runs"],
      switches: ["--json", "--layers"])
    guard options.operands.isEmpty else { throw UsageError(message: "bench takes no operand") }
    runs = try options.number("--runs", in: 1...100_000)
    if let text = options.value("--case") {
      guard let known = BenchCase(text) else {
        throw UsageError(message: "--case \(text): allowed: \(BenchCase.forms)")
      }
      guard !options.has("--layers") else {
        throw UsageError(message: "--case and --layers exclude each other")
      }
      chosen = [known]
    } else {
      chosen = nil
    }
  }

  func run() throws {
    let settings = try loadSettings(options)
    let bench = Bench(
      settings: settings, runs: runs, clip: options.value("--clip") ?? "board/demo/demo.mp4")
    var rows: [BenchRow] = []
    if let chosen {
      for one in chosen { rows.append(try bench.measure(one)) }
    } else if options.has("--layers") {
      for name in bench.networks { rows += try bench.layers(name) }
    } else {
      for one in bench.usualCases { rows.append(try bench.measure(one)) }
    }
    printToStandardOutput(options.has("--json") ? json(rows) : text(rows))
  }

  private func text(_ rows: [BenchRow]) -> String {
    let head = """
      kernels: \(KernelSet.detect().name.string), for pictures \(PictureKernels.detect().name.string)
          median        p10        p90 ms
      """
    return
      ([head]
      + rows.map { row in
        [row.median, row.fast, row.slow].map { milliseconds($0).padded(to: 10) }
          .joined(separator: " ") + "  \(row.name)"
      }).joined(separator: "\n")
  }

  private func json(_ rows: [BenchRow]) -> String {
    var line = JSONLine()
    line.add("kernels", KernelSet.detect().name.string)
    line.add("picture_kernels", PictureKernels.detect().name.string)
    line.add(
      "rows",
      rows.map {
        var row = JSONLine()
        row.add("name", $0.name)
        row.add("runs", $0.runs)
        row.add("median_ns", Int($0.median.wholeNanoseconds))
        row.add("p10_ns", Int($0.fast.wholeNanoseconds))
        row.add("p90_ns", Int($0.slow.wholeNanoseconds))
        row.add("mean_ns", Int($0.mean.wholeNanoseconds))
        row.add("work", $0.work)
        if let layer = $0.layer { row.add("layer", layer) }
        return row
      })
    return line.text
  }

  private func milliseconds(_ duration: Duration) -> String {
    let thousandths = duration.wholeNanoseconds / 1000
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
