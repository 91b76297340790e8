#if arch(arm64)
  import CKernels
  import _Builtin_intrinsics.arm.neon

  /// Sums of 8 output channels for `pixels` neighbouring outputs of one row, 8 outputs at a time.
  ///
  /// A kernel row reads one contiguous run of int8 values in units of 16, and sdot adds the products of a
  /// quarter of a unit for four channels. Zero points are not subtracted here but with the bias.
  /// - ring: `rowCount` staged rows, `pitch` bytes apart, the first kernel row in slot `firstRow`.
  /// - step: bytes from one output's run to the next.
  /// - weights: by kernel row, unit, quarter of the unit, channel, element of the quarter.
  /// - sums: by pixel, channel.
  // Exported as an interface alone: otherwise it would be compiled again in the module that imports
  // it, which is compiled for processors without this instruction.
  @export(interface)
  public func convolve_s8_8x8_dot(
    ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, units: Int, pixels: Int,
    step: Int, weights: UnsafeRawPointer, sums: UnsafeMutableRawPointer
  ) {
    var first = ring
    var out = sums
    var left = pixels
    while left >= 8 {
      var (a, b, c, d) = (Eight(), Eight(), Eight(), Eight())
      var (e, f, g, h) = (Eight(), Eight(), Eight(), Eight())
      var weight = weights
      var row = firstRow
      var rowsLeft = rowCount
      repeat {
        var run = first + row &* pitch
        var unit = units
        while unit > 0 {
          let w = Weights(weight)
          a.add(sixteen(run), w)
          b.add(sixteen(run + step), w)
          c.add(sixteen(run + 2 &* step), w)
          d.add(sixteen(run + 3 &* step), w)
          e.add(sixteen(run + 4 &* step), w)
          f.add(sixteen(run + 5 &* step), w)
          g.add(sixteen(run + 6 &* step), w)
          h.add(sixteen(run + 7 &* step), w)
          run += 16
          weight += 128
          unit &-= 1
        }
        row = row &+ 1 == rowCount ? 0 : row &+ 1
        rowsLeft &-= 1
      } while rowsLeft > 0
      a.store(to: out)
      b.store(to: out + 32)
      c.store(to: out + 64)
      d.store(to: out + 96)
      e.store(to: out + 128)
      f.store(to: out + 160)
      g.store(to: out + 192)
      h.store(to: out + 224)
      first += 8 &* step
      out += 256
      left &-= 8
    }
    // The last 1 to 7: two at a time, and no input is read beyond the last.
    while left > 0 {
      let second = left == 1 ? 0 : step
      var (a, b) = (Eight(), Eight())
      var weight = weights
      var row = firstRow
      var rowsLeft = rowCount
      repeat {
        var run = first + row &* pitch
        var unit = units
        while unit > 0 {
          let w = Weights(weight)
          a.add(sixteen(run), w)
          b.add(sixteen(run + second), w)
          run += 16
          weight += 128
          unit &-= 1
        }
        row = row &+ 1 == rowCount ? 0 : row &+ 1
        rowsLeft &-= 1
      } while rowsLeft > 0
      a.store(to: out)
      b.store(to: out + 32)
      first += 2 &* step
      out += 64
      left &-= 2
    }
  }

  /// Sums of 8 channels.
  private struct Eight {
    var low = vdupq_n_s32(0)
    var high = vdupq_n_s32(0)

    @inline(__always)
    mutating func add(_ x: SIMD16<Int8>, _ w: Weights) {
      low = kernels_dot_lane_0(low, w.low0, x)
      high = kernels_dot_lane_0(high, w.high0, x)
      low = kernels_dot_lane_1(low, w.low1, x)
      high = kernels_dot_lane_1(high, w.high1, x)
      low = kernels_dot_lane_2(low, w.low2, x)
      high = kernels_dot_lane_2(high, w.high2, x)
      low = kernels_dot_lane_3(low, w.low3, x)
      high = kernels_dot_lane_3(high, w.high3, x)
    }

    @inline(__always)
    func store(to sums: UnsafeMutableRawPointer) {
      sums.storeBytes(of: low, as: SIMD4<Int32>.self)
      sums.storeBytes(of: high, toByteOffset: 16, as: SIMD4<Int32>.self)
    }
  }

  /// Weights of one unit for 8 channels, by quarter of the unit.
  private struct Weights {
    let low0, high0, low1, high1, low2, high2, low3, high3: SIMD16<Int8>

    @inline(__always)
    init(_ weights: UnsafeRawPointer) {
      low0 = sixteen(weights)
      high0 = sixteen(weights + 16)
      low1 = sixteen(weights + 32)
      high1 = sixteen(weights + 48)
      low2 = sixteen(weights + 64)
      high2 = sixteen(weights + 80)
      low3 = sixteen(weights + 96)
      high3 = sixteen(weights + 112)
    }
  }

  @inline(__always)
  private func sixteen(_ bytes: UnsafeRawPointer) -> SIMD16<Int8> {
    bytes.loadUnaligned(as: SIMD16<Int8>.self)
  }
#endif
