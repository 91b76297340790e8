#if arch(arm64)
  import CImaging
  import _Builtin_intrinsics.arm.neon

  /// The weighted mean of `taps` rows of `count` bytes, 32 or more: 256 times it, rounded, less
  /// 32768.
  /// - weights: in units of 2^-15, 1 in all.
  func sumrows_u8_x32_neon(
    _ first: UnsafeRawPointer, stride: Int, taps: Int, weights: UnsafePointer<UInt16>, count: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    forEachStrip(count) { place in
      var a = vdupq_n_u32(0)
      var b = a
      var c = a
      var d = a
      var e = a
      var f = a
      var g = a
      var h = a
      var line = first + place
      for tap in 0..<taps {
        let weight = vdupq_n_u16(weights[tap])
        let low = line.loadUnaligned(as: SIMD16<UInt8>.self)
        let high = line.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
        let one = vmovl_u8(vget_low_u8(low))
        let two = vmovl_high_u8(low)
        let three = vmovl_u8(vget_low_u8(high))
        let four = vmovl_high_u8(high)
        a = vmlal_u16(a, vget_low_u16(one), vget_low_u16(weight))
        b = vmlal_high_u16(b, one, weight)
        c = vmlal_u16(c, vget_low_u16(two), vget_low_u16(weight))
        d = vmlal_high_u16(d, two, weight)
        e = vmlal_u16(e, vget_low_u16(three), vget_low_u16(weight))
        f = vmlal_high_u16(f, three, weight)
        g = vmlal_u16(g, vget_low_u16(four), vget_low_u16(weight))
        h = vmlal_high_u16(h, four, weight)
        line += stride
      }
      let target = UnsafeMutableRawPointer(row + place)
      target.storeBytes(of: imaging_mean_s16(a, b), as: SIMD8<Int16>.self)
      target.storeBytes(of: imaging_mean_s16(c, d), toByteOffset: 16, as: SIMD8<Int16>.self)
      target.storeBytes(of: imaging_mean_s16(e, f), toByteOffset: 32, as: SIMD8<Int16>.self)
      target.storeBytes(of: imaging_mean_s16(g, h), toByteOffset: 48, as: SIMD8<Int16>.self)
    }
  }

  /// The same for 1 << shift rows of equal weight, at most 256.
  func addrows_u8_x32_neon(
    _ first: UnsafeRawPointer, stride: Int, shift: Int, count: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    let toMean = vdupq_n_s16(Int16(truncatingIfNeeded: 8 &- shift))
    let half = vdupq_n_u16(0x8000)
    let taps = 1 &<< shift
    forEachStrip(count) { place in
      var a = vdupq_n_u16(0)
      var b = a
      var c = a
      var d = a
      var line = first + place
      for _ in 0..<taps {
        let low = line.loadUnaligned(as: SIMD16<UInt8>.self)
        let high = line.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
        a = vaddw_u8(a, vget_low_u8(low))
        b = vaddw_high_u8(b, low)
        c = vaddw_u8(c, vget_low_u8(high))
        d = vaddw_high_u8(d, high)
        line += stride
      }
      let target = UnsafeMutableRawPointer(row + place)
      @inline(__always)
      func mean(_ sum: SIMD8<UInt16>) -> SIMD8<UInt16> { veorq_u16(vshlq_u16(sum, toMean), half) }
      target.storeBytes(of: mean(a), as: SIMD8<UInt16>.self)
      target.storeBytes(of: mean(b), toByteOffset: 16, as: SIMD8<UInt16>.self)
      target.storeBytes(of: mean(c), toByteOffset: 32, as: SIMD8<UInt16>.self)
      target.storeBytes(of: mean(d), toByteOffset: 48, as: SIMD8<UInt16>.self)
    }
  }

  /// The last strip overlaps the one before.
  @inline(__always)
  private func forEachStrip(_ count: Int, _ body: (_ place: Int) -> Void) {
    var place = 0
    while place &+ 32 <= count {
      body(place)
      place &+= 32
    }
    if place < count { body(count &- 32) }
  }
#endif
