/* The operators of torch.special in double precision, from which float32 results are rounded; for C and CUDA.  The
 * reference's numerics/special_functions.py explains the formulas. */
#ifndef GN_SCALAR_SPECIAL_H
#define GN_SCALAR_SPECIAL_H

#include "scalar.h"
#include "scalar_lgamma.h"
#include "scalar_normal.h"
#include "scalar_polynomial.h"

#define GN_FAR_BESSEL 25.0  /* from here on, Hankel's expansion */

/* --------------------------------------------------------------------------------------------------------------------
 * Modified Bessel functions. */
static inline double gn_i0e_float64(double a) {
    const double x = fabs(a);
    if (x < 1) {
        return gn_exp_float64(-x) * GN_NEAR(i0_near, x * x);
    }
    return x < GN_FAR_SPECIAL ? GN_OCTAVE(i0_middle, 0, x) : GN_NEAR(i0_far, 1 / x) / sqrt(x);
}
static inline double gn_i0_float64(double a) {
    const double x = fabs(a);
    if (x < 1) {
        return GN_NEAR(i0_near, x * x);
    }
    const double factor = gn_exp_float64(x > 700 ? x / 2 : x); /* e^x is infinite before the result is */
    return factor * gn_i0e_float64(x) * (x > 700 ? factor : 1);
}
static inline double gn_i1e_float64(double a) {
    const double x = fabs(a);
    double result;
    if (x < 1) {
        result = gn_exp_float64(-x) * (x * GN_NEAR(i1_near, x * x));
    } else {
        result = x < GN_FAR_SPECIAL ? GN_OCTAVE(i1_middle, 0, x) : GN_NEAR(i1_far, 1 / x) / sqrt(x);
    }
    return a < 0 ? -result : result;
}
/* I1(x) exp(-x) for a result in float32, without a branch, so that blocks of elements are vector code. */
GN_INLINE double gn_scaled_i1_for_float32(double x) {
    const double reciprocal = 1 / x;
    const double near = x * gn_long_polynomial(gn_table_i1e_float_near(), GN_COUNT_i1e_float_near, 0.25 * x - 1);
    const double far = sqrt(reciprocal) * GN_NEAR(i1e_float_far, 16 * reciprocal - 1);
    return x < 8 ? near : far;
}
GN_INLINE float gn_i1e_float32(float a) {
    const double result = gn_scaled_i1_for_float32(fabs((double)a));
    return (float)(a < 0 ? -result : result);
}
GN_INLINE float gn_i1_float32(float a) {
    const double x = fabs((double)a);
    const double result = gn_exp_float64(x) * gn_scaled_i1_for_float32(x);
    return (float)(a < 0 ? -result : result);
}
static inline double gn_i1_float64(double a) {
    const double x = fabs(a);
    if (x < 1) {
        return (a == 0 ? 0 : a) * GN_NEAR(i1_near, x * x);
    }
    const double factor = gn_exp_float64(x > 700 ? x / 2 : x);
    return factor * gn_i1e_float64(a) * (x > 700 ? factor : 1);
}

/* Up to 1. */
static inline double gn_k_near(int order, double x) {
    const double z = x * x;
    if (order == 0) {
        return GN_NEAR(k0_near, z) - gn_log_float64(x) * GN_NEAR(i0_near, z);
    }
    return 1 / x + x * (gn_log_float64(x) * GN_NEAR(i1_near, z) + GN_NEAR(k1_near, z));
}
static inline double gn_scaled_k(int order, double x) {
    if (!(x > 0)) {
        return x == 0 ? (double)INFINITY : (double)NAN;
    }
    if (x < 1) {
        return gn_exp_float64(x) * gn_k_near(order, x);
    }
    if (x < GN_FAR_SPECIAL) {
        return order == 0 ? GN_OCTAVE(k0_middle, 0, x) : GN_OCTAVE(k1_middle, 0, x);
    }
    return (order == 0 ? GN_NEAR(k0_far, 1 / x) : GN_NEAR(k1_far, 1 / x)) / sqrt(x);
}
static inline double gn_k(int order, double x) {
    if (x > 0 && x < 1) {
        return gn_k_near(order, x);
    }
    const double factor = gn_exp_float64(x > 700 ? x * -0.5 : -x); /* e^-x may be subnormal */
    return factor * gn_scaled_k(order, x) * (x > 700 ? factor : 1);
}
static inline double gn_k0e_float64(double x) {
    return gn_scaled_k(0, x);
}
static inline double gn_k1e_float64(double x) {
    return gn_scaled_k(1, x);
}
static inline double gn_k0_float64(double x) {
    return gn_k(0, x);
}
static inline double gn_k1_float64(double x) {
    return gn_k(1, x);
}

