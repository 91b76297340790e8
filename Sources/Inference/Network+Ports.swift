import Platform

extension Network {
  /// Shape, type and scale of an input, 0 to ``inputCount`` - 1.
  public func inputDescription(_ index: Int) -> TensorDescription { port(input: index).description }

  /// Shape, type and scale of an output, 0 to ``outputCount`` - 1.
  public func outputDescription(_ index: Int) -> TensorDescription {
    port(output: index).description
  }

  /// The elements of an int8 input. Fill all of them before every ``invoke()``: a run may reuse
  /// their memory.
  @_lifetime(&self)
  public mutating func input(_ index: Int) -> MutableSpan<Int8> {
    let port = port(input: index)
    precondition(port.description.type == .int8, "the input is not int8")
    let span = MutableSpan<Int8>(
      _unsafeStart: port.start.assumingMemoryBound(to: Int8.self), count: port.description.count)
    return _overrideLifetime(span, mutating: &self)
  }

  /// The elements of an int16 input; otherwise as ``input(_:)``.
  @_lifetime(&self)
  public mutating func wideInput(_ index: Int) -> MutableSpan<Int16> {
    let port = port(input: index)
    precondition(port.description.type == .int16, "the input is not int16")
    let span = MutableSpan<Int16>(
      _unsafeStart: port.start.assumingMemoryBound(to: Int16.self), count: port.description.count)
    return _overrideLifetime(span, mutating: &self)
  }

  /// The elements of an int8 output, valid after ``invoke()``.
  @_lifetime(borrow self)
  public func output(_ index: Int) -> Span<Int8> { elements(index, .int8) }

  /// The elements of an int16 output.
  @_lifetime(borrow self)
  public func wideOutput(_ index: Int) -> Span<Int16> { elements(index, .int16) }

  /// The accumulators of a raw output: real = accumulator * scale of its channel.
  @_lifetime(borrow self)
  public func rawOutput(_ index: Int) -> Span<Int32> { elements(index, .int32) }

  /// One scale a channel of a raw output; empty for others.
  @_lifetime(borrow self)
  public func channelScales(ofOutput index: Int) -> Span<Float> {
    let scales = UnsafeBufferPointer(port(output: index).scales)
    return _overrideLifetime(Span(_unsafeElements: scales), borrowing: self)
  }

  /// The real value of one element of an output of any type.
  public func value(_ element: Int, ofOutput index: Int) -> Float {
    let port = port(output: index)
    let description = port.description
    precondition((0..<description.count).contains(element), "no such element")
    switch description.type {
    case .int8:
      let stored = port.start.load(fromByteOffset: element, as: Int8.self)
      return Float(Int32(stored) - description.zeroPoint) * description.scale
    case .int16:
      let stored = port.start.load(fromByteOffset: 2 * element, as: Int16.self)
      return Float(Int32(stored) - description.zeroPoint) * description.scale
    case .int32:
      let stored = port.start.load(fromByteOffset: 4 * element, as: Int32.self)
      return Float(stored) * port.scales[element % description.channels]
    }
  }

  /// Throws unless the network has this input. For a model that came from a file.
  public func expectInput(
    _ index: Int, _ type: ElementType, height: Int, width: Int, channels: Int
  ) throws(ModelError) {
    guard (0..<inputCount).contains(index) else { throw .port(.input, index: index, .count) }
    let found = inputDescription(index)
    guard found.type == type else { throw .port(.input, index: index, .type) }
    guard found.height == height && found.width == width && found.channels == channels else {
      throw .port(.input, index: index, .shape)
    }
  }

  /// Throws unless the network has this output with so many elements.
  public func expectOutput(
    _ index: Int, _ type: ElementType, count: Int
  ) throws(ModelError) {
    guard (0..<outputCount).contains(index) else { throw .port(.output, index: index, .count) }
    let found = outputDescription(index)
    guard found.type == type else { throw .port(.output, index: index, .type) }
    guard found.count == count else { throw .port(.output, index: index, .shape) }
  }

  func port(input index: Int) -> Port {
    precondition((0..<inputCount).contains(index), "no such input")
    return ports[index]
  }

  func port(output index: Int) -> Port {
    precondition((0..<outputCount).contains(index), "no such output")
    return ports[inputCount + index]
  }

  @_lifetime(borrow self)
  private func elements<Element: BitwiseCopyable>(
    _ index: Int, _ type: ElementType
  ) -> Span<Element> {
    let port = port(output: index)
    precondition(port.description.type == type, "the output has another element type")
    let span = Span<Element>(
      _unsafeStart: port.start.assumingMemoryBound(to: Element.self), count: port.description.count)
    return _overrideLifetime(span, borrowing: self)
  }
}
