/* Functions of one element, by the type of their argument: gn_exp(x) is gn_exp_float32(x) for a float.
 *
 * This file chooses by type; the functions themselves are in scalar_*.h. */
#ifndef GN_SCALAR_H
#define GN_SCALAR_H

#include "kernel.h"

#include "select.h"

#include "scalar_complex.h"
#include "scalar_erf.h"
#include "scalar_exp.h"
#include "scalar_gamma.h"
#include "scalar_hyperbolic.h"
#include "scalar_trig.h"

/* C's fmod, which takes a step for each bit of the quotient, or of a few: a quotient that fits an integer gives the rest
 * at once.  In double, the quotient of two floats does not round up to an integer, and its product with the divisor is
 * exact; so is the difference of numbers so near to each other. */
GN_INLINE float gn_fmod_float32(float a, float b) {
    const double quotient = (double)a / (double)b;
    if (!(fabs(quotient) < 0x1p28)) { /* NaN too */
        return fmodf(a, b);
    }
    const int32_t whole = (int32_t)quotient;
    return whole == 0 ? a : copysignf((float)((double)a - (double)whole * (double)b), a);
}
/* Here the quotient may round up to an integer, and the rest is then below 0 once. */
GN_INLINE double gn_fmod_float64(double a, double b) {
    const double quotient = a / b;
    if (!(fabs(quotient) < 0x1p52)) {
        return fmod(a, b);
    }
    const int64_t whole = (int64_t)quotient;
    if (whole == 0) {
        return a;
    }
    const double rest = fma(-(double)whole, b, a); /* exact, with or without an instruction for it */
    return copysign(rest != 0 && (rest < 0) != (a < 0) ? fabs(b) - fabs(rest) : rest, a);
}

#define REAL float
#define NAME(name) name##_float32
#define FUNCTION(name) name##f
#define LEAST_EXPONENT -130
#include "scalar_real.h"
#include "scalar_activation.h"
#undef REAL
#undef NAME
#undef FUNCTION
#undef LEAST_EXPONENT

#define REAL double
#define NAME(name) name##_float64
#define FUNCTION(name) name
#define LEAST_EXPONENT -1000
#include "scalar_real.h"
#include "scalar_activation.h"
#undef REAL
#undef NAME
#undef FUNCTION
#undef LEAST_EXPONENT

/* Integers of all sizes, and bool, as int64; the caller narrows the result, which wraps. */
GN_INLINE int gn_isnan_int64(int64_t x) {
    (void)x;
    return 0;
}

GN_INLINE int64_t gn_sign_int64(int64_t x) {
    return (x > 0) - (x < 0);
}

GN_INLINE int gn_signbit_int64(int64_t x) {
    return x < 0;
}
GN_INLINE int gn_isposinf_int64(int64_t x) {
    (void)x;
    return 0;
}
#define gn_isneginf_int64 gn_isposinf_int64

/* a 2^b and floor(a / 2^b); `bits` are those of the dtype but its sign.  All bits are shifted out where b is
 * negative or exceeds them. */
GN_INLINE int64_t gn_shift_left(int64_t a, int64_t b, int64_t bits) {
    return b >= 0 && b <= bits ? (int64_t)((uint64_t)a << (b & 63)) : 0;
}
GN_INLINE int64_t gn_shift_right(int64_t a, int64_t b, int64_t bits) {
    const int64_t places = b >= 0 && b <= bits ? b : bits;
    return a >> (places & 63);
}

GN_INLINE int gn_zero_divisor_int64(int64_t b) {
    return b == 0;
}

