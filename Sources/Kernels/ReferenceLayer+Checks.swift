extension ReferenceLayer {
  func check(weights: Int, bias: Int, packed: Int) {
    precondition(weights == kind.weights(shape), "weights do not fit the shape")
    precondition(bias == shape.output.channels, "bias does not fit the shape")
    precondition(packed >= packedBytes, "packed is too small")
  }

  func check(input: Int, output: Int, packed: Int) {
    precondition(input == shape.input.count, "input does not fit the shape")
    precondition(output == shape.output.count, "output does not fit the shape")
    precondition(packed >= packedBytes, "packed is too small")
  }

  func check(_ requantisation: Requantisation, residual: Int) {
    let channels = requantisation.residual?.channels ?? 0
    precondition(
      residual == shape.output.height * shape.output.width * channels,
      "residual does not fit the shape")
  }
}
