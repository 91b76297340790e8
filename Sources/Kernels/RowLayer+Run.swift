extension RowLayer {
  /// Where sums go.
  enum Destination {
    case quantised(Requantisation, residual: UnsafeRawPointer?, UnsafeMutableRawPointer)
    case raw(UnsafeMutablePointer<Int32>)
  }

  func run<Value: FixedWidthInteger & BitwiseCopyable>(
    _ requantisation: Requantisation, input: Span<Value>, packed: RawSpan, residual: Span<Value>,
    into output: inout MutableSpan<Value>, scratch: inout MutableRawSpan
  ) {
    output.withUnsafeMutableBytes { output in
      residual.withUnsafeBytes { residual in
        guard let target = output.baseAddress else { return }
        run(
          input, requantisation.inputZeroPoint, packed, &scratch,
          .quantised(
            requantisation, residual: requantisation.residual == nil ? nil : residual.baseAddress,
            target))
      }
    }
  }

  func runRaw<Value: FixedWidthInteger & BitwiseCopyable>(
    inputZeroPoint: Int32, input: Span<Value>, packed: RawSpan,
    into output: inout MutableSpan<Int32>, scratch: inout MutableRawSpan
  ) {
    output.withUnsafeMutableBufferPointer { output in
      guard let target = output.baseAddress else { return }
      run(input, inputZeroPoint, packed, &scratch, .raw(target))
    }
  }

  private func run<Value: FixedWidthInteger & BitwiseCopyable>(
    _ input: Span<Value>, _ zeroPoint: Int32, _ packed: RawSpan, _ scratch: inout MutableRawSpan,
    _ destination: Destination
  ) {
    scratch.withUnsafeMutableBytes { scratch in
      packed.withUnsafeBytes { packed in
        input.withUnsafeBytes { input in
          guard let memory = scratch.baseAddress, let constants = packed.baseAddress,
            let source = input.baseAddress
          else { return }
          let pass = RowPass(
            layer: self, input: source, zeroPoint: zeroPoint, packed: constants,
            scratch: memory.alignedUp(toMultipleOf: 64), destination: destination)
          if isPointwise { pass.runPieces() } else { pass.runRows() }
        }
      }
    }
  }
}

/// One run of a layer over memory whose sizes are checked.
struct RowPass {
  let layer: RowLayer
  let input: UnsafeRawPointer
  let zeroPoint: Int32
  let packed: UnsafeRawPointer
  let taps: UnsafeMutablePointer<UnsafeRawPointer>
  let ring: UnsafeMutableRawPointer
  let windows: UnsafeMutableRawPointer
  let sums: UnsafeMutableRawPointer
  /// What a convolution reads: the ring, the gathered windows, or the input itself.
  var rows: UnsafeRawPointer
  /// Bytes from one output's run of it to the next.
  let step: Int
  /// Of the layer, so that they are computed once.
  let kernelRows: Int
  let rowUnits: Int
  let blockWeightBytes: Int
  /// Of the first block.
  let weights: UnsafeRawPointer
  let destination: RowLayer.Destination

  init(
    layer: RowLayer, input: UnsafeRawPointer, zeroPoint: Int32, packed: UnsafeRawPointer,
    scratch: UnsafeMutableRawPointer, destination: RowLayer.Destination
  ) {
    self.layer = layer
    self.input = input
    self.zeroPoint = zeroPoint
    self.packed = packed
    taps = scratch.bindMemory(to: UnsafeRawPointer.self, capacity: layer.tapsBytes / 8)
    ring = scratch + layer.tapsBytes
    windows = ring + layer.ringBytes
    sums = windows + layer.windowsBytes
    rows = UnsafeRawPointer(layer.gathers ? windows : ring)
    step = layer.gathers ? layer.windowStep : layer.step
    kernelRows = layer.kernelRows
    rowUnits = layer.rowUnits
    blockWeightBytes = layer.blockWeightBytes
    weights = packed + layer.weightsOffset(0)
    self.destination = destination
  }

  func runPieces() {
    let channels = layer.shape.input.channels
    let pixels = layer.shape.input.height * layer.shape.input.width
    let isInPlace = layer.form.readsInPlace && channels % layer.form.unit == 0
    var first = 0
    while first < pixels {
      let count = min(layer.rowPixels, pixels - first)
      let source = input + first * channels * layer.arithmetic.valueBytes
      if isInPlace {
        var pass = self
        pass.rows = source
        pass.makeOutputs(firstPixel: first, pixels: count, firstRow: 0)
      } else {
        stage(source, count * channels, into: ring)
        makeOutputs(firstPixel: first, pixels: count, firstRow: 0)
      }
      first += count
    }
  }

  func runRows() {
    let window = layer.shape.window
    let keepsSides = layer.variant == .neon || layer.variant == .dotProduct
    if keepsSides { fill(ring, layer.ringBytes) }
    // Rows are counted from the top of the padding.
    var staged = 0
    for y in 0..<layer.shape.output.height {
      let first = y * window.verticalStride
      for row in max(staged, first)..<first + window.height {
        if keepsSides { stageMiddle(row) } else { stageRow(row) }
      }
      staged = first + window.height
      let slot = first % window.height
      if layer.kind == .depthwise && layer.variant != .vnni { placeTaps(slot) }
      if layer.gathers { gatherWindows(slot) }
      makeOutputs(
        firstPixel: y * layer.shape.output.width, pixels: layer.rowPixels, firstRow: slot)
    }
  }

