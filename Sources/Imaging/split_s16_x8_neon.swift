#if arch(arm64)
  import CImaging
  import _Builtin_intrinsics.arm.neon

  /// Takes `count` pairs apart. All three are read and written in multiples of 8 pairs.
  func split2_s16_x8_neon(
    _ pairs: UnsafePointer<Int16>, count: Int, first: UnsafeMutablePointer<Int16>,
    second: UnsafeMutablePointer<Int16>
  ) {
    var index = 0
    while index < count {
      let source = UnsafeRawPointer(pairs + 2 &* index)
      let a = source.loadUnaligned(as: SIMD8<Int16>.self)
      let b = source.loadUnaligned(fromByteOffset: 16, as: SIMD8<Int16>.self)
      UnsafeMutableRawPointer(first + index).storeBytes(
        of: vuzp1q_s16(a, b), as: SIMD8<Int16>.self)
      UnsafeMutableRawPointer(second + index).storeBytes(
        of: vuzp2q_s16(a, b), as: SIMD8<Int16>.self)
      index &+= 8
    }
  }

  /// Takes `count` triples apart. All are read and written in multiples of 8 triples.
  func split3_s16_x8_neon(
    _ triples: UnsafePointer<Int16>, count: Int, first: UnsafeMutablePointer<Int16>,
    second: UnsafeMutablePointer<Int16>, third: UnsafeMutablePointer<Int16>
  ) {
    var index = 0
    while index < count {
      imaging_split3_s16(triples + 3 &* index, first + index, second + index, third + index)
      index &+= 8
    }
  }
#endif
