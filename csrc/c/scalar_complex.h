/* Functions of complex numbers, in double precision: those of complex64 are rounded from them.
 *
 * Where C's Annex G leaves parts at infinities open, any infinite or NaN result will do. */
#ifndef GN_SCALAR_COMPLEX_H
#define GN_SCALAR_COMPLEX_H

#include "kernel.h"

#if GN_HAS_COMPLEX

static inline int gn_isnan_complex64(gn_complex64 x) {
    return crealf(x) != crealf(x) || cimagf(x) != cimagf(x);
}
static inline int gn_isnan_complex128(gn_complex128 x) {
    return creal(x) != creal(x) || cimag(x) != cimag(x);
}
static inline int gn_isinf_complex64(gn_complex64 x) {
    return fabsf(crealf(x)) == INFINITY || fabsf(cimagf(x)) == INFINITY;
}
static inline int gn_isinf_complex128(gn_complex128 x) {
    return fabs(creal(x)) == (double)INFINITY || fabs(cimag(x)) == (double)INFINITY;
}
/* a / b by the part of b that is larger (Smith's form), without a branch; in real numbers for the reason that products
 * are.  Zero has no sign here: divided by it, each part goes to its own infinity (or NaN). */
#define GN_DIVIDE(DTYPE, REAL, COMPLEX, part, other_part, size)                                        \
    GN_INLINE COMPLEX gn_divide_##DTYPE(COMPLEX a, COMPLEX b) {                                        \
        const REAL re = part(b), im = other_part(b);                                                   \
        const int turned = size(re) < size(im);                                                        \
        const REAL large = turned ? im : re, small = turned ? re : im;                                 \
        const REAL first = turned ? part(a) : other_part(a), second = turned ? other_part(a) : part(a); \
        const int is_zero = (re == 0) & (im == 0);                                                     \
        const REAL ratio = small / large;                                                              \
        const REAL divisor = is_zero ? 0 : large + small * ratio;                                      \
        const REAL straight = is_zero ? second : second + first * ratio;                               \
        const REAL rest = second * (turned ? ratio : -ratio) + (turned ? -first : first);              \
        const REAL crossed = is_zero ? first : rest;                                                   \
        return gn_complex_of_##REAL(straight / divisor, crossed / divisor);                            \
    }
#define gn_complex_of_float gn_complex_of_float32
#define gn_complex_of_double gn_complex_of_float64
GN_DIVIDE(complex64, float, gn_complex64, crealf, cimagf, fabsf)
GN_DIVIDE(complex128, double, gn_complex128, creal, cimag, fabs)
#undef GN_DIVIDE
#undef gn_complex_of_float
#undef gn_complex_of_double
#ifdef __cplusplus
GN_INLINE gn_complex64 operator/(gn_complex64 a, gn_complex64 b) {
    return gn_divide_complex64(a, b);
}
GN_INLINE gn_complex128 operator/(gn_complex128 a, gn_complex128 b) {
    return gn_divide_complex128(a, b);
}
#endif

static inline gn_complex64 gn_sigmoid_complex64(gn_complex64 x) {
    return gn_divide_complex64(1, 1 + cexpf(-x));
}
static inline gn_complex128 gn_sigmoid_complex128(gn_complex128 x) {
    return gn_divide_complex128(1, 1 + cexp(-x));
}

/* A complex number over its modulus; 0 at 0. */
static inline gn_complex64 gn_sgn_complex64(gn_complex64 x) {
    const float modulus = cabsf(x);
    return modulus == 0 ? 0 : x / modulus;
}
static inline gn_complex128 gn_sgn_complex128(gn_complex128 x) {
    const double modulus = cabs(x);
    return modulus == 0 ? 0 : x / modulus;
}

/* Each part times a real number. */
static inline gn_complex128 gn_times(gn_complex128 x, double factor) {
    return gn_complex_of_float64(creal(x) * factor, cimag(x) * factor);
}

