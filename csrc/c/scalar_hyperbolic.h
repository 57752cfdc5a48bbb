/* Hyperbolic functions and their inverses, without branches or calls; see scalar_exp.h. */
#ifndef GN_SCALAR_HYPERBOLIC_H
#define GN_SCALAR_HYPERBOLIC_H

#include "scalar_exp.h"

/* x + x^3 p(x^2), which is Cephes' (tanhf), or 1 - 2 / (e^2|x| + 1). */
GN_INLINE float gn_tanh_float32(float x) {
    const float size = fabsf(x);
    const float z = x * x;
    float p = -5.70498872745e-3f;
    p = GN_FMA(p, z, 2.06390887954e-2f);
    p = GN_FMA(p, z, -5.37397155531e-2f);
    p = GN_FMA(p, z, 1.33314422036e-1f);
    p = GN_FMA(p, z, -3.33332819422e-1f);
    const float near = GN_FMA(p * z, size, size);
    /* as gn_exp_split_float32, of half the exponent and with a shorter reduction: here the power's error counts little */
    const float shifted = GN_FMA(size, 2.88539008177792681f, 0x1.8p23f + 127);
    const float n = shifted - (0x1.8p23f + 127);
    const float r = GN_FMA(n, -0.34657359027997264f, size);
    const float square = r * r;
    const float first = GN_FMA(8 * 1.6666524367880553e-1f, r, 4 * 4.999999393255906e-1f);
    float q = GN_FMA(32 * 8.368367023766884e-3f, r, 16 * 4.1668322448268055e-2f);
    q = GN_FMA(64 * 1.3816332752425715e-3f, square, q);
    q = GN_FMA(q, square, first);
    const float grown = GN_FMA(q, square, r + r);
    const float power = gn_from_bits(gn_bits(shifted) << 23);
    const float far = 1.0f - 2.0f / GN_FMA(grown, power, power + 1.0f);
    const float bounded = size > 9.1f ? 1.0f : far;
    return copysignf(size < 0.625f ? near : bounded, x);
}

/* x + x^3 p(x^2), where p is minimax to 2^-59, or 1 - 2 / (e^2|x| + 1). */
GN_INLINE double gn_tanh_float64(double x) {
    const double size = fabs(x);
    const double z = x * x;
    double p = 6.485163482793113e-6;
    p = GN_FMA(p, z, -3.12011014257974e-5);
    p = GN_FMA(p, z, 9.257116129556769e-5);
    p = GN_FMA(p, z, -2.375906496055562e-4);
    p = GN_FMA(p, z, 5.896606577757043e-4);
    p = GN_FMA(p, z, -1.4557754120478055e-3);
    p = GN_FMA(p, z, 3.5921217511549622e-3);
    p = GN_FMA(p, z, -8.863235103240878e-3);
    p = GN_FMA(p, z, 2.1869488519008305e-2);
    p = GN_FMA(p, z, -5.396825396789699e-2);
    p = GN_FMA(p, z, 0.13333333333333042);
    p = GN_FMA(p, z, -0.3333333333333333);
    const double near = GN_FMA(p * z, size, size);
    double shifted;
    const double grown = gn_exp_split_float64(2 * size, 0, 0x1.8p52 + 1023, &shifted);
    const double far = 1 - 2 / GN_FMA(1 + grown, gn_from_bits64(gn_bits64(shifted) << 52), 1.0);
    const double bounded = size > 20 ? 1 : far;
    return copysign(size < 0.625 ? near : bounded, x);
}

GN_INLINE float gn_sinh_float32(float x) {
    const double size = fabs((double)x);
    const double t = gn_expm1_wide(size);
    const double result = 0.5 * (t + t / (t + 1));
    return copysignf((float)(size > 100 ? (double)INFINITY : result), x);
}
GN_INLINE float gn_cosh_float32(float x) {
    const double e = gn_exp2_wide(fabs((double)x) * GN_LOG2_E);
    return (float)(0.5 * (e + 1 / e));
}

