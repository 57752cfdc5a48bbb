/* A number's mantissa and exponent; for C and CUDA. */
#ifndef GN_SCALAR_PARTS_H
#define GN_SCALAR_PARTS_H

#include "scalar.h"

/* The mantissa, from 0.5 on and below 1 in size; 0, infinities and NaN are their own, with the exponent 0.  Exact for
 * floats and halves, none of which is subnormal in double. */
GN_INLINE double gn_parts(double x, int32_t *exponent) {
    const int is_small = fabs(x) < 0x1p-1022;
    const int is_split = x != 0 && x - x == 0;
    const uint64_t bits = gn_bits64(is_small ? x * 0x1p54 : x);
    const int32_t power = (int32_t)(bits >> 52 & 2047) - (is_small ? 1022 + 54 : 1022);
    *exponent = is_split ? power : 0;
    return is_split ? gn_from_bits64((bits & 0x800fffffffffffffu) | 0x3fe0000000000000u) : x;
}

#endif
