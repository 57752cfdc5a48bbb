/* Complex numbers for C++ with the names and semantics of C, so that the tables and scalar functions that C and CUDA
 * share compile as either: the two types, their operators, and the functions of <complex.h>.
 *
 * Complex products and quotients are in c/kernel.h and c/scalar_complex.h, with the definitions used in C, too.
 * Functions are computed in double precision; those of gn_complex64 are rounded from it. At infinities, NaN and on
 * branch cuts they follow Annex G of the C standard, except for signs that it leaves unspecified. */
#pragma once

template <class T> struct alignas(2 * sizeof(T)) gn_complex {
    T re;
    T im;

    gn_complex() = default; /* does nothing: required for shared memory */
    inline gn_complex(T real, T imaginary = 0) : re(real), im(imaginary) {}
    /* Implicit conversion as for C's types, except that a narrowing conversion needs a cast. */
    template <class OTHER>
    explicit(sizeof(OTHER) > sizeof(T)) inline gn_complex(gn_complex<OTHER> x) : re((T)x.re), im((T)x.im) {}

    friend inline gn_complex operator+(gn_complex a, gn_complex b) {
        return gn_complex(a.re + b.re, a.im + b.im);
    }
    friend inline gn_complex operator-(gn_complex a, gn_complex b) {
        return gn_complex(a.re - b.re, a.im - b.im);
    }
    friend inline gn_complex operator-(gn_complex a) {
        return gn_complex(-a.re, -a.im);
    }
    /* A real operand multiplies or divides each part, as in C. */
    friend inline gn_complex operator*(gn_complex a, T b) {
        return gn_complex(a.re * b, a.im * b);
    }
    friend inline gn_complex operator/(gn_complex a, T b) {
        return gn_complex(a.re / b, a.im / b);
    }
    friend inline bool operator==(gn_complex a, gn_complex b) {
        return a.re == b.re && a.im == b.im;
    }
    friend inline bool operator!=(gn_complex a, gn_complex b) {
        return !(a == b);
    }
    inline gn_complex &operator+=(gn_complex other) {
        return *this = *this + other;
    }
};

typedef gn_complex<float> gn_complex64;
typedef gn_complex<double> gn_complex128;

#define CMPLXF(real, imaginary) gn_complex64(real, imaginary)
#define CMPLX(real, imaginary) gn_complex128(real, imaginary)

static inline double creal(gn_complex128 x) {
    return x.re;
}
static inline double cimag(gn_complex128 x) {
    return x.im;
}
static inline gn_complex128 conj(gn_complex128 x) {
    return gn_complex128(x.re, -x.im);
}
static inline double cabs(gn_complex128 x) {
    return hypot(x.re, x.im);
}
static inline double carg(gn_complex128 x) {
    return atan2(x.im, x.re);
}
static inline float crealf(gn_complex64 x) {
    return x.re;
}
static inline float cimagf(gn_complex64 x) {
    return x.im;
}
static inline gn_complex64 conjf(gn_complex64 x) {
    return gn_complex64(x.re, -x.im);
}
static inline float cabsf(gn_complex64 x) {
    return hypotf(x.re, x.im);
}
static inline float cargf(gn_complex64 x) {
    return atan2f(x.im, x.re);
}

#define GN_LN2 0.69314718055994530942
#define GN_HALF_PI 1.57079632679489661923
/* Above this, a sum or product of two parts may overflow a double. */
#define GN_LARGE_PART 0x1p1021
/* Above this, e^x may be infinite although its product with a sine is not. */
#define GN_LARGE_EXPONENT 700.0

static inline bool gn_is_finite(double x) {
    return x - x == 0;
}

/* x times i, and times -i; used in identities such as sin(x) = -i sinh(ix). */
static inline gn_complex128 gn_turned_left(gn_complex128 x) {
    return gn_complex128(-x.im, x.re);
}
static inline gn_complex128 gn_turned_right(gn_complex128 x) {
    return gn_complex128(x.im, -x.re);
}

static inline gn_complex128 cexp(gn_complex128 x) {
    if (x.im == 0) {
        return gn_complex128(exp(x.re), x.im);
    }
    if (!gn_is_finite(x.im) && fabs(x.re) == (double)INFINITY) {
        return x.re > 0 ? gn_complex128(x.re, (double)NAN) : gn_complex128(0, 0);
    }
    const bool is_large = x.re > GN_LARGE_EXPONENT;
    const double length = exp(is_large ? x.re / 2 : x.re);
    const double again = is_large ? length : 1;
    return gn_complex128(length * cos(x.im) * again, length * sin(x.im) * again);
}

