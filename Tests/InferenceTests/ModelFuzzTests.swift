import Foundation
import Kernels
import ModelPacker
import Platform
import Testing

@testable import Inference

/// Damaged and forged models. The ordinary run makes 2,000 mutations; many more under the address
/// sanitizer are made by
///
///     FUZZ_MUTATIONS=100000 swift test -c release --sanitize address --scratch-path .build-asan \
///       --filter ModelFuzz
///
/// Each mutation has its own seed, FUZZ_SEED plus its number: after a crash, bisect with
/// FUZZ_FIRST.
@Suite struct ModelFuzzTests {
  let mutations = Self.setting("FUZZ_MUTATIONS", 2_000)
  let first = Self.setting("FUZZ_FIRST", 0)
  let seed = Self.setting("FUZZ_SEED", 1)

  static func setting(_ name: String, _ missing: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? missing
  }

  /// Every kind of operator, types, fused and not, and the networks that ship.
  private func corpus() throws -> [[UInt8]] {
    var models: [[UInt8]] = []
    for (number, golden) in try GoldenCase.read("Tests/Golden/operators.golden").enumerated()
    where number % 4 == 0 && !golden.outputs.isEmpty {
      models.append(try pack(golden.model).bytes)
    }
    for block in try BlockCase.read() {
      models.append(try pack(block.golden.model).bytes)
      models.append(try pack(block.golden.model, options: .unfused).bytes)
      guard block.accumulators != nil else { continue }
      var options = PackOptions()
      options.rawOutputs = ["output0"]
      models.append(try pack(block.golden.model, options: options).bytes)
    }
    return models
  }

  @Test func mutatedModelsAreRefusedOrRun() throws {
    let models = try corpus()
    let shipped = try NetworkCase.read().map { try $0.shipped() }
    var faults: Set<ModelError.Fault> = []
    var (accepted, refused, ran) = (0, 0, 0)
    for number in first..<first + mutations {
      var random = RandomSource(seed: UInt64(seed) &+ UInt64(number))
      let isLarge = random.below(50) == 0
      let original =
        isLarge ? shipped[random.below(shipped.count)] : models[random.below(models.count)]
      var model = original
      Mutator.mutate(&model, &random)
      let isSealed = random.below(5) != 0
      if isSealed { Mutator.seal(&model, &random) }
      let kernels = kernelSets[random.below(kernelSets.count)]
      do {
        ran += try load(model, kernels, &random) ? 1 : 0
        accepted += 1
        #expect(isSealed || model == original, "mutation \(number) went unnoticed")
      } catch let error as ModelError {
        refused += 1
        if case .invalid(_, _, _, let fault) = error { faults.insert(fault) }
        #expect(!error.message.isEmpty && !error.message.isTruncated)
      }
    }
    print("\(mutations) mutations: \(refused) refused, \(accepted) accepted, \(ran) of them run")
    // The checks behind the checksum were really reached, and so was what is behind the checks.
    if mutations >= 2_000 {
      #expect(faults.count > 16, "\(faults)")
      #expect(ran > mutations / 20 && refused > mutations / 3)
    }
  }

  /// Loads a model and runs it once if that is little work. False if it was too much.
  private func load(
    _ model: [UInt8], _ kernels: KernelSet, _ random: inout RandomSource
  ) throws -> Bool {
    // Exactly as long as the file, so that the sanitizer sees a read behind its end.
    let file = AlignedBytes(model)
    let needed = try Network.requirements(file.span, kernels: kernels)
    guard try work(file) < 1 << 20, needed.total < 1 << 24 else { return false }
    let memory = AlignedBytes(zeros: needed.total)
    var arena = Arena(memory.memory)
    var network = try Network(file.span, arena: &arena, kernels: kernels)
    for index in 0..<network.inputCount {
      if network.inputDescription(index).type == .int16 {
        var span = network.wideInput(index)
        for place in span.indices { span[place] = Int16(truncatingIfNeeded: random.next()) }
      } else {
        var span = network.input(index)
        for place in span.indices { span[place] = Int8(truncatingIfNeeded: random.next()) }
      }
    }
    network.invoke()
    for index in 0..<network.outputCount {
      for element in 0..<network.outputDescription(index).count {
        _ = network.value(element, ofOutput: index)
      }
    }
    return true
  }

