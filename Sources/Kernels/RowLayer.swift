import CKernels
import Platform

/// Convolution and depthwise convolution row by row, the way all vector variants work:
///
/// 1. Input rows are staged once each into a ring of as many rows as the kernel has: padded left and
///    right, in the variant's form.
/// 2. For every block of output channels one output row of int32 sums is made from the ring.
/// 3. The sums become outputs: bias, residual, activation, bounds.
///
/// A convolution of one pixel without padding takes the picture as one long row, in pieces.
/// Scratch: pointers to the taps, the ring, one row of sums of one block.
struct RowLayer {
  let kind: LayerKind
  let shape: WindowShape
  let variant: RowVariant
  let arithmetic: LayerArithmetic
  let form: RowForm
  let table: ChannelTable
  /// Whether outputs need no neighbours: one row of the ring serves a piece of the picture.
  let isPointwise: Bool
  /// Whether the windows of a row are copied together before its sums are made.
  let gathers: Bool
  /// Outputs in a row, or in a piece of the picture.
  let rowPixels: Int
  /// Bytes from one row of the ring to the next.
  let pitch: Int

  /// Staged bytes that one piece of a pointwise layer may have: half of a small level-1 cache.
  private static let pieceBytes = 16_384
  /// Products of int8 weights and int16 activations whose sum always fits int32.
  private static let mostWideProducts = 516

  /// nil where only the reference will do: depthwise with several outputs a channel, and what the
  /// variant has no form for.
  init?(
    _ kind: LayerKind, _ shape: WindowShape, _ variant: RowVariant, _ arithmetic: LayerArithmetic
  ) {
    if kind == .depthwise && shape.input.channels != shape.output.channels { return nil }
    guard let form = variant.form(kind, arithmetic) else { return nil }
    // Sums are int32 whatever the accumulator: its 64 bits must come from the bias alone.
    let products =
      shape.window.height * shape.window.width * (kind == .convolution ? shape.input.channels : 1)
    if arithmetic.accumulator == .int64 && products > Self.mostWideProducts { return nil }
    self.kind = kind
    self.shape = shape
    self.variant = variant
    self.arithmetic = arithmetic
    self.form = form
    table = ChannelTable(
      channels: shape.output.channels, biasBytes: arithmetic.accumulator == .int32 ? 4 : 8)
    let window = shape.window
    isPointwise =
      kind == .convolution
      && shape.output.height == shape.input.height && shape.output.width == shape.input.width
      && window == Window(height: 1, width: 1)
    let run = window.width * shape.input.channels
    gathers =
      form.gathers && kind == .convolution && !isPointwise
      && Self.roundUp(window.height * run, form.unit)
        < window.height * Self.roundUp(run, form.unit)
    let pixelBytes = shape.input.channels * form.stagedBytes
    let pixels: Int
    if isPointwise {
      let fitting = Self.pieceBytes / pixelBytes / form.tile * form.tile
      rowPixels = min(
        max(form.tile, min(fitting, 128)), shape.input.height * shape.input.width)
      pixels = Self.roundUp(rowPixels, form.tile)
    } else {
      rowPixels = shape.output.width
      pixels =
        (Self.roundUp(rowPixels, form.tile) - 1) * window.horizontalStride + window.width
    }
    pitch = Self.roundUp(pixels * pixelBytes + RowForm.slack * form.stagedBytes, 64)
  }

  var kernelTaps: Int { shape.window.height * shape.window.width }
  /// Taps in pairs; an odd kernel's last is repeated with a weight of 0.
  var tapPairs: Int { (kernelTaps + 1) / 2 }
  /// Rows of a convolution's kernel as it reads them: one where windows are gathered.
  var kernelRows: Int { gathers ? 1 : shape.window.height }
  /// Elements of one of them.
  var rowRun: Int {
    (gathers ? shape.window.height : 1) * shape.window.width * shape.input.channels
  }
  /// Units of one of them; its end is filled with weights of 0.
  var rowUnits: Int { (rowRun + form.unit - 1) / form.unit }
  var blocks: Int { (shape.output.channels + form.block - 1) / form.block }
  var blockWeightBytes: Int {
    switch kind {
    case .convolution: kernelRows * rowUnits * form.unit * form.block
    case .depthwise: depthwiseTaps * form.block * form.depthwiseWeightBytes
    }
  }

  /// Taps of a depthwise block, those that only fill up included.
  var depthwiseTaps: Int {
    switch variant {
    case .neon, .dotProduct, .avx2: tapPairs * 2
    case .vnni: (shape.window.height + 3) / 4 * 4 * shape.window.width
    }
  }

  /// Where the weights of a block begin in the packed layer.
  func weightsOffset(_ block: Int) -> Int {
    table.byteCount + blocks * form.blockConstantBytes + block * blockWeightBytes
  }

  /// Bytes from one output's run of the ring to the next.
  var step: Int {
    shape.window.horizontalStride * shape.input.channels * form.stagedBytes
  }

  var packedBytes: Int { weightsOffset(blocks) }

  /// One alignment more than the parts, since scratch may begin anywhere.
  var scratchBytes: Int { 64 + tapsBytes + ringBytes + windowsBytes + sumsBytes }

  var tapsBytes: Int { kind == .depthwise ? Self.roundUp(tapPairs * 2 * 8, 64) : 0 }
  var ringBytes: Int { shape.window.height * pitch }
  /// Bytes from one gathered window to the next.
  var windowStep: Int { rowUnits * form.unit * form.stagedBytes }
  /// The last window is written beyond its end by less than a vector.
  var windowsBytes: Int {
    gathers ? Self.roundUp(Self.roundUp(rowPixels, form.tile) * windowStep + 16, 64) : 0
  }
  var sumsBytes: Int { Self.roundUp(rowPixels, form.tile) * form.block * 4 }

  private static func roundUp(_ value: Int, _ unit: Int) -> Int {
    (value + unit - 1) / unit * unit
  }
}
