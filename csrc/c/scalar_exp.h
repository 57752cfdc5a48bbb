/* Exponentials and logarithms without branches or calls, so that loops over them vectorise on any processor, and
 * an element's result does not depend on whether the vector code or its tail computed it.
 *
 * The polynomials are minimax, by Remez' algorithm.  A name ending in _wide takes and gives a double and is
 * exact enough for a result that is rounded to float32; these serve the float32 functions that have no form of
 * their own in float arithmetic. */
#ifndef GN_SCALAR_EXP_H
#define GN_SCALAR_EXP_H

#include "kernel.h"

/* The bits of a double, and back. */
GN_INLINE uint64_t gn_bits64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
GN_INLINE double gn_from_bits64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Adding and subtracting this rounds to the nearest integer, which then stands in the sum's last bits. */
#define GN_SHIFT 0x1.8p52
#define GN_SHIFT_FLOAT 0x1.8p23f
/* The same with twice the bias of an exponent added: the last bits, halved, are a biased exponent. */
#define GN_SHIFT_BIASED (0x1.8p52 + 2046)
#define GN_SHIFT_BIASED_FLOAT (0x1.8p23f + 254)

#define GN_LN2 0.69314718055994530942
#define GN_LOG2_E 1.44269504088896340736
#define GN_LOG10_2 0.30102999566398119521
/* ln 2 in two parts, whose products with integers below 2^20 are exact. */
#define GN_LN2_HIGH 0x1.62e42feep-1
#define GN_LN2_LOW 0x1.a39ef35793c76p-33

/* y 2^n where `shifted` is n + GN_SHIFT_BIASED; in two factors, for results that are subnormal or just below
 * infinity. */
GN_INLINE double gn_scale_float64(double y, double shifted) {
    const uint64_t power = gn_bits64(shifted);
    const uint64_t half = power >> 1;
    return y * gn_from_bits64(half << 52) * gn_from_bits64((power - half) << 52);
}

GN_INLINE float gn_scale_float32(float y, float shifted) {
    const uint32_t power = gn_bits(shifted);
    const uint32_t half = power >> 1;
    return y * gn_from_bits(half << 23) * gn_from_bits((power - half) << 23);
}

/* e^r - 1, where x = n ln 2 + r and *shifted is n + shift. */
GN_INLINE float gn_exp_split_float32(float x, float shift, float *shifted) {
    *shifted = GN_FMA(x, 1.44269504088896341f, shift);
    const float n = *shifted - shift;
    const float r = GN_FMA(n, 2.12194440e-4f, GN_FMA(n, -0.693359375f, x));
    const float square = r * r; /* pairs of terms wait less for each other */
    const float first = GN_FMA(1.6666524367880553e-1f, r, 4.999999393255906e-1f);
    float p = GN_FMA(8.368367023766884e-3f, r, 4.1668322448268055e-2f);
    p = GN_FMA(1.3816332752425715e-3f, square, p);
    p = GN_FMA(p, square, first);
    return GN_FMA(p, square, r);
}

/* e^x.  What does not fit is replaced at the end: compilers make more of a clamp at the beginning than the minimum and
 * maximum that it is. */
GN_INLINE float gn_exp_float32(float x) {
    float shifted;
    const float grown = gn_exp_split_float32(x, GN_SHIFT_BIASED_FLOAT, &shifted);
    /* 2^n in two factors, for results that are subnormal or just below infinity */
    const uint32_t power = gn_bits(shifted);
    const uint32_t half = power >> 1;
    const float factor = gn_from_bits(half << 23);
    const float result = GN_FMA(grown, factor, factor) * gn_from_bits((power - half) << 23);
    const float bounded = x > 89.0f ? INFINITY : result;
    return x < -104.0f ? 0.0f : bounded;
}

/* gn_exp_float32 for x <= 0: the power is 2^64 times too large at first, so that only the last product can be subnormal. */
GN_INLINE float gn_exp_negative_float32(float x) {
    float shifted;
    const float grown = gn_exp_split_float32(x, 0x1.8p23f + 127 + 64, &shifted);
    const float power = gn_from_bits(gn_bits(shifted) << 23);
    return (x < -130.0f ? 0.0f : GN_FMA(grown, power, power)) * 0x1p-64f;
}
/* *scale (1 + e^-x), for x from -130 to 80; the scale is small where the power may be too large.  Of the sums only the
 * last is rounded to more than a fraction of its last place. */
