import Inference
import Kernels
import ModelPacker
import Testing

/// A small network in which there is something to fuse, from `Tests/Golden/make_blocks.py`.
struct BlockCase {
  var golden: GoldenCase
  var prelus: Int
  var additions: Int
  var pads: Int
  var accumulators: [UInt8]?
  var ideals: [(output: Int, bytes: [UInt8])]

  static func read() throws -> [BlockCase] {
    var reader = ByteReader(try bytes("Tests/Golden/blocks.golden"))
    precondition(reader.take(8) == Array("LLGOLD2\0".utf8))
    return (0..<reader.number(UInt32.self)).map { _ in
      let golden = GoldenCase(&reader)
      let counts = reader.take(3).map(Int.init)
      var accumulators: [UInt8]?
      if reader.number(UInt8.self) == 1 {
        accumulators = reader.take(Int(reader.number(UInt32.self)))
      }
      let ideals = (0..<reader.number(UInt32.self)).map { _ in
        (
          output: Int(reader.number(UInt32.self)),
          bytes: reader.take(Int(reader.number(UInt32.self)))
        )
      }
      return BlockCase(
        golden: golden, prelus: counts[0], additions: counts[1], pads: counts[2],
        accumulators: accumulators, ideals: ideals)
    }
  }
}

@Suite struct FusionTests {
  let cases: [BlockCase]

  init() throws { cases = try BlockCase.read() }

  private func run(
    _ golden: GoldenCase, _ options: PackOptions, _ kernels: KernelSet
  ) throws -> (PackedModel, [[UInt8]]) {
    let packed = try pack(golden.model, options: options)
    var loaded = try LoadedNetwork(packed.bytes, kernels: kernels)
    loaded.fill(golden.inputs)
    loaded.network.invoke()
    var outputs: [[UInt8]] = []
    for index in 0..<loaded.network.outputCount { outputs.append(loaded.outputBytes(index)) }
    return (packed, outputs)
  }

  private func values(_ bytes: [UInt8], _ size: Int) -> [Int] {
    stride(from: 0, to: bytes.count, by: size).map { place in
      size == 1
        ? Int(Int8(bitPattern: bytes[place]))
        : Int(Int16(truncatingIfNeeded: Int(bytes[place]) | Int(bytes[place + 1]) << 8))
    }
  }

  @Test(arguments: kernelSets)
  func unfusedNetworksEqualTheReference(kernels: KernelSet) throws {
    #expect(cases.count > 20)
    for block in cases {
      let (_, outputs) = try run(block.golden, .unfused, kernels)
      for (index, expected) in block.golden.outputs.enumerated() {
        let difference = firstDifference(outputs[index], expected, size: 1)
        #expect(difference == nil, "\(block.golden.name): \(difference ?? "")")
      }
    }
  }

  /// Within one step of the real number everywhere, and the nearest step nearly everywhere (the
  /// fixed-point factors are only good to 2^-31, with int64 sums to 2^-15). Every kernel set alike.
  @Test func fusedNetworksRoundOnlyWhatStays() throws {
    for block in cases {
      let name = block.golden.name
      let (packed, outputs) = try run(block.golden, PackOptions(), .reference)
      #expect(packed.fusedPrelus == block.prelus, "\(name)")
      #expect(packed.fusedAdditions == block.additions, "\(name)")
      #expect(packed.fusedPads == block.pads, "\(name)")
      let changesValues = block.prelus + block.additions > 0
      for (index, expected) in block.golden.outputs.enumerated() where !changesValues {
        #expect(outputs[index] == expected, "\(name)")
      }
      for (index, bytes) in block.ideals {
        let size = name.contains("int16") ? 2 : 1
        let found = values(outputs[index], size)
        let ideal = values(bytes, size)
        let distances = zip(found, ideal).map { abs($0 - $1) }
        let exact = distances.filter { $0 == 0 }.count
        let allowed = name.contains("bias int64") ? 2 : 1
        #expect(distances.max() ?? 0 <= allowed, "\(name)")
        let share = allowed == 1 ? 0.99 : 0.93
        #expect(Double(exact) >= share * Double(ideal.count), "\(name): \(exact)/\(ideal.count)")
      }
      for kernels in kernelSets {
        let (_, others) = try run(block.golden, PackOptions(), kernels)
        #expect(others == outputs, "\(name), \(kernels)")
      }
    }
  }

  @Test(arguments: kernelSets)
  func rawOutputsAreTheAccumulators(kernels: KernelSet) throws {
    for block in cases {
      guard let expected = block.accumulators else { continue }
      var options = PackOptions()
      options.rawOutputs = ["output0"]
      let packed = try pack(block.golden.model, options: options)
      var loaded = try LoadedNetwork(packed.bytes, kernels: kernels)
      loaded.fill(block.golden.inputs)
      loaded.network.invoke()
      #expect(loaded.outputBytes(0) == expected, "\(block.golden.name)")
      // The rounded output is the same number within half a step, where it is not saturated.
      var rounded = try LoadedNetwork(try pack(block.golden.model).bytes, kernels: kernels)
      rounded.fill(block.golden.inputs)
      rounded.network.invoke()
      let step = rounded.network.outputDescription(0).scale
      let count = rounded.network.outputDescription(0).count
      #expect(loaded.network.outputDescription(0).count == count)
      for element in 0..<count {
        let near = rounded.network.value(element, ofOutput: 0)
        guard abs(Int(rounded.network.output(0)[element])) < 127 else { continue }
        let exact = loaded.network.value(element, ofOutput: 0)
        #expect(abs(near - exact) <= 0.501 * step, "\(block.golden.name) \(element)")
      }
    }
  }

  @Test func packingIsDeterministicAndKeepsTheWeightsSection() throws {
    for block in cases {
      let fused = try pack(block.golden.model)
      let again = try pack(block.golden.model)
      let unfused = try pack(block.golden.model, options: .unfused)
      #expect(fused.bytes == again.bytes)
      #expect(
        fused.bytes[fused.weightsOffset...] == unfused.bytes[unfused.weightsOffset...],
        "\(block.golden.name)")
      #expect(fused.arenaBytes >= fused.peakBytes)
    }
  }

  @Test func requestsThatTheModelCannotMeetAreErrors() throws {
    let block = try #require(cases.first)
    var options = PackOptions()
    options.rawOutputs = ["nothing"]
    #expect(throws: PackError.request("no output is called nothing; there are output0")) {
      try pack(block.golden.model, options: options)
    }
    options.rawOutputs = ["output0"]
    #expect {
      try pack(block.golden.model, options: options)
    } throws: {
      "\($0)".contains("has accumulators to give")
    }
    options.rawOutputs = []
    options.name = String(repeating: "x", count: 33)
    #expect {
      try pack(block.golden.model, options: options)
    } throws: {
      "\($0)".contains("more than 32 bytes")
    }
  }
}
