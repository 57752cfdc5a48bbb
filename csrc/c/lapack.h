/* LAPACK's routines, for large matrices, where the library with the BLAS has them.
 *
 * The functions work on column-major copies.  They return GN_NOT_IMPLEMENTED where the caller's own kernel has to do the
 * work: without such a library, for small matrices, and where LAPACK does not converge. */
#ifndef GN_LAPACK_H
#define GN_LAPACK_H

#include "kernel.h"

/* The table, in the order in which gn_set_lapack has them.  GN_EIGH: stedc of real numbers, heevd of complex ones. */
enum { GN_GEQRF, GN_ORGQR, GN_EIGH, GN_GESDD, GN_GEEV, GN_LAPACK_ROUTINES };

/* Whether the routine is to be called for matrices of this size. */
int gn_lapack_fits(int routine, int32_t dtype, int64_t rows, int64_t columns);

#define GN_LAPACK(dtype, TYPE, MAGNITUDE)                                                                            \
    /* Copies a matrix, with strides in bytes, to adjacent columns; conjugated on demand. 0 if it is not finite. */  \
    int gn_lapack_read_##dtype(const char *from, int64_t row, int64_t column, int64_t rows, int64_t columns,         \
                               int conjugated, TYPE *to);                                                            \
    /* The reverse. */                                                                                               \
    void gn_lapack_write_##dtype(char *to, int64_t row, int64_t column, int64_t rows, int64_t columns,               \
                                 int conjugated, const TYPE *from);                                                  \
    /* Replaces a by R and, below its diagonal, the vectors of the reflections. */                                   \
    int32_t gn_lapack_triangulate_##dtype(TYPE *a, int64_t rows, int64_t columns, TYPE *taus);                       \
    /* Replaces a, such vectors, by as many columns of the product of `count` reflections. */                        \
    int32_t gn_lapack_multiply_##dtype(TYPE *a, int64_t rows, int64_t columns, int64_t count, const TYPE *taus);     \
    /* The singular values; unless it is 'N', with vectors U and Vh: 'S', as many as values, or 'A', all. */         \
    int32_t gn_lapack_svd_##dtype(TYPE *a, int64_t rows, int64_t columns, char job, MAGNITUDE *values, TYPE *u,      \
                                  TYPE *vh);                                                                         \
    /* The eigenvalues: of a real matrix, `count` real parts and then the imaginary ones.  `vectors` may be NULL;    \
     * for a pair of conjugates, a real matrix gets a column of real parts and one of imaginary ones. */             \
    int32_t gn_lapack_eig_##dtype(TYPE *a, int64_t count, TYPE *values, TYPE *vectors);
GN_LAPACK(float32, float, float)
GN_LAPACK(float64, double, double)
#if GN_HAS_COMPLEX
GN_LAPACK(complex64, gn_complex64, float)
GN_LAPACK(complex128, gn_complex128, double)
#endif
#undef GN_LAPACK

/* The eigenvalues, ascending, of the symmetric tridiagonal matrix with this diagonal, which they replace, and numbers
 * beside it, which are overwritten; the eigenvectors are the columns of `vectors`, column-major, `step` apart. */
int32_t gn_lapack_tridiagonal_float32(float *values, float *beside, int64_t count, float *vectors, int64_t step);
int32_t gn_lapack_tridiagonal_float64(double *values, double *beside, int64_t count, double *vectors, int64_t step);
#if GN_HAS_COMPLEX
/* The eigenvalues, ascending, of the Hermitian matrix with this triangle; its eigenvectors replace it. */
int32_t gn_lapack_eigh_complex64(gn_complex64 *a, int64_t count, int lower, int with_vectors, float *values);
int32_t gn_lapack_eigh_complex128(gn_complex128 *a, int64_t count, int lower, int with_vectors, double *values);
#endif

#endif
