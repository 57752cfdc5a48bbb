/* Matrix products on one thread, for kernels that share out the work themselves. */
#ifndef GN_MATMUL_H
#define GN_MATMUL_H

#include "kernel.h"

/* c = alpha a b + beta c, with a (m, k), b (k, n) and c (m, n).  Strides count elements; c's columns are
 * adjacent and its rows c_row apart.  A beta of 0 ignores what c holds.  c must not overlap a or b.
 * GN_OK or GN_OUT_OF_MEMORY. */
int32_t gn_gemm_float32(int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t a_row, int64_t a_column,
                        const float *b, int64_t b_row, int64_t b_column, float beta, float *c, int64_t c_row);
int32_t gn_gemm_float64(int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t a_row,
                        int64_t a_column, const double *b, int64_t b_row, int64_t b_column, double beta, double *c,
                        int64_t c_row);

#endif
