/* The error function's family and functions of the normal distribution, as vector code where that is possible; for C and
 * CUDA. */
#ifndef GN_SCALAR_NORMAL_H
#define GN_SCALAR_NORMAL_H

#include "scalar_polynomial.h"

#define GN_SQRT_TWO_PI 2.50662827463100050242

#if GN_HAS_FMA
/* erf, and erfc below: in less time than those of scalar_erf.h, which err less without fused products. */
GN_INLINE double gn_vector_erf_float64(double x) {
    const double size = fabs(x);
    const double near = GN_FMA(size, GN_WIDE(erf_near, size * size), size);
    const double capped = 6.0 < size ? 6.0 : size;
    const double far = 1 - GN_WIDE(erfc_far, (capped - 3.625) * (8.0 / 19));
    return copysign(size < 1.25 ? near : far, x);
}

/* erfc(size) e^(size^2) is p((size - 3) / (size + 3)) / (size + 1), which takes one division; times e^-(high + low).
 * `unsaid` is what rounding left out of the size. `scaled` is set to what is multiplied. */
GN_INLINE double gn_erfc_of_square(double size, double unsaid, double high, double low, double *scaled) {
    const double sum = size + 3, next = size + 1;
    const double both = 1 / (sum * next);
    const double rough = both * sum;
    const double lost = (next > 2 ? size - (next - 1) : 1 - (next - size)) + unsaid;
    const double missing = GN_FMA(-rough, next, 1) - lost * rough; /* of `rough`, relatively */
    const double p = GN_WIDE(erfc_scaled, (size - 3) * (both * next));
    const double ratio = p * rough;
    const double rest = GN_FMA(p, rough, -ratio) + ratio * missing;
    *scaled = ratio + rest;
    double shifted;
    const double grown = gn_exp_split_float64(-high, -low, 0x1.8p52 + 1023 + 512, &shifted);
    const double result = ratio + GN_FMA(grown, ratio, rest);
    return result * gn_from_bits64(gn_bits64(shifted) << 52) * 0x1p-512;
}
/* The upper half of a number's digits. */
GN_INLINE double gn_upper_half(double x) {
    return gn_from_bits64(gn_bits64(x) & 0xffffffff00000000u);
}
GN_INLINE double gn_vector_erfc_float64(double x) {
    const double size = fabs(x);
    const double capped = 28.0 < size ? 28.0 : size;
    const double upper = gn_upper_half(capped);
    double scaled;
    const double far = gn_erfc_of_square(capped, 0, upper * upper, (capped - upper) * (capped + upper), &scaled);
    const double near = GN_FMA(x, GN_WIDE(erf_small, x * x), x);
    const double result = x < 0 ? 2 - far : far;
    return size < 0.25 ? 1 - near : result;
}
#else
#define gn_vector_erf_float64 gn_erf_float64
#define gn_vector_erfc_float64 gn_erfc_float64
#endif
GN_INLINE double gn_erfc_for_float32(double size) {
    const double capped = 12.0 < size ? 12.0 : size;
    const double reciprocal = 1 / (capped + 3);
    const double power = gn_exp2_wide(capped * capped * -GN_LOG2_E);
    return GN_WIDE(erfc_float_scaled, (capped - 3) * reciprocal) * reciprocal * power;
}
GN_INLINE float gn_vector_erfc_float32(float x) {
    const double positive = gn_erfc_for_float32(fabs((double)x));
    return (float)(x < 0 ? 2 - positive : positive);
}