GN_INLINE float gn_one_plus_exp_float32(float x, float *scale) {
    const int large = x < -16.0f; /* 1 does not fit behind the power's first bit */
    float shifted;
    const float grown = gn_exp_split_float32(-x, large ? 0x1.8p23f + 127 - 64 : 0x1.8p23f + 127, &shifted);
    const float power = gn_from_bits(gn_bits(shifted) << 23);
    *scale = large ? 0x1p-64f : 1.0f;
    return GN_FMA(grown, power, large ? *scale : power + *scale) + (large ? power : 0);
}

/* e^r = 1 + r + r^2 p(r) for |r| <= ln 2 / 2. */
GN_INLINE double gn_exp_tail(double r) {
    double p = 2.0827807872096862e-9;
    p = GN_FMA(p, r, 2.511107287939218e-8);
    p = GN_FMA(p, r, 2.7557570541720303e-7);
    p = GN_FMA(p, r, 2.7557237971073063e-6);
    p = GN_FMA(p, r, 2.480158695378016e-5);
    p = GN_FMA(p, r, 1.984126989281321e-4);
    p = GN_FMA(p, r, 1.3888888889089395e-3);
    p = GN_FMA(p, r, 8.333333333318737e-3);
    p = GN_FMA(p, r, 4.16666666666662e-2);
    p = GN_FMA(p, r, 1.666666666666668e-1);
    return p * r + 0.5;
}

/* e^(x + rest) - 1 as e^r - 1, where x + rest = n ln 2 + r and *shifted is n + shift; the rest is what rounding x left
 * out. */
GN_INLINE double gn_exp_split_float64(double x, double rest, double shift, double *shifted) {
    *shifted = GN_FMA(x, GN_LOG2_E, shift);
    const double n = *shifted - shift;
    const double high = GN_FMA(n, -GN_LN2_HIGH, x);
    const double low = GN_FMA(n, -GN_LN2_LOW, rest);
    const double r = high + low;
    const double lost = (high - r) + low; /* what rounding r left out */
    return r + GN_FMA(gn_exp_tail(r), r * r, lost);
}
GN_INLINE double gn_exp_sum(double x, double rest) {
    double shifted;
    const double y = 1 + gn_exp_split_float64(x, rest, GN_SHIFT_BIASED, &shifted);
    const double result = gn_scale_float64(y, shifted);
    const double bounded = x > 710 ? (double)INFINITY : result;
    return x < -746 ? 0 : bounded;
}
GN_INLINE double gn_exp_float64(double x) {
    return gn_exp_sum(x, 0);
}

/* The same two of doubles: x is from -1000 to 700. */
GN_INLINE double gn_exp_negative_float64(double x) {
    double shifted;
    const double y = 1 + gn_exp_split_float64(x, 0, 0x1.8p52 + 1023 + 512, &shifted);
    return (x < -1000 ? 0 : y * gn_from_bits64(gn_bits64(shifted) << 52)) * 0x1p-512;
}
GN_INLINE double gn_one_plus_exp_float64(double x, double *scale) {
    const int large = x < -36;
    double shifted;
    const double grown = gn_exp_split_float64(-x, 0, large ? 0x1.8p52 + 1023 - 512 : 0x1.8p52 + 1023, &shifted);
    const double power = gn_from_bits64(gn_bits64(shifted) << 52);
    *scale = large ? 0x1p-512 : 1.0;
    return GN_FMA(grown, power, large ? *scale : power + *scale) + (large ? power : 0);
}

/* 2^x; x's whole part is split off exactly. */
GN_INLINE double gn_exp2_float64(double x) {
    const double shifted = x + GN_SHIFT_BIASED;
    const double f = x - (shifted - GN_SHIFT_BIASED);
    /* f ln 2 as r and what rounding left out: the product of f's upper half with 0.693145751953125 is exact */
    const double upper = gn_from_bits64(gn_bits64(f) & 0xfffffffff8000000u);
    const double product = upper * 0x1.62e4p-1;
    const double rest = (f - upper) * 0x1.62e4p-1 + f * 0x1.7f7d1cf79abcap-20;
    const double r = product + rest;
    const double lost = (product - r) + rest;
    const double result = gn_scale_float64(1 + (r + (gn_exp_tail(r) * (r * r) + lost)), shifted);
    const double high = x > 1025 ? (double)INFINITY : result;
    return x < -1080 ? 0 : high;
}

