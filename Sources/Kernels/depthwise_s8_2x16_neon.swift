#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Depthwise sums of 16 channels for `pixels` neighbouring outputs of one row: two taps at a time,
  /// whose products fit int16 together (see `convolve_s8_2x8_neon`).
  /// - taps: 2 * `pairs` places in the staged rows, the first output's; an odd kernel's last tap is
  ///   repeated with weights of 0.
  /// - offset: bytes to the first channel of the block.
  /// - step: bytes from one output to the next.
  /// - weights: by tap, channel.
  /// - sums: by pixel, channel. Written, and the inputs read, for `pixels` rounded up to 2.
  @inline(never)  // so that profiles and the check of its loop find it
  func depthwise_s8_2x16_neon(
    taps: UnsafePointer<UnsafeRawPointer>, pairs: Int, offset: Int, pixels: Int, step: Int,
    weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var pixel = 0
    var out = sums
    while pixel < pixels {
      let at = offset &+ pixel &* step
      var first = Sixteen()
      var second = Sixteen()
      var tap = taps
      var weight = weights
      var left = pairs
      while left > 0 {
        let x = tap[0] + at
        let y = tap[1] + at
        let w = sixteen(weight)
        let v = sixteen(weight + 16)
        first.add(sixteen(x), w, sixteen(y), v)
        second.add(sixteen(x + step), w, sixteen(y + step), v)
        tap += 2
        weight += 32
        left &-= 1
      }
      first.store(to: out)
      second.store(to: out + 64)
      out += 128
      pixel &+= 2
    }
  }

  /// Sums of 16 channels.
  private struct Sixteen {
    var a = vdupq_n_s32(0)
    var b = vdupq_n_s32(0)
    var c = vdupq_n_s32(0)
    var d = vdupq_n_s32(0)

    @inline(__always)
    mutating func add(
      _ x: SIMD16<Int8>, _ w: SIMD16<Int8>, _ y: SIMD16<Int8>, _ v: SIMD16<Int8>
    ) {
      let low = vmlal_s8(
        vmull_s8(vget_low_s8(x), vget_low_s8(w)), vget_low_s8(y), vget_low_s8(v))
      let high = vmlal_high_s8(vmull_high_s8(x, w), y, v)
      a = vaddw_s16(a, vget_low_s16(low))
      b = vaddw_high_s16(b, low)
      c = vaddw_s16(c, vget_low_s16(high))
      d = vaddw_high_s16(d, high)
    }

    @inline(__always)
    func store(to sums: UnsafeMutableRawPointer) {
      sums.storeBytes(of: a, as: SIMD4<Int32>.self)
      sums.storeBytes(of: b, toByteOffset: 16, as: SIMD4<Int32>.self)
      sums.storeBytes(of: c, toByteOffset: 32, as: SIMD4<Int32>.self)
      sums.storeBytes(of: d, toByteOffset: 48, as: SIMD4<Int32>.self)
    }
  }

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }
#endif