static inline gn_complex128 gn_exp2_complex128(gn_complex128 x) {
    return cexp(gn_times(x, 0.69314718055994530942));
}
static inline gn_complex128 gn_expm1_complex128(gn_complex128 x) {
    const double half = sin(cimag(x) / 2);
    return gn_complex_of_float64(expm1(creal(x)) * cos(cimag(x)) - 2 * half * half, exp(creal(x)) * sin(cimag(x)));
}
static inline gn_complex128 gn_log2_complex128(gn_complex128 x) {
    return gn_times(clog(x), 1.44269504088896340736);
}
static inline gn_complex128 gn_log10_complex128(gn_complex128 x) {
    return gn_times(clog(x), 0.43429448190325182765);
}
static inline gn_complex128 gn_log1p_complex128(gn_complex128 x) {
    return clog(gn_complex_of_float64(1 + creal(x), cimag(x)));
}
static inline gn_complex128 gn_silu_complex128(gn_complex128 x) {
    return GN_TIMES(x, gn_sigmoid_complex128(x));
}
static inline gn_complex128 gn_silu_backward_complex128(gn_complex128 gradient, gn_complex128 x) {
    const gn_complex128 sigmoid = gn_sigmoid_complex128(x);
    return GN_TIMES(gradient, GN_TIMES(sigmoid, 1 + GN_TIMES(x, 1 - sigmoid)));
}
/* log(e^a + e^b) from the one with the larger real part. */
static inline gn_complex128 gn_logaddexp_complex128(gn_complex128 a, gn_complex128 b) {
    if (a == b && (creal(a) == (double)INFINITY || creal(a) == -(double)INFINITY)) {
        return a;
    }
    const int first = creal(a) >= creal(b) || a != a;
    const gn_complex128 larger = first ? a : b;
    const gn_complex128 smaller = first ? b : a;
    return larger + gn_log1p_complex128(cexp(smaller - larger));
}

/* a^b.  Where products of infinite parts are NaN, the exponential may still have a direction. */
static inline gn_complex128 gn_pow_complex128(gn_complex128 a, gn_complex128 b) {
    if (b == 0) {
        return 1;
    }
    if (a == 0 && cimag(b) == 0 && creal(b) > 0) {
        return 0;
    }
    const double modulus = hypot(creal(a), cimag(a));
    const double angle = atan2(cimag(a), creal(a));
    double length = pow(modulus, creal(b));
    double turn = angle * creal(b);
    if (cimag(b) != 0) {
        length *= exp(-angle * cimag(b));
        turn += cimag(b) * log(modulus);
    }
    const gn_complex128 power = gn_complex_of_float64(length * cos(turn), length * sin(turn));
    return power == power ? power : cexp(GN_TIMES(b, clog(a)));
}

/* Small powers as products, which infinities outlive. */
static inline gn_complex128 gn_pow_number_complex128(gn_complex128 a, gn_complex128 b) {
    if (cimag(b) == 0) {
        const double power = creal(b);
        if (power == 1 || power == -1) {
            return power > 0 ? a : gn_divide_complex128(1, a);
        }
        if (power == 2 || power == -2) {
            return power > 0 ? GN_TIMES(a, a) : gn_divide_complex128(1, GN_TIMES(a, a));
        }
        if (power == 3) {
            return GN_TIMES(GN_TIMES(a, a), a);
        }
        if (power == 0.5 || power == -0.5) {
            return power > 0 ? csqrt(a) : gn_divide_complex128(1, csqrt(a));
        }
    }
    return gn_pow_complex128(a, b);
}

/* The same for complex64. */
#define GN_ROUNDED(name, function)                                       \
    static inline gn_complex64 name##_complex64(gn_complex64 x) {        \
        return (gn_complex64)function((gn_complex128)x);                 \
    }
GN_ROUNDED(gn_exp2, gn_exp2_complex128)
GN_ROUNDED(gn_expm1, gn_expm1_complex128)
GN_ROUNDED(gn_log2, gn_log2_complex128)
GN_ROUNDED(gn_log10, gn_log10_complex128)
GN_ROUNDED(gn_log1p, gn_log1p_complex128)
GN_ROUNDED(gn_silu, gn_silu_complex128)
#undef GN_ROUNDED
#define GN_ROUNDED(name)                                                          \
    static inline gn_complex64 name##_complex64(gn_complex64 a, gn_complex64 b) { \
        return (gn_complex64)name##_complex128((gn_complex128)a, (gn_complex128)b); \
    }
GN_ROUNDED(gn_silu_backward)
GN_ROUNDED(gn_logaddexp)
GN_ROUNDED(gn_pow)
GN_ROUNDED(gn_pow_number)
#undef GN_ROUNDED

/* The functions of complex numbers have no limit. */
static inline int gn_far_complex64(gn_complex64 x) {
    (void)x;
    return 0;
}
static inline int gn_far_complex128(gn_complex128 x) {
    (void)x;
    return 0;
}

static inline float gn_angle_complex64(gn_complex64 x) {
    return cargf(x);
}
static inline double gn_angle_complex128(gn_complex128 x) {
    return carg(x);
}

#endif
#endif
