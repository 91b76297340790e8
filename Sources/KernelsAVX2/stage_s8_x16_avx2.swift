#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Widens `count` int8 values to int16 and subtracts the zero point: exact, within ±255.
  @export(interface)
  public func stage_s8_x16_avx2(
    _ input: UnsafePointer<Int8>, count: Int, zeroPoint: Int32, into staged: UnsafeMutableRawPointer
  ) {
    let source = UnsafeRawPointer(input)
    let zero = _mm256_set1_epi16(Int16(truncatingIfNeeded: zeroPoint))
    var index = 0
    while index &+ 16 <= count {
      let wide = _mm256_cvtepi8_epi16(
        source.loadUnaligned(fromByteOffset: index, as: __m128i.self))
      staged.storeBytes(
        of: _mm256_sub_epi16(wide, zero), toByteOffset: 2 &* index, as: __m256i.self)
      index &+= 16
    }
    while index < count {
      let value = Int16(input[index]) &- Int16(truncatingIfNeeded: zeroPoint)
      staged.storeBytes(of: value, toByteOffset: 2 &* index, as: Int16.self)
      index &+= 1
    }
  }
#endif