/* Division rounding towards zero; 0 by 0 gives 0 (the caller reports it), and -1 does not trap. */
GN_INLINE int64_t gn_div_trunc_int64(int64_t a, int64_t b) {
    if (b == 0) {
        return 0;
    }
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

/* C's remainder, with the dividend's sign. */
GN_INLINE int64_t gn_fmod_int64(int64_t a, int64_t b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

/* Python's //, and Python's %. */
GN_INLINE int64_t gn_div_floor_int64(int64_t a, int64_t b) {
    const int64_t rest = gn_fmod_int64(a, b);
    return gn_div_trunc_int64(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}
GN_INLINE int64_t gn_remainder_int64(int64_t a, int64_t b) {
    const int64_t rest = gn_fmod_int64(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* a to the power b, wrapping.  A negative power is 0 but for the bases 1 and -1. */
GN_INLINE int64_t gn_pow_int64(int64_t a, int64_t b) {
    if (b < 0) {
        if (a == 1) {
            return 1;
        }
        return a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    }
    uint64_t power = 1;
    uint64_t base = (uint64_t)a;
    while (b > 0) {
        power = b & 1 ? power * base : power;
        base *= base;
        b >>= 1;
    }
    return (int64_t)power;
}

GN_INLINE float gn_divide_float32(float a, float b) {
    return a / b;
}
GN_INLINE double gn_divide_float64(double a, double b) {
    return a / b;
}
/* Floats and complex numbers. */
#define gn_divide(a, b) \
    GN_FRACTIONAL(gn_divide_float32, gn_divide_float64, gn_divide_complex64, gn_divide_complex128, b)(a, b)
#define gn_exp(x) GN_FRACTIONAL(gn_exp_float32, gn_exp_float64, cexpf, cexp, x)(x)
#define gn_log(x) GN_FRACTIONAL(gn_log_float32, gn_log_float64, clogf, clog, x)(x)
#define gn_sin(x) GN_FRACTIONAL(gn_sin_float32, gn_sin_float64, csinf, csin, x)(x)
#define gn_cos(x) GN_FRACTIONAL(gn_cos_float32, gn_cos_float64, ccosf, ccos, x)(x)
#define gn_tan(x) GN_FRACTIONAL(gn_tan_float32, gn_tan_float64, ctanf, ctan, x)(x)
#define gn_asin(x) GN_FRACTIONAL(gn_asin_float32, gn_asin_float64, casinf, casin, x)(x)
#define gn_acos(x) GN_FRACTIONAL(gn_acos_float32, gn_acos_float64, cacosf, cacos, x)(x)
#define gn_atan(x) GN_FRACTIONAL(gn_atan_float32, gn_atan_float64, catanf, catan, x)(x)
#define gn_sinh(x) GN_FRACTIONAL(gn_sinh_float32, gn_sinh_float64, csinhf, csinh, x)(x)
#define gn_cosh(x) GN_FRACTIONAL(gn_cosh_float32, gn_cosh_float64, ccoshf, ccosh, x)(x)
#define gn_tanh(x) GN_FRACTIONAL(gn_tanh_float32, gn_tanh_float64, ctanhf, ctanh, x)(x)
#define gn_asinh(x) GN_FRACTIONAL(gn_asinh_float32, gn_asinh_float64, casinhf, casinh, x)(x)
#define gn_acosh(x) GN_FRACTIONAL(gn_acosh_float32, gn_acosh_float64, cacoshf, cacosh, x)(x)
#define gn_atanh(x) GN_FRACTIONAL(gn_atanh_float32, gn_atanh_float64, catanhf, catanh, x)(x)
#define gn_sqrt(x) GN_FRACTIONAL(sqrtf, sqrt, csqrtf, csqrt, x)(x)
/* The function of this name for either of four types, or of two. */
#define GN_BY_TYPE(name, x) GN_FRACTIONAL(name##_float32, name##_float64, name##_complex64, name##_complex128, x)
/* Of numbers that are not positive. */
#define gn_exp_negative(x) GN_FLOAT(gn_exp_negative, x)(x)
#define gn_exp2(x) GN_BY_TYPE(gn_exp2, x)(x)
#define gn_expm1(x) GN_BY_TYPE(gn_expm1, x)(x)
#define gn_log1p(x) GN_BY_TYPE(gn_log1p, x)(x)
#define gn_log2(x) GN_BY_TYPE(gn_log2, x)(x)
#define gn_log10(x) GN_BY_TYPE(gn_log10, x)(x)
#define gn_sigmoid(x) GN_BY_TYPE(gn_sigmoid, x)(x)
#define gn_silu(x) GN_BY_TYPE(gn_silu, x)(x)
#define gn_silu_backward(gradient, x) GN_BY_TYPE(gn_silu_backward, x)(gradient, x)
#define gn_logaddexp(a, b) GN_BY_TYPE(gn_logaddexp, a)(a, b)
#define gn_angle(x) GN_BY_TYPE(gn_angle, x)(x)
/* Numbers whose sine and its like the C library computes. */
#define gn_far(x) GN_BY_TYPE(gn_far, x)(x)
#define gn_far_sin(x) GN_FRACTIONAL(gn_far_sin_float32, sin, csinf, csin, x)(x)
#define gn_far_cos(x) GN_FRACTIONAL(gn_far_cos_float32, cos, ccosf, ccos, x)(x)
#define gn_far_tan(x) GN_FRACTIONAL(gn_far_tan_float32, tan, ctanf, ctan, x)(x)

/* Floats. */
#define GN_FLOAT(name, x) GN_FLOATING(name##_float32, name##_float64, x)
#define gn_erf(x) GN_FLOAT(gn_erf, x)(x)
#define gn_erfc(x) GN_FLOAT(gn_erfc, x)(x)
#define gn_erfinv(x) GN_FLOAT(gn_erfinv, x)(x)
#define gn_lgamma(x) GN_FLOATING(gn_lgamma_float32, lgamma, x)(x)
#define gn_digamma(x) GN_FLOAT(gn_digamma, x)(x)
#define gn_polygamma(n, x) GN_FLOAT(gn_polygamma, x)(n, x)
#define gn_gelu(x, approximate) GN_FLOAT(gn_gelu, x)(x, approximate)
#define gn_gelu_backward(gradient, x, approximate) GN_FLOAT(gn_gelu_backward, x)(gradient, x, approximate)
#define gn_elu(x, alpha, scale, input_scale) GN_FLOAT(gn_elu, x)(x, alpha, scale, input_scale)
#define gn_elu_backward(gradient, x, alpha, scale, input_scale, is_result) \
    GN_FLOAT(gn_elu_backward, x)(gradient, x, alpha, scale, input_scale, is_result)
#define gn_softplus(x, beta, threshold) GN_FLOAT(gn_softplus, x)(x, beta, threshold)
#define gn_softplus_backward(gradient, x, beta, threshold) \
    GN_FLOAT(gn_softplus_backward, x)(gradient, x, beta, threshold)
#define gn_log_sigmoid(x, decayed) GN_FLOAT(gn_log_sigmoid, x)(x, decayed)
#define gn_log_sigmoid_backward(gradient, x, decayed) GN_FLOAT(gn_log_sigmoid_backward, x)(gradient, x, decayed)
#define gn_mish(x) GN_FLOAT(gn_mish, x)(x)
#define gn_softshrink(x, lambda) GN_FLOAT(gn_softshrink, x)(x, lambda)
#define gn_shrink(through, x, lambda) GN_FLOAT(gn_shrink, x)(through, x, lambda)
#define gn_six(x) GN_FLOAT(gn_six, x)(x)
#define gn_hardswish(x) GN_FLOAT(gn_hardswish, x)(x)
#define gn_hardswish_backward(gradient, x) GN_FLOAT(gn_hardswish_backward, x)(gradient, x)
#define gn_logit(x, eps) GN_FLOAT(gn_logit, x)(x, eps)
#define gn_logaddexp2(a, b) GN_FLOAT(gn_logaddexp2, a)(a, b)
#define gn_xlogy(a, b) GN_FLOAT(gn_xlogy, a)(a, b)
#define gn_atan2(y, x) GN_FLOAT(gn_atan2, x)(y, x)
#define gn_hypot(a, b) GN_FLOAT(gn_hypot, a)(a, b)
#define gn_copysign(a, b) GN_FLOATING(copysignf, copysign, a)(a, b)
#define gn_smooth_l1(x, beta) GN_FLOAT(gn_smooth_l1, x)(x, beta)
#define gn_huber(x, delta) GN_FLOAT(gn_huber, x)(x, delta)
#define gn_binary_cross_entropy(p, target) GN_FLOAT(gn_binary_cross_entropy, p)(p, target)
#define gn_no_probability(x) GN_FLOAT(gn_no_probability, x)(x)
#define gn_frac(x) GN_FLOAT(gn_frac, x)(x)
#define gn_round_decimals(x, scale, decimals) GN_FLOAT(gn_round_decimals, x)(x, scale, decimals)
#define gn_complex_of(re, im) GN_FLOAT(gn_complex_of, re)(re, im)
#define gn_polar(modulus, phase) GN_FLOAT(gn_polar, phase)(modulus, phase)

/* Floats and integers. */
/* NaN and -0.0 go through. */
GN_INLINE float gn_relu_float32(float x) {
    return x < 0 ? 0 : x;
}
GN_INLINE double gn_relu_float64(double x) {
    return x < 0 ? 0 : x;
}
GN_INLINE int64_t gn_relu_int64(int64_t x) {
    return x < 0 ? 0 : x;
}
#define gn_relu(x) GN_REAL(gn_relu_float32, gn_relu_float64, gn_relu_int64, x)(x)
#define gn_sign(x) GN_REAL(gn_sign_float32, gn_sign_float64, gn_sign_int64, x)(x)
#define gn_zero_divisor(b) GN_REAL(gn_zero_divisor_float32, gn_zero_divisor_float64, gn_zero_divisor_int64, b)(b)
#define gn_div_floor(a, b) GN_REAL(gn_div_floor_float32, gn_div_floor_float64, gn_div_floor_int64, a)(a, b)
#define gn_div_trunc(a, b) GN_REAL(gn_div_trunc_float32, gn_div_trunc_float64, gn_div_trunc_int64, a)(a, b)
#define gn_remainder(a, b) GN_REAL(gn_remainder_float32, gn_remainder_float64, gn_remainder_int64, a)(a, b)
#define gn_fmod(a, b) GN_REAL(gn_fmod_float32, gn_fmod_float64, gn_fmod_int64, a)(a, b)
#define gn_signbit(x) GN_REAL(gn_signbit_float32, gn_signbit_float64, gn_signbit_int64, x)(x)
#define gn_isposinf(x) GN_REAL(gn_isposinf_float32, gn_isposinf_float64, gn_isposinf_int64, x)(x)
#define gn_isneginf(x) GN_REAL(gn_isneginf_float32, gn_isneginf_float64, gn_isneginf_int64, x)(x)

/* All types. */
GN_INLINE int64_t gn_abs_int64(int64_t x) {
    return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

GN_INLINE float gn_same_float32(float x) {
    return x;
}
GN_INLINE double gn_same_float64(double x) {
    return x;
}
#define gn_conj(x) GN_FRACTIONAL(gn_same_float32, gn_same_float64, conjf, conj, x)(x)

/* What a register for integers of `size` bytes holds of `x`: those below 8 share one of 32 bits. */
GN_INLINE int64_t gn_register(int64_t x, size_t size) {
    return size < 8 && (x < INT32_MIN || x > INT32_MAX) ? INT32_MIN : x;
}

/* An integer is finite. */
GN_INLINE int64_t gn_finite_int64(int64_t x, int64_t nan, int64_t highest, int64_t lowest) {
    (void)nan;
    (void)highest;
    (void)lowest;
    return x;
}
#if GN_HAS_COMPLEX
GN_INLINE gn_complex64 gn_finite_complex64(gn_complex64 x, float nan, float highest, float lowest) {
    return gn_complex_of_float32(gn_finite_float32(crealf(x), nan, highest, lowest),
                                 gn_finite_float32(cimagf(x), nan, highest, lowest));
}
GN_INLINE gn_complex128 gn_finite_complex128(gn_complex128 x, double nan, double highest, double lowest) {
    return gn_complex_of_float64(gn_finite_float64(creal(x), nan, highest, lowest),
                                 gn_finite_float64(cimag(x), nan, highest, lowest));
}
#endif

GN_INLINE int64_t gn_same_int64(int64_t x) {
    return x;
}

#define gn_isinf(x) \
    GN_ANY(gn_isinf_float32, gn_isinf_float64, gn_isinf_complex64, gn_isinf_complex128, gn_isnan_int64, x)(x)
#define gn_pow(a, b) GN_ANY(gn_pow_float32, pow, gn_pow_complex64, gn_pow_complex128, gn_pow_int64, a)(a, b)
#define gn_finite(x, nan, highest, lowest) \
    GN_ANY(gn_finite_float32, gn_finite_float64, gn_finite_complex64, gn_finite_complex128, gn_finite_int64, x) \
    (x, nan, highest, lowest)
#define gn_floor(x) GN_REAL(floorf, floor, gn_same_int64, x)(x)
#define gn_ceil(x) GN_REAL(ceilf, ceil, gn_same_int64, x)(x)
#define gn_round(x) GN_REAL(rintf, rint, gn_same_int64, x)(x)
#define gn_trunc(x) GN_REAL(truncf, trunc, gn_same_int64, x)(x)
#define gn_conjugate(x) GN_ANY(gn_same_float32, gn_same_float64, conjf, conj, gn_same_int64, x)(x)
#define gn_real_part(x) GN_ANY(gn_same_float32, gn_same_float64, crealf, creal, gn_same_int64, x)(x)
#define gn_sgn(x) GN_ANY(gn_sign_float32, gn_sign_float64, gn_sgn_complex64, gn_sgn_complex128, gn_sign_int64, x)(x)

#define gn_isnan(x) \
    GN_ANY(gn_isnan_float32, gn_isnan_float64, gn_isnan_complex64, gn_isnan_complex128, gn_isnan_int64, x)(x)
#define gn_abs(x) GN_ANY(fabsf, fabs, cabsf, cabs, gn_abs_int64, x)(x)

#endif
