#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Depthwise sums of 16 channels for `pixels` neighbouring outputs of one row, finished while they
  /// are in registers.
  ///
  /// The values of up to four kernel rows above each other become the four bytes of a channel's lane,
  /// so that vpdpbusd adds a kernel column at a time. With a stride of 1 a column serves all outputs
  /// that it is under.
  /// - ring: `rowCount` staged rows, `pitch` bytes apart, the first kernel row in slot `firstRow`.
  ///   Read for `pixels` rounded up to 8, and 16 channels.
  /// - offset: bytes to the first channel of the block.
  /// - pixelBytes: bytes from one input pixel to the next.
  /// - weights: by group of four kernel rows, kernel column, channel, row of the group; 0 for rows
  ///   that the kernel does not have.
  @export(interface)
  public func depthwise_s8_8x16_vnni(
    _ block: Block, ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, columns: Int,
    stride: Int, pixels: Int, offset: Int, pixelBytes: Int, weights: UnsafeRawPointer
  ) {
    if rowCount == 3 && columns == 3 {
      let rows = ThreeRows(ring, pitch: pitch, firstRow: firstRow, offset: offset)
      let w = (load(weights), load(weights, 64), load(weights, 128))
      if stride == 1 {
        block.forEachTile(pixels: pixels) { pixel, initial in
          threeByThree(rows, w, pixel &* pixelBytes, pixelBytes, initial)
        }
      } else {
        let step = stride &* pixelBytes
        block.forEachTile(pixels: pixels) { pixel, initial in
          var sums = Tile(repeating: initial)
          var at = pixel &* step
          addColumns(&sums.s0, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s1, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s2, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s3, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s4, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s5, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s6, rows, w, &at, pixelBytes, step)
          addColumns(&sums.s7, rows, w, &at, pixelBytes, step)
          return sums
        }
      }
      return
    }
    let step = stride &* pixelBytes
    block.forEachTile(pixels: pixels) { pixel, initial in
      var sums = Tile(repeating: initial)
      var weight = weights
      var firstOfGroup = 0
      while firstOfGroup < rowCount {
        let rows = FourRows(
          ring, pitch: pitch, rowCount: rowCount, firstRow: firstRow, firstOfGroup, offset: offset)
        for column in 0..<columns {
          let w = load(weight)
          let at = column &* pixelBytes &+ pixel &* step
          sums.s0 = _mm512_dpbusd_epi32(sums.s0, rows.column(at), w)
          sums.s1 = _mm512_dpbusd_epi32(sums.s1, rows.column(at &+ step), w)
          sums.s2 = _mm512_dpbusd_epi32(sums.s2, rows.column(at &+ 2 &* step), w)
          sums.s3 = _mm512_dpbusd_epi32(sums.s3, rows.column(at &+ 3 &* step), w)
          sums.s4 = _mm512_dpbusd_epi32(sums.s4, rows.column(at &+ 4 &* step), w)
          sums.s5 = _mm512_dpbusd_epi32(sums.s5, rows.column(at &+ 5 &* step), w)
          sums.s6 = _mm512_dpbusd_epi32(sums.s6, rows.column(at &+ 6 &* step), w)
          sums.s7 = _mm512_dpbusd_epi32(sums.s7, rows.column(at &+ 7 &* step), w)
          weight += 64
        }
        firstOfGroup &+= 4
      }
      return sums
    }
  }

  private typealias Columns = (__m512i, __m512i, __m512i)

  /// Eight outputs over ten columns.
  @inline(__always)
  private func threeByThree(
    _ rows: ThreeRows, _ w: Columns, _ first: Int, _ pixelBytes: Int, _ initial: __m512i
  ) -> Tile {
    var sums = Tile(repeating: initial)
    var at = first
    var column = rows.column(at)
    sums.s0 = _mm512_dpbusd_epi32(sums.s0, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s0 = _mm512_dpbusd_epi32(sums.s0, column, w.1)
    sums.s1 = _mm512_dpbusd_epi32(sums.s1, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s0 = _mm512_dpbusd_epi32(sums.s0, column, w.2)
    sums.s1 = _mm512_dpbusd_epi32(sums.s1, column, w.1)
    sums.s2 = _mm512_dpbusd_epi32(sums.s2, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s1 = _mm512_dpbusd_epi32(sums.s1, column, w.2)
    sums.s2 = _mm512_dpbusd_epi32(sums.s2, column, w.1)
    sums.s3 = _mm512_dpbusd_epi32(sums.s3, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s2 = _mm512_dpbusd_epi32(sums.s2, column, w.2)
    sums.s3 = _mm512_dpbusd_epi32(sums.s3, column, w.1)
    sums.s4 = _mm512_dpbusd_epi32(sums.s4, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s3 = _mm512_dpbusd_epi32(sums.s3, column, w.2)
    sums.s4 = _mm512_dpbusd_epi32(sums.s4, column, w.1)
    sums.s5 = _mm512_dpbusd_epi32(sums.s5, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s4 = _mm512_dpbusd_epi32(sums.s4, column, w.2)
    sums.s5 = _mm512_dpbusd_epi32(sums.s5, column, w.1)
    sums.s6 = _mm512_dpbusd_epi32(sums.s6, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s5 = _mm512_dpbusd_epi32(sums.s5, column, w.2)
    sums.s6 = _mm512_dpbusd_epi32(sums.s6, column, w.1)
    sums.s7 = _mm512_dpbusd_epi32(sums.s7, column, w.0)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s6 = _mm512_dpbusd_epi32(sums.s6, column, w.2)
    sums.s7 = _mm512_dpbusd_epi32(sums.s7, column, w.1)
    at &+= pixelBytes
    column = rows.column(at)
    sums.s7 = _mm512_dpbusd_epi32(sums.s7, column, w.2)
    return sums
  }

  /// One output's three columns; then `at` is the next output's.
  @inline(__always)
  private func addColumns(
    _ sum: inout __m512i, _ rows: ThreeRows, _ w: Columns, _ at: inout Int, _ pixelBytes: Int,
    _ step: Int
  ) {
    sum = _mm512_dpbusd_epi32(sum, rows.column(at), w.0)
    sum = _mm512_dpbusd_epi32(sum, rows.column(at &+ pixelBytes), w.1)
    sum = _mm512_dpbusd_epi32(sum, rows.column(at &+ 2 &* pixelBytes), w.2)
    at &+= step
  }

  /// Byte 4c + r is byte c of quarter r.
  @inline(__always)
  private func interleaving() -> __m512i {
    let quarters = _mm512_set1_epi32(0x3020_1000)
    let lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
    return _mm512_add_epi32(
      quarters, _mm512_mullo_epi32(lanes, _mm512_set1_epi32(0x0101_0101)))
  }

  private struct ThreeRows {
    private let row0: UnsafeRawPointer
    private let row1: UnsafeRawPointer
    private let row2: UnsafeRawPointer
    private let order: __m512i

    @inline(__always)
    init(_ ring: UnsafeRawPointer, pitch: Int, firstRow: Int, offset: Int) {
      let second = firstRow == 2 ? 0 : firstRow &+ 1
      let third = second == 2 ? 0 : second &+ 1
      row0 = ring + (firstRow &* pitch &+ offset)
      row1 = ring + (second &* pitch &+ offset)
      row2 = ring + (third &* pitch &+ offset)
      order = interleaving()
    }

    /// The values at `at` of 16 channels, those of one channel in one lane.
    @inline(__always)
    func column(_ at: Int) -> __m512i {
      _mm512_permutexvar_epi8(order, kernels_three_rows(row0 + at, row1 + at, row2 + at))
    }
  }

  /// Four rows of a kernel of any height; the last row stands in for missing ones.
  private struct FourRows {
    private let row0: UnsafeRawPointer
    private let row1: UnsafeRawPointer
    private let row2: UnsafeRawPointer
    private let row3: UnsafeRawPointer
    private let order: __m512i

    @inline(__always)
    init(
      _ ring: UnsafeRawPointer, pitch: Int, rowCount: Int, firstRow: Int, _ first: Int, offset: Int
    ) {
      func row(_ index: Int) -> UnsafeRawPointer {
        let slot = firstRow &+ min(first &+ index, rowCount &- 1)
        return ring + ((slot < rowCount ? slot : slot &- rowCount) &* pitch &+ offset)
      }
      row0 = row(0)
      row1 = row(1)
      row2 = row(2)
      row3 = row(3)
      order = interleaving()
    }

    @inline(__always)
    func column(_ at: Int) -> __m512i {
      _mm512_permutexvar_epi8(
        order, kernels_four_rows(row0 + at, row1 + at, row2 + at, row3 + at))
    }
  }
#endif
