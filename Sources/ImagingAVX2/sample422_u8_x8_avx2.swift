#if arch(x86_64)
  import CImaging
  import _Builtin_intrinsics.intel

  /// Bilinear samples of a packed 4:2:2 picture between the middles of pixels, along a line: `count`
  /// of them, 8 or more.
  ///
  /// A sample needs two rows of two pixels. They lie in one or two groups of four bytes, which are
  /// read at once; whether the left pixel is a group's first or second decides which bytes count.
  /// All that is read lies within two groups from the left pixel's on, and one row below its own; or
  /// in the picture, where its edge is repeated.
  @export(interface)
  public func sample422_pixels_x8_avx2(
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
    var walk = Walk(line, repeatsEdge, bits: 11, rowBytes: line.stride)
    let firstY = Int8(truncatingIfNeeded: line.first_luma)
    let firstU = 1 &- firstY
    let firstV = 3 &- firstY
    let lumaU = order(
      firstY, -1, firstY &+ 2, -1, firstU, -1, firstU, -1)
    let lumaUOdd = offsets(2, 0, 2, 0, 0, 0, 4, 0)
    let lowV = order(firstV, -1, firstV, -1, -1, -1, -1, -1)
    let lowVOdd = offsets(0, 0, 4, 0, 0, 0, 0, 0)
    let highV = order(-1, -1, -1, -1, firstV, -1, firstV, -1)
    let highVOdd = offsets(0, 0, 0, 0, 0, 0, 4, 0)
    let base = UnsafeRawPointer(line.base)

    forEachEight(count, &walk) { index, walk in
      let a = walk.next()
      let b = walk.next()
      let readA = walk.read(a, group: _mm256_srli_epi64(a.left, 1))
      let readB = walk.read(b, group: _mm256_srli_epi64(b.left, 1))
      let topA = readA.bytes(base, readA.top)
      let topB = readB.bytes(base, readB.top)
      let bottomA = readA.bytes(base, readA.bottom)
      let bottomB = readB.bytes(base, readB.bottom)
      let (oddA, oddB) = (isOdd(a.left), isOdd(b.left))
      let orderA = _mm256_add_epi8(lumaU, _mm256_and_si256(oddA, lumaUOdd))
      let orderB = _mm256_add_epi8(lumaU, _mm256_and_si256(oddB, lumaUOdd))
      let orderLow = _mm256_add_epi8(lowV, _mm256_and_si256(oddA, lowVOdd))
      let orderHigh = _mm256_add_epi8(highV, _mm256_and_si256(oddB, highVOdd))
      @inline(__always)
      func chroma(_ a: __m256i, _ b: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_shuffle_epi8(a, orderLow), _mm256_shuffle_epi8(b, orderHigh))
      }
      let weights = imaging_odd_from(a.weights, b.weights)
      let down = imaging_odd_from(a.down, b.down)
      store(
        walk.mixed(
          _mm256_shuffle_epi8(topA, orderA), _mm256_shuffle_epi8(bottomA, orderA), a.weights,
          a.down),
        walk.mixed(
          _mm256_shuffle_epi8(topB, orderB), _mm256_shuffle_epi8(bottomB, orderB), b.weights,
          b.down),
        walk.mixed(chroma(topA, topB), chroma(bottomA, bottomB), weights, down),
        y + index, u + index, v + index)
    }
  }

  /// The same between the middles of blocks of 2x2 pixels: their sums are what is weighted. A block
  /// is one group in two rows. All that is read lies within two groups from the left block's on, and
  /// three rows below its first; or in the picture, where its edge is repeated.
  @export(interface)
  public func sample422_blocks_x8_avx2(
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
    var walk = Walk(line, repeatsEdge, bits: 10, rowBytes: 2 &* line.stride)
    let firstY = Int8(truncatingIfNeeded: line.first_luma)
    let firstU = 1 &- firstY
    let firstV = 3 &- firstY
    // The chroma of both pixels counts: twice the same byte.
    let lumaU = order(
      firstY, firstY &+ 2, firstY &+ 4, firstY &+ 6, firstU, firstU, firstU &+ 4, firstU &+ 4)
    let lowV = order(firstV, firstV, firstV &+ 4, firstV &+ 4, -1, -1, -1, -1)
    let highV = order(-1, -1, -1, -1, firstV, firstV, firstV &+ 4, firstV &+ 4)
    let ones = _mm256_set1_epi8(1)
    let base = UnsafeRawPointer(line.base)

    forEachEight(count, &walk) { index, walk in
      let a = walk.next()
      let b = walk.next()
      let readA = walk.read(a, group: a.left)
      let readB = walk.read(b, group: b.left)
      @inline(__always)
      func row(
        _ start: UnsafeRawPointer, _ offsetsA: __m256i, _ offsetsB: __m256i
      ) -> (a: __m256i, b: __m256i, v: __m256i) {
        let a = readA.bytes(start, offsetsA)
        let b = readB.bytes(start, offsetsB)
        return (
          _mm256_maddubs_epi16(_mm256_shuffle_epi8(a, lumaU), ones),
          _mm256_maddubs_epi16(_mm256_shuffle_epi8(b, lumaU), ones),
          _mm256_maddubs_epi16(
            _mm256_or_si256(_mm256_shuffle_epi8(a, lowV), _mm256_shuffle_epi8(b, highV)), ones)
        )
      }
      @inline(__always)
      func block(
        _ offsetsA: __m256i, _ offsetsB: __m256i
      ) -> (a: __m256i, b: __m256i, v: __m256i) {
        let upper = row(base, offsetsA, offsetsB)
        let lower = row(base + line.stride, offsetsA, offsetsB)
        return (
          _mm256_add_epi16(upper.a, lower.a), _mm256_add_epi16(upper.b, lower.b),
          _mm256_add_epi16(upper.v, lower.v)
        )
      }
      let top = block(readA.top, readB.top)
      let bottom = block(readA.bottom, readB.bottom)
      let weights = imaging_odd_from(a.weights, b.weights)
      let down = imaging_odd_from(a.down, b.down)
      store(
        walk.mixed(top.a, bottom.a, a.weights, a.down),
        walk.mixed(top.b, bottom.b, b.weights, b.down),
        walk.mixed(top.v, bottom.v, weights, down), y + index, u + index, v + index)
    }
  }

  /// Four samples' places, in 64-bit lanes.
  private struct Places {
    let left: __m256i
    let top: __m256i
    /// Of the left and the right neighbour, int16, twice; of the lower neighbours, int32, twice.
    let weights: __m256i
    let down: __m256i
  }

  /// Bytes from the picture's start, in 64-bit lanes. There the eight bytes begin that a sample needs
  /// of a row; or earlier by as many bits as they must be shifted by. What is missing then has no
  /// weight.
  private struct Read {
    let top: __m256i
    let bottom: __m256i
    let shift: __m256i?

    @inline(__always)
    func bytes(_ base: UnsafeRawPointer, _ offsets: __m256i) -> __m256i {
      let found = imaging_gather(base, offsets)
      guard let shift else { return found }
      return _mm256_srlv_epi64(found, shift)
    }
  }

  /// Places within 0 to the last unit.
  @inline(__always)
  private func bounded(_ places: __m256i, _ last: Int32) -> __m256i {
    let limit = _mm256_set1_epi64x(Int64(last) &<< 24)
    let positive = _mm256_andnot_si256(
      _mm256_cmpgt_epi64(_mm256_setzero_si256(), places), places)
    return _mm256_blendv_epi8(positive, limit, _mm256_cmpgt_epi64(positive, limit))
  }

  /// The way along the line.
  private struct Walk {
    private let line: imaging_line
    private let lanesX: __m256i
    private let lanesY: __m256i
    private let fourX: __m256i
    private let fourY: __m256i
    private var x: __m256i
    private var y: __m256i
    private let toFraction: __m128i
    private let fraction: __m256i
    private let one: __m256i
    private let toOne: __m128i
    private let rowBytes: __m256i
    private let repeatsEdge: Bool
    private let rounding: __m256i

    /// - bits: of a weight along one axis.
    @inline(__always)
    init(_ line: imaging_line, _ repeatsEdge: Bool, bits: Int32, rowBytes: Int) {
      self.line = line
      let (x, y) = (line.step_x, line.step_y)
      lanesX = _mm256_set_epi64x(3 &* x, 2 &* x, x, 0)
      lanesY = _mm256_set_epi64x(3 &* y, 2 &* y, y, 0)
      fourX = _mm256_set1_epi64x(4 &* x)
      fourY = _mm256_set1_epi64x(4 &* y)
      self.x = lanesX
      self.y = lanesY
      toFraction = _mm_cvtsi32_si128(24 &- bits)
      fraction = _mm256_set1_epi64x((1 &<< Int64(bits)) &- 1)
      one = _mm256_set1_epi32(1 &<< bits)
      toOne = _mm_cvtsi32_si128(bits)
      self.rowBytes = _mm256_set1_epi64x(Int64(rowBytes))
      self.repeatsEdge = repeatsEdge
      // Of 22 fractional bits 8 stay; and the result is less 32768.
      rounding = _mm256_set1_epi32((1 << 13) - (32768 << 14))
    }

    /// Goes to 8 samples from `index` on.
    @inline(__always)
    mutating func go(to index: Int) {
      x = _mm256_add_epi64(_mm256_set1_epi64x(line.x &+ Int64(index) &* line.step_x), lanesX)
      y = _mm256_add_epi64(_mm256_set1_epi64x(line.y &+ Int64(index) &* line.step_y), lanesY)
    }

    /// The next four samples.
    @inline(__always)
    mutating func next() -> Places {
      let place = places(x, y)
      x = _mm256_add_epi64(x, fourX)
      y = _mm256_add_epi64(y, fourY)
      return place
    }

    @inline(__always)
    private func places(_ x: __m256i, _ y: __m256i) -> Places {
      let x = repeatsEdge ? bounded(x, line.last_x) : x
      let y = repeatsEdge ? bounded(y, line.last_y) : y
      let right = _mm256_and_si256(_mm256_srl_epi64(x, toFraction), fraction)
      let lower = _mm256_and_si256(_mm256_srl_epi64(y, toFraction), fraction)
      // f · 65536 − f and one more to each: f above, 1 − f below.
      let weights = _mm256_add_epi32(
        imaging_even_doubled(_mm256_mul_epu32(right, _mm256_set1_epi64x(0xFFFF))), one)
      return Places(
        left: _mm256_srli_epi64(x, 24), top: _mm256_srli_epi64(y, 24), weights: weights,
        down: imaging_even_doubled(lower))
    }

    /// Where the bytes of four samples lie.
    /// - group: numbers of their left groups in a row.
    @inline(__always)
    func read(_ places: Places, group: __m256i) -> Read {
      let row = _mm256_mul_epu32(places.top, rowBytes)
      guard repeatsEdge else {
        let top = _mm256_add_epi64(row, _mm256_slli_epi64(group, 2))
        return Read(top: top, bottom: _mm256_add_epi64(top, rowBytes), shift: nil)
      }
      // Numbers have 32 bits, so that lanes of 32 do.
      let first = _mm256_min_epi32(group, _mm256_set1_epi64x(Int64(line.last_pair)))
      let top = _mm256_add_epi64(row, _mm256_slli_epi64(first, 2))
      let hasNext = _mm256_cmpgt_epi64(_mm256_set1_epi64x(Int64(line.last_y)), places.top)
      return Read(
        top: top, bottom: _mm256_add_epi64(top, _mm256_and_si256(hasNext, rowBytes)),
        shift: _mm256_slli_epi64(_mm256_sub_epi64(group, first), 5))
    }

    /// Pairs of the upper and of the lower row, mixed across and then down: the same whole number as
    /// four weights would give.
    @inline(__always)
    func mixed(
      _ top: __m256i, _ bottom: __m256i, _ weights: __m256i, _ down: __m256i
    ) -> __m256i {
      let upper = _mm256_madd_epi16(top, weights)
      let lower = _mm256_madd_epi16(bottom, weights)
      let sum = _mm256_add_epi32(
        _mm256_sll_epi32(upper, toOne),
        _mm256_mullo_epi32(_mm256_sub_epi32(lower, upper), down))
      return _mm256_srai_epi32(_mm256_add_epi32(sum, rounding), 14)
    }
  }

  /// The last eight overlap those before.
  @inline(__always)
  private func forEachEight(
    _ count: Int, _ walk: inout Walk, _ body: (_ index: Int, _ walk: inout Walk) -> Void
  ) {
    var index = 0
    walk.go(to: 0)
    while index &+ 8 <= count {
      body(index, &walk)
      index &+= 8
    }
    if index < count {
      walk.go(to: count &- 8)
      body(count &- 8, &walk)
    }
  }

  /// All bits where the number in a 64-bit lane is odd.
  @inline(__always)
  private func isOdd(_ numbers: __m256i) -> __m256i {
    _mm256_sub_epi64(
      _mm256_setzero_si256(), _mm256_and_si256(numbers, _mm256_set1_epi64x(1)))
  }

  /// Where each of a sample's eight bytes comes from among its own eight; -1 for none.
  @inline(__always)
  private func order(
    _ a: Int8, _ b: Int8, _ c: Int8, _ d: Int8, _ e: Int8, _ f: Int8, _ g: Int8, _ h: Int8
  ) -> __m256i {
    let low = bytes(a, b, c, d, e, f, g, h)
    @inline(__always)
    func high(_ place: Int8) -> Int8 { place < 0 ? -1 : place &+ 8 }
    let upper = bytes(high(a), high(b), high(c), high(d), high(e), high(f), high(g), high(h))
    return _mm256_set_epi64x(upper, low, upper, low)
  }

  @inline(__always)
  private func offsets(
    _ a: Int8, _ b: Int8, _ c: Int8, _ d: Int8, _ e: Int8, _ f: Int8, _ g: Int8, _ h: Int8
  ) -> __m256i {
    _mm256_set1_epi64x(bytes(a, b, c, d, e, f, g, h))
  }

  @inline(__always)
  private func bytes(
    _ a: Int8, _ b: Int8, _ c: Int8, _ d: Int8, _ e: Int8, _ f: Int8, _ g: Int8, _ h: Int8
  ) -> Int64 {
    var word: UInt64 = 0
    func add(_ byte: Int8, _ shift: UInt64) {
      word |= UInt64(UInt8(bitPattern: byte)) &<< shift
    }
    add(a, 0)
    add(b, 8)
    add(c, 16)
    add(d, 24)
    add(e, 32)
    add(f, 40)
    add(g, 48)
    add(h, 56)
    return Int64(bitPattern: word)
  }

  /// Two groups of four samples' Y U, and the V of both in turn.
  @inline(__always)
  private func store(
    _ a: __m256i, _ b: __m256i, _ chromaV: __m256i, _ y: UnsafeMutablePointer<Int16>,
    _ u: UnsafeMutablePointer<Int16>, _ v: UnsafeMutablePointer<Int16>
  ) {
    let evenFirst = _mm256_setr_epi8(
      0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
      0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
    // In halves: Y of a 0 1, b 0 1, then U | those of 2 3.
    let lumaU = _mm256_shuffle_epi8(_mm256_packs_epi32(a, b), evenFirst)
    let (low, high) = (imaging_low_half(lumaU), imaging_high_half(lumaU))
    UnsafeMutableRawPointer(y).storeBytes(of: _mm_unpacklo_epi32(low, high), as: __m128i.self)
    UnsafeMutableRawPointer(u).storeBytes(of: _mm_unpackhi_epi32(low, high), as: __m128i.self)
    let swapped = _mm256_shuffle_epi8(
      _mm256_packs_epi32(chromaV, chromaV),
      _mm256_setr_epi8(
        0, 1, 4, 5, 2, 3, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1,
        0, 1, 4, 5, 2, 3, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1))
    UnsafeMutableRawPointer(v).storeBytes(
      of: _mm_unpacklo_epi32(imaging_low_half(swapped), imaging_high_half(swapped)),
      as: __m128i.self)
  }
#endif
