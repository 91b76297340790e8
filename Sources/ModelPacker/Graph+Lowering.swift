extension Graph {
  /// The operators of the file, one for one (two where a layer wants its input in another shape).
  init(_ source: TFLite) throws(PackError) {
    var lowering = Lowering(source)
    for operation in source.operators { try lowering.lower(operation) }
    // May bring tensors that no operator touches.
    lowering.graph.inputs = try lowering.activations(source.inputs, "input")
    lowering.graph.outputs = try lowering.activations(source.outputs, "output")
    self = lowering.graph
    guard !nodes.isEmpty, !inputs.isEmpty, !outputs.isEmpty else {
      throw .unsupported("a graph without operators, inputs or outputs")
    }
    try checkOrder()
  }

  /// Fusing relies on it: everything is written once, before it is read.
  private func checkOrder() throws(PackError) {
    var written = Set(inputs)
    guard written.count == inputs.count else { throw .damaged("an input is named twice") }
    for node in nodes {
      for tensor in [node.first, node.second ?? node.first] where !written.contains(tensor) {
        throw .damaged("\(node.label) reads a tensor that nothing has written")
      }
      guard written.insert(node.output).inserted else {
        throw .damaged("\(node.label) writes a tensor for the second time")
      }
    }
    for tensor in outputs where !written.contains(tensor) {
      throw .damaged("an output is never written")
    }
  }
}