/* 2^t, NaN and infinities through; the double's range is far wider than float32's, whose limits are met when the
 * result is rounded. */
GN_INLINE double gn_exp2_wide(double t) {
    const double shifted = t + (GN_SHIFT + 1023);
    const double r = (t - (shifted - (GN_SHIFT + 1023))) * GN_LN2;
    double p = 1.3816332752425715e-3;
    p = GN_FMA(p, r, 8.368367023766884e-3);
    p = GN_FMA(p, r, 4.1668322448268055e-2);
    p = GN_FMA(p, r, 1.6666524367880553e-1);
    p = GN_FMA(p, r, 4.999999393255906e-1);
    const double result = (p * (r * r) + r + 1) * gn_from_bits64(gn_bits64(shifted) << 52);
    const double high = t > 500 ? (double)INFINITY : result;
    return t < -500 ? 0 : high;
}
/* x's whole part is split off exactly. */
GN_INLINE float gn_exp2_float32(float x) {
    const float shifted = x + GN_SHIFT_BIASED_FLOAT;
    const float f = x - (shifted - GN_SHIFT_BIASED_FLOAT);
    float p = 0.000153230617f;
    p = GN_FMA(p, f, 0.0013389613f);
    p = GN_FMA(p, f, 0.00961851132f);
    p = GN_FMA(p, f, 0.0555036348f);
    p = GN_FMA(p, f, 0.240226478f);
    p = GN_FMA(p, f, 0.693147181f);
    const float result = gn_scale_float32(p * f + 1.0f, shifted);
    const float bounded = x > 129.0f ? INFINITY : result;
    return x < -152.0f ? 0.0f : bounded;
}

/* e^x - 1, relatively exact near 0 too. */
GN_INLINE double gn_expm1_wide(double x) {
    const double shifted = x * GN_LOG2_E + (GN_SHIFT + 1023);
    const double r = x - (shifted - (GN_SHIFT + 1023)) * GN_LN2;
    double p = 1.984121475811904e-4;
    p = GN_FMA(p, r, 1.3941004922670432e-3);
    p = GN_FMA(p, r, 8.333402964359438e-3);
    p = GN_FMA(p, r, 4.166635445175744e-2);
    p = GN_FMA(p, r, 1.6666666249331075e-1);
    p = GN_FMA(p, r, 5.000000046651133e-1);
    p = GN_FMA(p, r, 1.0000000000312383);
    const double scale = gn_from_bits64(gn_bits64(shifted) << 52);
    const double high = x > 350 ? (double)INFINITY : p * r * scale + (scale - 1);
    return x < -350 ? -1 : high;
}
GN_INLINE float gn_expm1_float32(float x) {
    const float result = (float)gn_expm1_wide(x);
    return x == 0 ? x : result; /* -0.0 stays */
}

GN_INLINE double gn_expm1_float64(double x) {
    const double shifted = x * GN_LOG2_E + GN_SHIFT_BIASED;
    const double n = shifted - GN_SHIFT_BIASED;
    const double high = x - n * GN_LN2_HIGH;
    const double r = high - n * GN_LN2_LOW;
    const double lost = (high - r) - n * GN_LN2_LOW;
    const double grown = gn_exp_tail(r) * (r * r) + lost; /* e^r - 1 - r */
    /* Halves of 2^n: 2^1024 is none. */
    const double half_scale = gn_from_bits64((gn_bits64(shifted) - 1024) << 52);
    const double least = half_scale - 0.5;
    const double sum = least + half_scale * r;
    const double missed = fabs(least) > fabs(half_scale * r) ? (least - sum) + half_scale * r
                                                             : (half_scale * r - sum) + least;
    const double result = (sum + (half_scale * grown + missed)) * 2;
    const double above = x > 710 ? (double)INFINITY : result;
    const double bounded = x < -50 ? -1 : above;
    return x == 0 ? x : bounded;
}