/* e^x / 2: finite where the hyperbolic functions are, and e^x is not any more. */
GN_INLINE double gn_half_exp(double x) {
    const double shifted = x * GN_LOG2_E + GN_SHIFT_BIASED;
    const double n = shifted - GN_SHIFT_BIASED;
    const double high = x - n * GN_LN2_HIGH;
    const double r = high - n * GN_LN2_LOW;
    const double lost = (high - r) - n * GN_LN2_LOW;
    const double result = gn_scale_float64(1 + (r + (gn_exp_tail(r) * (r * r) + lost)), shifted - 1);
    return x > 712 ? (double)INFINITY : result;
}
GN_INLINE double gn_sinh_float64(double x) {
    const double size = fabs(x);
    const double e = gn_half_exp(size);
    /* below 1 Taylor's series, which ends at x^21 / 21! */
    const double z = size * size;
    double p = 1.957294106339126e-20;
    p = GN_FMA(p, z, 8.22063524662433e-18);
    p = GN_FMA(p, z, 2.8114572543455206e-15);
    p = GN_FMA(p, z, 7.647163731819816e-13);
    p = GN_FMA(p, z, 1.6059043836821613e-10);
    p = GN_FMA(p, z, 2.505210838544172e-8);
    p = GN_FMA(p, z, 2.7557319223985893e-6);
    p = GN_FMA(p, z, 1.984126984126984e-4);
    p = GN_FMA(p, z, 8.333333333333333e-3);
    p = GN_FMA(p, z, 1.6666666666666666e-1);
    return copysign(size < 1 ? size + size * z * p : e - 0.25 / e, x);
}
GN_INLINE double gn_cosh_float64(double x) {
    const double e = gn_half_exp(fabs(x));
    return e + 0.25 / e;
}

/* Near 0 the first terms of the series are closer than a logarithm of about 1. */
GN_INLINE float gn_asinh_float32(float x) {
    const double size = fabs((double)x);
    const double far = gn_log_special(size, gn_log_wide(size + sqrt(size * size + 1)));
    const double near = size - size * size * size * (1.0 / 6);
    return copysignf((float)(size < 0x1p-10 ? near : far), x);
}
GN_INLINE float gn_acosh_float32(float x) {
    const double t = (double)x - 1;
    const double result = gn_log_special(x, gn_log_wide((double)x + sqrt(t * (t + 2))));
    return x >= 1 ? (float)result : NAN;
}
GN_INLINE float gn_atanh_float32(float x) {
    const double size = fabs((double)x);
    const double quotient = (1 + size) / (1 - size);
    const double far = gn_log_special(quotient, 0.5 * gn_log_wide(quotient));
    const double near = size + size * size * size * (1.0 / 3);
    return copysignf((float)(size < 0x1p-10 ? near : far), x);
}

/* For large numbers 2 x is the argument, whose logarithm is ln (1 + (x - 1)) + ln 2. */
GN_INLINE double gn_asinh_float64(double x) {
    const double size = fabs(x);
    const int large = size > 0x1p28;
    const double square = size * size;
    const double sum = size + square / (1 + sqrt(square + 1));
    return copysign(gn_log1p_float64(large ? size - 1 : sum) + (large ? GN_LN2 : 0.0), x);
}
GN_INLINE double gn_acosh_float64(double x) {
    const int large = x > 0x1p28;
    const double t = x - 1;
    const double sum = t + sqrt(t * (t + 2));
    const double result = gn_log1p_float64(large ? t : sum) + (large ? GN_LN2 : 0.0);
    return x >= 1 ? result : (double)NAN;
}
GN_INLINE double gn_atanh_float64(double x) {
    const double size = fabs(x);
    const double twice = 2 * size;
    const double near = twice + twice * size / (1 - size);
    const double far = twice / (1 - size);
    return copysign(0.5 * gn_log1p_float64(size < 0.5 ? near : far), x);
}

#endif
