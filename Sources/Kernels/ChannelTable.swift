/// The head of a packed layer: per-channel constants, each array padded with zeros to a multiple
/// of ``block`` channels so that vector variants may load whole blocks. The weights follow it in
/// the variant's own order.
///
///     bias                   int32 or int64
///     positive multiplier, positive shift, negative multiplier, negative shift,
///     accumulator multiplier, accumulator shift, sum of weights,
///     traits of every 8 channels (see ``Traits``) at the first of them         int32
struct ChannelTable {
  /// Channels that a vector variant takes at once, at most.
  static let block = 16

  let padded: Int
  let biasBytes: Int

  init(channels: Int, biasBytes: Int = 4) {
    padded = (channels + Self.block - 1) / Self.block * Self.block
    self.biasBytes = biasBytes
  }

  var byteCount: Int { padded * (biasBytes + 8 * 4) }

  enum Column: Int {
    case positiveMultiplier, positiveShift, negativeMultiplier, negativeShift
    case accumulatorMultiplier, accumulatorShift, weightSum
    case traits
  }

  /// What the factors of 8 channels have in common, for variants that leave steps out.
  enum Traits {
    /// Every positive and negative shift is to the right.
    static let shiftsRight: Int32 = 1
    /// No accumulator's shift is to the right.
    static let accumulatesLeft: Int32 = 2
    /// Negative sums have factors of their own.
    static let hasSlopes: Int32 = 4
  }

  func offset(_ column: Column) -> Int { padded * (biasBytes + 4 * column.rawValue) }

  /// Writes all columns but bias and sum of weights, which it clears. Without `negative` it is as
  /// `positive`; whatever else is absent is 0. A multiplier of 0 gives 0 whatever its shift, so its
  /// shift is made a usual one.
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
    for channel in 0..<padded {
      idle(.positiveMultiplier, channel, -1, packed)
      idle(.negativeMultiplier, channel, -1, packed)
      idle(.accumulatorMultiplier, channel, 0, packed)
    }
    for first in stride(from: 0, to: padded, by: 8) {
      packed.storeBytes(
        of: traits(first, packed), toByteOffset: offset(.traits) + 4 * first, as: Int32.self)
    }
  }

  private func idle(
    _ column: Column, _ channel: Int, _ shift: Int32, _ packed: UnsafeMutableRawBufferPointer
  ) {
    let place = offset(column) + 4 * channel
    if packed.load(fromByteOffset: place, as: Int32.self) == 0 {
      packed.storeBytes(of: shift, toByteOffset: place + 4 * padded, as: Int32.self)
    }
  }

  private func traits(_ first: Int, _ packed: UnsafeMutableRawBufferPointer) -> Int32 {
    var bits = Traits.shiftsRight | Traits.accumulatesLeft
    for channel in first..<first + 8 {
      let constant = { (column: Column) -> Int32 in
        packed.load(fromByteOffset: offset(column) + 4 * channel, as: Int32.self)
      }
      if constant(.positiveShift) >= 0 || constant(.negativeShift) >= 0 {
        bits &= ~Traits.shiftsRight
      }
      if constant(.accumulatorShift) < 0 { bits &= ~Traits.accumulatesLeft }
      if constant(.positiveMultiplier) != constant(.negativeMultiplier)
        || constant(.positiveShift) != constant(.negativeShift)
      {
        bits |= Traits.hasSlopes
      }
    }
    return bits
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
