/// The head of a packed layer: per-channel constants, each array padded with zeros to a multiple
/// of ``block`` channels so that vector variants may load whole blocks. The weights follow it in
/// the variant's own order.
///
///     bias                   int32 or int64
///     positive multiplier, positive shift, negative multiplier, negative shift,
///     accumulator multiplier, accumulator shift, sum of weights         int32
struct ChannelTable {
  /// Channels that a vector variant takes at once, at most.
  static let block = 16

  let padded: Int
  let biasBytes: Int

  init(channels: Int, biasBytes: Int = 4) {
    padded = (channels + Self.block - 1) / Self.block * Self.block
    self.biasBytes = biasBytes
  }

  var byteCount: Int { padded * (biasBytes + 7 * 4) }

  enum Column: Int {
    case positiveMultiplier, positiveShift, negativeMultiplier, negativeShift
    case accumulatorMultiplier, accumulatorShift, weightSum
  }

  func offset(_ column: Column) -> Int { padded * (biasBytes + 4 * column.rawValue) }

  /// Clears the table and writes all columns but the bias. Without `negative` it is as `positive`;
  /// whatever else is absent stays 0.
  func write(
    channels: Int, positive: Scales?, negative: Scales?,
    accumulator: Scales?, into packed: UnsafeMutableRawBufferPointer
  ) {
    for index in 0..<byteCount { packed[index] = 0 }
    if let positive {
      put(positive, channels, .positiveMultiplier, packed)
      put(positive, channels, .negativeMultiplier, packed)
    }
    if let negative { put(negative, channels, .negativeMultiplier, packed) }
    if let accumulator { put(accumulator, channels, .accumulatorMultiplier, packed) }
  }

  private func put(
    _ scales: Scales, _ channels: Int, _ column: Column,
    _ packed: UnsafeMutableRawBufferPointer
  ) {
    precondition(scales.isValid(channels: channels), "scales do not fit the channels")
    let start = offset(column)
    for channel in 0..<channels {
      packed.storeBytes(
        of: scales.multipliers[channel], toByteOffset: start + 4 * channel, as: Int32.self)
      packed.storeBytes(
        of: scales.shifts[channel], toByteOffset: start + 4 * (padded + channel), as: Int32.self)
    }
  }

  func scale(_ column: Column, _ channel: Int, _ packed: RawSpan) -> (
    multiplier: Int32, shift: Int32
  ) {
    let start = offset(column) + 4 * channel
    return (
      packed.unsafeLoadUnaligned(fromByteOffset: start, as: Int32.self),
      packed.unsafeLoadUnaligned(fromByteOffset: start + 4 * padded, as: Int32.self)
    )
  }

  /// The whole of ``Requantisation`` but the first line's choice: `t` to `v`.
  @inline(__always)
  func activate(_ t: Int32, _ channel: Int, _ packed: RawSpan) -> Int32 {
    let (multiplier, shift) = scale(
      t >= 0 ? .positiveMultiplier : .negativeMultiplier, channel, packed)
    return FixedPoint.scale(t, multiplier: multiplier, shift: shift)
  }
}
