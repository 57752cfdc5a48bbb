/* LU factors and triangular systems of large matrices, by halves (Toledo, "Locality of Reference in LU Decomposition with
 * Partial Pivoting", 1997): nearly all of the work is in matrix products of half a matrix each, of whose columns threads
 * take parts. Matrices are row-major, `step` elements between rows; a triangle has any strides, in elements. */
#ifndef GN_HALVES_H
#define GN_HALVES_H

#include "kernel.h"

/* Rows from which on matrices are treated by halves. */
#define GN_HALVES 64

/* Right sides up to which they are treated as columns. */
#define GN_FEW_COLUMNS 4

/* The distance of rows of so many columns: not a multiple of a large power of two, for which the elements of a column
 * map to few lines of a cache. */
static inline int64_t gn_halves_step(int64_t columns) {
    if (columns > INT64_MAX / 2) { /* no memory has as many */
        return INT64_MAX;
    }
    const int64_t step = (columns + 15) / 16 * 16;
    return step % 64 == 0 ? step + 16 : step;
}

#define GN_HALVES_OF(dtype, TYPE)                                                                                    \
    /* Replaces X, `count` rows of `width` elements, by the solution of T X = X.  GN_OK or GN_OUT_OF_MEMORY. */      \
    int32_t gn_solve_halves_##dtype(const TYPE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count,   \
                                    TYPE *x, int64_t step, int64_t width, int upper, int unitriangular);             \
    /* The same by all threads, each for some of the columns. */                                                     \
    int32_t gn_solve_shared_##dtype(const TYPE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count,   \
                                    TYPE *x, int64_t step, int64_t width, int upper, int unitriangular);             \
    /* The same for at most GN_FEW_COLUMNS columns of X, which are adjacent numbers, `step` apart; not conjugated.  T has \
     * adjacent rows or columns. */                                                                                  \
    void gn_solve_columns_##dtype(const TYPE *t, int64_t t_row, int64_t t_column, int64_t count, TYPE *x,            \
                                  int64_t step, int64_t width, int upper, int unitriangular);                        \
    /* The same for an X that is a triangle like T, with zeros on the other side, which stay. */                      \
    int32_t gn_solve_triangle_##dtype(const TYPE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count, \
                                      TYPE *x, int64_t step, int upper, int unitriangular);                          \
    /* Whether the elements of `count` rows and columns on the other side of the diagonal than `upper` are 0. */     \
    int gn_is_triangle_##dtype(const TYPE *x, int64_t step, int64_t count, int upper);                               \
    /* Replaces A by L and U, with pivots counted from 1; info becomes the first pivot of 0, unless it is 0.          \
     * GN_OK or GN_OUT_OF_MEMORY. */                                                                                 \
    int32_t gn_factor_halves_##dtype(TYPE *a, int64_t step, int64_t rows, int64_t columns, int32_t *pivots,          \
                                     int32_t *info);
GN_HALVES_OF(float32, float)
GN_HALVES_OF(float64, double)
#if GN_HAS_COMPLEX
GN_HALVES_OF(complex64, gn_complex64)
GN_HALVES_OF(complex128, gn_complex128)
#endif
#undef GN_HALVES_OF

#endif