/* The logarithm of a modulus. Near 1, where the logarithm is near 0, it is computed without cancellation, as log1p of
 * the difference of the squared modulus from 1. */
static inline double gn_log_modulus(double re, double im) {
    const double a = fabs(re), b = fabs(im);
    const double large = a < b ? b : a, small = a < b ? a : b;
    if (large > 0.5 && large < 1.5 && small < 1.5) {
        const double square = large * large, other = small * small;
        const double rest = fma(large, large, -square) + fma(small, small, -other);
        return log1p(square - 1 + other + rest) / 2;
    }
    if (large > GN_LARGE_PART) {
        return log(hypot(a / 4, b / 4)) + 2 * GN_LN2;
    }
    if (large < 0x1p-960) {
        return log(hypot(a * 0x1p100, b * 0x1p100)) - 100 * GN_LN2;
    }
    return log(hypot(a, b));
}

static inline gn_complex128 clog(gn_complex128 x) {
    return gn_complex128(gn_log_modulus(x.re, x.im), atan2(x.im, x.re));
}

static inline gn_complex128 csqrt(gn_complex128 x) {
    if (fabs(x.im) == (double)INFINITY) {
        return gn_complex128((double)INFINITY, x.im);
    }
    if (x.re == (double)INFINITY) {
        return gn_complex128(x.re, x.im != x.im ? x.im : copysign(0.0, x.im));
    }
    if (x.re == -(double)INFINITY) {
        return gn_complex128(x.im != x.im ? x.im : 0, copysign((double)INFINITY, x.im));
    }
    if (x.re == 0 && x.im == 0) {
        return gn_complex128(0, x.im);
    }
    /* Scaled so that squares neither overflow nor underflow. */
    const double most = fmax(fabs(x.re), fabs(x.im));
    const double scale = most > 0x1p1000 ? 0x1p-100 : most < 0x1p-900 ? 0x1p200 : 1;
    const double back = most > 0x1p1000 ? 0x1p50 : most < 0x1p-900 ? 0x1p-100 : 1;
    const double re = x.re * scale, im = x.im * scale;
    const double larger = sqrt((fabs(re) + hypot(re, im)) / 2);
    const double smaller = fabs(im) / (2 * larger) * back;
    return re < 0 ? gn_complex128(smaller, copysign(larger * back, x.im))
                  : gn_complex128(larger * back, copysign(smaller, x.im));
}

static inline gn_complex128 csinh(gn_complex128 x) {
    if (x.im == 0) {
        return gn_complex128(sinh(x.re), x.im);
    }
    if (!gn_is_finite(x.im) && (x.re == 0 || fabs(x.re) == (double)INFINITY)) {
        return gn_complex128(x.re, (double)NAN);
    }
    if (fabs(x.re) > GN_LARGE_EXPONENT) {
        const double length = exp(fabs(x.re) / 2);
        return gn_complex128(copysign(length / 2, x.re) * cos(x.im) * length, length / 2 * sin(x.im) * length);
    }
    return gn_complex128(sinh(x.re) * cos(x.im), cosh(x.re) * sin(x.im));
}

static inline gn_complex128 ccosh(gn_complex128 x) {
    if (x.im == 0) {
        return gn_complex128(cosh(x.re), x.im * copysign(1.0, x.re));
    }
    if (!gn_is_finite(x.im) && (x.re == 0 || fabs(x.re) == (double)INFINITY)) {
        return gn_complex128(x.re == 0 ? (double)NAN : (double)INFINITY, x.re == 0 ? 0 : (double)NAN);
    }
    if (fabs(x.re) > GN_LARGE_EXPONENT) {
        const double length = exp(fabs(x.re) / 2);
        return gn_complex128(length / 2 * cos(x.im) * length, copysign(length / 2, x.re) * sin(x.im) * length);
    }
    return gn_complex128(cosh(x.re) * cos(x.im), sinh(x.re) * sin(x.im));
}

/* From tanh of the real part and tan of the imaginary one. If the former is 1 after rounding, the imaginary part is
 * computed from its leading term. */
static inline gn_complex128 ctanh(gn_complex128 x) {
    if (x.im == 0) {
        return gn_complex128(tanh(x.re), x.im);
    }
    if (!gn_is_finite(x.im)) {
        const bool is_infinite = fabs(x.re) == (double)INFINITY;
        return is_infinite ? gn_complex128(copysign(1.0, x.re), 0) : gn_complex128(x.re == 0 ? x.re : (double)NAN, (double)NAN);
    }
    if (fabs(x.re) > 22) {
        return gn_complex128(copysign(1.0, x.re), 4 * sin(x.im) * cos(x.im) * exp(-2 * fabs(x.re)));
    }
    const double real = tanh(x.re), other = tan(x.im), slope = 1 / cosh(x.re);
    const double both = real * other;
    const double divisor = 1 + both * both;
    return gn_complex128(real * (1 + other * other) / divisor, other / divisor * slope * slope);
}

