import CPlatform
import Inference
import Kernels
import Platform

/// `invoke MODEL COUNT`: loads a packed network, gives it a fixed input made of pseudo-random bytes and
/// runs it COUNT times, with the best kernels of this processor or those of `LIVELATCH_KERNELS`. Prints
/// the kernel set and a checksum of the outputs, which is the same for every set and processor.
///
/// For counting instructions: what loading costs falls out of the difference of two counts.
@main
enum Main {
  static func main() { exit(run()) }

  static func run() -> Int32 {
    guard Arguments.count == 2, let path = Arguments.word(0), let count = number(1) else {
      return say("usage: invoke MODEL COUNT\n", 64)
    }
    do throws(ModelError) {
      return try run(ModelFile(path: path), count)
    } catch {
      return say("invoke: the model cannot be loaded\n", 66)
    }
  }

  private static func run(_ file: borrowing ModelFile, _ count: Int) throws(ModelError) -> Int32 {
    let needed = try Network.requirements(file.bytes, kernels: .detect())
    return try run(file, memory(needed.total), count)
  }

  private static func memory(_ byteCount: Int) throws(ModelError) -> MemoryMap {
    do throws(Errno) { return try MemoryMap(byteCount: byteCount) } catch { throw .file(error) }
  }

  private static func run(
    _ file: borrowing ModelFile, _ memory: borrowing MemoryMap, _ count: Int
  ) throws(ModelError) -> Int32 {
    var arena = Arena(memory.bytes)
    var network = try Network(file.bytes, arena: &arena, kernels: .detect())
    fill(&network)
    for _ in 0..<count { network.invoke() }
    var line = FixedString<64>(network.kernels.name)
    line.append(" ")
    line.append(Int(count == 0 ? 0 : checksum(network)))
    line.append("\n")
    return say(line, 0)
  }

  private static func fill(_ network: inout Network) {
    var random = RandomSource(seed: 1)
    for index in 0..<network.inputCount {
      if network.inputDescription(index).type == .int8 {
        var input = network.input(index)
        for place in input.indices { input[place] = Int8(truncatingIfNeeded: random.next()) }
      } else {
        var input = network.wideInput(index)
        for place in input.indices { input[place] = Int16(truncatingIfNeeded: random.next()) }
      }
    }
  }

  /// FNV-1a over the outputs' elements, each as 32 bits.
  private static func checksum(_ network: borrowing Network) -> UInt32 {
    var state: UInt32 = 2_166_136_261
    func add(_ value: Int32) {
      for shift in 0..<4 {
        state =
          (state ^ UInt32(truncatingIfNeeded: value &>> Int32(8 * shift)) & 255) &* 16_777_619
      }
    }
    for index in 0..<network.outputCount {
      switch network.outputDescription(index).type {
      case .int8:
        let output = network.output(index)
        for place in output.indices { add(Int32(output[place])) }
      case .int16:
        let output = network.wideOutput(index)
        for place in output.indices { add(Int32(output[place])) }
      case .int32:
        let output = network.rawOutput(index)
        for place in output.indices { add(output[place]) }
      }
    }
    return state
  }

  /// The word at `index` as a number of at most six digits.
  private static func number(_ index: Int) -> Int? {
    guard let word = Arguments.word(index), word[0] != 0 else { return nil }
    var value = 0
    var place = 0
    while word[place] != 0 {
      guard (48...57).contains(word[place]), place < 6 else { return nil }
      value = 10 * value + Int(word[place] - 48)
      place += 1
    }
    return value
  }

  private static func say(_ text: StaticString, _ status: Int32) -> Int32 {
    text.withUTF8Buffer { put($0.span) }
    return status
  }

  private static func say<let capacity: Int>(
    _ text: FixedString<capacity>, _ status: Int32
  ) -> Int32 {
    put(text.bytes)
    return status
  }

  private static func put(_ bytes: Span<UInt8>) {
    let output = FileDescriptor(borrowing: 1)
    do throws(Errno) {
      try bytes.withUnsafeBytes { (bytes) throws(Errno) in try output.writeFully(bytes) }
    } catch {
      exit(74)
    }
  }
}
