/* Products of bfloat16 matrices by the processor's dot-product instruction (AVX-512 BF16).
 *
 * It treats subnormal inputs as zeros and flushes subnormal results to zero. So it is used only where none can occur:
 * if both factors' smallest numbers are so large that every sum of their products is zero or a normal number. All other
 * products are computed in float32. */
#ifndef GN_GEMM_BFLOAT16_H
#define GN_GEMM_BFLOAT16_H

#include "gemm.h"

/* Whether the processor has the instruction, and this file was compiled for it. */
int gn_has_bfloat16_products(void);

/* The least exponent of a matrix's nonzero numbers (strides count elements); far below all exponents if a number is
 * subnormal, and far above if all are 0. */
int32_t gn_least_exponent(const uint16_t *data, int64_t rows, int64_t columns, int64_t row, int64_t column);
/* Whether products of numbers with these least exponents, and sums of such products, are never subnormal: all are whole
 * multiples of the product of the factors' last places. */
static inline int gn_sums_are_normal(int32_t left, int32_t right) {
    return left + right - 2 * 7 >= -126;
}

/* c = alpha left right + beta from, as gn_gemm_blocked_float32, of factors that are bfloat16 in memory. */
int32_t gn_gemm_bfloat16(int64_t m, int64_t n, int64_t k, float alpha, const gn_factor *left, const gn_factor *right,
                         float beta, const float *from, int64_t from_row, float *c, int64_t c_row);

#endif
