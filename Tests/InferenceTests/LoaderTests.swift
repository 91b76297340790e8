import Foundation
import Kernels
import ModelPacker
import Platform
import Testing

@testable import Inference

/// One wrong thing at a time, and the error that names it.
@Suite struct LoaderTests {
  /// A block of the mesh: depthwise, pool, convolution with residual and PReLU.
  let model: [UInt8]
  let unfused: [UInt8]

  init() throws {
    let block = try #require(
      BlockCase.read().first { $0.golden.name == "the mesh's block of two widths int8 bias int32" })
    model = try pack(block.golden.model).bytes
    unfused = try pack(block.golden.model, options: .unfused).bytes
  }

  private func error(_ bytes: [UInt8], offset: Int = 0) -> ModelError? {
    let memory = AlignedBytes([UInt8](repeating: 0, count: offset) + bytes)
    do throws(ModelError) {
      _ = try Network.requirements(memory.span.extracting(offset...), kernels: .reference)
      return nil
    } catch { return error }
  }

  private func put(_ value: Int32, at place: Int, in bytes: inout [UInt8]) {
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> Int32(8 * byte)) }
  }

  private func word(_ place: Int, of bytes: [UInt8]) -> Int32 {
    (0..<4).reduce(0) { $0 | Int32(bytes[place + $1]) << Int32(8 * $1) }
  }

  private func section(_ field: ModelFormat.Header, of bytes: [UInt8]) -> Int {
    Int(word(4 * field.rawValue, of: bytes))
  }

  /// The model with one word changed and a right checksum, and what the loader says of it.
  private func fault(
    _ bytes: [UInt8], word place: Int, _ value: Int32
  ) -> ModelError.Fault? {
    var changed = bytes
    put(value, at: place, in: &changed)
    let sum = changed.withUnsafeBytes {
      ModelFormat.checksum(RawSpan(_unsafeBytes: $0).extracting(ModelFormat.checksumStart...))
    }
    put(Int32(bitPattern: sum), at: 4 * ModelFormat.Header.checksum.rawValue, in: &changed)
    guard case .invalid(_, _, _, let fault) = error(changed) else { return nil }
    return fault
  }

  @Test func everyCutIsNoticed() {
    #expect(error(model) == nil)
    for count in 0..<model.count {
      guard case .length(let found, let expected) = error(Array(model[..<count])) else {
        Issue.record("\(count) bytes: \(String(describing: error(Array(model[..<count]))))")
        continue
      }
      #expect(found == count && expected == (count < 128 ? 128 : model.count))
    }
    #expect(error(model + [0]) == .length(byteCount: model.count + 1, expected: model.count))
  }

  @Test func everyFlippedByteIsNoticed() {
    for place in model.indices {
      var changed = model
      changed[place] ^= 0x10
      #expect(error(changed) != nil, "byte \(place)")
    }
  }

  @Test func otherFilesAreNamedAsSuch() {
    #expect(error(Array("not a model at all, just text".utf8)) == .notAModel)
    var changed = model
    // As a transfer in text mode would: CR LF to LF.
    changed.remove(at: 4)
    #expect(error(changed) == .notAModel)
    changed = model
    put(2, at: 8, in: &changed)
    #expect(error(changed) == .version(2))
    #expect(error(model, offset: 4) == .misaligned)
    changed = model
    changed[200] ^= 1
    guard case .checksum = error(changed) else {
      Issue.record("\(String(describing: error(changed)))")
      return
    }
  }

  @Test func messagesSayWhatAndWhere() {
    #expect(
      ModelError.length(byteCount: 5, expected: 128).message
        == "the model is truncated: 5 bytes, expected 128")
    #expect(
      ModelError.invalid(.layer, index: 3, offset: 1280, .window).message
        == """
        the model is not valid: operator 3 at byte 1280: window, strides, padding and shapes do \
        not fit
        """)
    #expect(
      ModelError.file(Errno(code: 2)).message
        == "the model file cannot be read: no such file or folder (ENOENT)")
  }

  @Test func headerNumbersAreChecked() {
    typealias Header = ModelFormat.Header
    let wrong: [(Header, Int32, ModelError.Fault)] = [
      (.tensorCount, 0, .count), (.tensorCount, -1, .count), (.tensorCount, 1025, .count),
      (.operatorCount, .max, .count), (.inputCount, 0, .count), (.outputCount, 500, .count),
      (.tensorsOffset, 0, .section), (.portsOffset, .min, .section),
      (.operatorsOffset, 132, .section), (.constantsOffset, .max, .section),
      (.weightsOffset, Int32(model.count + 64), .section), (.weightsOffset, 0, .section),
      (.arenaBytes, -64, .arenaRange), (.arenaBytes, .max, .arenaRange),
      (.arenaBytes, 64, .arenaRange), (.flags, 2, .flags), (.name, 0x0A41, .name),
    ]
    for (field, value, expected) in wrong {
      let found = fault(model, word: 4 * field.rawValue, value)
      #expect(found == expected, "\(field) \(value): \(String(describing: found))")
    }
    #expect(fault(model, word: 4 * 18, 1) == .reserved)
  }

  @Test func tensorNumbersAreChecked() {
    typealias Field = ModelFormat.Tensor
    let start = section(.tensorsOffset, of: model)
    let nan = Int32(bitPattern: Float.nan.bitPattern)
    let wrong: [(Field, Int32, ModelError.Fault)] = [
      (.type, 3, .type), (.type, -1, .type), (.height, 0, .shape), (.width, -5, .shape),
      (.channels, 16385, .shape), (.height, 16384, .arenaRange), (.arenaOffset, -64, .arenaRange),
      (.arenaOffset, 32, .arenaRange), (.arenaOffset, 1 << 20, .arenaRange),
      (.scale, 0, .quantisation), (.scale, nan, .quantisation), (.zeroPoint, 128, .quantisation),
      (.channelScales, 8, .reserved),
    ]
    for (field, value, expected) in wrong {
      let found = fault(model, word: start + 4 * field.rawValue, value)
      #expect(found == expected, "\(field) \(value): \(String(describing: found))")
    }
  }

  @Test func operatorNumbersAreChecked() {
    typealias Field = ModelFormat.Operator
    // Depthwise, pool, convolution with a residual.
    let start = section(.operatorsOffset, of: model)
    let wrong: [(Int, Field, Int32, ModelError.Fault)] = [
      (0, .kind, 0, .kind), (0, .kind, 10, .kind), (0, .flags, 8, .flags), (0, .flags, 2, .flags),
      (0, .first, 99, .tensorNumber), (0, .output, -1, .tensorNumber),
      (0, .second, 99, .tensorNumber), (1, .second, 0, .tensorNumber), (0, .output, 0, .order),
      (0, .windowHeight, 0, .window), (0, .windowWidth, 20, .weights),
      (0, .verticalStride, 0, .window), (0, .horizontalStride, -1, .window),
      (0, .verticalStride, 40, .window), (0, .padTop, 3, .window), (0, .padLeft, -1, .window),
      (1, .windowHeight, 99_999, .window), (0, .minimum, -129, .bounds),
      (0, .maximum, 128, .bounds), (0, .maximum, -129, .bounds), (0, .minimum, 127, .bounds),
      (0, .weights, 0, .weights), (0, .weights, .max, .weights),
      (0, .weights, Int32(model.count - 8), .weights), (0, .bias, -8, .bias),
      (0, .bias, Int32(model.count), .bias), (0, .positive, 0, .scales),
      (0, .positive, Int32(model.count), .scales), (2, .negative, 4, .scales),
      (2, .accumulator, 0, .scales), (0, .accumulator, 8, .scales),
    ]
    for (index, field, value, expected) in wrong {
      var value = value
      if field == .minimum && value == 127 { value = 128 }
      let place = start + index * ModelFormat.operatorBytes + 4 * field.rawValue
      let found = fault(model, word: place, value)
      #expect(found == expected, "\(index) \(field) \(value): \(String(describing: found))")
    }
    #expect(fault(model, word: start + 4 * 30, 1) == .reserved)
  }

  @Test func nothingIsReadBeforeItIsWritten() {
    // Depthwise, convolution, pool, pad, addition, PReLU: the addition of the PReLU's output.
    typealias Field = ModelFormat.Operator
    let start = section(.operatorsOffset, of: unfused)
    func place(_ index: Int, _ field: Field) -> Int {
      start + index * ModelFormat.operatorBytes + 4 * field.rawValue
    }
    #expect(word(place(4, .kind), of: unfused) == ModelFormat.Kind.addition.rawValue)
    #expect(word(place(5, .kind), of: unfused) == ModelFormat.Kind.prelu.rawValue)
    let late = word(place(5, .output), of: unfused)
    #expect(fault(unfused, word: place(4, .second), late) == .order)
    // And nothing twice.
    let written = word(place(4, .output), of: unfused)
    #expect(fault(unfused, word: place(3, .output), written) == .order)
  }

  @Test func scalesAndWeightsAreChecked() {
    let layer = section(.operatorsOffset, of: model)
    let positive = Int(word(layer + 4 * ModelFormat.Operator.positive.rawValue, of: model))
    let channels = 8
    #expect(fault(model, word: positive, .min) == .scales)
    #expect(fault(model, word: positive + 4 * channels, 32) == .scales)
    #expect(fault(model, word: positive + 4 * channels, -32) == .scales)
    let weights = Int(word(layer + 4 * ModelFormat.Operator.weights.rawValue, of: model))
    #expect(fault(model, word: weights, -128) == .weights)
  }

  @Test func tensorsThatLiveTogetherMustNotShareMemory() {
    let start = section(.tensorsOffset, of: unfused)
    let count = Int(word(4 * ModelFormat.Header.tensorCount.rawValue, of: unfused))
    func offset(_ tensor: Int) -> Int {
      start + tensor * ModelFormat.tensorBytes + 4 * ModelFormat.Tensor.arenaOffset.rawValue
    }
    var overlaps = 0
    for a in 0..<count {
      for b in 0..<count where word(offset(a), of: unfused) != word(offset(b), of: unfused) {
        let found = fault(unfused, word: offset(a), word(offset(b), of: unfused))
        #expect(found == nil || found == .overlap || found == .arenaRange)
        overlaps += found == .overlap ? 1 : 0
      }
    }
    #expect(overlaps > 5)
  }

  @Test func filesThatCannotBeReadAreErrors() throws {
    func open(_ path: String) -> ModelError? {
      do throws(ModelError) {
        _ = try ModelFile(path: path)
        return nil
      } catch { return error }
    }
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("livelatch-\(UUID().uuidString).llm")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(open(file.path) == .file(Errno(code: 2)))
    #expect(open(folder.path) == .notAFile)
    #expect(open("/dev/zero") == .notAFile)
    // Nobody will ever write to it: the open must not wait for that.
    try #require(mkfifo(file.path, 0o600) == 0)
    #expect(open(file.path) == .notAFile)
    try FileManager.default.removeItem(at: file)
    try Data(model).write(to: file)
    let whole = try ModelFile(path: file.path)
    let needed = try Network.requirements(whole.bytes, kernels: .reference)
    #expect(needed.activations > 0 && needed.weights > 0)
    try Data().write(to: file)
    let empty = try ModelFile(path: file.path)
    #expect(throws: ModelError.length(byteCount: 0, expected: 128)) {
      try Network.requirements(empty.bytes, kernels: .reference)
    }
  }

  @Test func anArenaThatIsTooSmallIsAnError() throws {
    let file = AlignedBytes(model)
    let needed = try Network.requirements(file.span, kernels: .reference).total
    for byteCount in [0, 64, 1000, needed / 2] {
      let memory = AlignedBytes(zeros: byteCount)
      var arena = Arena(memory.memory)
      #expect {
        _ = try Network(file.span, arena: &arena, kernels: .reference)
      } throws: {
        guard case .memory = $0 as? ModelError else { return false }
        return true
      }
    }
  }

  @Test func anotherModelThanExpectedIsAnError() throws {
    let loaded = try LoadedNetwork(model, kernels: .reference)
    try loaded.network.expectInput(0, .int8, height: 6, width: 7, channels: 8)
    try loaded.network.expectOutput(0, .int8, count: 3 * 4 * 16)
    #expect(loaded.network.inputDescription(0).count == 6 * 7 * 8)
    func expectError(_ expected: ModelError, _ body: (borrowing Network) throws -> Void) {
      do {
        try body(loaded.network)
        Issue.record("no \(expected)")
      } catch { #expect(error as? ModelError == expected) }
    }
    expectError(.port(.input, index: 1, .count)) {
      try $0.expectInput(1, .int8, height: 6, width: 7, channels: 8)
    }
    expectError(.port(.input, index: 0, .type)) {
      try $0.expectInput(0, .int16, height: 6, width: 7, channels: 8)
    }
    expectError(.port(.input, index: 0, .shape)) {
      try $0.expectInput(0, .int8, height: 7, width: 6, channels: 8)
    }
    expectError(.port(.output, index: 0, .shape)) { try $0.expectOutput(0, .int8, count: 5) }
  }
}