/* The inverse functions use formulas of Kahan, "Branch cuts for complex elementary functions, or much ado about
 * nothing's sign bit", 1987, with the square roots of 1 + x and 1 - x, which preserve the signs of zeros. */
static inline bool gn_is_far(gn_complex128 x) {
    return fabs(x.re) > GN_LARGE_PART || fabs(x.im) > GN_LARGE_PART;
}

static inline gn_complex128 casinh(gn_complex128 x) {
    if (gn_is_far(x)) {
        return gn_complex128(copysign(gn_log_modulus(x.re, x.im) + GN_LN2, x.re), atan2(x.im, fabs(x.re)));
    }
    if (x.re != x.re) {
        return gn_complex128(x.re, x.im == 0 ? x.im : (double)NAN);
    }
    const gn_complex128 above = csqrt(gn_complex128(1 + x.im, -x.re));
    const gn_complex128 below = csqrt(gn_complex128(1 - x.im, x.re));
    return gn_complex128(asinh(above.re * below.im - below.re * above.im),
                         atan2(x.im, above.re * below.re - above.im * below.im));
}

static inline gn_complex128 cacos(gn_complex128 x) {
    if (gn_is_far(x)) {
        return gn_complex128(atan2(fabs(x.im), x.re), -copysign(gn_log_modulus(x.re, x.im) + GN_LN2, x.im));
    }
    if (x.re == 0 && x.im != x.im) {
        return gn_complex128(GN_HALF_PI, x.im);
    }
    const gn_complex128 left = csqrt(gn_complex128(1 - x.re, -x.im));
    const gn_complex128 right = csqrt(gn_complex128(1 + x.re, x.im));
    return gn_complex128(2 * atan2(left.re, right.re), asinh(right.re * left.im - right.im * left.re));
}

static inline gn_complex128 cacosh(gn_complex128 x) {
    const gn_complex128 turned = cacos(x);
    return gn_complex128(fabs(turned.im), copysign(turned.re, x.im));
}

/* An odd function of each part. */
static inline gn_complex128 catanh(gn_complex128 x) {
    const double a = fabs(x.re), b = fabs(x.im);
    double re, im;
    if (a > 0x1p510 || b > 0x1p510) {
        const double modulus = hypot(a / 2, b / 2);
        re = modulus == (double)INFINITY ? 0 : a / 4 / modulus / modulus;
        im = modulus == modulus && b == b ? GN_HALF_PI : (double)NAN;
    } else if (a == 1 && b < 0x1p-510) {
        re = b == 0 ? (double)INFINITY : -log(sqrt(b) / sqrt(hypot(b, 2.0)));
        im = b == 0 ? 0 : atan2(2.0, -b) / 2;
    } else {
        re = a == 0 ? 0 : log1p(4 * a / ((1 - a) * (1 - a) + b * b)) / 4;
        im = atan2(2 * b, (1 - a) * (1 + a) - b * b) / 2;
    }
    return gn_complex128(copysign(re, x.re), copysign(im, x.im));
}

static inline gn_complex128 csin(gn_complex128 x) {
    return gn_turned_right(csinh(gn_turned_left(x)));
}
static inline gn_complex128 ccos(gn_complex128 x) {
    return ccosh(gn_turned_left(x));
}
static inline gn_complex128 ctan(gn_complex128 x) {
    return gn_turned_right(ctanh(gn_turned_left(x)));
}
static inline gn_complex128 casin(gn_complex128 x) {
    return gn_turned_right(casinh(gn_turned_left(x)));
}
static inline gn_complex128 catan(gn_complex128 x) {
    return gn_turned_right(catanh(gn_turned_left(x)));
}

#define GN_ROUNDED(name)                                    \
    static inline gn_complex64 name##f(gn_complex64 x) {    \
        return (gn_complex64)name((gn_complex128)x);        \
    }
GN_ROUNDED(cexp)
GN_ROUNDED(clog)
GN_ROUNDED(csqrt)
GN_ROUNDED(csin)
GN_ROUNDED(ccos)
GN_ROUNDED(ctan)
GN_ROUNDED(casin)
GN_ROUNDED(cacos)
GN_ROUNDED(catan)
GN_ROUNDED(csinh)
GN_ROUNDED(ccosh)
GN_ROUNDED(ctanh)
GN_ROUNDED(casinh)
GN_ROUNDED(cacosh)
GN_ROUNDED(catanh)
#undef GN_ROUNDED