  private func work(_ file: AlignedBytes) throws -> Int {
    let model = try Model(file.span)
    var work = 0
    for index in 0..<model.layerCount { work += model.layer(index).work }
    return work
  }

  /// The packer reads files of others as well.
  @Test func mutatedTFLiteFilesAreRefusedOrPacked() throws {
    let golden =
      try GoldenCase.read("Tests/Golden/operators.golden").map(\.model)
      + BlockCase.read().map(\.golden.model)
    var (packed, refused) = (0, 0)
    for number in first..<first + mutations {
      var random = RandomSource(seed: UInt64(seed) &+ UInt64(number) &+ 1 << 32)
      var file = golden[random.below(golden.count)]
      Mutator.mutate(&file, &random)
      do {
        _ = try pack(file)
        packed += 1
      } catch {
        refused += 1
        #expect(!error.description.isEmpty)
      }
    }
    print("\(mutations) mutated .tflite files: \(refused) refused, \(packed) packed")
    if mutations >= 2_000 { #expect(packed > mutations / 10 && refused > mutations / 10) }
  }
}

enum Mutator {
  /// One to four changes, more of them in the tables than in the weights.
  static func mutate(_ bytes: inout [UInt8], _ random: inout RandomSource) {
    for _ in 0..<1 + random.below(4) {
      guard bytes.count > 8 else { return }
      let reach = random.below(3) == 0 ? bytes.count : min(bytes.count, 1536)
      let place = random.below(reach)
      switch random.below(12) {
      case 0: bytes[place] ^= 1 << UInt8(random.below(8))
      case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 2...8: mutateWord(&bytes, place / 4 * 4, &random)
      case 9:
        // A part of the file over another part.
        let from = random.below(bytes.count)
        let count = min(1 + random.below(128), bytes.count - from, bytes.count - place)
        for offset in 0..<count { bytes[place + offset] = bytes[from + offset] }
      case 10:
        if random.below(4) == 0 { bytes.removeLast(1 + random.below(bytes.count - 1)) }
      default:
        if random.below(4) == 0 {
          bytes += (0..<1 + random.below(64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
      }
    }
  }

  /// Numbers that bounds are made of.
  private static func mutateWord(
    _ bytes: inout [UInt8], _ place: Int, _ random: inout RandomSource
  ) {
    guard place + 4 <= bytes.count else { return }
    let old = word(bytes, place)
    let other = word(bytes, random.below(bytes.count / 4) * 4)
    let steps: [Int32] = [1, -1, 2, 4, 8, 64, -64, 128, 1024]
    let edges: [Int32] = [
      0, 1, -1, 2, 3, 127, 128, -128, -129, 255, 32767, 32768, -32768, 16384, 16385, 1 << 26,
      1 << 28, .max, .min, .max - 63,
    ]
    let new: Int32
    switch random.below(6) {
    case 0: new = Int32(truncatingIfNeeded: random.next())
    case 1: new = edges[random.below(edges.count)]
    case 2: new = other
    case 3: new = old &* 2
    case 4: new = old ^ (1 << Int32(random.below(31)))
    default: new = old &+ steps[random.below(steps.count)]
    }
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: new >> Int32(8 * byte)) }
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> Int32 {
    (0..<4).reduce(0) { $0 | Int32(bytes[place + $1]) << Int32(8 * $1) }
  }

  /// Makes mark, version, length (mostly) and checksum right again.
  static func seal(_ bytes: inout [UInt8], _ random: inout RandomSource) {
    guard bytes.count >= 24 else { return }
    func put(_ value: UInt32, at place: Int) {
      for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }
    put(UInt32(truncatingIfNeeded: ModelFormat.mark), at: 0)
    put(UInt32(truncatingIfNeeded: ModelFormat.mark >> 32), at: 4)
    put(1, at: 8)
    if random.below(8) != 0 { put(UInt32(bytes.count), at: 16) }
    let sum = bytes.withUnsafeBytes {
      ModelFormat.checksum(RawSpan(_unsafeBytes: $0).extracting(ModelFormat.checksumStart...))
    }
    put(sum, at: 12)
  }
}
