/* Matrix products by the library's own kernel: a block of the result in vector registers, the right factor packed for
 * the L2 cache, the left one for L1. Single-threaded; strides count elements.
 *
 * k is split into levels; each element of a result is the sum of all levels in order, and each level is a chain of
 * multiply-adds. The levels depend on k alone: an element's bits do not depend on its position or the tiling. */
#ifndef GN_GEMM_H
#define GN_GEMM_H

#include "kernel.h"

/* Vectors are written out where the compiler has them as types: the block must stay in registers, and compilers do
 * not keep an array there that a loop indexes. */
#if defined(__GNUC__)
#define GN_HAS_GEMM 1
#else
#define GN_HAS_GEMM 0
#endif

/* Fully unrolls a loop, so that arrays that it indexes are in registers. */
#define GN_UNROLL _Pragma("GCC unroll 16")

/* Bytes of a vector, and the rows of a block: two vectors for each of them, two of the right factor and one of the left
 * fill the registers. */
#if defined(__AVX512F__)
#define GN_GEMM_BYTES 64
#define GN_GEMM_ROWS 14
#define GN_GEMM_EACH_ROWS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#elif defined(__AVX__)
#define GN_GEMM_BYTES 32
#define GN_GEMM_ROWS 6
#define GN_GEMM_EACH_ROWS(X) X(1) X(2) X(3) X(4) X(5) X(6)
#elif defined(__aarch64__)
#define GN_GEMM_BYTES 16
#define GN_GEMM_ROWS 12
#define GN_GEMM_EACH_ROWS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#else
#define GN_GEMM_BYTES 16
#define GN_GEMM_ROWS 6
#define GN_GEMM_EACH_ROWS(X) X(1) X(2) X(3) X(4) X(5) X(6)
#endif

/* Writes rows [first, first + count) of a left factor, for [level, level + depth) of k, to to[row][k] with rows
 * GN_GEMM_LEFT_STEP bytes apart. */
typedef void gn_pack_left(const void *factor, void *to, int64_t first, int64_t count, int64_t level, int64_t depth);
/* Writes columns [first, first + count) of a right factor, at places [level, level + depth) of k, in slivers of
 * GN_GEMM_WIDTH bytes: to[sliver][place][column].  After the last column come numbers of the factor or zeros: products
 * with uninitialized memory would be ignored, but are a hundred times slower if it is subnormal.  Even GN_GEMM_WIDTH
 * bytes more may be written. */
typedef void gn_pack_right(const void *factor, void *to, int64_t first, int64_t count, int64_t level, int64_t depth);

#define GN_GEMM_WIDTH (2 * GN_GEMM_BYTES)
/* The panel of the right factor: bytes of a column, and columns in bytes.  Processors with AVX-512 have an L2 cache of
 * 1 MiB; half of that is usual otherwise. */
#if defined(__AVX512F__)
#define GN_GEMM_DEPTH 1792
#define GN_GEMM_COLUMNS 1664
#else
#define GN_GEMM_DEPTH 1024
#define GN_GEMM_COLUMNS 1280
#endif
/* A row of the left panel; not a multiple of a page, whose lines would all map to the same cache sets. */
#define GN_GEMM_LEFT_STEP (GN_GEMM_DEPTH + 64)

/* A factor of a product: element (i, p) of the left one, or (p, j) of the right one, is data[i * outer + p * inner] and
 * data[j * outer + p * inner].  With `pack_left` or `pack_right`, it is what these write, and `data` is their
 * argument. */
typedef struct gn_factor {
    const void *data;
    int64_t outer;
    int64_t inner;
    gn_pack_left *pack_left;
    gn_pack_right *pack_right;
} gn_factor;

/* c = alpha left right + beta from, with c (m, n); rows of c are c_row apart, those of `from` from_row, which may be 0.
 * Columns are adjacent; with a from_column of 0 instead of 1, `from` has GN_GEMM_WIDTH bytes of them for all of c's.
 * `from` may be c itself, and NULL: then there is nothing to add.
 * GN_OK or GN_OUT_OF_MEMORY. */
#define GN_GEMM(dtype, TYPE)                                                                                          \
    int32_t gn_gemm_blocked_##dtype(int64_t m, int64_t n, int64_t k, TYPE alpha, const gn_factor *left,               \
                                    const gn_factor *right, TYPE beta, const TYPE *from, int64_t from_row,            \
                                    int64_t from_column, TYPE *c, int64_t c_row);
GN_GEMM(float32, float)
GN_GEMM(float64, double)
#undef GN_GEMM

/* One sliver of a gn_pack_right of floats: to[place][column] = from[column * outer + place * inner]. */
void gn_pack_sliver_float32(float *to, const float *from, int64_t outer, int64_t inner, int64_t count, int64_t depth);
void gn_pack_sliver_float64(double *to, const double *from, int64_t outer, int64_t inner, int64_t count,
                            int64_t depth);

#endif
