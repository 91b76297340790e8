#if arch(arm64)
  import CImaging
  import _Builtin_intrinsics.arm.neon

  /// Converts `count` pixels and writes their R G B. Components are read for `count` rounded up to
  /// 16; exactly 3 · count bytes are written.
  /// - isReversed: the last pixel is written first.
  func torgb_s16_x16_neon(
    _ y: UnsafePointer<Int16>, _ u: UnsafePointer<Int16>, _ v: UnsafePointer<Int16>, count: Int,
    isReversed: Bool, _ conversion: imaging_conversion, into output: UnsafeMutablePointer<Int8>
  ) {
    let luma = vdup_n_s16(conversion.luma)
    let redV = vdup_n_s16(conversion.red_v)
    let greenU = vdup_n_s16(conversion.green_u)
    let greenV = vdup_n_s16(conversion.green_v)
    let blueU = vdup_n_s16(conversion.blue_u)
    let offset = vdupq_n_s32(conversion.offset)
    forEachSixteen(count, isReversed, into: output) { index in
      @inline(__always)
      func eight(_ from: Int) -> RGB8 {
        let y = UnsafeRawPointer(y + from).loadUnaligned(as: SIMD8<Int16>.self)
        let u = UnsafeRawPointer(u + from).loadUnaligned(as: SIMD8<Int16>.self)
        let v = UnsafeRawPointer(v + from).loadUnaligned(as: SIMD8<Int16>.self)
        let (uLow, uHigh) = (vget_low_s16(u), vget_high_s16(u))
        let (vLow, vHigh) = (vget_low_s16(v), vget_high_s16(v))
        let low = vmlal_s16(offset, vget_low_s16(y), luma)
        let high = vmlal_s16(offset, vget_high_s16(y), luma)
        return RGB8(
          red: imaging_shifted21_s8(vmlal_s16(low, vLow, redV), vmlal_s16(high, vHigh, redV)),
          green: imaging_shifted21_s8(
            vmlsl_s16(vmlsl_s16(low, uLow, greenU), vLow, greenV),
            vmlsl_s16(vmlsl_s16(high, uHigh, greenU), vHigh, greenV)),
          blue: imaging_shifted21_s8(vmlal_s16(low, uLow, blueU), vmlal_s16(high, uHigh, blueU)))
      }
      return RGB16(eight(index), eight(index &+ 8))
    }
  }

  /// The same for components that are R G B: rounds them.
  func roundrgb_s16_x16_neon(
    _ r: UnsafePointer<Int16>, _ g: UnsafePointer<Int16>, _ b: UnsafePointer<Int16>, count: Int,
    isReversed: Bool, into output: UnsafeMutablePointer<Int8>
  ) {
    forEachSixteen(count, isReversed, into: output) { index in
      @inline(__always)
      func rounded(_ values: UnsafePointer<Int16>) -> SIMD8<Int8> {
        imaging_rounded8_s8(UnsafeRawPointer(values).loadUnaligned(as: SIMD8<Int16>.self))
      }
      @inline(__always)
      func eight(_ from: Int) -> RGB8 {
        RGB8(red: rounded(r + from), green: rounded(g + from), blue: rounded(b + from))
      }
      return RGB16(eight(index), eight(index &+ 8))
    }
  }

  private struct RGB8 {
    let red: SIMD8<Int8>
    let green: SIMD8<Int8>
    let blue: SIMD8<Int8>
  }

  private struct RGB16 {
    let red: SIMD16<Int8>
    let green: SIMD16<Int8>
    let blue: SIMD16<Int8>

    @inline(__always)
    init(_ low: RGB8, _ high: RGB8) {
      red = vcombine_s8(low.red, high.red)
      green = vcombine_s8(low.green, high.green)
      blue = vcombine_s8(low.blue, high.blue)
    }

    @inline(__always)
    func store(_ output: UnsafeMutablePointer<Int8>, _ isReversed: Bool) {
      if isReversed {
        imaging_store_rgb(
          output, imaging_reversed_s8(red), imaging_reversed_s8(green), imaging_reversed_s8(blue))
      } else {
        imaging_store_rgb(output, red, green, blue)
      }
    }
  }

  /// Stores what `body` makes of the pixels from an index on, reversed or not, 16 at a time.
  @inline(__always)
  private func forEachSixteen(
    _ count: Int, _ isReversed: Bool, into output: UnsafeMutablePointer<Int8>,
    _ body: (_ index: Int) -> RGB16
  ) {
    var done = 0
    while done < count {
      let left = count &- done
      // Reversed, the first pixels that are written are the last that are read.
      let pixels = body(isReversed ? max(0, left &- 16) : done)
      let place = output + 3 &* done
      if left >= 16 {
        pixels.store(place, isReversed)
      } else {
        var rest = InlineArray<48, Int8>(repeating: 0)
        withUnsafeMutablePointer(to: &rest) { rest in
          let bytes = UnsafeMutableRawPointer(rest).assumingMemoryBound(to: Int8.self)
          pixels.store(bytes, isReversed)
          // Of a reversed vector that began at 0 the pixels wanted are the last.
          place.update(from: bytes + (isReversed ? 48 &- 3 &* left : 0), count: 3 &* left)
        }
      }
      done &+= 16
    }
  }
#endif
