#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// The largest of `rows` by `columns` values of each of `channels` channels, `rowStride` and
  /// `columnStride` elements apart, within bounds.
  func maxpool_s8_x16_neon(
    _ input: UnsafePointer<Int8>, rows: Int, columns: Int, rowStride: Int, columnStride: Int,
    channels: Int, minimum: Int32, maximum: Int32, into output: UnsafeMutablePointer<Int8>
  ) {
    let lowest = Int8(truncatingIfNeeded: minimum)
    let highest = Int8(truncatingIfNeeded: maximum)
    let source = UnsafeRawPointer(input)
    var channel = 0
    while channel &+ 16 <= channels {
      var largest = vdupq_n_s8(lowest)
      for row in 0..<rows {
        var at = row &* rowStride &+ channel
        for _ in 0..<columns {
          largest = vmaxq_s8(
            largest, source.loadUnaligned(fromByteOffset: at, as: SIMD16<Int8>.self))
          at &+= columnStride
        }
      }
      UnsafeMutableRawPointer(output + channel).storeBytes(
        of: vminq_s8(largest, vdupq_n_s8(highest)), as: SIMD16<Int8>.self)
      channel &+= 16
    }
    while channel < channels {
      var largest = lowest
      for row in 0..<rows {
        for column in 0..<columns {
          largest = max(largest, input[row &* rowStride &+ column &* columnStride &+ channel])
        }
      }
      output[channel] = min(largest, highest)
      channel &+= 1
    }
  }
#endif
