/* Philox's blocks (philox.h), many at a time: a loop over blocks that the compiler vectorizes is four times slower,
 * because compilers do not see that a round needs only a 32 by 32 bit multiplication. */
#ifndef GN_PHILOX_BLOCKS_H
#define GN_PHILOX_BLOCKS_H

#include "philox.h"

#define PHILOX_BLOCKS 64

/* words[k][j] is word k of the j-th block after the first. */
typedef uint32_t philox_table[4][PHILOX_BLOCKS];

/* A lane has 64 bits, of which only the lower half is used; the upper half is not cleared. */
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#if defined(__AVX512F__)
#define LANES 8
typedef __m512i philox_lanes;
#define EACH(x) _mm512_set1_epi64((long long)(x))
#define FROM(x) _mm512_add_epi64(EACH(x), _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14))
#define TIMES _mm512_mul_epu32
#define UPPER(x) _mm512_srli_epi64(x, 32)
#define XOR _mm512_xor_si512
#define ZIP(even, odd) _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32))
#define WRITE(at, x) _mm512_storeu_si512((void *)(at), x)
#else
#define LANES 4
typedef __m256i philox_lanes;
#define EACH(x) _mm256_set1_epi64x((long long)(x))
#define FROM(x) _mm256_add_epi64(EACH(x), _mm256_setr_epi64x(0, 2, 4, 6))
#define TIMES _mm256_mul_epu32
#define UPPER(x) _mm256_srli_epi64(x, 32)
#define XOR _mm256_xor_si256
#define ZIP(even, odd) _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)
#define WRITE(at, x) _mm256_storeu_si256((__m256i *)(void *)(at), x)
#endif

/* The ten rounds of as many blocks as there are lanes. */
static inline void philox_rounds(philox_lanes *c, const philox_lanes (*keys)[2]) {
    for (int round = 0; round < 10; round++) {
        const philox_lanes product0 = TIMES(EACH(0xD2511F53U), c[0]);
        const philox_lanes product1 = TIMES(EACH(0xCD9E8D57U), c[2]);
        c[0] = XOR(XOR(UPPER(product1), c[1]), keys[round][0]);
        c[1] = product1;
        c[2] = XOR(XOR(UPPER(product0), c[3]), keys[round][1]);
        c[3] = product0;
    }
}

/* `count` blocks from `index` on, and up to a whole number of vectors; none beyond 2^64. */
static inline void philox_vectors(const philox *stream, uint64_t index, int64_t count, philox_table words) {
    philox_lanes keys[10][2];
    for (uint32_t round = 0; round < 10; round++) {
        keys[round][0] = EACH((uint32_t)stream->seed + round * 0x9E3779B9U);
        keys[round][1] = EACH((uint32_t)(stream->seed >> 32) + round * 0xBB67AE85U);
    }
    const uint64_t low = stream->low + index;
    const uint64_t high = stream->high + (low < index);
    for (int64_t first = 0; first < count; first += 2 * (int64_t)LANES) {
        philox_lanes even[4] = {FROM(low + (uint64_t)first), EACH(0), EACH(high), EACH(high >> 32)};
        philox_lanes odd[4] = {FROM(low + (uint64_t)first + 1), EACH(0), EACH(high), EACH(high >> 32)};
        even[1] = UPPER(even[0]);
        odd[1] = UPPER(odd[0]);
        philox_rounds(even, keys);
        philox_rounds(odd, keys);
        for (int word = 0; word < 4; word++) {
            WRITE(words[word] + first, ZIP(even[word], odd[word]));
        }
    }
}
#undef LANES
#undef EACH
#undef FROM
#undef TIMES
#undef UPPER
#undef XOR
#undef ZIP
#undef WRITE
#define HAS_VECTORS 1
#else
#define HAS_VECTORS 0
#endif

/* The words of `count` blocks, PHILOX_BLOCKS at most, from `index` on. */
static inline void philox_blocks(const philox *stream, uint64_t index, int64_t count, philox_table words) {
#if HAS_VECTORS
    if (stream->low + index <= UINT64_MAX - PHILOX_BLOCKS) { /* else the counter's upper half would change within */
        philox_vectors(stream, index, count, words);
        return;
    }
#endif
    for (int64_t j = 0; j < count; j++) {
        uint32_t block[4];
        philox_words(stream, index + (uint64_t)j, block);
        for (int word = 0; word < 4; word++) {
            words[word][j] = block[word];
        }
    }
}
#undef HAS_VECTORS

#endif