/* --------------------------------------------------------------------------------------------------------------------
 * Bessel functions. */
static inline void gn_sine_cosine(double x, double *sine, double *cosine) {
    if (!(fabs(x) <= 0x1p20)) {
        *sine = sin(x);
        *cosine = cos(x);
        return;
    }
    const double shifted = x * (2 / GN_PI) + GN_SHIFT;
    double low;
    const double r = gn_reduce(x, shifted - GN_SHIFT, &low);
    const uint64_t n = gn_bits64(shifted);
    const double first = gn_sine(r, low);
    const double second = gn_cosine(r, low);
    *sine = gn_turn((n & 1) != 0 ? second : first, n >> 1);
    *cosine = gn_turn((n & 1) != 0 ? first : second, (n + 1) >> 1);
}

/* Hankel's expansion; the cosine and sine of the phase come times sqrt(2). */
static inline double gn_hankel(int order, double x, double cosine, double sine) {
    const double reciprocal = 1 / x;
    const double w = reciprocal * reciprocal;
    const double p = order == 0 ? GN_NEAR(p0_far, w) : GN_NEAR(p1_far, w);
    const double q = order == 0 ? GN_NEAR(q0_far, w) : GN_NEAR(q1_far, w);
    return (p * cosine - reciprocal * q * sine) * 0.56418958354775628695 / sqrt(x);
}
static inline double gn_j0_float64(double a) {
    const double x = fabs(a);
    if (x < 1) {
        return GN_NEAR(j0_near, x * x);
    }
    if (x < GN_FAR_BESSEL) {
        return GN_UNIT(j0_middle, 1, x);
    }
    double s, c;
    gn_sine_cosine(x, &s, &c);
    return gn_hankel(0, x, c + s, s - c);
}
static inline double gn_j1_float64(double a) {
    const double x = fabs(a);
    if (x < 1) {
        return a * GN_NEAR(j1_near, x * x);
    }
    double result;
    if (x < GN_FAR_BESSEL) {
        result = GN_UNIT(j1_middle, 1, x);
    } else {
        double s, c;
        gn_sine_cosine(x, &s, &c);
        result = gn_hankel(1, x, s - c, -s - c);
    }
    return a < 0 ? -result : result;
}
static inline double gn_y0_float64(double x) {
    if (!(x > 0)) {
        return x == 0 ? -(double)INFINITY : (double)NAN;
    }
    if (x < 2) {
        return 2 / GN_PI * gn_log_float64(x) * gn_j0_float64(x) + GN_NEAR(y0_near, x * x);
    }
    if (x < GN_FAR_BESSEL) {
        return GN_UNIT(y0_middle, 2, x);
    }
    double s, c;
    gn_sine_cosine(x, &s, &c);
    return gn_hankel(0, x, s - c, -c - s);
}
static inline double gn_y1_float64(double x) {
    if (!(x > 0)) {
        return x == 0 ? -(double)INFINITY : (double)NAN;
    }
    if (x < 2) {
        const double near = gn_log_float64(x) * gn_j1_float64(x) * (2 / GN_PI) + x * GN_NEAR(y1_near, x * x);
        return near - 2 / GN_PI / x;
    }
    if (x < GN_FAR_BESSEL) {
        return GN_UNIT(y1_middle, 2, x);
    }
    double s, c;
    gn_sine_cosine(x, &s, &c);
    return gn_hankel(1, x, -s - c, c - s);
}
static inline double gn_spherical_j0_float64(double x) {
    if (x == 0 || isinf(x)) {
        return x == 0 ? 1 : 0;
    }
    return (fabs(x) <= 0x1p20 ? gn_sin_float64(x) : sin(x)) / x;
}
/* The same without a branch, of numbers whose sine needs no call. */
GN_INLINE double gn_near_spherical_j0_float64(double x) {
    return x == 0 ? 1 : gn_sin_float64(x) / x;
}
GN_INLINE float gn_near_spherical_j0_float32(float x) {
    return (float)gn_near_spherical_j0_float64((double)x);
}

/* --------------------------------------------------------------------------------------------------------------------
 * The Airy function. */
