#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  @inline(__always)
  func load(_ from: UnsafeRawPointer, _ offset: Int = 0) -> __m512i {
    from.loadUnaligned(fromByteOffset: offset, as: __m512i.self)
  }

  /// Four bytes in all 16 places.
  @inline(__always)
  func broadcast(_ from: UnsafeRawPointer) -> __m512i {
    _mm512_set1_epi32(from.loadUnaligned(as: Int32.self))
  }

  /// The 8 odd 32-bit lanes in the even places; what the odd places hold is of no matter.
  @inline(__always)
  func oddLanes(_ lanes: __m512i) -> __m512i { _mm512_srli_epi64(lanes, 32) }

  /// Sums of 16 output channels for eight neighbouring outputs.
  struct Tile {
    var s0: __m512i
    var s1: __m512i
    var s2: __m512i
    var s3: __m512i
    var s4: __m512i
    var s5: __m512i
    var s6: __m512i
    var s7: __m512i

    @inline(__always)
    init(repeating value: __m512i) {
      s0 = value
      s1 = value
      s2 = value
      s3 = value
      s4 = value
      s5 = value
      s6 = value
      s7 = value
    }

    @inline(__always)
    func store(_ to: UnsafeMutableRawPointer) {
      to.storeBytes(of: s0, as: __m512i.self)
      to.storeBytes(of: s1, toByteOffset: 64, as: __m512i.self)
      to.storeBytes(of: s2, toByteOffset: 128, as: __m512i.self)
      to.storeBytes(of: s3, toByteOffset: 192, as: __m512i.self)
      to.storeBytes(of: s4, toByteOffset: 256, as: __m512i.self)
      to.storeBytes(of: s5, toByteOffset: 320, as: __m512i.self)
      to.storeBytes(of: s6, toByteOffset: 384, as: __m512i.self)
      to.storeBytes(of: s7, toByteOffset: 448, as: __m512i.self)
    }
  }
#endif
