/* Functions of one element, by the type of their argument: gn_exp(x) is gn_exp_float32(x) for a float.
 *
 * The float32 exp, log, tanh and erf are polynomials without branches, so that a loop over them vectorises
 * and an element's result does not depend on whether the vector code or its tail computed it. */
#ifndef GN_SCALAR_H
#define GN_SCALAR_H

#include "kernel.h"

/* e^x, to 1.0 ulp.  x = n ln 2 + r; the polynomial is Cephes' (expf).  The factor 2^n is applied in halves,
 * for results that are subnormal or just below infinity. */
static inline float gn_exp_float32(float x) {
    const float low = x < -104.0f ? -104.0f : x;
    const float clamped = low > 89.0f ? 89.0f : low;
    const float shifted = clamped * 1.44269504088896341f + 0x1.8p23f; /* the sum's last bits are n */
    const float n = shifted - 0x1.8p23f;
    const float r = clamped - n * 0.693359375f - n * -2.12194440e-4f;
    const float p = ((((1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f) * r + 4.1665795894e-2f) * r
                     + 1.6666665459e-1f) * r + 5.0000001201e-1f;
    const float y = p * (r * r) + r + 1.0f;
    const int32_t power = (int32_t)(gn_bits(shifted) - 0x4b400000u);
    const int32_t half = power >> 1;
    const float first = gn_from_bits((uint32_t)(half + 127) << 23);
    const float second = gn_from_bits((uint32_t)(power - half + 127) << 23);
    return y * first * second;
}

/* ln x, to 1 ulp.  x = 2^e m with m in [sqrt(1/2), sqrt(2)); the polynomial is Cephes' (logf). */
static inline float gn_log_float32(float x) {
    const int tiny = x < 0x1p-126f;
    const float scaled = tiny ? x * 0x1p23f : x;
    const uint32_t bits = gn_bits(scaled);
    const int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
    const float e = (float)exponent - (tiny ? 23.0f : 0.0f);
    const float f = gn_from_bits(bits - ((uint32_t)exponent << 23)) - 1.0f;
    const float z = f * f;
    float p = 7.0376836292e-2f;
    p = p * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    const float tail = p * f * z - 2.12194440e-4f * e - 0.5f * z;
    const float finite = f + tail + 0.693359375f * e;
    const float high = x == INFINITY ? INFINITY : finite;
    const float positive = x == 0.0f ? -INFINITY : high;
    return x >= 0.0f ? positive : NAN;
}

/* tanh x, to 1.5 ulp; Cephes' (tanhf). */
static inline float gn_tanh_float32(float x) {
    const float magnitude = fabsf(x);
    const float z = x * x;
    const float p = (((-5.70498872745e-3f * z + 2.06390887954e-2f) * z - 5.37397155531e-2f) * z + 1.33314422036e-1f) * z
                    - 3.33332819422e-1f;
    const float near = p * z * x + x;
    const float far = copysignf(1.0f - 2.0f / (gn_exp_float32(2.0f * magnitude) + 1.0f), x);
    return magnitude < 0.625f ? near : (x == x ? far : x);
}

/* erf x, to 2.5 ulp; Cephes' (erff), whose two ranges of erfc meet at 2. */
static inline float gn_erf_float32(float x) {
    const float magnitude = fabsf(x);
    const float z = x * x;
    const float near = x * ((((((7.853861353153693e-5f * z - 8.010193625184903e-4f) * z + 5.188327685732524e-3f) * z
                               - 2.685381193529856e-2f) * z + 1.128358514861418e-1f) * z - 3.761262582423300e-1f) * z
                            + 1.128379165726710f);
    const float q = 1.0f / (magnitude < 1.0f ? 1.0f : magnitude);
    const float y = q * q;
    const float middle = (((((((2.326819970068386e-2f * y - 1.387039388740657e-1f) * y + 3.687424674597105e-1f) * y
                              - 5.824733027278666e-1f) * y + 6.210004621745983e-1f) * y - 4.944515323274145e-1f) * y
                           + 3.404879937665872e-1f) * y - 2.741127028184656e-1f) * y + 5.638259427386472e-1f;
    const float outer = ((((((-1.047766399936249e+1f * y + 1.297719955372516e+1f) * y - 7.495518717768503f) * y
                            + 2.921019019210786f) * y - 1.015265279202700f) * y + 4.218463358204948e-1f) * y
                         - 2.820767439740514e-1f) * y + 5.641895067754075e-1f;
    const float complement = gn_exp_float32(-z) * q * (magnitude < 2.0f ? middle : outer);
    const float far = copysignf(1.0f - complement, x);
    return magnitude < 1.0f ? near : (x == x ? far : x);
}

#define gn_exp_float64 exp
#define gn_log_float64 log
#define gn_tanh_float64 tanh
#define gn_erf_float64 erf

#define REAL float
#define NAME(name) name##_float32
#define FUNCTION(name) name##f
#include "scalar_real.h"
#undef REAL
#undef NAME
#undef FUNCTION

#define REAL double
#define NAME(name) name##_float64
#define FUNCTION(name) name
#include "scalar_real.h"
#undef REAL
#undef NAME
#undef FUNCTION

/* Integers of all sizes, and bool, as int64; the caller narrows the result, which wraps. */
static inline int gn_isnan_int64(int64_t x) {
    (void)x;
    return 0;
}

static inline int64_t gn_sign_int64(int64_t x) {
    return (x > 0) - (x < 0);
}

static inline int gn_zero_divisor_int64(int64_t b) {
    return b == 0;
}

/* Division rounding towards zero; 0 by 0 gives 0 (the caller reports it), and -1 does not trap. */
static inline int64_t gn_div_trunc_int64(int64_t a, int64_t b) {
    if (b == 0) {
        return 0;
    }
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

/* C's remainder, with the dividend's sign. */
static inline int64_t gn_fmod_int64(int64_t a, int64_t b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

/* Python's //, and Python's %. */
static inline int64_t gn_div_floor_int64(int64_t a, int64_t b) {
    const int64_t rest = gn_fmod_int64(a, b);
    return gn_div_trunc_int64(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}
static inline int64_t gn_remainder_int64(int64_t a, int64_t b) {
    const int64_t rest = gn_fmod_int64(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* a to the power b, wrapping.  A negative power is 0 but for the bases 1 and -1. */
static inline int64_t gn_pow_int64(int64_t a, int64_t b) {
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

#if GN_HAS_COMPLEX
static inline int gn_isnan_complex64(gn_complex64 x) {
    return crealf(x) != crealf(x) || cimagf(x) != cimagf(x);
}
static inline int gn_isnan_complex128(gn_complex128 x) {
    return creal(x) != creal(x) || cimag(x) != cimag(x);
}
static inline int gn_isinf_complex64(gn_complex64 x) {
    return gn_isinf_float32(crealf(x)) || gn_isinf_float32(cimagf(x));
}
static inline int gn_isinf_complex128(gn_complex128 x) {
    return gn_isinf_float64(creal(x)) || gn_isinf_float64(cimag(x));
}
static inline gn_complex64 gn_sigmoid_complex64(gn_complex64 x) {
    return 1 / (1 + cexpf(-x));
}
static inline gn_complex128 gn_sigmoid_complex128(gn_complex128 x) {
    return 1 / (1 + cexp(-x));
}
#define GN_FRACTIONAL(function32, function64, complex64_function, complex128_function, x) \
    _Generic((x), float: function32, double: function64, gn_complex64: complex64_function, \
             gn_complex128: complex128_function)
#else
#define GN_FRACTIONAL(function32, function64, complex64_function, complex128_function, x) \
    _Generic((x), float: function32, double: function64)
#endif

static inline float gn_divide_float32(float a, float b) {
    return a / b;
}
static inline double gn_divide_float64(double a, double b) {
    return a / b;
}
#if GN_HAS_COMPLEX
/* Divided by zero, each part goes to its own infinity (or NaN), which C's short division loses. */
static inline gn_complex64 gn_divide_complex64(gn_complex64 a, gn_complex64 b) {
    if (b == 0) {
        const float parts[2] = {crealf(a) / crealf(b), cimagf(a) / crealf(b)};
        gn_complex64 quotient;
        memcpy(&quotient, parts, sizeof quotient);
        return quotient;
    }
    return a / b;
}
static inline gn_complex128 gn_divide_complex128(gn_complex128 a, gn_complex128 b) {
    if (b == 0) {
        const double parts[2] = {creal(a) / creal(b), cimag(a) / creal(b)};
        gn_complex128 quotient;
        memcpy(&quotient, parts, sizeof quotient);
        return quotient;
    }
    return a / b;
}
#endif

/* Floats and complex numbers. */
#define gn_divide(a, b) \
    GN_FRACTIONAL(gn_divide_float32, gn_divide_float64, gn_divide_complex64, gn_divide_complex128, b)(a, b)
#define gn_exp(x) GN_FRACTIONAL(gn_exp_float32, gn_exp_float64, cexpf, cexp, x)(x)
#define gn_log(x) GN_FRACTIONAL(gn_log_float32, gn_log_float64, clogf, clog, x)(x)
#define gn_sin(x) GN_FRACTIONAL(sinf, sin, csinf, csin, x)(x)
#define gn_cos(x) GN_FRACTIONAL(cosf, cos, ccosf, ccos, x)(x)
#define gn_tanh(x) GN_FRACTIONAL(gn_tanh_float32, gn_tanh_float64, ctanhf, ctanh, x)(x)
#define gn_sqrt(x) GN_FRACTIONAL(sqrtf, sqrt, csqrtf, csqrt, x)(x)
#define gn_sigmoid(x) GN_FRACTIONAL(gn_sigmoid_float32, gn_sigmoid_float64, gn_sigmoid_complex64, \
                                    gn_sigmoid_complex128, x)(x)
#define gn_isinf(x) GN_FRACTIONAL(gn_isinf_float32, gn_isinf_float64, gn_isinf_complex64, gn_isinf_complex128, x)(x)

/* Floats. */
#define GN_FLOATING(function32, function64, x) _Generic((x), float: function32, double: function64)
#define gn_expm1(x) GN_FLOATING(expm1f, expm1, x)(x)
#define gn_log1p(x) GN_FLOATING(log1pf, log1p, x)(x)
#define gn_log2(x) GN_FLOATING(log2f, log2, x)(x)
#define gn_erf(x) GN_FLOATING(gn_erf_float32, gn_erf_float64, x)(x)
#define gn_silu(x) GN_FLOATING(gn_silu_float32, gn_silu_float64, x)(x)
#define gn_silu_backward(gradient, x) GN_FLOATING(gn_silu_backward_float32, gn_silu_backward_float64, x)(gradient, x)
#define gn_gelu(x, approximate) GN_FLOATING(gn_gelu_float32, gn_gelu_float64, x)(x, approximate)
#define gn_gelu_backward(gradient, x, approximate) \
    GN_FLOATING(gn_gelu_backward_float32, gn_gelu_backward_float64, x)(gradient, x, approximate)

/* Floats and integers. */
#define GN_REAL(function32, function64, integer_function, x) \
    _Generic((x), float: function32, double: function64, default: integer_function)
/* NaN and -0.0 go through. */
static inline float gn_relu_float32(float x) {
    return x < 0 ? 0 : x;
}
static inline double gn_relu_float64(double x) {
    return x < 0 ? 0 : x;
}
static inline int64_t gn_relu_int64(int64_t x) {
    return x < 0 ? 0 : x;
}
#define gn_relu(x) GN_REAL(gn_relu_float32, gn_relu_float64, gn_relu_int64, x)(x)
#define gn_sign(x) GN_REAL(gn_sign_float32, gn_sign_float64, gn_sign_int64, x)(x)
#define gn_zero_divisor(b) GN_REAL(gn_zero_divisor_float32, gn_zero_divisor_float64, gn_zero_divisor_int64, b)(b)
#define gn_div_floor(a, b) GN_REAL(gn_div_floor_float32, gn_div_floor_float64, gn_div_floor_int64, a)(a, b)
#define gn_div_trunc(a, b) GN_REAL(gn_div_trunc_float32, gn_div_trunc_float64, gn_div_trunc_int64, a)(a, b)
#define gn_remainder(a, b) GN_REAL(gn_remainder_float32, gn_remainder_float64, gn_remainder_int64, a)(a, b)
#define gn_fmod(a, b) GN_REAL(fmodf, fmod, gn_fmod_int64, a)(a, b)
#define gn_pow(a, b) GN_REAL(powf, pow, gn_pow_int64, a)(a, b)
#define gn_pow_number(a, b) GN_REAL(gn_pow_number_float32, gn_pow_number_float64, gn_pow_int64, a)(a, b)

/* All types. */
static inline int64_t gn_abs_int64(int64_t x) {
    return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

static inline float gn_same_float32(float x) {
    return x;
}
static inline double gn_same_float64(double x) {
    return x;
}
#define gn_conj(x) GN_FRACTIONAL(gn_same_float32, gn_same_float64, conjf, conj, x)(x)

/* What a register for integers of `size` bytes holds of `x`: those below 8 share one of 32 bits. */
static inline int64_t gn_register(int64_t x, size_t size) {
    return size < 8 && (x < INT32_MIN || x > INT32_MAX) ? INT32_MIN : x;
}

static inline int64_t gn_same_int64(int64_t x) {
    return x;
}

#if GN_HAS_COMPLEX
/* A complex number over its modulus; 0 at 0. */
static inline gn_complex64 gn_sgn_complex64(gn_complex64 x) {
    const float modulus = cabsf(x);
    return modulus == 0 ? 0 : x / modulus;
}
static inline gn_complex128 gn_sgn_complex128(gn_complex128 x) {
    const double modulus = cabs(x);
    return modulus == 0 ? 0 : x / modulus;
}
#define GN_ANY(function32, function64, complex64_function, complex128_function, integer_function, x) \
    _Generic((x), float: function32, double: function64, gn_complex64: complex64_function, \
             gn_complex128: complex128_function, default: integer_function)
#else
#define GN_ANY(function32, function64, complex64_function, complex128_function, integer_function, x) \
    GN_REAL(function32, function64, integer_function, x)
#endif
#define gn_floor(x) GN_REAL(floorf, floor, gn_same_int64, x)(x)
#define gn_ceil(x) GN_REAL(ceilf, ceil, gn_same_int64, x)(x)
#define gn_round(x) GN_REAL(rintf, rint, gn_same_int64, x)(x)
#define gn_trunc(x) GN_REAL(truncf, trunc, gn_same_int64, x)(x)
#define gn_conjugate(x) GN_ANY(gn_same_float32, gn_same_float64, conjf, conj, gn_same_int64, x)(x)
#define gn_real_part(x) GN_ANY(gn_same_float32, gn_same_float64, crealf, creal, gn_same_int64, x)(x)
#define gn_sgn(x) GN_ANY(gn_sign_float32, gn_sign_float64, gn_sgn_complex64, gn_sgn_complex128, gn_sign_int64, x)(x)

#if GN_HAS_COMPLEX
#define gn_isnan(x) \
    _Generic((x), float: gn_isnan_float32, double: gn_isnan_float64, gn_complex64: gn_isnan_complex64, \
             gn_complex128: gn_isnan_complex128, default: gn_isnan_int64)(x)
#define gn_abs(x) \
    _Generic((x), float: fabsf, double: fabs, gn_complex64: cabsf, gn_complex128: cabs, default: gn_abs_int64)(x)
#else
#define gn_isnan(x) GN_REAL(gn_isnan_float32, gn_isnan_float64, gn_isnan_int64, x)(x)
#define gn_abs(x) GN_REAL(fabsf, fabs, gn_abs_int64, x)(x)
#endif

#endif