static inline double gn_airy_float64(double x) {
    if (!(x >= -0x1p33 && x < (double)INFINITY)) {
        return (double)NAN;
    }
    if (x >= -12 && x < 2) {
        return GN_UNIT(airy_near, -12, x);
    }
    if (x > 200) { /* a product of x below would be infinite */
        return 0;
    }
    /* 2/3 x^(3/2), rounded, and what rounding left out */
    const double size = fabs(x);
    const double root = sqrt(size);
    const double root_rest = fma(-root, root, size) / (2 * root);
    const double twice = 2 * size * root;
    const double twice_rest = fma(2 * size, root, -twice) + 2 * size * root_rest;
    const double zeta = twice / 3;
    const double rest = (fma(-3.0, zeta, twice) + twice_rest) / 3;
    const double reciprocal = 1 / zeta;
    if (x > 0) {
        const double amplitude = x < 16 ? GN_OCTAVE(airy_middle, 1, x) : GN_NEAR(airy_far, reciprocal) / sqrt(root);
        const double half = gn_exp_float64(zeta * -0.5);
        return half * (amplitude - amplitude * rest) * half;
    }
    double s, c;
    gn_sine_cosine(zeta, &s, &c);
    const double small_s = sin(rest);
    const double small_c = cos(rest);
    const double sine = s * small_c + c * small_s;
    const double cosine = c * small_c - s * small_s;
    const double w = reciprocal * reciprocal;
    const double wave = GN_NEAR(airy_p, w) * (cosine + sine) + GN_NEAR(airy_q, w) * reciprocal * (sine - cosine);
    return wave / (GN_SQRT_TWO_PI * sqrt(root));
}

/* --------------------------------------------------------------------------------------------------------------------
 * Entropy, logarithms, and the zeta function. */
static inline double gn_entr_float64(double x) {
    if (x > 0) {
        return -x * gn_log_float64(x);
    }
    return x == 0 ? 0 : x < 0 ? -(double)INFINITY : x;
}
static inline double gn_xlog1py_float64(double a, double b) {
    if (b != b) {
        return b;
    }
    return a == 0 ? 0 : a * gn_log1p_float64(b);
}

/* Terms one by one, and from about s on the formula of Euler and Maclaurin, whose next term would be
 * 2 (2 pi)^-26 s (s + 1) ... (s + 24) / (q + k)^25 of the last. */
static inline double gn_zeta_of_positive(double s, double q) {
    /* B(2 k) / (2 k)! */
    static const double bernoulli[12] = {
        1.0 / 12,
        -1.0 / 720,
        1.0 / 30240,
        -1.0 / 1209600,
        1.0 / 47900160,
        -691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        -3.3896802963225828668e-13,
        8.5860620562778445641e-15,
        -2.1748686985580618730e-16,
        5.5090028283602295152e-18,
        -1.3954464685812523341e-19,
    };
    gn_pair total = {0, 0};
    for (double k = 0;; k += 1) {
        const gn_pair a = gn_pair_of_sum(q, k);
        double term = pow(a.high, -s);
        /* of a very large number the term is subnormal or 0, and the integral is not */
        const double integral = term < 1e-280 ? pow(a.high, 1 - s) / (s - 1) : a.high * term / (s - 1);
        if (term + integral <= 1e-19 * total.high || isinf(total.high)) {
            return total.high + (isinf(total.high) ? 0 : total.low);
        }
        if (a.high > 0.8 * s + 7) {
            double tail = term / 2 - a.low * term * (1 + s / (2 * a.high));
            double rising = term * s / a.high;
            for (int n = 0; n < 12; n++) {
                tail += bernoulli[n] * rising;
                rising *= (s + 2 * n + 1) / a.high * ((s + 2 * n + 2) / a.high);
            }
            const gn_pair sum = gn_pair_of_sum(total.high, integral);
            return sum.high + (total.low + sum.low + tail);
        }
        term *= 1 - s * a.low / a.high; /* an infinite one stays so */
        const gn_pair sum = gn_pair_of_sum(total.high, term);
        total.high = sum.high;
        total.low += sum.low;
    }
}
static inline double gn_zeta_float64(double s, double q) {
    if (s == 1) {
        return (double)INFINITY;
    }
    if (s < 1) {
        return (double)NAN;
    }
    if (q <= 0 && q == floor(q)) {
        return (double)INFINITY;
    }
    if (isinf(s)) {
        return q < 1 ? (double)INFINITY : q == 1 ? 1 : (double)NAN;
    }
    if (s != s || q != q || isinf(q) || (q < 0 && s != floor(s))) {
        return (double)NAN;
    }
    if (q > 0) {
        return gn_zeta_of_positive(s, q);
    }
    /* The terms below 0 are, up to their signs, those of a sum from `below` on without those from 1 - q on. */
    const double whole = floor(q);
    const double above = gn_zeta_of_positive(s, q - whole);
    const double below = gn_zeta_of_positive(s, whole + 1 - q);
    const double rest = gn_zeta_of_positive(s, 1 - q);
    return fmod(s, 2) == 0 ? above + below - rest : above - below + rest;
}

