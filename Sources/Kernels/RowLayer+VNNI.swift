import KernelsVNNI

extension BlockConstants {
  /// The largest absolute value of a sum with a residual that ``residualBit`` is for.
  static var largestWithResidual: Int64 { 1 << 29 }
}

extension RowLayer {
  /// Writes ``BlockConstants`` of one block, from the table that is written already.
  func packConstantsVNNI(
    _ weights: Span<Int8>, _ block: Int, packed: UnsafeMutableRawBufferPointer
  ) {
    let start = table.byteCount + block * form.blockConstantBytes
    func put(_ value: Int32, _ row: BlockConstants, _ lane: Int) {
      packed.storeBytes(of: value, toByteOffset: start + row.offset + 4 * lane, as: Int32.self)
    }
    func get(_ column: ChannelTable.Column, _ channel: Int) -> Int32 {
      packed.loadUnaligned(fromByteOffset: table.offset(column) + 4 * channel, as: Int32.self)
    }
    var bits = BlockConstants.plainBit | BlockConstants.slopesBit | BlockConstants.residualBit
    var largest: Int64 = 0
    for lane in 0..<form.block {
      let channel = block * form.block + lane
      // Channels that do not exist have zeros in the table.
      let exists = channel < shape.output.channels
      let bound = exists ? largestSum(weights, channel, packed) : 0
      let positive = ChannelFactor(get(.positiveMultiplier, channel), get(.positiveShift, channel))
      let negative = ChannelFactor(get(.negativeMultiplier, channel), get(.negativeShift, channel))
      let accumulator = ChannelFactor(
        get(.accumulatorMultiplier, channel), get(.accumulatorShift, channel))

      let isSafe =
        bound < 1 << 30 && positive.isSafe(for: bound) && negative.isSafe(for: bound)
      if !isSafe { bits &= ~(BlockConstants.plainBit | BlockConstants.slopesBit) }
      if positive != negative || positive.multiplier < 0 { bits &= ~BlockConstants.plainBit }
      let mostWithResidual = BlockConstants.largestWithResidual
      let isSafeWithResidual =
        accumulator.shift >= 0 && bound << Int64(accumulator.shift) < 1 << 30
        && positive.isSafe(for: mostWithResidual) && negative.isSafe(for: mostWithResidual)
      if isSafeWithResidual {
        largest = max(largest, accumulator.largestProduct(bound << Int64(accumulator.shift)))
      } else {
        bits &= ~BlockConstants.residualBit
      }
      put(positive.multiplier, .positiveMultiplier, lane)
      put(positive.right, .positiveRight, lane)
      put(positive.rounding(isNegative: positive.multiplier < 0), .positiveRounding, lane)
      put(negative.multiplier, .negativeMultiplier, lane)
      put(negative.right, .negativeRight, lane)
      put(negative.rounding(isNegative: negative.multiplier > 0), .negativeRounding, lane)
      put(positive.right > 0 ? 31 : 32, .signShift, lane)
      put(accumulator.shift + 1, .residualLeft, lane)
      put(accumulator.multiplier, .residualMultiplier, lane)
      put(0, .summary, lane)
    }
    put(bits, .summary, 0)
    put(Int32(clamping: largest), .summary, 1)
  }

  /// What no input can make a channel's sum larger than: inputs less their zero point are within
  /// −255...255.
  private func largestSum(
    _ weights: Span<Int8>, _ channel: Int, _ packed: UnsafeMutableRawBufferPointer
  ) -> Int64 {
    let bias = packed.loadUnaligned(fromByteOffset: 4 * channel, as: Int32.self)
    var sum: Int64 = 0
    forEachWeight(channel) { sum += Int64(weights[$0].magnitude) }
    return sum * 255 + Int64(bias.magnitude)
  }
}

/// A multiplier and a shift as `FixedPoint` takes them.
private struct ChannelFactor: Equatable {
  let multiplier: Int32
  let shift: Int32

  init(_ multiplier: Int32, _ shift: Int32) {
    self.multiplier = multiplier
    self.shift = shift
  }

  var right: Int32 { -min(shift, 0) }

  /// What rounding the shift adds; one less for products that are negative, whose halves go down.
  func rounding(isNegative: Bool) -> Int32 {
    right > 0 ? (1 << (right - 1)) - (isNegative ? 1 : 0) : 0
  }

  /// The largest absolute value of the rounded product of a sum within `bound`.
  func largestProduct(_ bound: Int64) -> Int64 { (bound * Int64(multiplier.magnitude)) >> 31 + 1 }

  /// Whether nothing overflows 32 bits for a doubled sum within `bound`.
  func isSafe(for bound: Int64) -> Bool {
    shift <= 0 && right <= 30 && largestProduct(bound) + 1 << 29 < 1 << 31
  }
}
