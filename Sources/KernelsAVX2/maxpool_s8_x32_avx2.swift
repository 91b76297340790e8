#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// The largest of `rows` by `columns` values of each of `channels` channels, `rowStride` and
  /// `columnStride` elements apart, within bounds.
  @export(interface)
  public func maxpool_s8_x32_avx2(
    _ input: UnsafePointer<Int8>, rows: Int, columns: Int, rowStride: Int, columnStride: Int,
    channels: Int, minimum: Int32, maximum: Int32, into output: UnsafeMutablePointer<Int8>
  ) {
    let lowest = Int8(truncatingIfNeeded: minimum)
    let highest = Int8(truncatingIfNeeded: maximum)
    let source = UnsafeRawPointer(input)
    let target = UnsafeMutableRawPointer(output)
    var channel = 0
    while channel &+ 32 <= channels {
      var largest = _mm256_set1_epi8(lowest)
      for row in 0..<rows {
        var at = row &* rowStride &+ channel
        for _ in 0..<columns {
          largest = _mm256_max_epi8(
            largest, source.loadUnaligned(fromByteOffset: at, as: __m256i.self))
          at &+= columnStride
        }
      }
      target.storeBytes(
        of: _mm256_min_epi8(largest, _mm256_set1_epi8(highest)), toByteOffset: channel,
        as: __m256i.self)
      channel &+= 32
    }
    while channel &+ 16 <= channels {
      var largest = _mm_set1_epi8(lowest)
      for row in 0..<rows {
        var at = row &* rowStride &+ channel
        for _ in 0..<columns {
          largest = _mm_max_epi8(
            largest, source.loadUnaligned(fromByteOffset: at, as: __m128i.self))
          at &+= columnStride
        }
      }
      target.storeBytes(
        of: _mm_min_epi8(largest, _mm_set1_epi8(highest)), toByteOffset: channel,
        as: __m128i.self)
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
