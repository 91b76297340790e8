/// The frame's pixels that go into one output pixel along one axis.
struct Taps {
  /// The first pixel (or chroma sample).
  var first: Int32 = 0
  var count: Int32 = 0
  /// Where its weights begin in the axis' list.
  var weights: Int32 = 0
}

/// All taps along one axis. Weights are in units of 2^-15 and add up to 1 for each output pixel.
struct TapTable {
  static let one = 1 << 15

  let taps: UnsafeMutablePointer<Taps>
  let weights: UnsafeMutablePointer<UInt16>
  let count: Int

  /// Weights that an axis may need: every pixel once, and two shared ones for each output pixel.
  static func weightCount(outputs: Int, inputs: Int) -> Int { inputs + 2 * outputs }

  /// Taps for luma, or for channels of full size.
  /// - Parameters:
  ///   - count: output pixels.
  ///   - length: pixels of the frame.
  ///   - numerator, denominator: of the scale.
  ///   - flips: output pixel 0 lies at the frame's far end.
  func fill(length: Int, numerator: Int, denominator: Int, flips: Bool) {
    var used = 0
    for index in 0..<count {
      taps[index].weights = Int32(truncatingIfNeeded: used)
      if denominator >= numerator {
        // In units of 1 / numerator of a frame's pixel: everything is whole.
        let end = length * numerator
        var low = index * denominator
        var high = min(end, low + denominator)
        if flips { (low, high) = (end - high, end - low) }
        let first = low / numerator
        let last = (high - 1) / numerator
        taps[index].first = Int32(truncatingIfNeeded: first)
        taps[index].count = Int32(truncatingIfNeeded: last - first + 1)
        // The rounded running sum's steps, so that the weights add up.
        var before = 0
        for pixel in first...last {
          let covered = min(high, (pixel + 1) * numerator) - low
          let sum = (covered * Self.one + (high - low) / 2) / (high - low)
          weights[used] = UInt16(truncatingIfNeeded: sum - before)
          before = sum
          used += 1
        }
      } else {
        // In units of 1 / (2 numerator), from the middle of the first pixel.
        let unit = 2 * numerator
        let end = (length - 1) * unit
        var place = max(0, min(end, (2 * index + 1) * denominator - numerator))
        if flips { place = end - place }
        let first = place / unit
        let second = (place % unit * Self.one + numerator) / unit
        taps[index].first = Int32(truncatingIfNeeded: first)
        taps[index].count = second == 0 ? 1 : 2
        weights[used] = UInt16(truncatingIfNeeded: Self.one - second)
        used += 1
        if second > 0 {
          weights[used] = UInt16(truncatingIfNeeded: second)
          used += 1
        }
      }
    }
  }

  /// Taps for chroma that two pixels share: the weights of both go to their sample.
  func fill(halving luma: TapTable) {
    var used = 0
    for index in 0..<count {
      let source = luma.taps[index]
      let first = source.first / 2
      let last = (source.first + source.count - 1) / 2
      taps[index] = Taps(
        first: first, count: last - first + 1, weights: Int32(truncatingIfNeeded: used))
      for sample in first...last {
        weights[used + Int(sample - first)] = 0
      }
      for pixel in 0..<source.count {
        let sample = (source.first + pixel) / 2 - first
        weights[used + Int(sample)] += luma.weights[Int(source.weights + pixel)]
      }
      used += Int(last - first + 1)
    }
  }
}
