/* The gamma function's family in double precision; float32 results are rounded from it.
 *
 * Abramowitz and Stegun, chapter 6.  These have loops and calls, and do not vectorise. */
#ifndef GN_SCALAR_GAMMA_H
#define GN_SCALAR_GAMMA_H

#include "kernel.h"

#define GN_GAMMA_SHIFT 12 /* from here on the asymptotic series are exact to double precision */
#define GN_GAMMA_TERMS 7

/* B(2 k) / (2 k)! for k = 1, 2 ..., which Euler and Maclaurin's formula has. */
static inline double gn_bernoulli(int k) {
    static const double terms[GN_GAMMA_TERMS] = {1.0 / 12,         -1.0 / 720,       1.0 / 30240,
                                                 -1.0 / 1209600,   1.0 / 47900160,   -691.0 / 1307674368000.0,
                                                 1.0 / 74724249600.0};
    return terms[k - 1];
}

static inline double gn_digamma_positive(double a) {
    /* B(2 k) / (2 k) */
    static const double terms[GN_GAMMA_TERMS] = {1.0 / 12,  -1.0 / 120,      1.0 / 252, -1.0 / 240,
                                                 1.0 / 132, -691.0 / 32760, 1.0 / 12};
    double shifted = 0;
    while (a < GN_GAMMA_SHIFT) {
        shifted -= 1 / a;
        a += 1;
    }
    const double square = a * a;
    double series = 0;
    for (int k = GN_GAMMA_TERMS - 1; k >= 0; k--) {
        series = (series + terms[k]) / square;
    }
    return shifted + log(a) - 0.5 / a - series;
}

/* NaN at -1, -2 ...; at 0 an infinity of the other sign. */
static inline double gn_digamma_float64(double a) {
    if (a == 0) {
        return copysign((double)INFINITY, -a);
    }
    if (a != a || a == (double)INFINITY) {
        return a;
    }
    if (a < 0) {
        const double pi = 3.14159265358979323846;
        return a == floor(a) ? (double)NAN : gn_digamma_positive(1 - a) - pi / tan(pi * (a - rint(a)));
    }
    return gn_digamma_positive(a);
}

/* The sum of (a + k)^-s over k = 0, 1 ..., for s > 1; infinite at 0, -1, -2 ... -inf, and NaN at inf. */
static inline double gn_zeta(int64_t s, double a) {
    const double power = (double)s;
    if (a != a || a == (double)INFINITY) {
        return (double)NAN;
    }
    if (a <= 0 && a == floor(a)) {
        return (double)INFINITY;
    }
    double total = 0;
    if (a < -8) {
        /* All but the last eight terms before the sign changes, as the difference of two sums of positive terms. */
        const double skipped = -floor(a) - 8;
        total = (s % 2 != 0 ? -1 : 1) * (gn_zeta(s, -a - skipped + 1) - gn_zeta(s, -a + 1));
        a += skipped;
    }
    while (a < GN_GAMMA_SHIFT) {
        total += pow(a, -power);
        a += 1;
    }
    total += pow(a, 1 - power) / (power - 1) + pow(a, -power) / 2;
    double rising = power; /* s (s + 1) ... (s + 2 k - 2) */
    for (int k = 1; k <= GN_GAMMA_TERMS; k++) {
        total += gn_bernoulli(k) * rising * pow(a, 1 - power - 2 * k);
        rising *= (power + 2 * k - 1) * (power + 2 * k);
    }
    return total;
}

/* The n-th derivative of digamma. */
static inline double gn_polygamma_float64(int64_t n, double a) {
    const double pi = 3.14159265358979323846;
    if (n == 0) {
        return gn_digamma_float64(a);
    }
    if (n == 1 && isinf(a)) { /* a function of its own in PyTorch: of larger n, NaN at inf and a pole at -inf */
        return a > 0 ? 0 : (double)NAN;
    }
    if (n == 1 && a < 0 && a != floor(a)) { /* the one whose reflection is simple */
        const double ratio = pi / sin(pi * (a - rint(a)));
        return ratio * ratio - gn_zeta(2, 1 - a);
    }
    return (n % 2 != 0 ? 1 : -1) * exp(lgamma((double)n + 1)) * gn_zeta(n + 1, a);
}

static inline float gn_lgamma_float32(float a) {
    return (float)lgamma(a);
}
static inline float gn_digamma_float32(float a) {
    return (float)gn_digamma_float64(a);
}
static inline float gn_polygamma_float32(int64_t n, float a) {
    return (float)gn_polygamma_float64(n, a);
}

#endif
