import Foundation
import Inference
import Kernels
import ModelPacker
import Platform

/// The package's folder.
let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

func bytes(_ path: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: packageFolder.appendingPathComponent(path)))
}

extension FixedString {
  var text: String {
    var characters: [UInt8] = []
    for index in 0..<count { characters.append(self[index]) }
    return String(decoding: characters, as: UTF8.self)
  }
}

/// Bytes at a multiple of 64, as a mapped file has them, with nothing behind the last one: the
/// address sanitizer sees a read past the end.
final class AlignedBytes {
  let memory: UnsafeMutableRawBufferPointer

  init(_ bytes: [UInt8]) {
    memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
    memory.copyBytes(from: bytes)
  }

  init(zeros count: Int) {
    memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { memory.deallocate() }

  var span: RawSpan {
    @_lifetime(borrow self)
    get {
      _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory)), borrowing: self)
    }
  }
}

/// A network with the memory it lives in.
struct LoadedNetwork: ~Copyable {
  var network: Network
  private let memory: AlignedBytes

  init(_ model: [UInt8], kernels: KernelSet) throws {
    let file = AlignedBytes(model)
    let needed = try Network.requirements(file.span, kernels: kernels)
    let memory = AlignedBytes(zeros: needed.total)
    var arena = Arena(memory.memory)
    network = try Network(file.span, arena: &arena, kernels: kernels)
    self.memory = memory
  }

  /// Fills the inputs from seeds as `Tests/Golden/make.py` does.
  mutating func fill(_ seeds: [(seed: UInt64, dropped: UInt8)]) {
    for (index, input) in seeds.enumerated() {
      var random = RandomSource(seed: input.seed)
      if network.inputDescription(index).type == .int16 {
        var span = network.wideInput(index)
        for place in span.indices {
          span[place] = Int16(truncatingIfNeeded: random.next() >> 48) >> Int16(input.dropped)
        }
      } else {
        var span = network.input(index)
        for place in span.indices { span[place] = Int8(truncatingIfNeeded: random.next() >> 56) }
      }
    }
  }

  /// Fills the one input of a whole network.
  mutating func fill(_ run: NetworkCase.Run) {
    if run.input.isEmpty {
      fill([(seed: run.seed, dropped: 0)])
    } else {
      var span = network.input(0)
      for place in span.indices { span[place] = Int8(bitPattern: run.input[place]) }
    }
  }

  /// An output's elements as bytes.
  func outputBytes(_ index: Int) -> [UInt8] {
    var out: [UInt8] = []
    switch network.outputDescription(index).type {
    case .int8:
      let span = network.output(index)
      for place in span.indices { out.append(UInt8(bitPattern: span[place])) }
    case .int16:
      let span = network.wideOutput(index)
      for place in span.indices { append(span[place], to: &out) }
    case .int32:
      let span = network.rawOutput(index)
      for place in span.indices { append(span[place], to: &out) }
    }
    return out
  }

  private func append<T: FixedWidthInteger>(_ value: T, to out: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { out += $0 }
  }
}

/// The kernel sets that this machine runs.
let kernelSets = KernelSet.allCases.filter(\.isAvailable)

/// A place where two arrays of elements of `size` bytes differ first, in words; nil if equal.
func firstDifference(_ found: [UInt8], _ expected: [UInt8], size: Int) -> String? {
  guard found.count == expected.count else {
    return "\(found.count) bytes instead of \(expected.count)"
  }
  guard let place = found.indices.first(where: { found[$0] != expected[$0] }) else { return nil }
  let element = place / size
  func value(_ bytes: [UInt8]) -> Int {
    var out = 0
    for byte in 0..<size { out |= Int(bytes[element * size + byte]) << (8 * byte) }
    let unused = 64 - 8 * size
    return (out << unused) >> unused
  }
  return "element \(element) is \(value(found)) instead of \(value(expected))"
}

/// What `Tests/Golden/make.py` writes.
struct GoldenCase {
  var name: String
  var model: [UInt8]
  var inputs: [(seed: UInt64, dropped: UInt8)]
  var outputs: [[UInt8]]

  static func read(_ path: String) throws -> [GoldenCase] {
    var reader = ByteReader(try bytes(path))
    precondition(reader.take(8) == Array("LLGOLD1\0".utf8))
    return (0..<reader.number(UInt32.self)).map { _ in GoldenCase(&reader) }
  }

  init(_ reader: inout ByteReader) {
    name = String(decoding: reader.take(Int(reader.number(UInt16.self))), as: UTF8.self)
    model = reader.take(Int(reader.number(UInt32.self)))
    inputs = []
    for _ in 0..<reader.number(UInt32.self) {
      inputs.append((seed: reader.number(UInt64.self), dropped: reader.number(UInt8.self)))
    }
    outputs = []
    for _ in 0..<reader.number(UInt32.self) {
      outputs.append(reader.take(Int(reader.number(UInt32.self))))
    }
  }
}

struct ByteReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  mutating func take(_ count: Int) -> [UInt8] {
    place += count
    return Array(bytes[place - count..<place])
  }

  mutating func number<T: FixedWidthInteger>(_ type: T.Type) -> T {
    take(MemoryLayout<T>.size).reversed().reduce(0) { $0 << 8 | T($1) }
  }
}
