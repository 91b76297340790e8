#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  extension kernels_requantisation {
    /// int32 biases of 8 channels.
    @inline(__always)
    func biases(_ first: Int) -> __m256i {
      (bias + 4 &* first).loadUnaligned(as: __m256i.self)
    }

    /// 8 channels of a column of the table and of the one behind it.
    @inline(__always)
    func factor(_ index: Int, _ first: Int) -> Factor {
      Factor(multiplier: column(index, first), shift: column(index &+ 1, first))
    }

    @inline(__always)
    func column(_ index: Int, _ first: Int) -> __m256i {
      UnsafeRawPointer(table + (index &* pitch &+ first)).loadUnaligned(as: __m256i.self)
    }
  }
#endif
