/* What the stages of Fourier transforms are made of: vectors of elements of a dtype, shuffles of two of them, and how a
 * stage reads and writes. */
#ifndef GN_FOURIER_VECTORS_H
#define GN_FOURIER_VECTORS_H

#include "gemm.h"
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

/* Vectors, if the compiler has vector types and shuffles; else single elements. */
#if GN_HAS_GEMM && (defined(__clang__) || __GNUC__ >= 12)
#define SIDE ((int64_t)(GN_GEMM_BYTES / sizeof(COMPUTE)))
#define VECTOR __attribute__((vector_size(GN_GEMM_BYTES), aligned(sizeof(COMPUTE)), may_alias))
#define LIST_2(X) X(0), X(1)
#define LIST_4(X) LIST_2(X), X(2), X(3)
#define LIST_8(X) LIST_4(X), X(4), X(5), X(6), X(7)
#define LIST_16(X) LIST_8(X), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15)
#if GN_GEMM_BYTES == 64
#define LIST_float32 LIST_16
#define LIST_float64 LIST_8
#elif GN_GEMM_BYTES == 32
#define LIST_float32 LIST_8
#define LIST_float64 LIST_4
#else
#define LIST_float32 LIST_4
#define LIST_float64 LIST_2
#endif
/* Shuffle indices into two vectors: interleave their first halves; their second halves; the first elements of all
 * pairs; the second elements. */
#define COUNT (GN_GEMM_BYTES / sizeof(COMPUTE))
#define LOWER(i) (i) / 2 + (i) % 2 * COUNT
#define UPPER(i) (i) / 2 + (i) % 2 * COUNT + COUNT / 2
#define EVEN(i) 2 * (i)
#define ODD(i) 2 * (i) + 1
/* The same for pairs: their elements exchanged; interleaved; in reverse order. */
#define SWAPPED(i) (i) + 1 - (i) % 2 * 2
#define PAIRS_LOWER(i) (i) / 4 * 2 + (i) % 2 + (i) / 2 % 2 * COUNT
#define PAIRS_UPPER(i) (i) / 4 * 2 + (i) % 2 + (i) / 2 % 2 * COUNT + COUNT / 2
#define REVERSED(i) COUNT - 2 - (i) + (i) % 2 * 2
#define CHOSEN(a, b, PLACES) __builtin_shufflevector(a, b, NAME(LIST)(PLACES))
/* a b + c: compilers do not always find the instruction for a loop over lanes. */
#if defined(__AVX512F__)
#define FUSED_float32(a, b, c) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define FUSED_float64(a, b, c) _mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined(__AVX__) && defined(__FMA__)
#define FUSED_float32(a, b, c) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FUSED_float64(a, b, c) _mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#endif
#else
#define SIDE ((int64_t)1)
#define VECTOR
#define LOWER a
#define UPPER b
#define EVEN a
#define ODD b
#define CHOSEN(a, b, PLACES) GN_JOIN(CHOSEN, PLACES)(a, b)
#define CHOSEN_a(a, b) (a)
#define CHOSEN_b(a, b) (b)
#endif

/* The largest prime factor that is transformed by the definition of the DFT. */
#define LARGEST_PRIME 31

/* How a stage reads and writes; constants of its inlined code. */
enum {
    PLAIN = 0,
    ROOTS_ARE_ONE = 1, /* as in the first group, and in all of a last stage */
    FROM_PAIRS = 2,
    EXCHANGED = 4,
    TIMES_BETWEEN = 8,
    TO_PAIRS = 16,
    FIRST_FROM_PAIRS = ROOTS_ARE_ONE | FROM_PAIRS,
    FROM_EXCHANGED = FROM_PAIRS | EXCHANGED,
    FIRST_FROM_EXCHANGED = ROOTS_ARE_ONE | FROM_EXCHANGED,
    LAST_TIMES_BETWEEN = ROOTS_ARE_ONE | TIMES_BETWEEN,
    LAST_TO_PAIRS = ROOTS_ARE_ONE | TO_PAIRS,
    LAST_TO_EXCHANGED = LAST_TO_PAIRS | EXCHANGED,
    BESIDE = 32, /* in place, in points of lines that are beside each other */
    FIRST_BESIDE = ROOTS_ARE_ONE | BESIDE
};

#endif
