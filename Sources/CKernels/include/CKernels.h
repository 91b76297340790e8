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
  /// negative multiplier and shift, accumulator multiplier and shift, sum of weights, traits; `pitch`
  /// elements from one column to the next.
  const int32_t *_Nonnull table;
  ptrdiff_t pitch;
  /// Channels of the block; its sums always have the variant's full block.
  ptrdiff_t channels;
  /// As the staged activations have it: what the sum of weights is multiplied by and subtracted.
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

#if defined(__AVX512VNNI__) && defined(__AVX512VBMI__)
/// Odd 32-bit lanes of `even` in the even places, odd lanes of `odd` in theirs: what lies above 32
/// bits of 16 products. The compiler makes two shuffles of this one.
static inline __attribute__((always_inline)) __m512i kernels_high_lanes(__m512i even, __m512i odd) {
  __asm__("vmovshdup %1, %0%{%2%}" : "+v"(odd) : "v"(even), "Yk"((__mmask16)0x5555));
  return odd;
}
/// 16 bytes, each the second of the four of its lane, the others 0.
static inline __attribute__((always_inline)) __m512i kernels_bytes_to_second(__m128i bytes) {
  return _mm512_slli_epi32(_mm512_cvtepu8_epi32(bytes), 8);
}
static inline __attribute__((always_inline)) __m128i kernels_quarter_1(__m512i a) {
  return _mm512_extracti32x4_epi32(a, 1);
}
static inline __attribute__((always_inline)) __m128i kernels_quarter_2(__m512i a) {
  return _mm512_extracti32x4_epi32(a, 2);
}
static inline __attribute__((always_inline)) __m128i kernels_quarter_3(__m512i a) {
  return _mm512_extracti32x4_epi32(a, 3);
}
/// 16 bytes from each of three places, in the first three quarters.
static inline __attribute__((always_inline)) __m512i kernels_three_rows(
    const void *_Nonnull a, const void *_Nonnull b, const void *_Nonnull c) {
  __m512i rows = _mm512_zextsi128_si512(_mm_loadu_si128((const __m128i *)a));
  rows = _mm512_mask_broadcast_i32x4(rows, 0x00F0, _mm_loadu_si128((const __m128i *)b));
  return _mm512_mask_broadcast_i32x4(rows, 0x0F00, _mm_loadu_si128((const __m128i *)c));
}
/// 16 bytes from each of four places.
static inline __attribute__((always_inline)) __m512i kernels_four_rows(
    const void *_Nonnull a, const void *_Nonnull b, const void *_Nonnull c,
    const void *_Nonnull d) {
  return _mm512_mask_broadcast_i32x4(
      kernels_three_rows(a, b, c), 0xF000, _mm_loadu_si128((const __m128i *)d));
}
#endif

#if defined(__aarch64__)
#include <arm_neon.h>

/// 1 less where negative.
static inline __attribute__((always_inline)) int32x4_t kernels_down_if_negative(int32x4_t a) {
  return vsraq_n_s32(a, a, 31);
}
/// The same for 16 bits.
static inline __attribute__((always_inline)) int16x8_t kernels_down_if_negative_16(int16x8_t a) {
  return vsraq_n_s16(a, a, 15);
}
/// a / 4, the half rounded up.
static inline __attribute__((always_inline)) int16x8_t kernels_quarter_16(int16x8_t a) {
  return vrshrq_n_s16(a, 2);
}
#endif

#if defined(__ARM_FEATURE_DOTPROD)

/// `sums` and the products of each four of `w` with the four of one 32-bit lane of `x`.
static inline __attribute__((always_inline)) int32x4_t kernels_dot_lane_0(
    int32x4_t sums, int8x16_t w, int8x16_t x) {
  return vdotq_laneq_s32(sums, w, x, 0);
}
static inline __attribute__((always_inline)) int32x4_t kernels_dot_lane_1(
    int32x4_t sums, int8x16_t w, int8x16_t x) {
  return vdotq_laneq_s32(sums, w, x, 1);
}
static inline __attribute__((always_inline)) int32x4_t kernels_dot_lane_2(
    int32x4_t sums, int8x16_t w, int8x16_t x) {
  return vdotq_laneq_s32(sums, w, x, 2);
}
static inline __attribute__((always_inline)) int32x4_t kernels_dot_lane_3(
    int32x4_t sums, int8x16_t w, int8x16_t x) {
  return vdotq_laneq_s32(sums, w, x, 3);
}
#endif
