/* Matrix products on one thread, for kernels that split the work themselves. */
#ifndef GN_MATMUL_H
#define GN_MATMUL_H

#include "kernel.h"

/* c = alpha a b + beta c, with a (m, k), b (k, n) and c (m, n).  Strides count elements; c's columns are adjacent and
 * its rows c_row apart.  With a beta of 0, the values of c are ignored.  c must not overlap a or b.  GN_OK or
 * GN_OUT_OF_MEMORY. */
#define GN_GEMM(dtype, TYPE)                                                                                         \
    int32_t gn_gemm_##dtype(int64_t m, int64_t n, int64_t k, TYPE alpha, const TYPE *a, int64_t a_row,               \
                            int64_t a_column, const TYPE *b, int64_t b_row, int64_t b_column, TYPE beta, TYPE *c,    \
                            int64_t c_row);
GN_GEMM(uint8, uint8_t)
GN_GEMM(int8, int8_t)
GN_GEMM(int16, int16_t)
GN_GEMM(int32, int32_t)
GN_GEMM(int64, int64_t)
GN_GEMM(float32, float)
GN_GEMM(float64, double)
#if GN_HAS_COMPLEX
GN_GEMM(complex64, gn_complex64)
GN_GEMM(complex128, gn_complex128)
#endif
#undef GN_GEMM

/* The same on several threads: c = a b, plus c if `adds`. */
#define GN_MATMUL(dtype, TYPE)                                                                                       \
    int32_t gn_matmul_##dtype(int64_t m, int64_t n, int64_t k, TYPE *a, int64_t a_row, int64_t a_column, TYPE *b,    \
                              int64_t b_row, int64_t b_column, int adds, TYPE *c, int64_t c_row);
GN_MATMUL(float32, float)
GN_MATMUL(float64, double)
#undef GN_MATMUL

/* Whether products may use a BLAS. */
int gn_has_blas(void);

#endif
