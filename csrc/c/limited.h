/* The dtypes that few operators take, whose codes follow those of gnomon.h: their sizes, and conversions of numbers. C
 * and CUDA share them. */
#ifndef GN_LIMITED_H
#define GN_LIMITED_H

#include <stdint.h>

#include "half.h"

#define GN_UINT16 12
#define GN_UINT32 13
#define GN_UINT64 14
#define GN_FLOAT8_E4M3FN 15
#define GN_FLOAT8_E5M2 16
#define GN_COMPLEX32 17

/* Bytes of one element of any dtype. */
static inline int64_t gn_bytes_of(int32_t dtype) {
    static const int8_t sizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 2, 4, 8, 1, 1, 4};
    return sizes[dtype];
}

/* A float of 8 bits, exactly: of its magnitude without the sign, the exponent and fraction are moved to their places in
 * a float, and a multiplication corrects the bias, also of subnormals. */
static inline float gn_from_float8(uint8_t code, int32_t dtype) {
    const uint32_t sign = (uint32_t)(code & 0x80) << 24;
    const uint32_t magnitude = code & 0x7f;
    if (dtype == GN_FLOAT8_E4M3FN) {
        return gn_from_bits((magnitude == 0x7f ? 0x7fc00000 : gn_bits(gn_from_bits(magnitude << 20) * 0x1p120f)) | sign);
    }
    return gn_from_float16((uint16_t)(code << 8));
}

/* A float as the nearest float of 8 bits, ties to even; what is too large saturates (e4m3fn) or becomes infinite. */
static inline uint8_t gn_to_float8(float value, int32_t dtype) {
    const int32_t fraction = dtype == GN_FLOAT8_E4M3FN ? 3 : 2;
    const int32_t bias = dtype == GN_FLOAT8_E4M3FN ? 7 : 15;
    const uint8_t too_large = dtype == GN_FLOAT8_E4M3FN ? 0x7e : 0x7c;
    const uint32_t bits = gn_bits(value);
    const uint8_t sign = (uint8_t)(bits >> 24 & 0x80);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return sign | 0x7f;
    }
    /* The exponent of the last place of the result, which is held for subnormals. */
    int32_t exponent = (int32_t)(magnitude >> 23) - 127;
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    if (exponent > bias + 1) {
        return sign | too_large;
    }
    /* rintf rounds to nearest, ties to even; the product with a power of two is exact, or far below one half. */
    const int32_t steps = (int32_t)rintf(ldexpf(gn_from_bits(magnitude), fraction - exponent));
    const int32_t code = steps + ((exponent + bias - 1) << fraction);
    return sign | (uint8_t)(code > too_large ? too_large : code);
}

/* A float in a register of 64 bits, as unsigned: what is beyond becomes 0, and NaN 2^63, as on x86. */
static inline uint64_t gn_to_uint64(double value) {
    if (value >= 0x1p63) {
        return value < 0x1p64 ? (uint64_t)value : 0;
    }
    return value >= -0x1p63 ? (uint64_t)(int64_t)value : (uint64_t)1 << 63;
}

#endif
