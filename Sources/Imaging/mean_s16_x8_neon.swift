#if arch(arm64)
  import CImaging
  import _Builtin_intrinsics.arm.neon

  /// Means of pairs, rounded half up. Reads and writes for `count` outputs rounded up to 8.
  func mean2_s16_x8_neon(
    _ values: UnsafePointer<Int16>, count: Int, into means: UnsafeMutablePointer<Int16>
  ) {
    var index = 0
    while index < count {
      let source = UnsafeRawPointer(values + 2 &* index)
      let low = vpaddlq_s16(source.loadUnaligned(as: SIMD8<Int16>.self))
      let high = vpaddlq_s16(source.loadUnaligned(fromByteOffset: 16, as: SIMD8<Int16>.self))
      UnsafeMutableRawPointer(means + index).storeBytes(
        of: imaging_rounded1_s16(low, high), as: SIMD8<Int16>.self)
      index &+= 8
    }
  }

  /// Means of four, rounded half up. Reads and writes for `count` outputs rounded up to 8.
  func mean4_s16_x8_neon(
    _ values: UnsafePointer<Int16>, count: Int, into means: UnsafeMutablePointer<Int16>
  ) {
    var index = 0
    while index < count {
      let source = UnsafeRawPointer(values + 4 &* index)
      let a = vpaddlq_s16(source.loadUnaligned(as: SIMD8<Int16>.self))
      let b = vpaddlq_s16(source.loadUnaligned(fromByteOffset: 16, as: SIMD8<Int16>.self))
      let c = vpaddlq_s16(source.loadUnaligned(fromByteOffset: 32, as: SIMD8<Int16>.self))
      let d = vpaddlq_s16(source.loadUnaligned(fromByteOffset: 48, as: SIMD8<Int16>.self))
      UnsafeMutableRawPointer(means + index).storeBytes(
        of: imaging_rounded2_s16(vpaddq_s32(a, b), vpaddq_s32(c, d)), as: SIMD8<Int16>.self)
      index &+= 8
    }
  }

  /// Weighted means: output i is that of the 8 · blocks values from firsts[i] on. Reads and writes
  /// for `count` outputs rounded up to 8.
  /// - weights: in units of -2^-15, so that 1 can be said; by group of 8 outputs, block, output.
  func mean_s16_x8_neon(
    _ values: UnsafePointer<Int16>, firsts: UnsafePointer<Int32>, weights: UnsafePointer<Int16>,
    blocks: Int, count: Int, into means: UnsafeMutablePointer<Int16>
  ) {
    var weight = UnsafeRawPointer(weights)
    var index = 0
    while index < count {
      var a = vdupq_n_s32(0)
      var b = a
      var c = a
      var d = a
      var e = a
      var f = a
      var g = a
      var h = a
      let first = firsts + index
      var start = UnsafeRawPointer(values)
      for _ in 0..<blocks {
        a = withProducts(a, start, first[0], weight)
        b = withProducts(b, start, first[1], weight + 16)
        c = withProducts(c, start, first[2], weight + 32)
        d = withProducts(d, start, first[3], weight + 48)
        e = withProducts(e, start, first[4], weight + 64)
        f = withProducts(f, start, first[5], weight + 80)
        g = withProducts(g, start, first[6], weight + 96)
        h = withProducts(h, start, first[7], weight + 112)
        weight += 128
        start += 16
      }
      let low = vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d))
      let high = vpaddq_s32(vpaddq_s32(e, f), vpaddq_s32(g, h))
      UnsafeMutableRawPointer(means + index).storeBytes(
        of: imaging_rounded15_s16(vnegq_s32(low), vnegq_s32(high)), as: SIMD8<Int16>.self)
      index &+= 8
    }
  }

  /// Eight more products added, in four lanes.
  @inline(__always)
  private func withProducts(
    _ sums: SIMD4<Int32>, _ start: UnsafeRawPointer, _ first: Int32, _ weights: UnsafeRawPointer
  ) -> SIMD4<Int32> {
    let values = start.loadUnaligned(fromByteOffset: 2 &* Int(first), as: SIMD8<Int16>.self)
    let weight = weights.loadUnaligned(as: SIMD8<Int16>.self)
    return vmlal_high_s16(
      vmlal_s16(sums, vget_low_s16(values), vget_low_s16(weight)), values, weight)
  }
#endif
