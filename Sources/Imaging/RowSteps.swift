import CImaging
import ImagingAVX2

/// The steps that scaling is made of, each in the instructions of one processor.
///
/// A component on its way is an int16: 256 times its value less 32768. A step reads and writes whole
/// vectors, so that every row has room for ``slack`` values more than it needs.
enum RowSteps {
  case neon
  case avx2

  /// nil where the reference runs.
  init?(_ kernels: PictureKernels) {
    switch kernels {
    case .reference: return nil
    case .neon: self = .neon
    case .avx2: self = .avx2
    }
  }

  /// Values that may be read or written past the last.
  static let slack = 64

  /// The weighted mean of neighbouring rows of bytes.
  /// - weights: in units of 2^-15, 1 in all.
  func sumRows(
    _ first: UnsafeRawPointer, stride: Int, taps: Int, weights: UnsafePointer<UInt16>, count: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    guard count >= 32 else {
      plainlySumRows(first, stride: stride, taps: taps, weights: weights, count: count, into: row)
      return
    }
    let shift = Self.equalShift(weights, taps)
    switch self {
    case .avx2:
      #if arch(x86_64)
        if let shift {
          addrows_u8_x32_avx2(first, stride: stride, shift: shift, count: count, into: row)
        } else {
          sumrows_u8_x32_avx2(
            first, stride: stride, taps: taps, weights: weights, count: count, into: row)
        }
      #endif
    case .neon:
      #if arch(arm64)
        if let shift {
          addrows_u8_x32_neon(first, stride: stride, shift: shift, count: count, into: row)
        } else {
          sumrows_u8_x32_neon(
            first, stride: stride, taps: taps, weights: weights, count: count, into: row)
        }
      #endif
    }
  }

  /// The logarithm of the number of taps where that is a power of two and their weights are equal.
  private static func equalShift(_ weights: UnsafePointer<UInt16>, _ taps: Int) -> Int? {
    let shift = taps.trailingZeroBitCount
    guard shift <= 8, taps == 1 << shift else { return nil }
    for tap in 0..<taps where Int(weights[tap]) != TapTable.one >> shift { return nil }
    return shift
  }

  /// For rows that are shorter than a vector.
  private func plainlySumRows(
    _ first: UnsafeRawPointer, stride: Int, taps: Int, weights: UnsafePointer<UInt16>, count: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    for byte in 0..<count {
      var sum: Int32 = 64 - (32768 << 7)
      for tap in 0..<taps {
        sum &+= Int32(weights[tap]) &* (first + tap &* stride).byte(byte)
      }
      row[byte] = Int16(truncatingIfNeeded: sum &>> 7)
    }
  }

  func splitPairs(
    _ pairs: UnsafePointer<Int16>, count: Int, _ first: UnsafeMutablePointer<Int16>,
    _ second: UnsafeMutablePointer<Int16>
  ) {
    switch self {
    case .avx2:
      #if arch(x86_64)
        split2_s16_x16_avx2(pairs, count: count, first: first, second: second)
      #endif
    case .neon:
      #if arch(arm64)
        split2_s16_x8_neon(pairs, count: count, first: first, second: second)
      #endif
    }
  }

  func splitTriples(
    _ triples: UnsafePointer<Int16>, count: Int, _ first: UnsafeMutablePointer<Int16>,
    _ second: UnsafeMutablePointer<Int16>, _ third: UnsafeMutablePointer<Int16>
  ) {
    switch self {
    case .avx2:
      #if arch(x86_64)
        split3_s16_x8_avx2(triples, count: count, first: first, second: second, third: third)
      #endif
    case .neon:
      #if arch(arm64)
        split3_s16_x8_neon(triples, count: count, first: first, second: second, third: third)
      #endif
    }
  }

