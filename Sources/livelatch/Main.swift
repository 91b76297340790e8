import CPlatform
import Camera
import Pipeline
import Platform

/// The tool for a laptop. Exit codes: 0 all well; 1 the work failed; 64 a command line that is not
/// understood; 65 input that cannot be used; 66 input that is not there; 69 something that is
/// needed is missing; 71 and 74 the system refuses; 78 wrong settings (sysexits.h).
@main
enum Main {
  static func main() {
    let status = run(Array(CommandLine.arguments.dropFirst()))
    guard status == 0, let failure = StandardOutput.failure else { exit(status) }
    printToStandardError("livelatch: standard output: \(failure.text)")
    exit(74)
  }

  static func run(_ words: [String]) -> Int32 {
    guard let name = words.first else {
      printToStandardError(Help.overview)
      return 64
    }
    let rest = Array(words.dropFirst())
    if ["--help", "-h", "help"].contains(name) {
      guard let topic = rest.first else {
        printToStandardOutput(Help.overview)
        return 0
      }
      guard let text = Help.of(topic) else { return complainOfCommand(topic) }
      printToStandardOutput(text)
      return 0
    }
    if name == "--version" {
      printToStandardOutput("livelatch \(programVersion.string)")
      return 0
    }
    guard let command = Command(rawValue: name) else {
      return complainOfCommand(name)
    }
    if rest.contains("--help") || rest.contains("-h") {
      printToStandardOutput(Help.of(name) ?? Help.overview)
      return 0
    }
    do {
      try command.run(rest)
      return 0
    } catch let error as UsageError {
      printToStandardError("livelatch \(name): \(error.message)\nSee: livelatch \(name) --help")
      return 64
    } catch let error as PipelineError {
      printToStandardError("livelatch: \(error.text)")
      return error.exitStatus
    } catch let error as CameraError {
      printToStandardError("livelatch: \(error.text)")
      return PipelineError.camera(error).exitStatus
    } catch let error as ToolError {
      if !error.message.isEmpty { printToStandardError("livelatch: \(error.message)") }
      return error.status
    } catch {
      printToStandardError("livelatch: \(error)")
      return 1
    }
  }

  private static func complainOfCommand(_ name: String) -> Int32 {
    printToStandardError("livelatch: unknown command \(name)\n\n\(Help.overview)")
    return 64
  }
}

/// Work that failed: what a person reads (empty: it was said already), and the exit code.
struct ToolError: Error {
  let message: String
  let status: Int32
}

extension Errno {
  /// The sentence for a person.
  var text: String {
    var text = FixedString<64>()
    describe(into: &text)
    return text.string
  }
}

extension CameraError {
  /// The sentence for a person.
  var text: String {
    var text = FixedString<512>()
    describe(into: &text)
    return text.string
  }
}

extension PipelineError {
  /// The sentence for a person.
  var text: String {
    var text = FixedString<512>()
    describe(into: &text)
    return text.string
  }
}

enum Command: String, CaseIterable {
  case run, replay, detect, annotate, models, bench
  case checkConfig = "check-config"
  case selfTest = "self-test"

  func run(_ words: [String]) throws {
    switch self {
    case .run: try RunCommand(words).run()
    case .replay: try ReplayCommand(words).run()
    case .detect: try DetectCommand(words).run()
    case .annotate: try AnnotateCommand(words).run()
    case .checkConfig: try CheckConfigCommand(words).run()
    case .models: try ModelsCommand(words).run()
    case .bench: try BenchCommand(words).run()
    case .selfTest: try SelfTestCommand(words).run()
    }
  }
}