/* --------------------------------------------------------------------------------------------------------------------
 * Orthogonal polynomials, in sums of two numbers. */
GN_INLINE gn_pair gn_pair_near(gn_pair a) { /* with a low part that is below the last place of the high one */
    const double high = a.high + a.low;
    const gn_pair result = {high, (a.high - high) + a.low};
    return result;
}
/* The low parts only collect what rounding leaves out of the high ones, so that these need not wait for them; without
 * `exact` there are none. */
GN_INLINE gn_pair gn_pair_plus(gn_pair a, gn_pair b, int exact) {
    gn_pair result = {a.high + b.high, 0};
    if (exact) {
        result = gn_pair_of_sum(a.high, b.high);
        result.low += a.low + b.low;
    }
    return result;
}
GN_INLINE gn_pair gn_pair_times(gn_pair a, gn_pair b, int exact) {
    gn_pair result = {a.high * b.high, 0};
    if (exact) {
        result.low = fma(a.high, b.high, -result.high) + (a.high * b.low + a.low * b.high);
    }
    return result;
}
GN_INLINE gn_pair gn_pair_ratio(double a, double b) {
    const double high = a / b;
    const gn_pair result = {high, fma(-high, b, a) / b};
    return result;
}
GN_INLINE gn_pair gn_pair_by(gn_pair a, double power) { /* of 2, or -1 */
    const gn_pair result = {a.high * power, a.low * power};
    return result;
}

typedef enum gn_polynomial_kind {
    GN_CHEBYSHEV_T,
    GN_CHEBYSHEV_U,
    GN_CHEBYSHEV_V,
    GN_CHEBYSHEV_W,
    GN_HERMITE_H,
    GN_HERMITE_HE,
    GN_LAGUERRE_L,
    GN_LEGENDRE_P
} gn_polynomial_kind;

/* T(n) + sqrt(x^2 - 1) U(n - 1) is the n-th power of x + sqrt(x^2 - 1). */
GN_INLINE double gn_chebyshev(gn_polynomial_kind kind, gn_pair x, int64_t n, int exact) {
    const int is_negative = x.high < 0; /* then by symmetry: on the right of 1, all numbers are positive */
    if (is_negative) {
        x = gn_pair_by(x, -1);
        kind = kind == GN_CHEBYSHEV_V ? GN_CHEBYSHEV_W : kind == GN_CHEBYSHEV_W ? GN_CHEBYSHEV_V : kind;
    }
    const gn_pair one = {1, 0}, minus = {-1, 0};
    const gn_pair above = gn_pair_near(gn_pair_plus(x, one, exact));
    const gn_pair below = gn_pair_near(gn_pair_plus(x, minus, exact));
    const gn_pair square = gn_pair_times(above, below, exact); /* x^2 - 1 */
    gn_pair t = x, u = one;
    int bit = 0;
    while (n >> (bit + 1) != 0) {
        bit++;
    }
    while (bit-- > 0) {
        u = gn_pair_by(gn_pair_times(t, u, exact), 2);
        t = gn_pair_plus(gn_pair_by(gn_pair_times(t, t, exact), 2), minus, exact);
        if ((n >> bit & 1) != 0) {
            const gn_pair next = gn_pair_plus(t, gn_pair_times(x, u, exact), exact);
            t = gn_pair_plus(gn_pair_times(x, t, exact), gn_pair_times(square, u, exact), exact);
            u = next;
        }
        if (exact) {
            t = gn_pair_near(t);
            u = gn_pair_near(u);
        }
    }
    if (kind != GN_CHEBYSHEV_T) {
        const gn_pair factor = kind == GN_CHEBYSHEV_U ? x : kind == GN_CHEBYSHEV_V ? below : above;
        t = gn_pair_plus(t, gn_pair_times(factor, u, exact), exact);
    }
    const double sum = t.high + t.low;
    const double result = sum != sum ? (double)INFINITY : sum; /* NaN comes of infinities */
    return is_negative && (n & 1) != 0 ? -result : result;
}