  /// The means that `columns` asks for.
  /// - Returns: where they are: `means`, or `values` where nothing is to be done.
  func means(
    _ values: UnsafePointer<Int16>, _ columns: ColumnMeans, into means: UnsafeMutablePointer<Int16>
  ) -> UnsafePointer<Int16> {
    switch columns.kind {
    case .same:
      return values
    case .pairs:
      switch self {
      case .avx2:
        #if arch(x86_64)
          mean2_s16_x16_avx2(values, count: columns.count, into: means)
        #endif
      case .neon:
        #if arch(arm64)
          mean2_s16_x8_neon(values, count: columns.count, into: means)
        #endif
      }
    case .fours:
      switch self {
      case .avx2:
        #if arch(x86_64)
          mean4_s16_x16_avx2(values, count: columns.count, into: means)
        #endif
      case .neon:
        #if arch(arm64)
          mean4_s16_x8_neon(values, count: columns.count, into: means)
        #endif
      }
    case .weighted:
      switch self {
      case .avx2:
        #if arch(x86_64)
          mean_s16_x8_avx2(
            values, firsts: columns.firsts, weights: columns.weights, blocks: columns.blocks,
            count: columns.count, into: means)
        #endif
      case .neon:
        #if arch(arm64)
          mean_s16_x8_neon(
            values, firsts: columns.firsts, weights: columns.weights, blocks: columns.blocks,
            count: columns.count, into: means)
        #endif
      }
    }
    return UnsafePointer(means)
  }

  func convert(
    _ planes: Planes, count: Int, isReversed: Bool, _ conversion: imaging_conversion,
    into output: UnsafeMutablePointer<Int8>
  ) {
    switch self {
    case .avx2:
      #if arch(x86_64)
        torgb_s16_x16_avx2(
          planes.first, planes.second, planes.third, count: count, isReversed: isReversed,
          conversion, into: output)
      #endif
    case .neon:
      #if arch(arm64)
        torgb_s16_x16_neon(
          planes.first, planes.second, planes.third, count: count, isReversed: isReversed,
          conversion, into: output)
      #endif
    }
  }

  /// Fewest samples along a line that ``sample(_:isBlocks:count:_:_:_:)`` takes.
  static let fewestSamples = 8

  /// Bilinear samples of a packed 4:2:2 picture along a line.
  func sample(
    _ line: imaging_line, isBlocks: Bool, count: Int, _ y: UnsafeMutablePointer<Int16>,
    _ u: UnsafeMutablePointer<Int16>, _ v: UnsafeMutablePointer<Int16>
  ) {
    switch self {
    case .avx2:
      #if arch(x86_64)
        if isBlocks {
          sample422_blocks_x8_avx2(line, count: count, y: y, u: u, v: v)
        } else {
          sample422_pixels_x8_avx2(line, count: count, y: y, u: u, v: v)
        }
      #endif
    case .neon:
      #if arch(arm64)
        if isBlocks {
          sample422_blocks_x4_neon(line, count: count, y: y, u: u, v: v)
        } else {
          sample422_pixels_x4_neon(line, count: count, y: y, u: u, v: v)
        }
      #endif
    }
  }

  /// For components that are R G B.
  func round(
    _ planes: Planes, count: Int, isReversed: Bool, into output: UnsafeMutablePointer<Int8>
  ) {
    switch self {
    case .avx2:
      #if arch(x86_64)
        roundrgb_s16_x16_avx2(
          planes.first, planes.second, planes.third, count: count, isReversed: isReversed,
          into: output)
      #endif
    case .neon:
      #if arch(arm64)
        roundrgb_s16_x16_neon(
          planes.first, planes.second, planes.third, count: count, isReversed: isReversed,
          into: output)
      #endif
    }
  }
}

/// Rows of the three components.
struct Planes {
  var first: UnsafePointer<Int16>
  var second: UnsafePointer<Int16>
  var third: UnsafePointer<Int16>
}

extension YUVToRGB {
  /// The same arithmetic on components less 32768, and with what makes the result an int8.
  var shifted: imaging_conversion {
    imaging_conversion(
      luma: Int16(truncatingIfNeeded: luma), red_v: Int16(truncatingIfNeeded: redV),
      green_u: Int16(truncatingIfNeeded: greenU), green_v: Int16(truncatingIfNeeded: greenV),
      blue_u: Int16(truncatingIfNeeded: blueU),
      offset: luma &* (32768 &- black) &+ (1 << 20) &- (128 << Self.fraction))
  }
}
