import Inference

/// Places for tensors so that no two that are needed at once overlap. Largest first, each at the
/// lowest place that is free while it lives: within a few percent of the bound for chains with
/// residuals, and always the same.
struct MemoryPlan {
  private(set) var offsets: [Int]
  private(set) var byteCount = 0
  /// The most bytes that are alive at once.
  private(set) var peak = 0

  /// Tensors that are not needed get the offset 0.
  init(_ graph: Graph) {
    offsets = [Int](repeating: 0, count: graph.tensors.count)
    var root = Array(graph.tensors.indices)
    var life = [ClosedRange<Int>?](repeating: nil, count: graph.tensors.count)
    func extend(_ tensor: Int, to time: Int) {
      let old = life[tensor] ?? time...time
      life[tensor] = min(old.lowerBound, time)...max(old.upperBound, time)
    }
    for tensor in graph.inputs { extend(tensor, to: -1) }
    for (time, node) in graph.nodes.enumerated() {
      if node.kind == .view { root[node.output] = root[node.first] }
      for tensor in [node.first, node.second, node.output].compactMap({ $0 }) {
        extend(root[tensor], to: time)
      }
    }
    for tensor in graph.outputs { extend(root[tensor], to: graph.nodes.count) }

    func size(_ tensor: Int) -> Int {
      let unit = ModelFormat.alignment
      return (graph.tensors[tensor].byteCount + unit - 1) / unit * unit
    }
    let placed = graph.tensors.indices.filter { life[$0] != nil }
    let order = placed.sorted { size($0) != size($1) ? size($0) > size($1) : $0 < $1 }
    var taken: [(life: ClosedRange<Int>, bytes: Range<Int>)] = []
    for tensor in order {
      guard let span = life[tensor] else { continue }
      var start = 0
      let neighbours = taken.filter { $0.life.overlaps(span) }.map(\.bytes)
      for bytes in neighbours.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if bytes.lowerBound >= start + size(tensor) { break }
        start = max(start, bytes.upperBound)
      }
      offsets[tensor] = start
      taken.append((span, start..<start + size(tensor)))
      byteCount = max(byteCount, start + size(tensor))
    }
    for tensor in graph.tensors.indices { offsets[tensor] = offsets[root[tensor]] }
    for time in -1...graph.nodes.count {
      let alive = taken.filter { $0.life.contains(time) }
      peak = max(peak, alive.reduce(0) { $0 + $1.bytes.count })
    }
  }
}
