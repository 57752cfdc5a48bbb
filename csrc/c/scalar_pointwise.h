/* Functions that only pointwise.def uses: a change here does not compile all other kernels again. */
#ifndef GN_SCALAR_POINTWISE_H
#define GN_SCALAR_POINTWISE_H

#include "scalar.h"
#include "scalar_incomplete.h"
#include "scalar_special.h"

/* The greatest common divisor of absolute values, by Euclid's algorithm. The least integer of a dtype, which is its own
 * absolute value, may give a result below 0. */
GN_INLINE int64_t gn_gcd(int64_t a, int64_t b) {
    while (a != 0) {
        const int64_t rest = gn_fmod_int64(b, a);
        b = a;
        a = rest;
    }
    return b;
}

/* The least common multiple but for its sign, which wraps; `divisor` is the greatest common divisor. */
GN_INLINE int64_t gn_lcm(int64_t a, int64_t b, int64_t divisor) {
    return divisor == 0 ? 0 : (int64_t)((uint64_t)gn_div_trunc_int64(a, divisor) * (uint64_t)b);
}

/* The number of the dtype `code` that follows `a` in the direction of `b`.  Numbers of one sign are in the order of
 * their bits, of which a half has the upper ones of a float; a float16's range of exponents is moved to where its
 * subnormal numbers are those of a float, and back. */
GN_INLINE float gn_nextafter_float32(float a, float b, int32_t code) {
    if (a != a || b != b) {
        return a + b;
    }
    if (a == b) {
        return b;
    }
    const int grows = a == 0 || (a < b) == (a > 0);
    const float magnitude = code == GN_FLOAT16 ? fminf(fabsf(a), 0x1p16f) * 0x1p-112f : fabsf(a);
    const uint32_t place = code == GN_FLOAT16 ? 0x2000 : code == GN_BFLOAT16 ? 0x10000 : 1;
    uint32_t bits;
    float next;
    memcpy(&bits, &magnitude, sizeof bits);
    bits = grows ? bits + place : bits - place;
    memcpy(&next, &bits, sizeof next);
    return copysignf(code == GN_FLOAT16 ? next * 0x1p112f : next, a == 0 ? b : a);
}
GN_INLINE double gn_nextafter_float64(double a, double b, int32_t code) {
    (void)code;
    if (a != a || b != b) {
        return a + b;
    }
    if (a == b) {
        return b;
    }
    const int grows = a == 0 || (a < b) == (a > 0);
    const double magnitude = fabs(a);
    uint64_t bits;
    double next;
    memcpy(&bits, &magnitude, sizeof bits);
    bits = grows ? bits + 1 : bits - 1;
    memcpy(&next, &bits, sizeof next);
    return copysign(next, a == 0 ? b : a);
}
/* The same of a half's bits, by those of its infinity. */
GN_INLINE int32_t gn_nextafter_half(int32_t a, int32_t b, int32_t infinity) {
    const int32_t x = a < 0 ? -(a & 0x7fff) : a;
    const int32_t y = b < 0 ? -(b & 0x7fff) : b;
    const int32_t further = x == 0 ? (b & 0x8000) + 1 : (x < y) == (x > 0) ? a + 1 : a - 1;
    const int is_nan = (a & 0x7fff) > infinity || (b & 0x7fff) > infinity;
    return is_nan ? infinity + (0x8000 - infinity) / 2 : x == y ? b : further;
}
#define gn_nextafter(a, b, code) GN_FLOAT(gn_nextafter, a)(a, b, code)

/* sin (pi x) / (pi x); 1 at 0.  In double, as sin (pi x) is small next to pi x where x is near an integer. */
GN_INLINE double gn_sinc_float64(double x) {
    const double product = x * GN_PI;
    return x == 0 ? 1 : sin(product) / product;
}
GN_INLINE float gn_sinc_float32(float x) {
    return (float)gn_sinc_float64((double)x);
}
static inline gn_complex128 gn_sinc_complex128(gn_complex128 x) {
    const gn_complex128 product = gn_times(x, GN_PI);
    return x == 0 ? 1 : gn_divide_complex128(csin(product), product);
}
static inline gn_complex64 gn_sinc_complex64(gn_complex64 x) {
    return (gn_complex64)gn_sinc_complex128(x);
}
#define gn_sinc(x) GN_FRACTIONAL(gn_sinc_float32, gn_sinc_float64, gn_sinc_complex64, gn_sinc_complex128, x)(x)

#define gn_igamma(a, x) GN_FLOAT(gn_igamma, a)(a, x)
#define gn_igammac(a, x) GN_FLOAT(gn_igammac, a)(a, x)
#define gn_standard_gamma_grad(a, x) GN_FLOAT(gn_standard_gamma_grad, a)(a, x)
#define gn_dirichlet_grad(x, alpha, total) GN_FLOAT(gn_dirichlet_grad, x)(x, alpha, total)

#endif
