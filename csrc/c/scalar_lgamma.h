/* The logarithm of the gamma function, as vector code; for C and CUDA. */
#ifndef GN_SCALAR_LGAMMA_H
#define GN_SCALAR_LGAMMA_H

#include "scalar_polynomial.h"

/* Stirling's series of a size from 8 on, of which `logarithm` is the logarithm. */
GN_INLINE double gn_stirling(double a, double logarithm) {
    const double reciprocal = 1 / a, z = reciprocal * reciprocal;
    double series = -1.0 / 1680 + z * (1.0 / 1188 - z * (691.0 / 360360 - z * (1.0 / 156 - z * (3617.0 / 122400))));
    series = 1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 + z * series));
    return (a - 0.5) * (logarithm - 1) + (0.41893853320467274178 + series * reciprocal);
}
/* For a >= 0, without a branch, so that blocks of elements are vector code: gamma(2 + e) times a factor that brings the
 * argument there, gamma(1 + e), or Stirling's series. */
GN_INLINE double gn_log_gamma_for_float32(double a) {
    const double whole = floor(a);
    double product = 1;
    for (int k = 1; k <= 5; k++) {
        product *= k <= whole - 2 ? a - k : 1;
    }
    const double y = whole > 2 ? a - (whole - 2) : a;
    const double raised = a + 0.5; /* comparisons of `a` itself would be merged with those above, to branches */
    const int is_below = raised < 2, is_low = raised < 1, is_far = a >= 8;
    const double e = is_low ? a : is_below ? a - 1 : y - 2;
    const double factor = is_low ? a * (1 + a) : is_below ? a : product;
    const double logarithm = gn_log_float64(is_far ? a : factor);
    const double near =
        e * gn_long_polynomial(gn_table_lgamma_float_near(), GN_COUNT_lgamma_float_near, (e - 0.25) * (4.0 / 3));
    return is_far ? gn_stirling(a, logarithm) : near + (is_below ? -logarithm : logarithm);
}
/* |sin (pi x)| / pi. */
GN_INLINE double gn_sine_of_turns(double x) {
    const double away = fabs(x - rint(x)), square = away * away;
    const double rest = gn_wide_polynomial(gn_table_sine_ratio() + 1, GN_COUNT_sine_ratio - 1, square);
    return away * GN_FMA(square, rest, 1);
}
/* The same of any number.  Near 1 and 2, where the result is 0, e is exact.  Negative numbers have gamma(1 + e) and a
 * factor with what rounding left out, as the result may be small, or from -8 on Euler's reflection. */
GN_INLINE double gn_log_gamma_float64(double x) {
    const double a = fabs(x);
    const int is_negative = x < 0, is_far = a >= 8;
    const double whole = floor(a), steps = -floor(x + 0.25);
    const double last = is_negative ? steps : whole - 2;
    double product = is_negative ? a : 1, low = 0;
    for (int k = 1; k <= 8; k++) {
        const double factor = k <= last ? a - k : 1;
        const double next = product * factor;
        low = GN_FMA(low, factor, GN_FMA(product, factor, -next));
        product = next;
    }
    const double y = whole > 2 ? a - (whole - 2) : a;
    const double raised = a + 0.5; /* comparisons of `a` itself would be merged with those above, to branches */
    const int is_below = raised < 2.2, is_low = raised < 1;
    const double e = is_negative ? x + steps : is_low ? a : is_below ? a - 1 : y - 2;
    const double factor = is_low ? a * (1 + a) : a;
    const double other = fabs(is_negative | !is_below ? product : factor);
    const double correction = is_negative & (low != 0) ? low / product : 0;
    const double logarithm = gn_log_float64(is_far ? a : other);
    const double far = gn_stirling(a, logarithm);
    const double slope = e * gn_wide_polynomial(gn_table_lgamma_near(), GN_COUNT_lgamma_near, (e - 0.25) * (4.0 / 3));
    const double first = e * gn_wide_polynomial(gn_table_lgamma_first(), GN_COUNT_lgamma_first, (e - 0.25) * 2);
    const double near = is_below & (a > 0.75) ? first : slope + (is_below ? -logarithm : logarithm);
    const double positive = (is_far ? far : near) + 0.0; /* -0 becomes 0 */
    const double reflected = -far - gn_log_float64(a * gn_sine_of_turns(a));
    const double negative = is_far ? reflected : first - logarithm - correction;
    return is_negative ? negative : positive;
}
/* Negative numbers so near to where the result is 0 that the C library's has more digits, or below all that are not whole:
 * near -n, this is 1 / n! away.  Without fused products, all negative numbers. */
GN_INLINE int gn_far_log_gamma_float64(double a) {
#if GN_HAS_FMA
    const double nearest = rint(a), away = fabs(a - nearest);
    const double small = nearest == -3 ? 6 : nearest == -4 ? 24 : nearest == -5 ? 120 : 720;
    const double factorial = nearest == -7 ? 5040 : small;
    const double scaled = away * (nearest < -7 ? a * a * 8 : factorial);
    const int is_near_zero = (a < -3) & ((scaled < 1.2) & ((scaled > 0.8) | (nearest < -7)));
    return is_near_zero | ((a < -2.4) & (a > -2.82)) | (a < -0x1p50);
#else
    return a < 0;
#endif
}
GN_INLINE int gn_far_log_gamma_float32(float a) {
    (void)a;
    return 0;
}
/* Of any number, by Euler's reflection. */
GN_INLINE float gn_log_gamma_float32(float a) {
    const double x = fabs((double)a), near = x - rint(x), z = near * near;
    /* sin(pi x) / (x - rint(x)), to 2^-36; numbers of a table would be read in a branch, which no vector code has */
    double sine = 0.00044749509187930214;
    sine = GN_FMA(sine, z, -0.007364007727684439);
    sine = GN_FMA(sine, z, 0.08214479530514417);
    sine = GN_FMA(sine, z, -0.599264434017997);
    sine = GN_FMA(sine, z, 2.5501640359115667);
    sine = GN_FMA(sine, z, -5.167712779988062);
    sine = GN_FMA(sine, z, 3.1415926535896355);
    const double factor = a < 0 ? x * fabs(near * sine) * 0.31830988618379067154 : 1;
    const double positive = gn_log_gamma_for_float32(x);
    const double result = (a < 0 ? -positive : positive) - gn_log_float64(factor);
    return (float)(x == (double)INFINITY ? x : result);
}
#define gn_far_log_gamma(x) GN_FLOAT(gn_far_log_gamma, x)(x)
#define gn_log_gamma(x) GN_FLOAT(gn_log_gamma, x)(x)

#endif