/* The inverse of erf: a polynomial of -log(1 - x^2), but near 1, where it is gn_erfinv. */
GN_INLINE int gn_far_erfinv_float64(double x) {
    return !(fabs(x) < 0.999);
}
GN_INLINE double gn_near_erfinv_float64(double x) {
    double m;
    const double e = gn_split((1 - x) * (1 + x), &m);
    const double f = m - 1;
    const double place = -1 - e * GN_LN2_HIGH - (f + (gn_log_tail(f) + e * GN_LN2_LOW));
    return x * GN_WIDE(erfinv_near, place);
}
GN_INLINE int gn_far_erfinv_float32(float x) {
    return !(fabsf(x) < 0.9995f);
}
/* The logarithm is gn_log_float32's, of a number that is neither infinite nor subnormal. */
GN_INLINE float gn_near_erfinv_float32(float x) {
    const uint32_t bits = gn_bits((1 - x) * (1 + x));
    const int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
    const float e = (float)exponent;
    const float f = gn_from_bits(bits - ((uint32_t)exponent << 23)) - 1.0f;
    const float z = f * f;
    float odd = GN_FMA(7.0376836292e-2f, z, 1.1676998740e-1f);
    odd = GN_FMA(odd, z, 1.4249322787e-1f);
    odd = GN_FMA(odd, z, 2.0000714765e-1f);
    odd = GN_FMA(odd, z, 3.3333331174e-1f);
    float even = GN_FMA(-1.1514610310e-1f, z, -1.2420140846e-1f);
    even = GN_FMA(even, z, -1.6668057665e-1f);
    even = GN_FMA(even, z, -2.4999993993e-1f);
    const float p = GN_FMA(even, f, odd);
    const float tail = GN_FMA(p * f, z, GN_FMA(-0.5f, z, -2.12194440e-4f * e));
    const float place = GN_FMA(-0.693359375f, e, -1.0f) - (f + tail);
    const double *table = gn_table_erfinv_float_near();
    const float rest = gn_float_polynomial(table + 1, GN_COUNT_erfinv_float_near - 1, place);
    const float first = (float)table[0], sum = GN_FMA(rest, place, first);
    const float lost = GN_FMA(rest, place, first - sum) + (float)(table[0] - (double)first);
    return x == 0 ? x : GN_FMA(x, sum, x * lost);
}
#define gn_vector_erf(x) GN_FLOATING(gn_erf_float32, gn_vector_erf_float64, x)(x)
#define gn_vector_erfc(x) GN_FLOAT(gn_vector_erfc, x)(x)
#define gn_far_erfinv(x) GN_FLOAT(gn_far_erfinv, x)(x)
#define gn_near_erfinv(x) GN_FLOAT(gn_near_erfinv, x)(x)

