#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Sums of 8 output channels for `pixels` neighbouring outputs of one row.
  ///
  /// A kernel row reads one contiguous run of int8 values in units of 16. Two products of int8 fit
  /// int16 as long as no weight is −128: smull, smlal2, then one sadalp for both, 16 products in 3
  /// instructions. Zero points are not subtracted here but with the bias.
  /// - ring: `rowCount` staged rows, `pitch` bytes apart, the first kernel row in slot `firstRow`.
  /// - step: bytes from one output's run to the next.
  /// - weights: by kernel row, unit, channel, element of the unit.
  /// - sums: by pixel, channel. Written for `pixels` rounded up to 2.
  func convolve_s8_2x8_neon(
    ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, units: Int, pixels: Int,
    step: Int, weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var pixel = 0
    var out = sums
    while pixel &+ 2 <= pixels {
      var row = firstRow
      var run = ring + (row &* pitch &+ pixel &* step)
      var weight = weights
      // The first unit begins the sums, so that nothing is cleared: a layer of 16 channels has no other.
      let x = sixteen(run)
      let y = sixteen(run + step)
      let w0 = sixteen(weight)
      var a0 = vpaddlq_s16(products(x, w0))
      var b0 = vpaddlq_s16(products(y, w0))
      let w1 = sixteen(weight + 16)
      var a1 = vpaddlq_s16(products(x, w1))
      var b1 = vpaddlq_s16(products(y, w1))
      let w2 = sixteen(weight + 32)
      var a2 = vpaddlq_s16(products(x, w2))
      var b2 = vpaddlq_s16(products(y, w2))
      let w3 = sixteen(weight + 48)
      var a3 = vpaddlq_s16(products(x, w3))
      var b3 = vpaddlq_s16(products(y, w3))
      let w4 = sixteen(weight + 64)
      var a4 = vpaddlq_s16(products(x, w4))
      var b4 = vpaddlq_s16(products(y, w4))
      let w5 = sixteen(weight + 80)
      var a5 = vpaddlq_s16(products(x, w5))
      var b5 = vpaddlq_s16(products(y, w5))
      let w6 = sixteen(weight + 96)
      var a6 = vpaddlq_s16(products(x, w6))
      var b6 = vpaddlq_s16(products(y, w6))
      let w7 = sixteen(weight + 112)
      var a7 = vpaddlq_s16(products(x, w7))
      var b7 = vpaddlq_s16(products(y, w7))
      var left = units &- 1
      var rowsLeft = rowCount
      while true {
        while left > 0 {
          run += 16
          weight += 128
          let x = sixteen(run)
          let y = sixteen(run + step)
          accumulate(&a0, &b0, x, y, sixteen(weight))
          accumulate(&a1, &b1, x, y, sixteen(weight + 16))
          accumulate(&a2, &b2, x, y, sixteen(weight + 32))
          accumulate(&a3, &b3, x, y, sixteen(weight + 48))
          accumulate(&a4, &b4, x, y, sixteen(weight + 64))
          accumulate(&a5, &b5, x, y, sixteen(weight + 80))
          accumulate(&a6, &b6, x, y, sixteen(weight + 96))
          accumulate(&a7, &b7, x, y, sixteen(weight + 112))
          left &-= 1
        }
        rowsLeft &-= 1
        if rowsLeft == 0 { break }
        row = row &+ 1 == rowCount ? 0 : row &+ 1
        run = ring + (row &* pitch &+ pixel &* step &- 16)
        left = units
      }
      out.storeBytes(of: totals(a0, a1, a2, a3), as: SIMD4<Int32>.self)
      out.storeBytes(of: totals(a4, a5, a6, a7), toByteOffset: 16, as: SIMD4<Int32>.self)
      out.storeBytes(of: totals(b0, b1, b2, b3), toByteOffset: 32, as: SIMD4<Int32>.self)
      out.storeBytes(of: totals(b4, b5, b6, b7), toByteOffset: 48, as: SIMD4<Int32>.self)
      out += 64
      pixel &+= 2
    }
    if pixel == pixels { return }
    var row = firstRow
    var weight = weights
    var a0 = vdupq_n_s32(0)
    var a1 = a0
    var a2 = a0
    var a3 = a0
    var a4 = a0
    var a5 = a0
    var a6 = a0
    var a7 = a0
    for _ in 0..<rowCount {
      var run = ring + (row &* pitch &+ pixel &* step)
      var left = units
      while left > 0 {
        let x = sixteen(run)
        a0 = vpadalq_s16(a0, products(x, sixteen(weight)))
        a1 = vpadalq_s16(a1, products(x, sixteen(weight + 16)))
        a2 = vpadalq_s16(a2, products(x, sixteen(weight + 32)))
        a3 = vpadalq_s16(a3, products(x, sixteen(weight + 48)))
        a4 = vpadalq_s16(a4, products(x, sixteen(weight + 64)))
        a5 = vpadalq_s16(a5, products(x, sixteen(weight + 80)))
        a6 = vpadalq_s16(a6, products(x, sixteen(weight + 96)))
        a7 = vpadalq_s16(a7, products(x, sixteen(weight + 112)))
        run += 16
        weight += 128
        left &-= 1
      }
      row = row &+ 1 == rowCount ? 0 : row &+ 1
    }
    out.storeBytes(of: totals(a0, a1, a2, a3), as: SIMD4<Int32>.self)
    out.storeBytes(of: totals(a4, a5, a6, a7), toByteOffset: 16, as: SIMD4<Int32>.self)
  }

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }

  /// 16 products in 8 sums of two.
  @inline(__always)
  private func products(_ x: SIMD16<Int8>, _ w: SIMD16<Int8>) -> SIMD8<Int16> {
    vmlal_high_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), x, w)
  }

  @inline(__always)
  private func accumulate(
    _ a: inout SIMD4<Int32>, _ b: inout SIMD4<Int32>, _ x: SIMD16<Int8>, _ y: SIMD16<Int8>,
    _ w: SIMD16<Int8>
  ) {
    a = vpadalq_s16(a, products(x, w))
    b = vpadalq_s16(b, products(y, w))
  }

  /// The four lanes of each added up.
  @inline(__always)
  private func totals(
    _ a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>
  ) -> SIMD4<Int32> {
    vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d))
  }
#endif