/* ln x, to 1 ulp.  x = 2^e m with m in [sqrt(1/2), sqrt(2)); the polynomial is Cephes' (logf). */
GN_INLINE float gn_log_float32(float x) {
    const int tiny = x < 0x1p-126f;
    const float scaled = tiny ? x * 0x1p23f : x;
    const uint32_t bits = gn_bits(scaled);
    const int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
    const float e = (float)exponent - (tiny ? 23.0f : 0.0f);
    const float f = gn_from_bits(bits - ((uint32_t)exponent << 23)) - 1.0f;
    const float z = f * f;
    float p = 7.0376836292e-2f;
    p = GN_FMA(p, f, -1.1514610310e-1f);
    p = GN_FMA(p, f, 1.1676998740e-1f);
    p = GN_FMA(p, f, -1.2420140846e-1f);
    p = GN_FMA(p, f, 1.4249322787e-1f);
    p = GN_FMA(p, f, -1.6668057665e-1f);
    p = GN_FMA(p, f, 2.0000714765e-1f);
    p = GN_FMA(p, f, -2.4999993993e-1f);
    p = GN_FMA(p, f, 3.3333331174e-1f);
    const float tail = p * f * z - 2.12194440e-4f * e - 0.5f * z;
    const float finite = f + tail + 0.693359375f * e;
    const float high = x == INFINITY ? INFINITY : finite;
    const float positive = x == 0.0f ? -INFINITY : high;
    return x >= 0.0f ? positive : NAN;
}

/* x = 2^e m, m in [sqrt(1/2), sqrt(2)), for a normal number. */
GN_INLINE double gn_split(double x, double *m) {
    const uint64_t bits = gn_bits64(x);
    const uint64_t biased = (bits - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u) >> 52;
    *m = gn_from_bits64(bits - (biased << 52) + 0x3ff0000000000000u);
    return gn_from_bits64(biased | 0x4330000000000000u) - (0x1p52 + 1023);
}

/* The logarithms of numbers that have one; of others, what IEEE wants. */
GN_INLINE double gn_log_special(double x, double result) {
    const double high = x == (double)INFINITY ? (double)INFINITY : result;
    const double positive = x == 0 ? -(double)INFINITY : high;
    return x >= 0 ? positive : (double)NAN;
}

/* ln (1 + s) / (1 - s) = 2 s + s^3 p(s^2). */
GN_INLINE double gn_log2_wide(double x) {
    double m;
    const double e = gn_split(x, &m);
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double p = 0.19549193730165237;
    p = GN_FMA(p, z, 0.2217883158562808);
    p = GN_FMA(p, z, 0.28572039010388917);
    p = GN_FMA(p, z, 0.39999996378132524);
    p = GN_FMA(p, z, 0.6666666667311899);
    return e + (s * z * p + 2 * s) * GN_LOG2_E;
}
GN_INLINE double gn_log_wide(double x) {
    return gn_log2_wide(x) * GN_LN2;
}
GN_INLINE float gn_log2_float32(float x) {
    return (float)gn_log_special(x, gn_log2_wide(x));
}
GN_INLINE float gn_log10_float32(float x) {
    return (float)gn_log_special(x, gn_log2_wide(x) * GN_LOG10_2);
}
/* 1 + x is rounded: below 2^-20 the series is closer. */
GN_INLINE double gn_log1p_wide(double x) {
    const double result = gn_log_special(1 + x, gn_log_wide(1 + x));
    return fabs(x) < 0x1p-20 ? x - 0.5 * x * x : result;
}
GN_INLINE float gn_log1p_float32(float x) {
    const float result = (float)gn_log1p_wide(x);
    return x == 0 ? x : result;
}

/* ln m for m in [sqrt(1/2), sqrt(2)), f = m - 1, as the sum of f and what this returns; the form is fdlibm's
 * (e_log.c). */
