#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// TFLite's quantised addition of `count` values, a multiple of 8.
  @export(interface)
  public func add_s8_x8_avx2(
    _ addition: kernels_addition, _ a: UnsafePointer<Int8>, _ b: UnsafePointer<Int8>, count: Int,
    into output: UnsafeMutablePointer<Int8>
  ) {
    let left = _mm256_set1_epi32(addition.left_shift)
    let zeroA = _mm256_set1_epi32(addition.first_zero_point)
    let zeroB = _mm256_set1_epi32(addition.second_zero_point)
    let zeroOutput = _mm256_set1_epi16(Int16(truncatingIfNeeded: addition.output_zero_point))
    let minimum = _mm_set1_epi8(Int8(truncatingIfNeeded: addition.minimum))
    let maximum = _mm_set1_epi8(Int8(truncatingIfNeeded: addition.maximum))
    let factorA = Factor(addition.first_multiplier, addition.first_shift)
    let factorB = Factor(addition.second_multiplier, addition.second_shift)
    let factorOutput = Factor(addition.output_multiplier, addition.output_shift)
    var index = 0
    while index < count {
      let x = _mm256_sllv_epi32(_mm256_sub_epi32(widened(a + index), zeroA), left)
      let y = _mm256_sllv_epi32(_mm256_sub_epi32(widened(b + index), zeroB), left)
      let sum = factorOutput.scaled(_mm256_add_epi32(factorA.scaled(x), factorB.scaled(y)))
      let words = _mm256_adds_epi16(_mm256_packs_epi32(sum, sum), zeroOutput)
      let bytes = _mm256_packs_epi16(words, words)
      let ordered = _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), kernels_high_half(bytes))
      let bounded = _mm_min_epi8(_mm_max_epi8(ordered, minimum), maximum)
      UnsafeMutableRawPointer(output + index).storeBytes(of: bounded[0], as: Int64.self)
      index &+= 8
    }
  }

  extension Factor {
    @inline(__always)
    fileprivate init(_ multiplier: Int32, _ shift: Int32) {
      self.init(
        multiplier: _mm256_set1_epi32(multiplier), shift: _mm256_set1_epi32(shift))
    }
  }

  /// 8 int8 as int32.
  @inline(__always)
  private func widened(_ values: UnsafePointer<Int8>) -> __m256i {
    _mm256_cvtepi8_epi32(
      _mm_cvtsi64_si128(UnsafeRawPointer(values).loadUnaligned(as: Int64.self)))
  }
#endif
