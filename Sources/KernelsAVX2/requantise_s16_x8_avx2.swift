#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// As `requantise_s8_x8_avx2` with int16 outputs and residual, whose zero points are 0.
  @export(interface)
  public func requantise_s16_x8_avx2(
    _ block: kernels_requantisation, sums: UnsafeRawPointer, pixels: Int,
    into output: UnsafeMutableRawPointer
  ) {
    var first = 0
    while first < block.channels {
      let bias = block.biases(first)
      let positive = block.factor(0, first)
      let negative = block.factor(2, first)
      let accumulator = block.factor(4, first)
      forEachPixel(block, first, sums, pixels, output) { sum, residual in
        var t = _mm256_add_epi32(sum, bias)
        if let residual {
          t = _mm256_add_epi32(accumulator.scaled(t), residual)
        }
        return Factor(t, positive, negative).scaled(t)
      }
      first &+= 8
    }
  }

  /// The same with int64 biases, to which the int32 sums are added.
  @export(interface)
  public func requantise_s64_x8_avx2(
    _ block: kernels_requantisation, sums: UnsafeRawPointer, pixels: Int,
    into output: UnsafeMutableRawPointer
  ) {
    var first = 0
    while first < block.channels {
      let bias = WideLanes(block.bias + 8 &* first)
      if block.residual != nil {
        let positive = block.factor(0, first)
        let negative = block.factor(2, first)
        let accumulator = block.wideFactor(4, first)
        forEachPixel(block, first, sums, pixels, output) { sum, residual in
          let t = _mm256_add_epi32(
            accumulator.scaled(WideLanes(sum) + bias), residual ?? _mm256_setzero_si256())
          return Factor(t, positive, negative).scaled(t)
        }
      } else {
        let positive = block.wideFactor(0, first)
        let negative = block.wideFactor(2, first)
        forEachPixel(block, first, sums, pixels, output) { sum, _ in
          let wide = WideLanes(sum) + bias
          return WideFactor(wide, positive, negative).scaled(wide)
        }
      }
      first &+= 8
    }
  }

  extension kernels_requantisation {
    @inline(__always)
    fileprivate func wideFactor(_ index: Int, _ first: Int) -> WideFactor {
      WideFactor(multiplier: column(index, first), shift: column(index &+ 1, first))
    }
  }

  /// Takes 8 channels from `first` on of each pixel through `scale`, which is given the sums and what
  /// the residual adds, saturates, bounds and stores.
  @inline(__always)
  private func forEachPixel(
    _ block: kernels_requantisation, _ first: Int, _ sums: UnsafeRawPointer, _ pixels: Int,
    _ output: UnsafeMutableRawPointer, _ scale: (_ sums: __m256i, _ residual: __m256i?) -> __m256i
  ) {
    let count = min(8, block.channels &- first)
    let minimum = _mm_set1_epi16(Int16(truncatingIfNeeded: block.minimum))
    let maximum = _mm_set1_epi16(Int16(truncatingIfNeeded: block.maximum))
    let factor = _mm256_set1_epi32(block.residual_multiplier)
    let added = max(0, min(8, block.residual_channels &- first))
    for pixel in 0..<pixels {
      let sum = (sums + (64 &* pixel &+ 4 &* first)).loadUnaligned(as: __m256i.self)
      var addend: __m256i?
      if let residual = block.residual {
        let steps = words(residual + 2 &* (first &+ pixel &* block.residual_stride), added)
        addend = _mm256_mullo_epi32(_mm256_cvtepi16_epi32(steps), factor)
      }
      let scaled = scale(sum, addend)
      let packed = _mm_packs_epi32(_mm256_castsi256_si128(scaled), kernels_high_half(scaled))
      let bounded = _mm_min_epi16(_mm_max_epi16(packed, minimum), maximum)
      store(bounded, count, output + 2 &* (first &+ pixel &* block.output_stride))
    }
  }

  /// `count` int16, then zeros.
  @inline(__always)
  private func words(_ from: UnsafeRawPointer, _ count: Int) -> __m128i {
    if count == 8 { return from.loadUnaligned(as: __m128i.self) }
    var words = SIMD8<Int16>(repeating: 0)
    for index in 0..<count {
      words[index] = from.loadUnaligned(fromByteOffset: 2 &* index, as: Int16.self)
    }
    return unsafeBitCast(words, to: __m128i.self)
  }

  @inline(__always)
  private func store(_ values: __m128i, _ count: Int, _ to: UnsafeMutableRawPointer) {
    if count == 8 {
      to.storeBytes(of: values, as: __m128i.self)
    } else {
      let words = unsafeBitCast(values, to: SIMD8<Int16>.self)
      for index in 0..<count {
        to.storeBytes(of: words[index], toByteOffset: 2 &* index, as: Int16.self)
      }
    }
  }
#endif
