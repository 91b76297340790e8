#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Sums to int8 outputs for one block of up to 16 channels and `pixels` outputs of one row.
  /// `sums` has 16 int32 a pixel, bias not included, and is read for `pixels` rounded up to 2;
  /// `output` is the first pixel's first channel of the block.
  @export(interface)
  public func requantise_s8_x8_avx2(
    _ block: kernels_requantisation, sums: UnsafeRawPointer, pixels: Int,
    into output: UnsafeMutablePointer<Int8>
  ) {
    var first = 0
    while first < block.channels {
      let count = min(8, block.channels &- first)
      let bias = _mm256_sub_epi32(
        block.biases(first),
        _mm256_mullo_epi32(block.column(6, first), _mm256_set1_epi32(block.input_zero_point)))
      let positive = block.factor(0, first)
      let negative = block.factor(2, first)
      let sums = sums + 4 &* first
      let out = output + first
      if let residual = block.residual {
        let accumulator = block.factor(4, first)
        let added = max(0, min(8, block.residual_channels &- first))
        forEachPair(block, sums, pixels, count, out) { pixel, sum in
          let t = _mm256_add_epi32(
            accumulator.scaled(_mm256_add_epi32(sum, bias)),
            addend(block, residual + (first &+ pixel &* block.residual_stride), added))
          return Factor(t, positive, negative).scaled(t)
        }
      } else if positive == negative {
        forEachPair(block, sums, pixels, count, out) { _, sum in
          positive.scaled(_mm256_add_epi32(sum, bias))
        }
      } else {
        forEachPair(block, sums, pixels, count, out) { _, sum in
          let t = _mm256_add_epi32(sum, bias)
          return Factor(t, positive, negative).scaled(t)
        }
      }
      first &+= 8
    }
  }

  /// What 8 channels of a residual add to t, of which the first `count` exist.
  @inline(__always)
  private func addend(
    _ block: kernels_requantisation, _ residual: UnsafeRawPointer, _ count: Int
  ) -> __m256i {
    var bytes: UInt64 = 0
    if count == 8 {
      bytes = residual.loadUnaligned(as: UInt64.self)
    } else {
      let zero = UInt64(UInt8(truncatingIfNeeded: block.residual_zero_point))
      for index in 0..<8 {
        let byte =
          index < count ? UInt64(residual.load(fromByteOffset: index, as: UInt8.self)) : zero
        bytes |= byte &<< UInt64(8 &* index)
      }
    }
    let wide = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(Int64(bitPattern: bytes)))
    return _mm256_mullo_epi32(
      _mm256_sub_epi32(wide, _mm256_set1_epi32(block.residual_zero_point)),
      _mm256_set1_epi32(block.residual_multiplier))
  }

  /// Takes two pixels at a time through `scale`, adds the zero point, saturates, bounds and stores.
  @inline(__always)
  private func forEachPair(
    _ block: kernels_requantisation, _ sums: UnsafeRawPointer, _ pixels: Int, _ count: Int,
    _ output: UnsafeMutablePointer<Int8>, _ scale: (_ pixel: Int, _ sum: __m256i) -> __m256i
  ) {
    let zero = _mm256_set1_epi16(Int16(truncatingIfNeeded: block.output_zero_point))
    let minimum = _mm_set1_epi8(Int8(truncatingIfNeeded: block.minimum))
    let maximum = _mm_set1_epi8(Int8(truncatingIfNeeded: block.maximum))
    var pixel = 0
    while pixel < pixels {
      // The last pixel of an odd count stands in for the missing one.
      let next = min(pixel &+ 1, pixels &- 1)
      let a = scale(pixel, (sums + 64 &* pixel).loadUnaligned(as: __m256i.self))
      let b = scale(next, (sums + 64 &* next).loadUnaligned(as: __m256i.self))
      let words = _mm256_adds_epi16(_mm256_packs_epi32(a, b), zero)
      let bytes = _mm256_packs_epi16(words, words)
      let ordered = _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), kernels_high_half(bytes))
      let bounded = _mm_min_epi8(_mm_max_epi8(ordered, minimum), maximum)
      store(bounded[0], count, output + pixel &* block.output_stride)
      store(bounded[1], count, output + next &* block.output_stride)
      pixel &+= 2
    }
  }

  @inline(__always)
  private func store(_ bytes: Int64, _ count: Int, _ output: UnsafeMutablePointer<Int8>) {
    if count == 8 {
      UnsafeMutableRawPointer(output).storeBytes(of: bytes, as: Int64.self)
    } else {
      for index in 0..<count {
        output[index] = Int8(truncatingIfNeeded: bytes &>> Int64(8 &* index))
      }
    }
  }
#endif
