/* The reduction of large symmetric matrices to tridiagonal ones, by panels of columns (Dongarra, Hammarling and Sorensen,
 * "Block Reduction of Matrices to Condensed Forms for Eigenvalue Computations", 1989): half of the work is products of the
 * matrix with one vector, the other half a matrix product after each panel.  Single-threaded.
 *
 * A matrix is given by lines, its columns from the diagonal on, `step` elements apart (gn_halves_step). */
#ifndef GN_TRIDIAGONAL_H
#define GN_TRIDIAGONAL_H

#include "kernel.h"

#define GN_TRIDIAGONAL(dtype, TYPE)                                                                                  \
    /* Reads the lower triangle of a matrix, with strides in bytes, as lines, and scales it by a power of two, of which  \
     * it returns the exponent, if products could leave the range.  0 in *finite if a number is not. */              \
    int gn_read_lines_##dtype(const char *from, int64_t row, int64_t column, int64_t count, TYPE *lines,             \
                              int64_t step, int *finite);                                                            \
    /* Finds the diagonal and the numbers beside it.  Line k becomes the vector of reflection k, which begins with a 1   \
     * behind the diagonal; taus are their factors.  GN_OK or GN_OUT_OF_MEMORY. */                                   \
    int32_t gn_tridiagonalize_##dtype(TYPE *lines, int64_t step, int64_t count, TYPE *diagonal, TYPE *beside,        \
                                      TYPE *taus);                                                                   \
    /* Applies the product of these reflections to `count` vectors, the rows of x. */                                \
    int32_t gn_turn_back_##dtype(const TYPE *lines, int64_t step, int64_t count, const TYPE *taus, TYPE *x,          \
                                 int64_t x_step);                                                                    \
    /* Writes rows as the columns of a matrix, with strides in bytes. */                                             \
    void gn_write_lines_##dtype(char *to, int64_t row, int64_t column, int64_t count, const TYPE *lines, int64_t step);
GN_TRIDIAGONAL(float32, float)
GN_TRIDIAGONAL(float64, double)
#undef GN_TRIDIAGONAL

#endif
