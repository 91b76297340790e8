import Inference
import Kernels

extension Graph {
  /// Merges what the firmware can do in one pass. Additions first, since the PReLU of a residual
  /// block stands behind its addition.
  mutating func fuse(_ options: PackOptions) {
    if options.fusesPadding { fusePaddings() }
    if options.fusesAddition { fuseAdditions() }
    if options.fusesPrelu { fusePrelus() }
  }

  private func isOpenConvolution(_ node: Node) -> Bool {
    (node.kind == .convolution || node.kind == .depthwise) && node.activation == .none
      && !node.isRaw && node.slopes.isEmpty
  }

  /// A pad of rows and columns holds the zero point, as does what lies outside a convolution's
  /// input: exact.
  private mutating func fusePaddings() {
    var index = 0
    while index < nodes.count {
      defer { index += 1 }
      let node = nodes[index]
      guard node.kind == .convolution || node.kind == .depthwise,
        let before = soleProducer(of: node.first, for: index), nodes[before].kind == .padding,
        tensors[nodes[before].first].extent.channels == tensors[node.first].extent.channels
      else { continue }
      var window = node.window
      window.padTop += nodes[before].window.padTop
      window.padLeft += nodes[before].window.padLeft
      let shape = WindowShape(
        input: tensors[nodes[before].first].extent, output: tensors[node.output].extent,
        window: window)
      guard shape.isConsistent else { continue }
      nodes[index].window = window
      nodes[index].first = nodes[before].first
      nodes.remove(at: before)
      index -= 1
      fusedPads += 1
    }
  }

  private mutating func fuseAdditions() {
    var index = 0
    while index < nodes.count {
      defer { index += 1 }
      let node = nodes[index]
      guard node.kind == .addition, let second = node.second, second != node.first else { continue }
      // The later of two candidates: the other one's value has to wait in memory anyway.
      let candidates = [node.first, second].compactMap { tensor -> Int? in
        guard let place = soleProducer(of: tensor, for: index), isOpenConvolution(nodes[place]),
          nodes[place].second == nil
        else { return nil }
        return place
      }
      guard let place = candidates.max() else { continue }
      var merged = nodes[place]
      merged.second = merged.output == node.first ? second : node.first
      merged.output = node.output
      merged.activation = node.activation
      merged.rounding = .perType
      var removed = [place]
      if let residual = merged.second, let pad = soleProducer(of: residual, for: index),
        isChannelPad(nodes[pad])
      {
        merged.second = nodes[pad].first
        removed.append(pad)
        fusedPads += 1
      }
      // It runs where the addition ran: only there both inputs are ready.
      nodes[index] = merged
      for place in removed.sorted(by: >) {
        nodes.remove(at: place)
        index -= 1
      }
      fusedAdditions += 1
    }
  }

  /// Channels behind the input's own, nothing else: an addition leaves them alone.
  private func isChannelPad(_ node: Node) -> Bool {
    let (input, output) = (tensors[node.first].extent, tensors[node.output].extent)
    return node.kind == .padding && node.padChannels == 0 && input.height == output.height
      && input.width == output.width
  }

  private mutating func fusePrelus() {
    var index = 0
    while index < nodes.count {
      defer { index += 1 }
      let node = nodes[index]
      guard node.kind == .prelu, let before = soleProducer(of: node.first, for: index),
        isOpenConvolution(nodes[before])
      else { continue }
      nodes[before].slopes = node.slopeValues.map {
        Double(Int32($0) - node.slopeZeroPoint) * Double(node.slopeScale)
      }
      nodes[before].output = node.output
      nodes[before].factors = []
      nodes.remove(at: index)
      index -= 1
      fusedPrelus += 1
    }
  }
}
