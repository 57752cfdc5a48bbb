/* float16 and bfloat16 to floats and back by the processor's conversion instructions if it has them, else by half.h.
 * The results are the same bits, except that a block makes a signaling NaN quiet. */
#ifndef GN_HALF_VECTORS_H
#define GN_HALF_VECTORS_H

#include "kernel.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define GN_HAS_HALF_VECTORS 1
#include <immintrin.h>
#elif defined(__AVX2__) && defined(__F16C__)
#define GN_HAS_HALF_VECTORS 1
#include <immintrin.h>
#else
#define GN_HAS_HALF_VECTORS 0
#endif

/* Elements of a block, which stays in registers if a loop over it is vectorized. */
#define GN_HALF_BLOCK 16

/* Before such a loop, which compilers otherwise unroll before vectorizing: a hint, by an OpenMP pragma if supported. */
#if defined(_OPENMP)
#define GN_VECTOR _Pragma("omp simd")
#else
#define GN_VECTOR GN_INDEPENDENT
#endif

#if defined(__AVX512F__) && GN_HAS_HALF_VECTORS
GN_INLINE void gn_widen_block_float16(const uint16_t *from, float *to) {
    _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from)));
}
GN_INLINE void gn_narrow_block_float16(const float *from, uint16_t *to) {
    const __m512 x = _mm512_loadu_ps(from);
    const __m512i bits = _mm512_castps_si512(x);
    const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    /* A NaN's sign and exponent, and that it is quiet: (bits & b) | c. */
    const __m512i plain = _mm512_mask_ternarylogic_epi32(bits, is_nan, _mm512_set1_epi32((int)0xff800000),
                                                         _mm512_set1_epi32(0x00400000), 0xea);
    const __m256i rounded = _mm512_cvtps_ph(_mm512_castsi512_ps(plain), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256((__m256i *)(void *)to, rounded);
}
GN_INLINE void gn_widen_block_bfloat16(const uint16_t *from, float *to) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));
    _mm512_storeu_si512((void *)to, _mm512_slli_epi32(wide, 16));
}
GN_INLINE void gn_narrow_block_bfloat16(const float *from, uint16_t *to) {
    const __m512 x = _mm512_loadu_ps(from);
    const __m512i bits = _mm512_castps_si512(x), most = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    const __mmask16 is_odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    const __m512i sum = _mm512_mask_add_epi32(most, is_odd, most, _mm512_set1_epi32(1));
    /* A NaN's sign, and the quiet one's other bits: (bits & b) | c. */
    const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i nan = _mm512_ternarylogic_epi32(bits, _mm512_set1_epi32((int)0x80000000),
                                                  _mm512_set1_epi32(0x7fc00000), 0xea);
    const __m512i rounded = _mm512_srli_epi32(_mm512_mask_mov_epi32(sum, is_nan, nan), 16);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16(rounded));
}
#elif GN_HAS_HALF_VECTORS
GN_INLINE void gn_widen_block_float16(const uint16_t *from, float *to) {
    const __m128i *halves = (const __m128i *)(const void *)from;
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(halves)));
    _mm256_storeu_ps(to + 8, _mm256_cvtph_ps(_mm_loadu_si128(halves + 1)));
}
GN_INLINE __m128i gn_narrow_eight_float16(const float *from) {
    const __m256 x = _mm256_loadu_ps(from);
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m128i narrow = _mm_packs_epi32(_mm256_castsi256_si128(is_nan), _mm256_extracti128_si256(is_nan, 1));
    return _mm_andnot_si128(_mm_and_si128(narrow, _mm_set1_epi16(0x01ff)),
                            _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
GN_INLINE void gn_narrow_block_float16(const float *from, uint16_t *to) {
    _mm_storeu_si128((__m128i *)(void *)to, gn_narrow_eight_float16(from));
    _mm_storeu_si128((__m128i *)(void *)(to + 8), gn_narrow_eight_float16(from + 8));
}
GN_INLINE void gn_widen_block_bfloat16(const uint16_t *from, float *to) {
    const __m128i *halves = (const __m128i *)(const void *)from;
    __m256i *wide = (__m256i *)(void *)to;
    _mm256_storeu_si256(wide, _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(halves)), 16));
    _mm256_storeu_si256(wide + 1, _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(halves + 1)), 16));
}
GN_INLINE __m256i gn_round_eight_bfloat16(const float *from) {
    const __m256 x = _mm256_loadu_ps(from);
    const __m256i bits = _mm256_castps_si256(x), upper = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(_mm256_and_si256(upper, _mm256_set1_epi32(0x8000)), _mm256_set1_epi32(0x7fc0));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16), quiet, is_nan);
}
GN_INLINE void gn_narrow_block_bfloat16(const float *from, uint16_t *to) {
    const __m256i packed = _mm256_packus_epi32(gn_round_eight_bfloat16(from), gn_round_eight_bfloat16(from + 8));
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permute4x64_epi64(packed, 0xd8));
}
#else
#define GN_HALF_BLOCKS(dtype)                                                         \
    GN_INLINE void gn_widen_block_##dtype(const uint16_t *from, float *to) {          \
        for (int i = 0; i < GN_HALF_BLOCK; i++) {                                     \
            to[i] = gn_from_##dtype(from[i]);                                         \
        }                                                                             \
    }                                                                                 \
    GN_INLINE void gn_narrow_block_##dtype(const float *from, uint16_t *to) {         \
        for (int i = 0; i < GN_HALF_BLOCK; i++) {                                     \
            to[i] = gn_to_##dtype(from[i]);                                           \
        }                                                                             \
    }
