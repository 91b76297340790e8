#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Sums of 8 output channels for `pixels` neighbouring outputs of one row.
  ///
  /// A kernel row reads one contiguous run of int8 values in units of 8. Two products of int8 fit
  /// int16 as long as no weight is −128: smull, smlal, then one sadalp for both. Zero points are
  /// not subtracted here but with the bias.
  /// - ring: `rowCount` staged rows, `pitch` bytes apart, the first kernel row in slot `firstRow`.
  /// - step: bytes from one output's run to the next.
  /// - weights: by kernel row, unit, channel, element of the unit.
  /// - sums: by pixel, channel. Written, and the inputs read, for `pixels` rounded up to 2.
  func convolve_s8_2x8_neon(
    ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, units: Int, pixels: Int,
    step: Int, weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var pixel = 0
    while pixel < pixels {
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
      var b0 = a0
      var b1 = a0
      var b2 = a0
      var b3 = a0
      var b4 = a0
      var b5 = a0
      var b6 = a0
      var b7 = a0
      for _ in 0..<rowCount {
        var run = ring + (row &* pitch &+ pixel &* step)
        var left = units
        while left >= 2 {
          let x = TwoUnits(run, run + 8)
          let y = TwoUnits(run + step, run + (step &+ 8))
          accumulate(&a0, &b0, x, y, TwoUnits(weight, weight + 64))
          accumulate(&a1, &b1, x, y, TwoUnits(weight + 8, weight + 72))
          accumulate(&a2, &b2, x, y, TwoUnits(weight + 16, weight + 80))
          accumulate(&a3, &b3, x, y, TwoUnits(weight + 24, weight + 88))
          accumulate(&a4, &b4, x, y, TwoUnits(weight + 32, weight + 96))
          accumulate(&a5, &b5, x, y, TwoUnits(weight + 40, weight + 104))
          accumulate(&a6, &b6, x, y, TwoUnits(weight + 48, weight + 112))
          accumulate(&a7, &b7, x, y, TwoUnits(weight + 56, weight + 120))
          run += 16
          weight += 128
          left &-= 2
        }
        if left > 0 {
          let x = eight(run)
          let y = eight(run + step)
          accumulate(&a0, &b0, x, y, eight(weight))
          accumulate(&a1, &b1, x, y, eight(weight + 8))
          accumulate(&a2, &b2, x, y, eight(weight + 16))
          accumulate(&a3, &b3, x, y, eight(weight + 24))
          accumulate(&a4, &b4, x, y, eight(weight + 32))
          accumulate(&a5, &b5, x, y, eight(weight + 40))
          accumulate(&a6, &b6, x, y, eight(weight + 48))
          accumulate(&a7, &b7, x, y, eight(weight + 56))
          weight += 64
        }
        row = row &+ 1 == rowCount ? 0 : row &+ 1
      }
      let out = sums + pixel &* 32
      out.storeBytes(of: totals(a0, a1, a2, a3), as: SIMD4<Int32>.self)
      out.storeBytes(of: totals(a4, a5, a6, a7), toByteOffset: 16, as: SIMD4<Int32>.self)
      out.storeBytes(of: totals(b0, b1, b2, b3), toByteOffset: 32, as: SIMD4<Int32>.self)
      out.storeBytes(of: totals(b4, b5, b6, b7), toByteOffset: 48, as: SIMD4<Int32>.self)
      pixel &+= 2
    }
  }

  private struct TwoUnits {
    let first: SIMD8<Int8>
    let second: SIMD8<Int8>

    @inline(__always)
    init(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer) {
      self.first = eight(first)
      self.second = eight(second)
    }
  }

  @inline(__always)
  private func eight(_ bytes: UnsafeRawPointer) -> SIMD8<Int8> {
    bytes.loadUnaligned(as: SIMD8<Int8>.self)
  }

  @inline(__always)
  private func accumulate(
    _ a: inout SIMD4<Int32>, _ b: inout SIMD4<Int32>, _ x: TwoUnits, _ y: TwoUnits, _ w: TwoUnits
  ) {
    a = vpadalq_s16(a, vmlal_s8(vmull_s8(x.first, w.first), x.second, w.second))
    b = vpadalq_s16(b, vmlal_s8(vmull_s8(y.first, w.first), y.second, w.second))
  }

  @inline(__always)
  private func accumulate(
    _ a: inout SIMD4<Int32>, _ b: inout SIMD4<Int32>, _ x: SIMD8<Int8>, _ y: SIMD8<Int8>,
    _ w: SIMD8<Int8>
  ) {
    a = vpadalq_s16(a, vmull_s8(x, w))
    b = vpadalq_s16(b, vmull_s8(y, w))
  }

  /// The four lanes of each added up.
  @inline(__always)
  private func totals(
    _ a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>
  ) -> SIMD4<Int32> {
    vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d))
  }
#endif
