import Inference
import Kernels

/// A network between reading and writing: the firmware's operators with real factors, not yet in
/// fixed point.
struct Graph {
  struct Tensor {
    var name: String
    var type: ElementType
    var extent: Extent
    var scale: Float
    var zeroPoint: Int32
    /// Of accumulators.
    var channelScales: [Float] = []

    var byteCount: Int { extent.count * type.byteCount }
  }

  /// Weights and biases of one layer, as the .tflite has them.
  struct Weights {
    var weights: [Int8]
    var bias: [Int64]
    var hasWideBias: Bool
  }

  struct Node {
    var kind: ModelFormat.Kind
    var first: Int
    var second: Int?
    var output: Int
    var window = Window(height: 1, width: 1)
    var padChannels = 0
    var activation = TFLiteActivation.none
    /// Number of a ``Weights``.
    var weights: Int?
    var isRaw = false
    var rounding = Rounding.perType
    /// What one step of the accumulator is worth, in real numbers, by channel.
    var units: [Double] = []
    /// Exact factor from accumulator to output where TFLite computes it in its own way.
    var factors: [Double] = []
    /// Real slopes of a fused PReLU.
    var slopes: [Double] = []
    /// Slopes of a PReLU of its own.
    var slopeValues: [Int8] = []
    var slopeScale: Float = 0
    var slopeZeroPoint: Int32 = 0
    /// For messages.
    var label: String
  }

  var tensors: [Tensor] = []
  var weights: [Weights] = []
  var nodes: [Node] = []
  var inputs: [Int] = []
  var outputs: [Int] = []
  var fusedPrelus = 0
  var fusedAdditions = 0
  var fusedPads = 0

  /// The numbers of the nodes that read a tensor.
  func users(of tensor: Int) -> [Int] {
    nodes.indices.filter { nodes[$0].first == tensor || nodes[$0].second == tensor }
  }

  func producer(of tensor: Int) -> Int? { nodes.firstIndex { $0.output == tensor } }

  /// The node that makes a tensor, if nothing but `user` reads it.
  func soleProducer(of tensor: Int, for user: Int) -> Int? {
    guard users(of: tensor) == [user], !outputs.contains(tensor) else { return nil }
    return producer(of: tensor)
  }

  /// Makes the layers behind the named outputs give their accumulators.
  mutating func keepAccumulators(of names: [String]) throws(PackError) {
    for name in names {
      guard let output = outputs.first(where: { tensors[$0].name == name }) else {
        let known = outputs.map { tensors[$0].name }.joined(separator: ", ")
        throw .request("no output is called \(name); there are \(known)")
      }
      var chain = [output]
      var node = try maker(of: output, name)
      while nodes[node].kind == .view {
        chain.append(nodes[node].first)
        node = try maker(of: nodes[node].first, name)
      }
      let isConvolution = nodes[node].kind == .convolution || nodes[node].kind == .depthwise
      guard isConvolution, nodes[node].activation == .none else {
        throw .request(
          "output \(name) comes from \(nodes[node].label): only a convolution or fully"
            + " connected layer without activation has accumulators to give")
      }
      nodes[node].isRaw = true
      for tensor in chain {
        guard users(of: tensor).count <= (tensor == output ? 0 : 1),
          tensors[tensor].extent.channels == nodes[node].units.count
        else {
          throw .request("output \(name) cannot be raw: it is read by others or reshaped")
        }
        tensors[tensor].type = .int32
        tensors[tensor].scale = 0
        tensors[tensor].zeroPoint = 0
        tensors[tensor].channelScales = nodes[node].units.map { Float($0) }
      }
    }
  }

  private func maker(of tensor: Int, _ name: String) throws(PackError) -> Int {
    guard let node = producer(of: tensor) else {
      throw .request("output \(name) is not computed by any operator")
    }
    return node
  }
}
