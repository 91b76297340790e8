import Foundation
import ModelPacker
import Platform

// A tool for people who make models: ordinary Swift, never on the board.

let usage = """
  usage: modelc IN.tflite OUT.llm [options]

  Packs an int8 .tflite model (or one with int8 weights and int16 activations) for the firmware.
  The same input and options give the same bytes.

    --name TEXT          shown by the tools; default: the name of OUT without its ending
    --raw-output NAME    give this output as int32 accumulators with a float scale a channel;
                         may be repeated
    --no-fuse            one operator of the firmware for each of the file: outputs then equal the
                         TFLite reference kernels bit for bit
    --no-fuse-prelu      keep every PReLU an operator of its own
    --no-fuse-add        keep every addition an operator of its own
    --no-fuse-pad        keep every pad of rows and columns an operator of its own
    --quiet              say nothing unless something is wrong
    --help

  exit status: 0 packed, 1 not packed, 64 wrong usage
  """

struct UsageError: Error { let text: String }

/// What could not be done with a file, and what the system said to it.
struct FileError: Error {
  let path: String
  let what: String
  let errno: Errno

  var text: String {
    var reason = FixedString<64>()
    errno.describe(into: &reason)
    return "\(path): \(what): \(reason.string)"
  }
}

struct Arguments {
  var input = ""
  var output = ""
  var isQuiet = false
  var options = PackOptions()

  init(_ arguments: [String]) throws {
    var files: [String] = []
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw UsageError(text: "\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--name": options.name = try value(of: argument)
      case "--raw-output": options.rawOutputs.append(try value(of: argument))
      case "--no-fuse":
        options.fusesPrelu = false
        options.fusesAddition = false
        options.fusesPadding = false
      case "--no-fuse-prelu": options.fusesPrelu = false
      case "--no-fuse-add": options.fusesAddition = false
      case "--no-fuse-pad": options.fusesPadding = false
      case "--quiet": isQuiet = true
      case let option where option.hasPrefix("-"):
        throw UsageError(text: "unknown option \(option)")
      default: files.append(argument)
      }
    }
    guard files.count == 2 else {
      throw UsageError(text: "an input and an output are wanted, \(files.count) given")
    }
    (input, output) = (files[0], files[1])
    if options.name.isEmpty {
      options.name = URL(fileURLWithPath: output).deletingPathExtension().lastPathComponent
    }
  }
}

@main
enum Main {
  static func main() {
    let given = Array(CommandLine.arguments.dropFirst())
    if given.contains("--help") {
      print(usage)
      exit(0)
    }
    let arguments: Arguments
    do {
      arguments = try Arguments(given)
    } catch {
      fail("\((error as? UsageError)?.text ?? "\(error)")\n\n\(usage)", status: 64)
    }
    do {
      let packed = try pack(try read(arguments.input), options: arguments.options)
      try write(packed.bytes, to: arguments.output)
      if !arguments.isQuiet { report(packed, arguments) }
    } catch let error as PackError {
      fail("\(arguments.input): \(error)", status: 1)
    } catch let error as FileError {
      fail(error.text, status: 1)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  static func read(_ path: String) throws(FileError) -> [UInt8] {
    do throws(Errno) {
      let file = try FileDescriptor.open(path, flags: O_RDONLY)
      if try file.isFolder() { throw Errno(code: EISDIR) }
      guard let size = try file.regularFileSize() else { throw Errno(code: EINVAL) }
      var bytes = [UInt8](repeating: 0, count: size)
      let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(Errno) in
        try file.readFully(into: UnsafeMutableRawBufferPointer(buffer))
      }
      return Array(bytes[..<count])
    } catch { throw FileError(path: path, what: "cannot be read", errno: error) }
  }

  /// Beside the file and then into its place: whoever reads the old one meanwhile keeps it whole.
  static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let beside = path + ".new"
    do throws(Errno) {
      let file = try FileDescriptor.open(beside, flags: O_WRONLY | O_CREAT | O_TRUNC)
      try bytes.span.withUnsafeBytes { bytes throws(Errno) in try file.writeFully(bytes) }
      try renameFile(beside, to: path)
    } catch { throw FileError(path: path, what: "cannot be written", errno: error) }
  }

  static func report(_ packed: PackedModel, _ arguments: Arguments) {
    let mega = String(format: "%.2f", Double(packed.macs) / 1e6)
    print(
      """
      \(arguments.output): \(packed.bytes.count) bytes, \(packed.weightBytes) of them weights
      \(packed.operators) operators, \(mega) M multiplications; fused: \(packed.fusedPrelus) PReLU, \
      \(packed.fusedAdditions) additions, \(packed.fusedPads) pads
      activations: \(packed.arenaBytes) bytes (at least \(packed.peakBytes) are alive at once)
      """)
  }

  static func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("modelc: \(message)\n".utf8))
    exit(status)
  }
}
