/* digamma, without a branch, so that blocks of elements are vector code, and its derivatives; for C and CUDA. */
#ifndef GN_SCALAR_POLYGAMMA_H
#define GN_SCALAR_POLYGAMMA_H

#include "scalar_lgamma.h"
#include "scalar_special.h"

/* 1 / t + 1 / (t + 1) + 1 / (t + 2) + 1 / (t + 3). */
GN_INLINE double gn_four_reciprocals(double t) {
    const double u = t * (t + 3); /* the product of the ends; that of the others is u + 2 */
    return (2 * t + 3) * (2 * u + 2) / (u * (u + 2));
}
/* pi / tan (pi x). */
GN_INLINE double gn_cotangent_of_turns(double x) {
    const double away = x - rint(x), square = away * away;
    const double sine = gn_sine_of_turns(x);
    return GN_WIDE(cosine_ratio, square) / (away < 0 ? -sine : sine);
}
/* gn_digamma: the asymptotic series, after twelve steps up where the argument is below 12. */
GN_INLINE double gn_vector_digamma_float64(double x) {
    const double a = x < 0 ? 1 - x : x;
    const int is_near = a + 1 < GN_GAMMA_SHIFT + 1; /* not a comparison of `a`, which would be merged with that of x */
    const double steps = gn_four_reciprocals(a) + gn_four_reciprocals(a + 4) + gn_four_reciprocals(a + 8);
    const double b = is_near ? a + 12 : a;
    const double reciprocal = 1 / b, z = reciprocal * reciprocal;
    double series = GN_FMA(1.0 / 12, z, -691.0 / 32760);
    series = GN_FMA(series, z, 1.0 / 132);
    series = GN_FMA(series, z, -1.0 / 240);
    series = GN_FMA(series, z, 1.0 / 252);
    series = GN_FMA(series, z, -1.0 / 120);
    series = GN_FMA(series, z, 1.0 / 12);
    const double above = gn_log_float64(b) - (is_near ? steps : 0) - GN_FMA(series, z, 0.5 * reciprocal);
    const double result = above - (x < 0 ? gn_cotangent_of_turns(x) : 0);
    const double finite = (x < 0) & (x == rint(x)) ? (double)NAN : result;
    return x == 0 ? copysign((double)INFINITY, -x) : finite;
}
GN_INLINE float gn_vector_digamma_float32(float x) {
    return (float)gn_vector_digamma_float64((double)x);
}
#define gn_vector_digamma(x) GN_FLOAT(gn_vector_digamma, x)(x)

/* 1 / t^2 + 1 / (t + 1)^2. */
GN_INLINE double gn_two_squares(double t) {
    const double u = t * (t + 1);
    return (2 * u + 1) / (u * u);
}
/* The derivative of digamma, likewise; of negative numbers by (pi / sin (pi x))^2 less that of 1 - x. */
GN_INLINE double gn_vector_trigamma_float64(double x) {
    const double a = x < 0 ? 1 - x : x;
    const int is_near = a + 1 < GN_GAMMA_SHIFT; /* see gn_vector_digamma */
    const double first = 1 / a;
    const double others = (gn_two_squares(a + 1) + gn_two_squares(a + 3))
                          + (gn_two_squares(a + 5) + gn_two_squares(a + 7)) + gn_two_squares(a + 9);
    const double b = is_near ? a + 11 : a;
    const double reciprocal = 1 / b, z = reciprocal * reciprocal;
    double series = GN_FMA(-3617.0 / 510, z, 7.0 / 6);
    series = GN_FMA(series, z, -691.0 / 2730);
    series = GN_FMA(series, z, 5.0 / 66);
    series = GN_FMA(series, z, -1.0 / 30);
    series = GN_FMA(series, z, 1.0 / 42);
    series = GN_FMA(series, z, -1.0 / 30);
    series = GN_FMA(series, z, 1.0 / 6);
    const double tail = GN_FMA(series * z, reciprocal, GN_FMA(0.5, z, reciprocal));
    const double above = (is_near ? others : 0) + tail + (is_near ? first * first : 0);
    const double sine = gn_sine_of_turns(x);
    const double finite = x < 0 ? 1 / (sine * sine) - above : above;
    return x == -(double)INFINITY ? (double)NAN : finite;
}
GN_INLINE float gn_vector_trigamma_float32(float x) {
    return (float)gn_vector_trigamma_float64((double)x);
}
#define gn_vector_trigamma(x) GN_FLOAT(gn_vector_trigamma, x)(x)

/* (-1)^(n + 1) n!. */
static inline double gn_factor_of_polygamma(int64_t n) {
    double factor = n % 2 != 0 ? 1 : -1;
    for (int64_t k = 2; k <= n && k <= 171; k++) {
        factor *= (double)k;
    }
    return factor;
}
/* The n-th derivative of digamma, n > 1. */
static inline double gn_derivative_of_digamma_float64(double factor, int64_t n, double a) {
    return n >= INT32_MAX ? (double)NAN : factor * gn_zeta_float64((double)n + 1, a);
}
static inline float gn_derivative_of_digamma_float32(double factor, int64_t n, float a) {
    return (float)gn_derivative_of_digamma_float64(factor, n, (double)a);
}
#define gn_derivative_of_digamma(factor, n, x) GN_FLOAT(gn_derivative_of_digamma, x)(factor, n, x)

#endif