GN_INLINE double gn_log_tail(double f) {
    const double s = f / (2 + f);
    const double z = s * s;
    double p = 0.13211201252427884;
    p = GN_FMA(p, z, 0.1325496321782845);
    p = GN_FMA(p, z, 0.1538685219853911);
    p = GN_FMA(p, z, 0.1818178180858496);
    p = GN_FMA(p, z, 0.2222222255876023);
    p = GN_FMA(p, z, 0.2857142856977309);
    p = GN_FMA(p, z, 0.4000000000000363);
    p = GN_FMA(p, z, 0.6666666666666666);
    const double square = 0.5 * f * f;
    return s * (square + z * p) - square;
}

/* Subnormal numbers are scaled first. */
GN_INLINE double gn_split_any(double x, double *m) {
    const int tiny = x < 0x1p-1022;
    return gn_split(tiny ? x * 0x1p54 : x, m) - (tiny ? 54.0 : 0.0);
}

GN_INLINE double gn_log_float64(double x) {
    double m;
    const double e = gn_split_any(x, &m);
    const double f = m - 1;
    return gn_log_special(x, e * GN_LN2_HIGH + (f + (gn_log_tail(f) + e * GN_LN2_LOW)));
}

/* e + (ln m) / ln 2, ln m in a part of few digits, whose product is exact, and the rest. */
GN_INLINE double gn_log2_float64(double x) {
    double m;
    const double e = gn_split_any(x, &m);
    const double f = m - 1;
    const double tail = gn_log_tail(f);
    const double high = gn_from_bits64(gn_bits64(f + tail) & 0xffffffff00000000u);
    const double low = (f - high) + tail;
    const double product = high * 0x1.715476p+0;
    const double rest = low * GN_LOG2_E + high * 0x1.4ae0bf85ddf44p-26;
    return gn_log_special(x, e + (product + rest));
}
GN_INLINE double gn_log10_float64(double x) {
    double m;
    const double e = gn_split_any(x, &m);
    const double f = m - 1;
    const double tail = gn_log_tail(f);
    const double high = gn_from_bits64(gn_bits64(f + tail) & 0xffffffff00000000u);
    const double low = (f - high) + tail;
    /* log10 e, and log10 2, each in two parts */
    const double product = high * 0x1.bcb7b14p-2;
    const double rest = low * 0.43429448190325182765 + high * 0x1.26e50e32a6ab7p-30 + e * 0x1.f79fef311f12bp-34;
    return gn_log_special(x, e * 0x1.34413508p-2 + (product + rest));
}

/* ln u for u = 1 + x rounded, and what rounding left out, over u. */
GN_INLINE double gn_log1p_float64(double x) {
    const double u = 1 + x;
    const double lost = x > 1 ? 1 - (u - x) : x - (u - 1);
    double m;
    const double e = gn_split(u, &m);
    const double f = m - 1;
    const double correction = lost / u;
    const double result = e * GN_LN2_HIGH + (f + (gn_log_tail(f) + (e * GN_LN2_LOW + correction)));
    return fabs(x) < 0x1p-54 ? x : gn_log_special(u, result);
}

/* a^b as 2^(b log2 |a|), its sign, and C's rules for what has no logarithm. */
GN_INLINE float gn_pow_float32(float a, float b) {
    const double size = fabs((double)a);
    const double power = b;
    const double product = power * gn_log_special(size, gn_log2_wide(size));
    const double t = (size == 1) | (power == 0) ? 0 : product;
    const double shifted = power + GN_SHIFT;
    const int is_large = fabs(power) >= 0x1p24; /* and so even */
    const int is_whole = is_large | (shifted - GN_SHIFT == power);
    const int is_odd = is_whole && !is_large && (gn_bits64(shifted) & 1) != 0;
    const double magnitude = gn_exp2_wide(t);
    const int is_negative = gn_bits64((double)a) >> 63 != 0;
    const double result = is_negative & is_odd ? -magnitude : magnitude;
    const int has_none = (a < 0) & !is_whole & (size != (double)INFINITY) & (fabs(power) != (double)INFINITY);
    const double real = has_none ? (double)NAN : result;
    const int is_nan = ((a != a) & (b != 0)) | ((b != b) & (a != 1));
    return (float)(is_nan ? (double)NAN : real);
}

GN_INLINE double gn_pow_float64(double a, double b) {
    return pow(a, b);
}

#endif