/* What a step of a recurrence needs, whatever the argument: Hermite's factor, or k / (k + 1) and 1 / (k + 1). */
typedef struct gn_polynomial_step {
    double factor;
    gn_pair ratio, reciprocal;
} gn_polynomial_step;
GN_INLINE gn_polynomial_step gn_step_of_order(gn_polynomial_kind kind, int64_t order) {
    const double k = (double)order;
    gn_polynomial_step step = {kind == GN_HERMITE_H ? 2 * k : k, {0, 0}, {0, 0}};
    if (kind == GN_LAGUERRE_L || kind == GN_LEGENDRE_P) {
        step.ratio = gn_pair_ratio(k, k + 1);
        step.reciprocal = gn_pair_ratio(1, k + 1);
    }
    return step;
}
GN_INLINE gn_pair gn_pair_times_number(gn_pair a, double b, int exact) {
    gn_pair result = {a.high * b, 0};
    if (exact) {
        result.low = fma(a.high, b, -result.high) + a.low * b;
    }
    return result;
}
/* The polynomial of order 1; that of order 0 is 1. */
GN_INLINE gn_pair gn_first_polynomial(gn_polynomial_kind kind, double x) {
    const gn_pair argument = {kind == GN_HERMITE_H ? 2 * x : x, 0};
    return kind == GN_LAGUERRE_L ? gn_pair_of_sum(1, -x) : argument;
}
/* The next one, from two; `argument` is twice x for GN_HERMITE_H, else x. */
GN_INLINE gn_pair gn_next_polynomial(gn_polynomial_kind kind, double argument, gn_polynomial_step at, gn_pair value,
                                     gn_pair before, int exact) {
    const gn_pair minus_before = gn_pair_by(before, -1);
    const gn_pair product = gn_pair_times_number(value, argument, exact);
    if (kind == GN_HERMITE_H || kind == GN_HERMITE_HE) {
        return gn_pair_plus(product, gn_pair_times_number(minus_before, at.factor, exact), exact);
    }
    if (kind == GN_LAGUERRE_L) { /* L(k) + (L(k) - L(k - 1)) k / (k + 1) - x L(k) / (k + 1) */
        const gn_pair step = gn_pair_times(at.ratio, gn_pair_plus(value, minus_before, exact), exact);
        const gn_pair rest = gn_pair_by(gn_pair_times(at.reciprocal, product, exact), -1);
        return gn_pair_plus(value, gn_pair_plus(step, rest, exact), exact);
    }
    /* x P(k) + (x P(k) - P(k - 1)) k / (k + 1) */
    const gn_pair step = gn_pair_plus(product, minus_before, exact);
    return gn_pair_plus(product, gn_pair_times(at.ratio, step, exact), exact);
}
/* The result from a sum that was divided by 2^exponent.  NaN comes of an overflow in one step: the largest power of x
 * decides its sign. */
GN_INLINE double gn_polynomial_of_sum(gn_polynomial_kind kind, double x, int64_t n, double sum, int exponent) {
    if (sum != sum) {
        const int is_negative = (n & 1) != 0 && (kind == GN_LAGUERRE_L ? x > 0 : x < 0);
        return is_negative ? -(double)INFINITY : (double)INFINITY;
    }
    return exponent == 0 ? sum : scalbn(sum, exponent);
}

/* By the recurrence.  Numbers that are too large are scaled. */
#define GN_LARGE_POLYNOMIAL 0x1p500
GN_INLINE double gn_recurrence(gn_polynomial_kind kind, double x, int64_t n, int exact) {
    const double argument = kind == GN_HERMITE_H ? 2 * x : x;
    gn_pair before = {1, 0};
    gn_pair value = gn_first_polynomial(kind, x);
    int exponent = 0;
    for (int64_t order = 1; order < n; order++) {
        const gn_pair next =
            gn_next_polynomial(kind, argument, gn_step_of_order(kind, order), value, before, exact);
        before = value;
        value = next;
        if (exact && (order & 15) == 0) { /* products of two low parts are left out, so these must stay small */
            value = gn_pair_near(value);
            before = gn_pair_near(before);
        }
        if (GN_UNLIKELY(fabs(value.high) > GN_LARGE_POLYNOMIAL)) {
            value = gn_pair_by(value, 1 / GN_LARGE_POLYNOMIAL);
            before = gn_pair_by(before, 1 / GN_LARGE_POLYNOMIAL);
            exponent += 500;
        }
    }
    return gn_polynomial_of_sum(kind, x, n, value.high + value.low, exponent);
}

