#if arch(x86_64)
  import CImaging
  import _Builtin_intrinsics.intel

  /// Converts `count` pixels and writes their R G B. Components are read for `count` rounded up to
  /// 16; exactly 3 · count bytes are written.
  /// - isReversed: the last pixel is written first.
  @export(interface)
  public func torgb_s16_x16_avx2(
    _ y: UnsafePointer<Int16>, _ u: UnsafePointer<Int16>, _ v: UnsafePointer<Int16>, count: Int,
    isReversed: Bool, _ conversion: imaging_conversion, into output: UnsafeMutablePointer<Int8>
  ) {
    let redWeights = pair(conversion.luma, conversion.red_v)
    let greenWeights = pair(conversion.luma, 0 &- conversion.green_u)
    let greenVWeights = pair(0, 0 &- conversion.green_v)
    let blueWeights = pair(conversion.luma, conversion.blue_u)
    let offset = _mm256_set1_epi32(conversion.offset)
    forEachSixteen(count, isReversed, into: output) { index in
      let luma = sixteen(y, index, isReversed)
      let chromaU = sixteen(u, index, isReversed)
      let chromaV = sixteen(v, index, isReversed)
      let uLow = _mm256_unpacklo_epi16(luma, chromaU)
      let uHigh = _mm256_unpackhi_epi16(luma, chromaU)
      let vLow = _mm256_unpacklo_epi16(luma, chromaV)
      let vHigh = _mm256_unpackhi_epi16(luma, chromaV)
      @inline(__always)
      func finished(_ low: __m256i, _ high: __m256i) -> __m256i {
        _mm256_packs_epi32(
          _mm256_srai_epi32(_mm256_add_epi32(low, offset), 21),
          _mm256_srai_epi32(_mm256_add_epi32(high, offset), 21))
      }
      return RGB16(
        red: finished(_mm256_madd_epi16(vLow, redWeights), _mm256_madd_epi16(vHigh, redWeights)),
        green: finished(
          _mm256_add_epi32(
            _mm256_madd_epi16(uLow, greenWeights), _mm256_madd_epi16(vLow, greenVWeights)),
          _mm256_add_epi32(
            _mm256_madd_epi16(uHigh, greenWeights), _mm256_madd_epi16(vHigh, greenVWeights))),
        blue: finished(
          _mm256_madd_epi16(uLow, blueWeights), _mm256_madd_epi16(uHigh, blueWeights)))
    }
  }

  /// The same for components that are R G B: rounds them.
  @export(interface)
  public func roundrgb_s16_x16_avx2(
    _ r: UnsafePointer<Int16>, _ g: UnsafePointer<Int16>, _ b: UnsafePointer<Int16>, count: Int,
    isReversed: Bool, into output: UnsafeMutablePointer<Int8>
  ) {
    let half = _mm256_set1_epi16(128)
    forEachSixteen(count, isReversed, into: output) { index in
      @inline(__always)
      func rounded(_ values: UnsafePointer<Int16>) -> __m256i {
        _mm256_srai_epi16(_mm256_add_epi16(sixteen(values, index, isReversed), half), 8)
      }
      return RGB16(red: rounded(r), green: rounded(g), blue: rounded(b))
    }
  }

  private struct RGB16 {
    let red: __m256i
    let green: __m256i
    let blue: __m256i
  }

  @inline(__always)
  private func pair(_ low: Int16, _ high: Int16) -> __m256i {
    _mm256_set1_epi32(
      Int32(UInt16(bitPattern: low)) | Int32(high) &<< 16)
  }

  @inline(__always)
  private func sixteen(
    _ values: UnsafePointer<Int16>, _ index: Int, _ isReversed: Bool
  ) -> __m256i {
    let vector = UnsafeRawPointer(values + index).loadUnaligned(as: __m256i.self)
    guard isReversed else { return vector }
    let order = _mm256_setr_epi8(
      14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1,
      14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1)
    return imaging_halves_swapped(_mm256_shuffle_epi8(vector, order))
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
      let whole = min(16, left)
      let index = isReversed ? max(0, left &- 16) : done
      let pixels = body(index)
      let (a, b, c) = interleaved(pixels)
      let place = UnsafeMutableRawPointer(output + 3 &* done)
      if whole == 16 {
        place.storeBytes(of: a, as: __m128i.self)
        place.storeBytes(of: b, toByteOffset: 16, as: __m128i.self)
        place.storeBytes(of: c, toByteOffset: 32, as: __m128i.self)
      } else {
        var rest = (a, b, c)
        withUnsafeBytes(of: &rest) { bytes in
          // Of a reversed vector that began at 0 the pixels wanted are the last.
          let from = isReversed ? 48 &- 3 &* left : 0
          for byte in 0..<3 &* left {
            place.storeBytes(of: bytes[from &+ byte], toByteOffset: byte, as: UInt8.self)
          }
        }
      }
      done &+= whole
    }
  }

  /// 48 bytes R G B R G B … of int16 values that are saturated.
  @inline(__always)
  private func interleaved(_ pixels: RGB16) -> (__m128i, __m128i, __m128i) {
    // In halves: R 0…7 G 0…7 | R 8…15 G 8…15, and B alike.
    let redGreen = _mm256_packs_epi16(pixels.red, pixels.green)
    let blue = _mm256_packs_epi16(pixels.blue, pixels.blue)
    let front = _mm256_or_si256(
      _mm256_shuffle_epi8(
        redGreen,
        _mm256_setr_epi8(
          0, 8, -1, 1, 9, -1, 2, 10, -1, 3, 11, -1, 4, 12, -1, 5,
          0, 8, -1, 1, 9, -1, 2, 10, -1, 3, 11, -1, 4, 12, -1, 5)),
      _mm256_shuffle_epi8(
        blue,
        _mm256_setr_epi8(
          -1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1,
          -1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1)))
    // 8 bytes, at both ends of a half so that they can be joined to either neighbour.
    let back = _mm256_or_si256(
      _mm256_shuffle_epi8(
        redGreen,
        _mm256_setr_epi8(
          13, -1, 6, 14, -1, 7, 15, -1, 13, -1, 6, 14, -1, 7, 15, -1,
          13, -1, 6, 14, -1, 7, 15, -1, 13, -1, 6, 14, -1, 7, 15, -1)),
      _mm256_shuffle_epi8(
        blue,
        _mm256_setr_epi8(
          -1, 5, -1, -1, 6, -1, -1, 7, -1, 5, -1, -1, 6, -1, -1, 7,
          -1, 5, -1, -1, 6, -1, -1, 7, -1, 5, -1, -1, 6, -1, -1, 7)))
    let second = imaging_high_half(front)
    return (
      imaging_low_half(front),
      _mm_unpacklo_epi64(imaging_low_half(back), second),
      _mm_unpackhi_epi64(second, imaging_high_half(back))
    )
  }
#endif