static inline double gn_mills(double x) {
    if (x < 0.25) {
        return GN_NEAR(mills_near, x);
    }
    return x < GN_FAR_SPECIAL ? GN_OCTAVE(mills_middle, -2, x) : GN_NEAR(mills_far, 1 / x * (1 / x)) / x;
}
/* e^(factor x^2), of the exact square. */
static inline double gn_exp_of_square(double x, double factor) {
    const double square = x * x;
    return gn_exp_sum(factor * square, factor * fma(x, x, -square));
}
/* log(1 - below) for positive x, else log(mills) - x^2 / 2: one logarithm for both. */
GN_INLINE double gn_log_of_tail(double x, double below, double mills) {
    const double above = 1 - below;
    double m;
    const double e = gn_split(x > 0 ? above : mills, &m), f = m - 1;
    const double rest = x > 0 ? (above - 1 + below) * (1 + below) : 0.5 * x * x;
    return -(rest - (e * GN_LN2_HIGH + (f + (gn_log_tail(f) + e * GN_LN2_LOW))));
}
#if GN_HAS_FMA
/* ndtr(-size) for sizes up to 39, and erfc(size / sqrt(2)) e^(size^2 / 2). */
GN_INLINE double gn_lower_tail(double size, double *scaled) {
    const double capped = 39.0 < size ? 39.0 : size;
    const double upper = gn_upper_half(capped);
    const double low = 0.5 * ((capped - upper) * (capped + upper));
    const double root = 0.70710678118654752440, place = capped * root;
    const double unsaid = GN_FMA(capped, root, -place) - capped * 4.833646656726457e-17;
    return 0.5 * gn_erfc_of_square(place, unsaid, 0.5 * upper * upper, low, scaled);
}
GN_INLINE double gn_ndtr_float64(double x) {
    double scaled;
    const double below = gn_lower_tail(fabs(x), &scaled);
    return x > 0 ? 1 - below : below;
}
/* Beyond 38, some terms of the asymptotic series are enough, since x^2 / 2 is far larger. */
GN_INLINE double gn_log_ndtr_float64(double x) {
    const double size = fabs(x), inverse = 1 / (size + 1e-300), z = inverse * inverse;
    double near;
    const double below = gn_lower_tail(size, &near);
    const double far = inverse * 0.39894228040143267794 * (1 - z * (1 - z * (3 - z * (15 - 105 * z))));
    return gn_log_of_tail(x, below, size > 38 ? far : 0.5 * near);
}
#else
static inline double gn_ndtr_float64(double x) {
    const double size = fabs(x);
    if (size > 40) {
        return x > 0 ? 1 : 0;
    }
    const double below = gn_exp_of_square(size, -0.5) * gn_mills(size);
    return x > 0 ? 1 - below : below;
}
static inline double gn_log_ndtr_float64(double x) {
    return gn_log_of_tail(x, gn_ndtr_float64(-fabs(x)), gn_mills(fabs(x)));
}
#endif
GN_INLINE float gn_ndtr_float32(float x) {
    const double below = 0.5 * gn_erfc_for_float32(fabs((double)x) * 0.70710678118654752440);
    return (float)(x > 0 ? 1 - below : below);
}
static inline double gn_erfcx_float64(double x) {
    const double above = 2 * gn_mills(fabs(x) * 1.41421356237309504880);
    if (x < 0) {
        return x > -30 ? 2 * gn_exp_of_square(x, 1) - above : (double)INFINITY;
    }
    return above;
}
/* In float32, tails need no step of Newton's, which for the logarithm makes up for the rounding of what is `rough`. */
GN_INLINE double gn_quantile(double p, int is_rough) {
    if (!(p > 0 && p < 1)) {
        return p == 0 ? -(double)INFINITY : p == 1 ? (double)INFINITY : (double)NAN;
    }
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        return q * gn_quantile_middle(0.180625 - q * q);
    }
    const double logarithm = gn_log_float64(q < 0 ? p : 1 - p);
    const double r = sqrt(-logarithm);
    const double rough = r <= 5 ? gn_quantile_near(r - 1.6) : gn_quantile_far(r - 5);
    double result = rough;
    if (!is_rough) {
        const double ratio = gn_mills(rough);
        const double error = gn_log_float64(ratio) - rough * rough / 2 - logarithm;
        result += error * GN_SQRT_TWO_PI * ratio;
    }
    return q < 0 ? -result : result;
}
/* What is not in the tails, as a polynomial like erfinv's: ndtri(p) is the square root of 2 times erfinv(2 p - 1). */
GN_INLINE int gn_far_ndtri_float64(double p) {
    return !(p > 0x1p-11 && p < 1 - 0x1p-11);
}
GN_INLINE double gn_near_ndtri_float64(double p) {
    double m;
    const double e = gn_split(4 * p * (1 - p), &m);
    const double f = m - 1;
    const double place = -1 - e * GN_LN2_HIGH - (f + (gn_log_tail(f) + e * GN_LN2_LOW));
    return (p - 0.5) * GN_WIDE(ndtri_near, place);
}
GN_INLINE int gn_far_ndtri_float32(float p) {
    return gn_far_ndtri_float64((double)p);
}
GN_INLINE float gn_near_ndtri_float32(float p) {
    return (float)gn_near_ndtri_float64((double)p);
}
static inline double gn_ndtri_float64(double p) {
    return gn_quantile(p, 0);
}
static inline float gn_ndtri_float32(float p) {
    return (float)gn_quantile((double)p, 1);
}

/* Of large sizes three terms of the asymptotic series are enough. */
GN_INLINE float gn_log_ndtr_float32(float x) {
    const double wide = (double)x, size = fabs(wide) * 0.70710678118654752440;
    const double capped = 12.0 < size ? 12.0 : size;
    const double reciprocal = 1 / (capped + 3), inverse = 1 / (size + 1e-300), z = inverse * inverse;
    const double near = GN_WIDE(erfc_float_scaled, (capped - 3) * reciprocal) * reciprocal;
    const double far = inverse * 0.56418958354775628695 * (1 - z * (0.5 - z * 0.75));
    const double below = 0.5 * near * gn_exp2_wide(capped * capped * -GN_LOG2_E);
    return (float)gn_log_of_tail(wide, below, 0.5 * (size > 12 ? far : near));
}
static inline float gn_erfcx_float32(float x) {
    return (float)gn_erfcx_float64((double)x);
}

#endif