GN_HALF_BLOCKS(float16)
GN_HALF_BLOCKS(bfloat16)
#undef GN_HALF_BLOCKS
#endif

/* Does a block that was widened hold a NaN, which may have been another one?  bfloat16's bits are a float's. */
GN_INLINE int gn_has_nan_float16(const float *block) {
#if defined(__AVX512F__) && GN_HAS_HALF_VECTORS
    const __m512 x = _mm512_loadu_ps(block);
    return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q) != 0;
#elif GN_HAS_HALF_VECTORS
    const __m256 x = _mm256_loadu_ps(block), y = _mm256_loadu_ps(block + 8);
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x, x, _CMP_UNORD_Q), _mm256_cmp_ps(y, y, _CMP_UNORD_Q))) != 0;
#else
    (void)block;
    return 0;
#endif
}
GN_INLINE int gn_has_nan_bfloat16(const float *block) {
    (void)block;
    return 0;
}

/* Rows of any length. */
#define GN_HALF_ROWS(dtype)                                                                              \
    static inline void gn_widen_row_##dtype(const uint16_t *from, int64_t count, float *to) {            \
        int64_t i = 0;                                                                                   \
        for (; i + GN_HALF_BLOCK <= count; i += GN_HALF_BLOCK) {                                         \
            gn_widen_block_##dtype(from + i, to + i);                                                    \
            const int is_changed = gn_has_nan_##dtype(to + i);                                           \
            for (int k = 0; k < GN_HALF_BLOCK && GN_UNLIKELY(is_changed); k++) {                         \
                to[i + k] = gn_from_##dtype(from[i + k]);                                                \
            }                                                                                            \
        }                                                                                                \
        for (; i < count; i++) {                                                                         \
            to[i] = gn_from_##dtype(from[i]);                                                            \
        }                                                                                                \
    }                                                                                                    \
    static inline void gn_narrow_row_##dtype(const float *from, int64_t count, uint16_t *to) {           \
        int64_t i = 0;                                                                                   \
        for (; i + GN_HALF_BLOCK <= count; i += GN_HALF_BLOCK) {                                         \
            gn_narrow_block_##dtype(from + i, to + i);                                                   \
        }                                                                                                \
        for (; i < count; i++) {                                                                         \
            to[i] = gn_to_##dtype(from[i]);                                                              \
        }                                                                                                \
    }
GN_HALF_ROWS(float16)
GN_HALF_ROWS(bfloat16)
#undef GN_HALF_ROWS

#endif