  private func stageRow(_ row: Int) {
    let shape = layer.shape
    let slot = ring + row % shape.window.height * layer.pitch
    let y = row - shape.window.padTop
    guard y >= 0 && y < shape.input.height else {
      fill(slot, layer.pitch)
      return
    }
    let pixelBytes = shape.input.channels * layer.form.stagedBytes
    let before = shape.window.padLeft
    let room = (layer.pitch / layer.form.stagedBytes - RowForm.slack) / shape.input.channels
    let pixels = min(shape.input.width, room - before)
    fill(slot, before * pixelBytes)
    stage(
      input + y * shape.input.width * shape.input.channels * layer.arithmetic.valueBytes,
      pixels * shape.input.channels,
      into: slot + before * pixelBytes)
    let end = (before + pixels) * pixelBytes
    fill(slot + end, layer.pitch - end)
  }

  /// As `stageRow` for a ring that was filled once: the sides of its rows stay as they are.
  private func stageMiddle(_ row: Int) {
    let shape = layer.shape
    let slot = ring + row % shape.window.height * layer.pitch
    let y = row - shape.window.padTop
    guard y >= 0 && y < shape.input.height else {
      fill(slot, layer.pitch)
      return
    }
    let pixelBytes = shape.input.channels * layer.form.stagedBytes
    let before = shape.window.padLeft * pixelBytes
    let room = layer.pitch - RowForm.slack * layer.form.stagedBytes - before
    let rowBytes = shape.input.width * pixelBytes
    (slot + before).copyMemory(
      from: input + y * rowBytes, byteCount: min(rowBytes, room))
  }

  private func placeTaps(_ firstRow: Int) {
    let window = layer.shape.window
    let pixelBytes = layer.shape.input.channels * layer.form.stagedBytes
    var slot = firstRow
    var tap = 0
    for _ in 0..<window.height {
      var place = UnsafeRawPointer(ring + slot &* layer.pitch)
      for _ in 0..<window.width {
        taps[tap] = place
        place += pixelBytes
        tap &+= 1
      }
      slot = slot &+ 1 == window.height ? 0 : slot &+ 1
    }
    // An odd kernel's last tap stands twice, with a weight of 0.
    if tap & 1 == 1 { taps[tap] = taps[tap &- 1] }
  }

  /// Copies the window of every output of a row, its rows one behind the other, 16 bytes at a time:
  /// what is too much is overwritten by the next run, or meets weights of 0.
  private func gatherWindows(_ firstRow: Int) {
    let height = layer.shape.window.height
    let runBytes = layer.rowRun / height * layer.form.stagedBytes
    if height == 3 && runBytes <= 16 {
      gatherThreeRows(firstRow, runBytes)
      return
    }
    var at = 0
    var window = windows
    for _ in 0..<layer.rowPixels {
      var to = window
      var slot = firstRow
      for _ in 0..<height {
        let from = UnsafeRawPointer(ring + (slot &* layer.pitch &+ at))
        var done = 0
        while done < runBytes {
          to.storeBytes(
            of: from.loadUnaligned(fromByteOffset: done, as: SIMD16<UInt8>.self),
            toByteOffset: done, as: SIMD16<UInt8>.self)
          done &+= 16
        }
        to += runBytes
        slot = slot &+ 1 == height ? 0 : slot &+ 1
      }
      at &+= layer.step
      window += layer.windowStep
    }
  }

  /// The same for three rows of at most one vector each, as first layers have them.
  private func gatherThreeRows(_ firstRow: Int, _ runBytes: Int) {
    let step = layer.step
    let windowStep = layer.windowStep
    let second = firstRow == 2 ? 0 : firstRow + 1
    let third = firstRow == 0 ? 2 : firstRow - 1
    var a = UnsafeRawPointer(ring + firstRow * layer.pitch)
    var b = UnsafeRawPointer(ring + second * layer.pitch)
    var c = UnsafeRawPointer(ring + third * layer.pitch)
    var window = windows
    var left = layer.rowPixels
    while left > 0 {
      window.storeBytes(of: a.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      (window + runBytes).storeBytes(
        of: b.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      (window + 2 &* runBytes).storeBytes(
        of: c.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      a += step
      b += step
      c += step
      window += windowStep
      left &-= 1
    }
  }

  /// The outputs of one row or piece: `pixels` of them, the first kernel row in slot `firstRow`.
  private func makeOutputs(firstPixel: Int, pixels: Int, firstRow: Int) {
    #if arch(arm64)
      if makeOutputsNEON(firstPixel: firstPixel, pixels: pixels, firstRow: firstRow) { return }
    #endif
    for block in 0..<layer.blocks {
      let weights = weights + block * blockWeightBytes
      if makeBlock(block, firstPixel: firstPixel, pixels, firstRow, weights) { continue }
      switch destination {
      case .raw(let output): storeRaw(block, firstPixel, pixels, output)
      case .quantised(let requantisation, let residual, let output):
        requantise(block, firstPixel, pixels, requantisation, residual, output)
      }
    }
  }

  private func fill(_ staged: UnsafeMutableRawPointer, _ byteCount: Int) {
    let zero = UInt8(truncatingIfNeeded: layer.form.stagedZero(zeroPoint))
    staged.initializeMemory(as: UInt8.self, repeating: zero, count: byteCount)
  }
}
