/* Bidiagonal matrices, in doubles: the reduction to them, and their singular value decomposition. */
#ifndef GN_BIDIAGONAL_H
#define GN_BIDIAGONAL_H

#include "reflections.h"

/* Numbers of scratch memory of gn_make_bidiagonal; enough for gn_multiply_reflections too. */
int64_t gn_bidiagonal_scratch(int64_t rows, int64_t count);

/* Reduces `count` columns of `rows` elements, gn_column_step apart, count <= rows, the largest element about 1, to a
 * bidiagonal matrix: its diagonal and superdiagonal. Column k is replaced by the vector v of the left reflection k, I -
 * factor v v^T; with `vectors`, `count` columns of gn_column_step(count), those of the right reflections are stored
 * there. `factors` has first those of the left ones, then those of the right ones. */
void gn_make_bidiagonal(double *columns, int64_t rows, int64_t count, double *diagonal, double *beside, double *vectors,
                       double *factors, double *scratch);

/* Numbers of scratch memory of gn_diagonalize_bidiagonal. */
int64_t gn_diagonalize_scratch(int64_t count);

/* Diagonalizes a bidiagonal matrix, whose largest element is about 1: replaces its diagonal by the singular values, in
 * any order and of any sign, and the first `count` rows of `left` and `right`, in strips (rotations.h), by their
 * combinations; `beside` is overwritten. `eps` is the precision wanted. Returns 0 if it does not converge. */
int gn_diagonalize_bidiagonal(double *diagonal, double *beside, int64_t count, double *left, int64_t left_rows,
                              int64_t left_columns, double *right, int64_t right_columns, double eps, double *scratch);

#endif
