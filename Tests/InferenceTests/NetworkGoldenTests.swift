import Foundation
import Inference
import Kernels
import ModelPacker
import Testing

/// A network of Models/ with inputs and answers, from `Tests/Golden/make_networks.py`.
struct NetworkCase {
  var name: String
  /// The unfused packing in front of its weights.
  var tables: [UInt8]
  var runs: [Run]

  struct Run {
    var seed: UInt64
    var input: [UInt8]
    /// Of the TFLite reference kernels, by output.
    var answers: [[UInt8]]
    /// What the fused network should answer, by output; empty where fusing changes nothing.
    var ideals: [[Float]]
  }

  static func read() throws -> [NetworkCase] {
    var reader = ByteReader(try bytes("Tests/Golden/networks.golden"))
    precondition(reader.take(8) == Array("LLGOLD3\0".utf8))
    func block() -> [UInt8] { reader.take(Int(reader.number(UInt32.self))) }
    return (0..<reader.number(UInt32.self)).map { _ in
      let name = String(decoding: reader.take(Int(reader.number(UInt16.self))), as: UTF8.self)
      let tables = block()
      let runs = (0..<reader.number(UInt32.self)).map { _ in
        let seed = reader.number(UInt64.self)
        let input = block()
        let answers = (0..<reader.number(UInt32.self)).map { _ in block() }
        let ideals = (0..<reader.number(UInt32.self)).map { _ in
          var floats = ByteReader(block())
          return (0..<floats.count / 4).map { _ in Float(bitPattern: floats.number(UInt32.self)) }
        }
        return Run(seed: seed, input: input, answers: answers, ideals: ideals)
      }
      return NetworkCase(name: name, tables: tables, runs: runs)
    }
  }

  /// What is committed, as the firmware reads it.
  func shipped() throws -> [UInt8] { try bytes("Models/\(name).llm") }

  /// One operator for each of the .tflite: fusing leaves the weights section as it is.
  func unfused() throws -> [UInt8] {
    let shipped = try shipped()
    let place = 4 * ModelFormat.Header.weightsOffset.rawValue
    var offset = 0
    for byte in 0..<4 { offset |= Int(shipped[place + byte]) << (8 * byte) }
    return tables + shipped[offset...]
  }
}

/// After a change of the networks: `make models`, then `Tests/Golden/make_networks.py`.
@Suite struct NetworkGoldenTests {
  let networks: [NetworkCase]

  init() throws { networks = try NetworkCase.read() }

  @Test(arguments: kernelSets)
  func unfusedNetworksEqualTheReference(kernels: KernelSet) throws {
    #expect(networks.count >= 4)
    for network in networks {
      var loaded = try LoadedNetwork(try network.unfused(), kernels: kernels)
      for (number, run) in network.runs.enumerated() {
        loaded.fill(run)
        loaded.network.invoke()
        for (index, expected) in run.answers.enumerated() {
          let difference = firstDifference(loaded.outputBytes(index), expected, size: 1)
          let name = loaded.network.outputDescription(index).name.text
          #expect(
            difference == nil,
            "\(network.name), run \(number), \(name), \(kernels): \(difference ?? "")")
        }
      }
    }
  }

  /// All networks at once, weights repacked, leave the firmware most of its 16 MiB.
  @Test(arguments: kernelSets)
  func theLineUpFitsItsMemory(kernels: KernelSet) throws {
    var total = 0
    for network in networks {
      let file = AlignedBytes(try network.shipped())
      let needed = try Network.requirements(file.span, kernels: kernels)
      let summary = try ModelSummary(file.span)
      #expect(summary.name.text == network.name)
      let isFused = network.runs.contains { !$0.ideals.allSatisfy(\.isEmpty) }
      #expect(summary.isFused == isFused)
      #expect(summary.operators > 0 && summary.multiplications > 100_000)
      print(
        "\(network.name), \(kernels): weights \(needed.weights), activations"
          + " \(needed.activations), scratch \(needed.scratch), tables \(needed.tables)")
      total += needed.total
    }
    print("all networks, \(kernels): \(total) bytes")
    #expect(total < 6 << 20)
  }

  /// What ships, in every kernel set, against the reference set.
  @Test func shippedNetworksAreTheSameInEveryKernelSet() throws {
    for network in networks {
      let model = try network.shipped()
      var first = try LoadedNetwork(model, kernels: .reference)
      for kernels in kernelSets where kernels != .reference {
        var other = try LoadedNetwork(model, kernels: kernels)
        for (number, run) in network.runs.enumerated() {
          first.fill(run)
          first.network.invoke()
          other.fill(run)
          other.network.invoke()
          for index in run.answers.indices {
            let size = first.network.outputDescription(index).type.byteCount
            let difference = firstDifference(
              other.outputBytes(index), first.outputBytes(index), size: size)
            #expect(
              difference == nil,
              "\(network.name), run \(number), output \(index), \(kernels): \(difference ?? "")")
          }
        }
      }
    }
  }

  /// Where nothing is fused that changes values, the shipped network gives the reference's numbers
  /// too: the same bytes, or accumulators that round to them.
  @Test func shippedNetworksAgreeWithTheReference() throws {
    for network in networks {
      var shipped = try LoadedNetwork(try network.shipped(), kernels: .reference)
      var plain = try LoadedNetwork(try network.unfused(), kernels: .reference)
      for (number, run) in network.runs.enumerated() where run.ideals.allSatisfy(\.isEmpty) {
        shipped.fill(run)
        shipped.network.invoke()
        plain.fill(run)
        plain.network.invoke()
        for (index, expected) in run.answers.enumerated() {
          let label = "\(network.name), run \(number), output \(index)"
          if shipped.network.outputDescription(index).type == .int8 {
            #expect(shipped.outputBytes(index) == expected, "\(label)")
            continue
          }
          let description = plain.network.outputDescription(index)
          for element in 0..<description.count {
            let rounded = plain.network.output(index)[element]
            let exact = shipped.network.value(element, ofOutput: index)
            let step = exact / description.scale + Float(description.zeroPoint)
            let held = max(-128, min(step, 127))
            #expect(abs(held - Float(rounded)) <= 0.501, "\(label), element \(element)")
          }
        }
      }
    }
  }

  /// The fused network against an independent computation with real numbers. Both round the same
  /// tensors, but fixed-point factors put a value in ten thousand on the other side of a half, and
  /// the mesh's 20 blocks make more of it: up to 0.15 px of 192 on the mean for a face, and more
  /// for noise, which no layer has seen. Blocks by themselves agree to the step (``FusionTests``).
  @Test func fusedNetworksAnswerWhatRealNumbersGive() throws {
    var compared = 0
    for network in networks {
      var shipped = try LoadedNetwork(try network.shipped(), kernels: .reference)
      for (number, run) in network.runs.enumerated() {
        shipped.fill(run)
        shipped.network.invoke()
        for (index, ideal) in run.ideals.enumerated() where !ideal.isEmpty {
          #expect(shipped.network.outputDescription(index).count == ideal.count)
          var differences: [Float] = []
          for element in ideal.indices {
            differences.append(
              abs(shipped.network.value(element, ofOutput: index) - ideal[element]))
          }
          let label = "\(network.name), run \(number), output \(index)"
          let mean = differences.reduce(0, +) / Float(ideal.count)
          let most = differences.max() ?? 0
          let allowed: Float = run.input.isEmpty ? 1.5 : 0.25
          #expect(mean < allowed && most < 4 * allowed, "\(label): mean \(mean), most \(most)")
          compared += 1
        }
      }
    }
    #expect(compared > 0)
  }
}
