// What Swift cannot import by itself: intrinsics that clang has as macros; and plain data that the
// modules for different processors share.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// From Y U V to int8 R G B: components as int16, 256 times their value less 32768; an output is the
/// sum of its products and `offset`, shifted right by 21 bits and saturated to int8.
struct imaging_conversion {
  /// Of Y; it goes into all three.
  int16_t luma;
  int16_t red_v, green_u, green_v, blue_u;
  int32_t offset;
};

/// Samples of a packed 4:2:2 picture along a straight line. Places are pixels, or blocks of 2x2
/// pixels, with 24 fractional bits; 0 is the middle of the first.
struct imaging_line {
  const void *_Nonnull base;
  /// Bytes from one row of pixels to the next.
  ptrdiff_t stride;
  /// 0 for Y U Y V, 1 for U Y V Y.
  int32_t first_luma;
  int64_t x, y;
  int64_t step_x, step_y;
  /// Whether places may lie outside the picture, which repeats its edge there. The picture must be
  /// two groups of four bytes wide then; and for blocks, a whole number of them in both directions.
  int32_t repeats_edge;
  /// The last pixel or block of a row, and of a column.
  int32_t last_x, last_y;
  /// The last but one group of four bytes in a row.
  int32_t last_pair;
};

#if defined(__AVX2__)
#include <immintrin.h>

#define IMAGING_INLINE static inline __attribute__((always_inline))

/// The low halves of `a` and `b`, then the high ones.
IMAGING_INLINE __m256i imaging_low_halves(__m256i a, __m256i b) {
  return _mm256_permute2x128_si256(a, b, 0x20);
}
IMAGING_INLINE __m256i imaging_high_halves(__m256i a, __m256i b) {
  return _mm256_permute2x128_si256(a, b, 0x31);
}
IMAGING_INLINE __m128i imaging_low_half(__m256i a) { return _mm256_castsi256_si128(a); }
IMAGING_INLINE __m128i imaging_high_half(__m256i a) { return _mm256_extracti128_si256(a, 1); }
/// The four 64-bit parts in the order 0, 2, 1, 3.
IMAGING_INLINE __m256i imaging_middle_swapped(__m256i a) {
  return _mm256_permute4x64_epi64(a, 0xD8);
}
IMAGING_INLINE __m256i imaging_halves_swapped(__m256i a) {
  return _mm256_permute2x128_si256(a, a, 0x01);
}
/// The even 32-bit lanes, each twice.
IMAGING_INLINE __m256i imaging_even_doubled(__m256i a) { return _mm256_shuffle_epi32(a, 0xA0); }
/// The even 32-bit lanes of `even`, the odd ones of `odd`.
IMAGING_INLINE __m256i imaging_odd_from(__m256i even, __m256i odd) {
  return _mm256_blend_epi32(even, odd, 0xAA);
}
/// Four times 8 bytes, at offsets from `base`.
IMAGING_INLINE __m256i imaging_gather(const void *_Nonnull base, __m256i offsets) {
  return _mm256_i64gather_epi64((const long long *)base, offsets, 1);
}

#undef IMAGING_INLINE
#endif

#if defined(__ARM_NEON)
#include <arm_neon.h>

#define IMAGING_INLINE static inline __attribute__((always_inline))

/// Shifted right by 7, rounded, as int16 less 32768.
IMAGING_INLINE int16x8_t imaging_mean_s16(uint32x4_t low, uint32x4_t high) {
  uint16x8_t means = vcombine_u16(vrshrn_n_u32(low, 7), vrshrn_n_u32(high, 7));
  return vreinterpretq_s16_u16(veorq_u16(means, vdupq_n_u16(0x8000)));
}
/// Shifted right, rounded half up.
IMAGING_INLINE int16x8_t imaging_rounded1_s16(int32x4_t low, int32x4_t high) {
  return vcombine_s16(vrshrn_n_s32(low, 1), vrshrn_n_s32(high, 1));
}
IMAGING_INLINE int16x8_t imaging_rounded2_s16(int32x4_t low, int32x4_t high) {
  return vcombine_s16(vrshrn_n_s32(low, 2), vrshrn_n_s32(high, 2));
}
IMAGING_INLINE int16x8_t imaging_rounded15_s16(int32x4_t low, int32x4_t high) {
  return vcombine_s16(vrshrn_n_s32(low, 15), vrshrn_n_s32(high, 15));
}
IMAGING_INLINE int8x8_t imaging_rounded8_s8(int16x8_t values) { return vrshrn_n_s16(values, 8); }
/// Shifted right by 21 and saturated.
IMAGING_INLINE int8x8_t imaging_shifted21_s8(int32x4_t low, int32x4_t high) {
  return vqshrn_n_s16(vcombine_s16(vshrn_n_s32(low, 16), vshrn_n_s32(high, 16)), 5);
}
IMAGING_INLINE int8x16_t imaging_reversed_s8(int8x16_t values) {
  int8x16_t halves = vrev64q_s8(values);
  return vextq_s8(halves, halves, 8);
}
/// The bytes of `low` and `high` at these places of the 32.
IMAGING_INLINE uint8x16_t imaging_lookup_u8(uint8x16_t low, uint8x16_t high, uint8x16_t places) {
  uint8x16x2_t table = {{low, high}};
  return vqtbl2q_u8(table, places);
}
/// Shifted right by 14, rounded, as int16 less 32768.
IMAGING_INLINE int16x4_t imaging_sample_s16(uint32x4_t sum) {
  return vreinterpret_s16_u16(veor_u16(vrshrn_n_u32(sum, 14), vdup_n_u16(0x8000)));
}
/// 8 triples taken apart.
IMAGING_INLINE void imaging_split3_s16(
    const int16_t *_Nonnull triples, int16_t *_Nonnull first, int16_t *_Nonnull second,
    int16_t *_Nonnull third) {
  int16x8x3_t parts = vld3q_s16(triples);
  vst1q_s16(first, parts.val[0]);
  vst1q_s16(second, parts.val[1]);
  vst1q_s16(third, parts.val[2]);
}
/// 16 triples put together.
IMAGING_INLINE void imaging_store_rgb(
    int8_t *_Nonnull output, int8x16_t red, int8x16_t green, int8x16_t blue) {
  int8x16x3_t pixels = {{red, green, blue}};
  vst3q_s8(output, pixels);
}

#undef IMAGING_INLINE
#endif
