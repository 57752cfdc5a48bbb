/* Functions that only pointwise.def uses: a change here does not compile all other kernels again. */
#ifndef GN_SCALAR_POINTWISE_H
#define GN_SCALAR_POINTWISE_H

#include "scalar.h"
#include "scalar_incomplete.h"
#include "scalar_polygamma.h"
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

/* sin (pi x) / (pi x); 1 at 0.  The distance to the nearest integer is exact, and a multiple of pi further on the sine has
 * at most the other sign. */
GN_INLINE double gn_sinc_float64(double x) {
    const double whole = rint(x), half = 0.5 * whole;
    const double sine = gn_sin_float64(GN_PI * (x - whole));
    return x == 0 ? 1 : (half == rint(half) ? sine : -sine) / (GN_PI * x);
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

/* 2^x; x's whole part is split off exactly. */
GN_INLINE double gn_vector_exp2_float64(double x) {
    const double shifted = x + GN_SHIFT_BIASED;
    const double f = x - (shifted - GN_SHIFT_BIASED);
    const double grown = GN_FMA(f, GN_WIDE(exp2_slope, f), 1);
    const double result = gn_scale_float64(grown, shifted);
    const double high = x > 1025 ? (double)INFINITY : result;
    return x < -1080 ? 0 : high;
}
#define gn_vector_exp2(x) \
    GN_FRACTIONAL(gn_exp2_float32, gn_vector_exp2_float64, gn_exp2_complex64, gn_exp2_complex128, x)(x)

/* log(1 + x), with gn_log_float32's polynomial: 1 + x is 2^e (1 + f), of which f is rounded once. */
GN_INLINE float gn_vector_log1p_float32(float x) {
    const float u = 1 + x;
    const uint32_t bits = gn_bits(u);
    const int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
    const float e = (float)exponent;
    const float power = gn_from_bits(0x3f800000u - ((uint32_t)exponent << 23)); /* 2^-e */
    const float of_large = gn_from_bits(bits - ((uint32_t)exponent << 23)) - 1;
    const float f = x > 0x1p26f ? of_large : GN_FMA(x, power, power - 1);
    const float z = f * f;
    float odd = GN_FMA(7.0376836292e-2f, z, 1.1676998740e-1f);
    odd = GN_FMA(odd, z, 1.4249322787e-1f);
    odd = GN_FMA(odd, z, 2.0000714765e-1f);
    odd = GN_FMA(odd, z, 3.3333331174e-1f);
    float even = GN_FMA(-1.1514610310e-1f, z, -1.2420140846e-1f);
    even = GN_FMA(even, z, -1.6668057665e-1f);
    even = GN_FMA(even, z, -2.4999993993e-1f);
    const float tail = GN_FMA(GN_FMA(even, f, odd) * f, z, GN_FMA(-0.5f, z, -2.12194440e-4f * e));
    const float finite = GN_FMA(0.693359375f, e, f + tail);
    const float at_end = u == 0 ? -INFINITY : x == INFINITY ? x : NAN;
    return (u > 0) & (x < INFINITY) ? (x == 0 ? x : finite) : at_end;
}
#define gn_vector_log1p(x) \
    GN_FRACTIONAL(gn_vector_log1p_float32, gn_log1p_float64, gn_log1p_complex64, gn_log1p_complex128, x)(x)

/* log(p / (1 - p)) of p between two bounds, by the quotient s = (p 2^-e - q) / (p 2^-e + q) for q = 1 - p:
 * e ln 2 + 2 s + s^3 (2/3 + ...). */
GN_INLINE double gn_bounded_logit_float64(double x, double low, double high) {
    const double lowered = x > high ? high : x;
    const double p = x < low ? low : lowered, q = 1 - p;
    const int is_tiny = p < 0x1p-1000;
    const uint64_t bits = gn_bits64(is_tiny ? p * 0x1p54 : p);
    /* bits are nearly linear in the logarithm: p 2^-e / q is from 0.66 to 1.5 */
    const uint64_t biased = (bits - gn_bits64(q) + (0x43f8000000000000u)) >> 52;
    const double scaled = gn_from_bits64(bits - (biased << 52) + 0x43f0000000000000u);
    const double e = gn_from_bits64(biased | 0x4330000000000000u) - (0x1p52 + 1087);
    const double away = e == 0 ? 2 * (p - 0.5) : scaled - q; /* near 1/2, 1 - p was rounded */
    const double s = away / (scaled + q), z = s * s;
    const double power = is_tiny ? e - 54 : e;
    const double tail = z * GN_WIDE(logarithm_slope, z);
    const double result = power * GN_LN2_HIGH + (2 * s + GN_FMA(s, tail, power * GN_LN2_LOW));
    const double at_end = p == 0 ? -(double)INFINITY : p == 1 ? (double)INFINITY : (double)NAN;
    return (p > 0) & (p < 1) ? result : at_end;
}
GN_INLINE float gn_bounded_logit_float32(float x, float low, float high) {
    const float lowered = x > high ? high : x;
    const float p = x < low ? low : lowered, q = 1 - p;
    const int is_tiny = p < 0x1p-100f;
    const float lift = is_tiny ? 0x1p24f : 1, lifted_by = is_tiny ? 24 : 0;
    const uint32_t bits = gn_bits(p * lift);
    const int32_t power = (int32_t)(bits - gn_bits(q) + 0x00400000u) & (int32_t)0xff800000u; /* in the exponent's place */
    const float scaled = gn_from_bits(bits - (uint32_t)power);
    const float e = GN_FMA((float)power, 0x1p-23f, -lifted_by);
    const float middle = p - 0.5f;
    const float away = power == 0 ? middle + middle : scaled - q;
    const float s = away / (scaled + q), z = s * s;
    const float tail = z * gn_float_polynomial(gn_table_logarithm_float_slope(), GN_COUNT_logarithm_float_slope, z);
    const float result = GN_FMA(0.693359375f, e, GN_FMA(2.0f, s, GN_FMA(s, tail, -2.12194440e-4f * e)));
    const float both = p * q; /* is positive between 0 and 1 */
    const float at_end = both == 0 ? copysignf(INFINITY, middle) : NAN;
    return both > 0 ? result : at_end;
}
#define gn_bounded_logit(x, low, high) GN_FLOAT(gn_bounded_logit, x)(x, low, high)

#define gn_igamma(a, x) GN_FLOAT(gn_igamma, a)(a, x)
#define gn_igammac(a, x) GN_FLOAT(gn_igammac, a)(a, x)
#define gn_standard_gamma_grad(a, x) GN_FLOAT(gn_standard_gamma_grad, a)(a, x)
#define gn_dirichlet_grad(x, alpha, total) GN_FLOAT(gn_dirichlet_grad, x)(x, alpha, total)

#endif
