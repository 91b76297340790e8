import Kernels
import Platform

/// A network that is ready to run: weights in the order of one kernel set, activations, and the
/// list of steps, all in memory taken from an arena once. Nothing is allocated afterwards, and
/// nothing of the model's file is needed any more.
///
///     let file = try ModelFile(path: path)
///     var network = try Network(file.bytes, arena: &arena, kernels: .detect())
///     var input = network.input(0)          // fill it before every run
///     network.invoke()
///     let scores = network.output(0)
///
/// Numbers of inputs and outputs are the program's own: one that the network has not, or the wrong
/// element type, is a programming error. Ask ``expectInput(_:_:height:width:channels:)`` and
/// ``expectOutput(_:_:count:)`` once, after loading, since the file may be another than expected.
public struct Network: ~Copyable {
  /// What it runs with; the weights are in this set's order.
  public let kernels: KernelSet
  /// What was taken from the arena.
  public let requirements: NetworkRequirements
  /// Inputs, at least one.
  public let inputCount: Int
  /// Outputs, at least one.
  public let outputCount: Int

  let steps: UnsafeMutableBufferPointer<Step>
  let ports: UnsafeMutableBufferPointer<Port>
  let scratch: UnsafeMutableRawBufferPointer

  /// What a model needs with a kernel set, after checking it as `init` does.
  public static func requirements(
    _ model: RawSpan, kernels: KernelSet
  ) throws(ModelError) -> NetworkRequirements {
    requirements(try Model(model), kernels)
  }

  /// Checks the model, takes what it needs from the arena and repacks the weights.
  ///
  /// The arena's memory starts at a multiple of 64 and outlives the network. Cost: two passes over
  /// the file and one over the weights; 4 ms for 0.7 MB on one x86-64 core.
  /// - Parameter model: a whole .llm file at a multiple of 8; needed only during the call.
  public init(
    _ model: RawSpan, arena: inout Arena, kernels: KernelSet
  ) throws(ModelError) {
    let model = try Model(model)
    let requirements = Self.requirements(model, kernels)
    let activations = try Self.take(requirements.activations, &arena)
    precondition(
      UInt(bitPattern: activations.baseAddress) % UInt(ModelFormat.alignment) == 0,
      "the arena does not start at a multiple of 64")
    let scratch = try Self.take(requirements.scratch, &arena)
    var weights = Arena(try Self.take(requirements.weights, &arena))
    var tables = Arena(try Self.take(requirements.tables, &arena))

    let steps = try Self.take(Step.self, model.layerCount, &tables)
    for index in 0..<model.layerCount {
      let layer = model.layer(index)
      let packed = try Self.take(Step.packedBytes(layer, kernels), &weights)
      steps.initializeElement(
        at: index, to: Step(layer, model, activations: activations, packed: packed, kernels))
    }
    let ports = try Self.take(Port.self, model.inputCount + model.outputCount, &tables)
    for index in ports.indices {
      let tensor = model.tensor(model.portTensor(index))
      let scales = try Self.take(
        Float.self, tensor.channelScales == 0 ? 0 : tensor.extent.channels, &tables)
      ports.initializeElement(
        at: index, to: Port(model, index, tensor, activations: activations, scales: scales))
    }
    self.kernels = kernels
    self.requirements = requirements
    self.inputCount = model.inputCount
    self.outputCount = model.outputCount
    self.steps = steps
    self.ports = ports
    self.scratch = scratch
  }

  private static func requirements(
    _ model: borrowing Model, _ kernels: KernelSet
  ) -> NetworkRequirements {
    var out = NetworkRequirements()
    out.activations = model.arenaBytes
    out.tables =
      aligned(MemoryLayout<Step>.stride * model.layerCount)
      + aligned(MemoryLayout<Port>.stride * (model.inputCount + model.outputCount))
    for index in 0..<model.layerCount {
      let layer = model.layer(index)
      out.weights += aligned(Step.packedBytes(layer, kernels))
      out.scratch = max(out.scratch, Step.scratchBytes(layer, kernels))
    }
    for index in 0..<model.inputCount + model.outputCount {
      let tensor = model.tensor(model.portTensor(index))
      if tensor.channelScales != 0 { out.tables += aligned(4 * tensor.extent.channels) }
    }
    return out
  }

  private static func aligned(_ byteCount: Int) -> Int {
    (byteCount + ModelFormat.alignment - 1) / ModelFormat.alignment * ModelFormat.alignment
  }

  private static func take(
    _ byteCount: Int, _ arena: inout Arena
  ) throws(ModelError) -> UnsafeMutableRawBufferPointer {
    do throws(ArenaError) {
      return try arena.take(byteCount, alignment: ModelFormat.alignment)
    } catch {
      throw .memory(needed: error.needed, capacity: error.capacity)
    }
  }

  private static func take<Element>(
    _ type: Element.Type, _ count: Int, _ arena: inout Arena
  ) throws(ModelError) -> UnsafeMutableBufferPointer<Element> {
    try take(count * MemoryLayout<Element>.stride, &arena).bindMemory(to: type)
  }
}

/// An input or output: what it is and where it lies.
struct Port {
  var description: TensorDescription
  var start: UnsafeMutableRawPointer
  var scales: UnsafeMutableBufferPointer<Float>

  init(
    _ model: borrowing Model, _ index: Int, _ tensor: TensorEntry,
    activations: UnsafeMutableRawBufferPointer, scales: UnsafeMutableBufferPointer<Float>
  ) {
    description = TensorDescription(
      name: model.name(at: model.portOffset(index) + 4 * ModelFormat.Port.name.rawValue),
      type: tensor.type, height: tensor.extent.height, width: tensor.extent.width,
      channels: tensor.extent.channels, scale: tensor.scale, zeroPoint: tensor.zeroPoint)
    self.start = activations.place(tensor.arenaOffset)
    self.scales = scales
    if !scales.isEmpty {
      let stored = model.elements(Float.self, at: tensor.channelScales, count: scales.count)
      for channel in scales.indices {
        scales.initializeElement(at: channel, to: stored[channel])
      }
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The address of a byte that a check has found to be inside. An arena of 0 bytes is never asked.
  func place(_ offset: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[offset...]).baseAddress.unsafelyUnwrapped
  }
}
