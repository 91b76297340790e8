#if arch(arm64)
  import CImaging
  import _Builtin_intrinsics.arm.neon

  /// Bilinear samples of a packed 4:2:2 picture between the middles of pixels, along a line: `count`
  /// of them, 4 or more.
  ///
  /// A sample needs two rows of two pixels. They lie in one or two groups of four bytes, which are
  /// read at once; whether the left pixel is a group's first or second decides which bytes count.
  /// All that is read lies within two groups from the left pixel's on, and one row below its own; or
  /// in the picture, where its edge is repeated.
  func sample422_pixels_x4_neon(
    _ line: imaging_line, count: Int, y: UnsafeMutablePointer<Int16>,
    u: UnsafeMutablePointer<Int16>, v: UnsafeMutablePointer<Int16>
  ) {
    if line.repeats_edge == 0 {
      pixels(line, false, count, y, u, v)
    } else {
      pixels(line, true, count, y, u, v)
    }
  }

  /// - repeatsEdge: known when this is compiled, so that the usual loop has nothing of it.
  @inline(__always)
  private func pixels(
    _ line: imaging_line, _ repeatsEdge: Bool, _ count: Int, _ y: UnsafeMutablePointer<Int16>,
    _ u: UnsafeMutablePointer<Int16>, _ v: UnsafeMutablePointer<Int16>
  ) {
    let walk = Walk(line, repeatsEdge, bits: 11, rowBytes: line.stride)
    let firstY = UInt16(truncatingIfNeeded: line.first_luma)
    // Bytes of the four left pixels, then of the right ones, each as 16 bits; 255 is none.
    let luma = vaddq_u8(
      SIMD16(0, 255, 8, 255, 16, 255, 24, 255, 2, 255, 10, 255, 18, 255, 26, 255),
      vreinterpretq_u8_u16(vdupq_n_u16(firstY)))
    let chromaU = vaddq_u8(
      SIMD16(0, 255, 8, 255, 16, 255, 24, 255, 0, 255, 8, 255, 16, 255, 24, 255),
      vreinterpretq_u8_u16(vdupq_n_u16(1 &- firstY)))
    let lumaOdd = vdupq_n_u16(2)
    let chromaOdd = SIMD8<UInt16>(0, 0, 0, 0, 4, 4, 4, 4)
    let toV = vdupq_n_u16(2)
    let one = vdup_n_u16(2048)

    forEachFour(count) { index in
      let four = walk.spots(index) { left in left &>> 1 }
      let fractionsX = four.x
      let right = vmovn_u32(vandq_u32(fractionsX, vdupq_n_u32(2047)))
      let left = vsub_u16(one, right)
      let down = vandq_u32(four.y, vdupq_n_u32(2047))
      // Bit 11 is the lowest of the left pixel's number.
      let odd = vmovn_u32(vtstq_u32(fractionsX, vdupq_n_u32(2048)))
      let isOdd = vcombine_u16(odd, odd)
      @inline(__always)
      func moved(_ order: SIMD16<UInt8>, _ step: SIMD8<UInt16>) -> SIMD8<UInt16> {
        vaddq_u16(vreinterpretq_u16_u8(order), step)
      }
      let orderY = vreinterpretq_u8_u16(moved(luma, vandq_u16(isOdd, lumaOdd)))
      let places = moved(chromaU, vandq_u16(isOdd, chromaOdd))
      let orderU = vreinterpretq_u8_u16(places)
      let orderV = vreinterpretq_u8_u16(vaddq_u16(places, toV))
      let (topA, topB) = four.rows(bottom: false, beyond: 0)
      let (bottomA, bottomB) = four.rows(bottom: true, beyond: 0)
      @inline(__always)
      func component(_ order: SIMD16<UInt8>) -> SIMD4<Int16> {
        mixed(
          across(vreinterpretq_u16_u8(imaging_lookup_u8(topA, topB, order)), left, right),
          across(vreinterpretq_u16_u8(imaging_lookup_u8(bottomA, bottomB, order)), left, right),
          down, vdupq_n_s32(11))
      }
      store(component(orderY), y + index)
      store(component(orderU), u + index)
      store(component(orderV), v + index)
    }
  }

  /// The same between the middles of blocks of 2x2 pixels: their sums are what is weighted. A block
  /// is one group in two rows. All that is read lies within two groups from the left block's on, and
  /// three rows below its first; or in the picture, where its edge is repeated.
  func sample422_blocks_x4_neon(
    _ line: imaging_line, count: Int, y: UnsafeMutablePointer<Int16>,
    u: UnsafeMutablePointer<Int16>, v: UnsafeMutablePointer<Int16>
  ) {
    if line.repeats_edge == 0 {
      blocks(line, false, count, y, u, v)
    } else {
      blocks(line, true, count, y, u, v)
    }
  }

  /// - repeatsEdge: known when this is compiled, so that the usual loop has nothing of it.
  @inline(__always)
  private func blocks(
    _ line: imaging_line, _ repeatsEdge: Bool, _ count: Int, _ y: UnsafeMutablePointer<Int16>,
    _ u: UnsafeMutablePointer<Int16>, _ v: UnsafeMutablePointer<Int16>
  ) {
    let walk = Walk(line, repeatsEdge, bits: 10, rowBytes: 2 &* line.stride)
    let isLumaFirst = line.first_luma == 0
    let one = vdup_n_u16(1024)

    forEachFour(count) { index in
      let four = walk.spots(index) { left in left }
      let right = vmovn_u32(vandq_u32(four.x, vdupq_n_u32(1023)))
      let left = vsub_u16(one, right)
      // The chroma of both pixels counts.
      let right2 = vadd_u16(right, right)
      let left2 = vadd_u16(left, left)
      let down = vandq_u32(four.y, vdupq_n_u32(1023))
      @inline(__always)
      func row(_ bottom: Bool) -> (y: SIMD4<UInt32>, u: SIMD4<UInt32>, v: SIMD4<UInt32>) {
        let (upperA, upperB) = four.rows(bottom: bottom, beyond: 0)
        let (lowerA, lowerB) = four.rows(bottom: bottom, beyond: line.stride)
        let (evenUpper, oddUpper) = (vuzp1q_u8(upperA, upperB), vuzp2q_u8(upperA, upperB))
        let (evenLower, oddLower) = (vuzp1q_u8(lowerA, lowerB), vuzp2q_u8(lowerA, lowerB))
        let lumaUpper = isLumaFirst ? evenUpper : oddUpper
        let lumaLower = isLumaFirst ? evenLower : oddLower
        let chromaUpper = isLumaFirst ? oddUpper : evenUpper
        let chromaLower = isLumaFirst ? oddLower : evenLower
        // Left and right blocks in turn.
        let luma = vpadalq_u8(vpaddlq_u8(lumaUpper), lumaLower)
        // U V of the left block and of the right one in turn.
        let chromaA = vreinterpretq_u32_u16(
          vaddl_u8(vget_low_u8(chromaUpper), vget_low_u8(chromaLower)))
        let chromaB = vreinterpretq_u32_u16(vaddl_high_u8(chromaUpper, chromaLower))
        let lefts = vreinterpretq_u16_u32(vuzp1q_u32(chromaA, chromaB))
        let rights = vreinterpretq_u16_u32(vuzp2q_u32(chromaA, chromaB))
        return (
          across(
            vcombine_u16(
              vuzp1_u16(vget_low_u16(luma), vget_high_u16(luma)),
              vuzp2_u16(vget_low_u16(luma), vget_high_u16(luma))), left, right),
          across(vuzp1q_u16(lefts, rights), left2, right2),
          across(vuzp2q_u16(lefts, rights), left2, right2)
        )
      }
      let top = row(false)
      let bottom = row(true)
      let bits = vdupq_n_s32(10)
      store(mixed(top.y, bottom.y, down, bits), y + index)
      store(mixed(top.u, bottom.u, down, bits), u + index)
      store(mixed(top.v, bottom.v, down, bits), v + index)
    }
  }

  /// Where the bytes of a sample begin, and how many bits of them are to be dropped.
  private struct Spot {
    let x: UInt32
    let y: UInt32
    let top: UnsafeRawPointer
    let bottom: UnsafeRawPointer
    let shift: UInt64
  }

  private struct FourSpots {
    let a: Spot
    let b: Spot
    let c: Spot
    let d: Spot
    let repeatsEdge: Bool

    /// Places in units of a weight.
    @inline(__always)
    var x: SIMD4<UInt32> { SIMD4(a.x, b.x, c.x, d.x) }
    @inline(__always)
    var y: SIMD4<UInt32> { SIMD4(a.y, b.y, c.y, d.y) }

    /// 8 bytes of each.
    @inline(__always)
    func rows(bottom: Bool, beyond: Int) -> (SIMD16<UInt8>, SIMD16<UInt8>) {
      @inline(__always)
      func bytes(_ spot: Spot) -> SIMD8<UInt8> {
        let place = (bottom ? spot.bottom : spot.top) + beyond
        guard repeatsEdge else { return place.loadUnaligned(as: SIMD8<UInt8>.self) }
        return unsafeBitCast(
          place.loadUnaligned(as: UInt64.self) &>> spot.shift, to: SIMD8<UInt8>.self)
      }
      return (vcombine_u8(bytes(a), bytes(b)), vcombine_u8(bytes(c), bytes(d)))
    }
  }

  private struct Walk {
    let line: imaging_line
    let toWeight: Int64
    let rowBytes: Int
    let repeatsEdge: Bool

    /// - bits: of a weight along one axis.
    @inline(__always)
    init(_ line: imaging_line, _ repeatsEdge: Bool, bits: Int64, rowBytes: Int) {
      self.line = line
      self.rowBytes = rowBytes
      toWeight = 24 &- bits
      self.repeatsEdge = repeatsEdge
    }

    /// - group: the number of the group of four bytes that a pixel or block lies in.
    @inline(__always)
    func spots(_ index: Int, group: (_ left: Int64) -> Int64) -> FourSpots {
      let x = line.x &+ Int64(index) &* line.step_x
      let y = line.y &+ Int64(index) &* line.step_y
      let (stepX, stepY) = (line.step_x, line.step_y)
      return FourSpots(
        a: spot(x, y, group), b: spot(x &+ stepX, y &+ stepY, group),
        c: spot(x &+ 2 &* stepX, y &+ 2 &* stepY, group),
        d: spot(x &+ 3 &* stepX, y &+ 3 &* stepY, group), repeatsEdge: repeatsEdge)
    }

    @inline(__always)
    private func spot(_ x: Int64, _ y: Int64, _ group: (_ left: Int64) -> Int64) -> Spot {
      var (x, y) = (x, y)
      if repeatsEdge {
        x = max(0, min(Int64(line.last_x) &<< 24, x))
        y = max(0, min(Int64(line.last_y) &<< 24, y))
      }
      let wanted = group(x &>> 24)
      let first = repeatsEdge ? min(wanted, Int64(line.last_pair)) : wanted
      let row = Int(truncatingIfNeeded: y &>> 24)
      let place = row &* rowBytes &+ Int(first) &* 4
      let top = UnsafeRawPointer(line.base) + place
      let isLast = repeatsEdge && row == Int(line.last_y)
      return Spot(
        x: UInt32(truncatingIfNeeded: x &>> toWeight),
        y: UInt32(truncatingIfNeeded: y &>> toWeight),
        top: top, bottom: isLast ? top : top + rowBytes,
        shift: UInt64(truncatingIfNeeded: wanted &- first) &* 32)
    }
  }

  /// Left and right values, weighted.
  @inline(__always)
  private func across(
    _ values: SIMD8<UInt16>, _ left: SIMD4<UInt16>, _ right: SIMD4<UInt16>
  ) -> SIMD4<UInt32> {
    vmlal_u16(vmull_u16(vget_low_u16(values), left), vget_high_u16(values), right)
  }

  /// Mixed down as well: the same whole number as four weights would give.
  @inline(__always)
  private func mixed(
    _ top: SIMD4<UInt32>, _ bottom: SIMD4<UInt32>, _ down: SIMD4<UInt32>, _ bits: SIMD4<Int32>
  ) -> SIMD4<Int16> {
    imaging_sample_s16(vmlaq_u32(vshlq_u32(top, bits), vsubq_u32(bottom, top), down))
  }

  @inline(__always)
  private func store(_ values: SIMD4<Int16>, _ place: UnsafeMutablePointer<Int16>) {
    UnsafeMutableRawPointer(place).storeBytes(of: values, as: SIMD4<Int16>.self)
  }

  /// The last four overlap those before.
  @inline(__always)
  private func forEachFour(_ count: Int, _ body: (_ index: Int) -> Void) {
    var index = 0
    while index &+ 4 <= count {
      body(index)
      index &+= 4
    }
    if index < count { body(count &- 4) }
  }
#endif
