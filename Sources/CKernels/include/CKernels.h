// What Swift cannot import by itself: intrinsics that clang has as macros, and processor features.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Whether the processor and the kernel support AVX2. 0 on anything but x86_64.
int kernels_cpu_has_avx2(void);
/// Whether they support AVX-512 F, BW, DQ, VL, VBMI and VNNI. 0 on anything but x86_64.
int kernels_cpu_has_vnni(void);
/// Whether they support ARM's 8-bit dot product. 0 on anything but arm64.
int kernels_cpu_has_dot_product(void);
/// Whether LIVELATCH_KERNELS is set to exactly these bytes.
int kernels_environment_is(const uint8_t *_Nonnull name, ptrdiff_t length);

/// One block of output channels on its way from sums to outputs. Plain data that modules for
/// different processors share.
struct kernels_requantisation {
  /// int32 or int64, from the block's first channel on.
  const void *_Nonnull bias;
  /// The channel table's other columns at the block's first channel: positive multiplier and shift,
  /// negative multiplier and shift, accumulator multiplier and shift, sum of weights; `pitch`
  /// elements from one column to the next.
  const int32_t *_Nonnull table;
  ptrdiff_t pitch;
  /// Channels of the block; its sums always have the variant's full block.
  ptrdiff_t channels;
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t minimum;
  int32_t maximum;
  /// The residual at the block's first channel and first pixel; NULL without one.
  const void *_Nullable residual;
  /// Elements from one pixel of the residual to the next.
  ptrdiff_t residual_stride;
  /// Channels of the block that have a residual.
  ptrdiff_t residual_channels;
  int32_t residual_zero_point;
  int32_t residual_multiplier;
  /// Elements from one pixel of the output to the next.
  ptrdiff_t output_stride;
};

/// A quantised addition: the three tensors in the order first, second, output.
struct kernels_addition {
  int32_t left_shift;
  int32_t first_zero_point, first_multiplier, first_shift;
  int32_t second_zero_point, second_multiplier, second_shift;
  int32_t output_zero_point, output_multiplier, output_shift;
  int32_t minimum, maximum;
};

#if defined(__AVX2__)
#include <immintrin.h>

/// Even 32-bit lanes of `even`, odd lanes of `odd`.
static inline __attribute__((always_inline)) __m256i kernels_blend_odd(__m256i even, __m256i odd) {
  return _mm256_blend_epi32(even, odd, 0xAA);
}
static inline __attribute__((always_inline)) __m256i kernels_low_halves(__m256i a, __m256i b) {
  return _mm256_permute2x128_si256(a, b, 0x20);
}
static inline __attribute__((always_inline)) __m256i kernels_high_halves(__m256i a, __m256i b) {
  return _mm256_permute2x128_si256(a, b, 0x31);
}
static inline __attribute__((always_inline)) __m128i kernels_high_half(__m256i a) {
  return _mm256_extracti128_si256(a, 1);
}
/// Even 32-bit lanes: of each 128 bits those of `a`, then those of `b`.
static inline __attribute__((always_inline)) __m256i kernels_even_lanes(__m256i a, __m256i b) {
  return _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}
/// The two middle quarters change places.
static inline __attribute__((always_inline)) __m256i kernels_swap_middle(__m256i a) {
  return _mm256_permute4x64_epi64(a, 0xD8);
}
#endif
