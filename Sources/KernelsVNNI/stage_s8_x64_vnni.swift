#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Makes `count` int8 values uint8 by adding 128.
  @export(interface)
  public func stage_s8_x64_vnni(
    _ source: UnsafeRawPointer, count: Int, into staged: UnsafeMutableRawPointer
  ) {
    let top = _mm512_set1_epi8(-128)
    var index = 0
    while index &+ 64 <= count {
      staged.storeBytes(
        of: _mm512_xor_si512(load(source, index), top), toByteOffset: index, as: __m512i.self)
      index &+= 64
    }
    if index < count {
      let mask: __mmask64 = ~0 &>> UInt64(64 &- (count &- index))
      let rest = _mm512_maskz_loadu_epi8(mask, source + index)
      _mm512_mask_storeu_epi8(staged + index, mask, _mm512_xor_si512(rest, top))
    }
  }
#endif