#define GN_LAST_STEPS (1 << 20) /* of the recurrences that take a step for each order */
/* The order as an integer; what no integer holds counts as a negative one. */
GN_INLINE double gn_orthogonal(gn_polynomial_kind kind, int is_shifted, double x, double order, int exact) {
    const int64_t n = gn_truncate_float64(order);
    if (n <= 0) {
        return n == 0 ? 1 : 0;
    }
    const int is_chebyshev = kind <= GN_CHEBYSHEV_W;
    const int is_hermite = kind == GN_HERMITE_H || kind == GN_HERMITE_HE;
    if (x != x || n > (is_chebyshev ? 1 << 26 : is_hermite ? 512 : GN_LAST_STEPS)) {
        return (double)NAN;
    }
    if (isinf(x)) {
        const int is_negative = (n & 1) != 0 && (kind == GN_LAGUERRE_L ? x > 0 : x < 0);
        return is_negative ? -(double)INFINITY : (double)INFINITY;
    }
    if (!is_chebyshev) {
        return gn_recurrence(kind, x, n, exact);
    }
    const gn_pair plain = {x, 0};
    return gn_chebyshev(kind, is_shifted ? gn_pair_of_sum(2 * x, -1) : plain, n, exact);
}

/* For results in float32, double precision is enough up to this order. */
#define GN_LAST_ROUNDED 512
#define GN_ORTHOGONAL(name, kind, is_shifted)                                                          \
    static inline double gn_##name##_float64(double x, double n) {                                     \
        return gn_orthogonal(kind, is_shifted, x, n, 1);                                               \
    }                                                                                                  \
    static inline float gn_##name##_float32(float x, float n) {                                        \
        return (float)(n <= GN_LAST_ROUNDED ? gn_orthogonal(kind, is_shifted, (double)x, (double)n, 0) \
                                            : gn_##name##_float64((double)x, (double)n));              \
    }
GN_ORTHOGONAL(chebyshev_t, GN_CHEBYSHEV_T, 0)
GN_ORTHOGONAL(chebyshev_u, GN_CHEBYSHEV_U, 0)
GN_ORTHOGONAL(chebyshev_v, GN_CHEBYSHEV_V, 0)
GN_ORTHOGONAL(chebyshev_w, GN_CHEBYSHEV_W, 0)
GN_ORTHOGONAL(shifted_t, GN_CHEBYSHEV_T, 1)
GN_ORTHOGONAL(shifted_u, GN_CHEBYSHEV_U, 1)
GN_ORTHOGONAL(shifted_v, GN_CHEBYSHEV_V, 1)
GN_ORTHOGONAL(shifted_w, GN_CHEBYSHEV_W, 1)
GN_ORTHOGONAL(hermite_h, GN_HERMITE_H, 0)
GN_ORTHOGONAL(hermite_he, GN_HERMITE_HE, 0)
GN_ORTHOGONAL(laguerre_l, GN_LAGUERRE_L, 0)
GN_ORTHOGONAL(legendre_p, GN_LEGENDRE_P, 0)
#undef GN_ORTHOGONAL

#define GN_ROUNDED(name)                               \
    static inline float gn_##name##_float32(float x) { \
        return (float)gn_##name##_float64((double)x);  \
    }
#define GN_ROUNDED_PAIR(name)                                     \
    static inline float gn_##name##_float32(float x, float y) {   \
        return (float)gn_##name##_float64((double)x, (double)y);  \
    }
GN_ROUNDED(i0)
GN_ROUNDED(i0e)
GN_ROUNDED(k0)
GN_ROUNDED(k0e)
GN_ROUNDED(k1)
GN_ROUNDED(k1e)
GN_ROUNDED(j0)
GN_ROUNDED(j1)
GN_ROUNDED(y0)
GN_ROUNDED(y1)
GN_ROUNDED(spherical_j0)
GN_ROUNDED(airy)
GN_ROUNDED(entr)
GN_ROUNDED_PAIR(xlog1py)
GN_ROUNDED_PAIR(zeta)
#undef GN_ROUNDED
#undef GN_ROUNDED_PAIR

#define gn_special(name, x) GN_FLOAT(gn_##name, x)

#endif
