/* Incomplete gamma functions of many elements.  Those whose parameter is moderate are sorted by their method, and go
 * through its steps side by side, which is vector code, each as far as itself needs, so that a result does not depend on
 * the elements beside it; others are computed one at a time by scalar_incomplete.h. */
#ifndef GN_INCOMPLETE_H
#define GN_INCOMPLETE_H

#include "half_vectors.h"
#include "scalar_incomplete.h"

#define GN_INCOMPLETE_BLOCK 256 /* elements that are sorted together */
#define GN_INCOMPLETE_BESIDE 16 /* elements side by side */
#define GN_SERIES_STEPS 4       /* after so many terms, do all elements have enough? */

/* Of the fraction, elements with about as many steps go together. */
typedef enum gn_incomplete_method {
    GN_ONE_BY_ONE,
    GN_BY_SERIES,
    GN_BY_SHORT_FRACTION,
    GN_BY_FRACTION,
    GN_BY_LONG_FRACTION,
    GN_INCOMPLETE_METHODS
} gn_incomplete_method;

/* Steps of the continued fraction that 2^-56 needs, or 1e-9; found by trying. */
GN_INLINE double gn_steps_of_fraction(double a, double x, int is_wide) {
    return is_wide ? 112 / x + 0.55 * a + 4 : 36 / x + 0.36 * a + 5;
}
GN_INLINE gn_incomplete_method gn_method_of_incomplete(double a, double x, int is_upper, int is_wide) {
    const int is_usual = (a > 0) & (a < GN_LONG_SERIES) & (x > 0) & (x < 300);
    const int is_small = (a < x) | (a < 0.1) | ((a < 1) & (x > 0.1 * a)); /* as in gn_igammac_to */
    const double steps = gn_steps_of_fraction(a, x, is_wide);
    if (!is_usual) {
        return GN_ONE_BY_ONE;
    }
    if (is_upper ? !is_small : x <= a + 1) {
        return GN_BY_SERIES;
    }
    if (x < 1) {
        return GN_ONE_BY_ONE;
    }
    return steps < 16 ? GN_BY_SHORT_FRACTION : steps < 32 ? GN_BY_FRACTION : GN_BY_LONG_FRACTION;
}

/* x^a exp(-x) / gamma(a + 1). */
GN_INLINE void gn_densities_beside(const double *a, const double *x, double *results, int is_wide) {
    if (is_wide) {
        for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
            results[i] = gn_gamma_density(a[i], x[i]);
        }
        return;
    }
    GN_VECTOR
    for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
        results[i] = gn_exp_float64(a[i] * gn_log_float64(x[i]) - x[i] - gn_log_gamma_for_float32(a[i] + 1));
    }
}
/* A density times gn_gamma_series. */
GN_INLINE void gn_gamma_series_beside(const double *a, const double *x, const double *density, double *results,
                                      int is_wide) {
    double high[GN_INCOMPLETE_BESIDE], low[GN_INCOMPLETE_BESIDE];
    double term_high[GN_INCOMPLETE_BESIDE], term_low[GN_INCOMPLETE_BESIDE];
    for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
        high[i] = term_high[i] = 1;
        low[i] = term_low[i] = 0;
    }
    const double least = is_wide ? 1e-17 : 1e-10;
    for (double first = 1;; first += GN_SERIES_STEPS) {
        int64_t are_left = 0;
        GN_VECTOR
        for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
            gn_pair total = {high[i], low[i]}, term = {term_high[i], term_low[i]};
            const int is_left = term.high > least * total.high;
            for (int step = 0; step < GN_SERIES_STEPS; step++) {
                const gn_pair below = gn_pair_of_sum(a[i], first + step);
                const double reciprocal = 1 / below.high;
                gn_pair factor = {x[i] * reciprocal, 0};
                if (is_wide) {
                    factor.low = (fma(-factor.high, below.high, x[i]) - factor.high * below.low) * reciprocal;
                }
                term = gn_pair_times(term, factor, is_wide);
                const double sum = total.high + term.high;
                total.low += is_wide ? (total.high - sum + term.high) + term.low : 0;
                total.high = sum;
            }
            high[i] = is_left ? total.high : high[i];
            low[i] = is_left ? total.low : low[i];
            term_high[i] = is_left ? term.high : term_high[i];
            term_low[i] = is_left ? term.low : term_low[i];
            are_left |= term_high[i] > least * high[i];
        }
        if (!are_left) {
            break;
        }
    }
    for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
        results[i] = density[i] * (high[i] + low[i]);
    }
}
/* What gn_gamma_above gives, for x from 1 on: a density times `a`, over the even part of Legendre's continued fraction,
 * which is computed from its end. */
GN_INLINE void gn_gamma_fraction_beside(const double *a, const double *x, const double *density, double *results,
                                        int is_wide) {
    double steps[GN_INCOMPLETE_BESIDE], below[GN_INCOMPLETE_BESIDE];
    double apart[GN_INCOMPLETE_BESIDE], apart_low[GN_INCOMPLETE_BESIDE];
    double last = 2;
    for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
        steps[i] = ceil(gn_steps_of_fraction(a[i], x[i], is_wide));
        last = steps[i] > last ? steps[i] : last;
    }
    GN_VECTOR
    for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
        const gn_pair difference = gn_pair_of_sum(x[i], -a[i]);
        apart[i] = difference.high;
        apart_low[i] = difference.low;
        below[i] = difference.high + (2 * last + 1);
    }
    for (double n = last; n > 1; n -= 1) {
        GN_VECTOR
        for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) {
            const double next = n > steps[i] ? 0 : n * (n - a[i]) / below[i];
            below[i] = apart[i] + (2 * n - 1) - next;
        }
    }
    GN_VECTOR
    for (int i = 0; i < GN_INCOMPLETE_BESIDE; i++) { /* the last step, with what rounding leaves out */
        const gn_pair first = gn_pair_of_sum(apart[i], 1);
        const gn_pair sum = gn_pair_of_sum(first.high, -(1 - a[i]) / below[i]);
        const double rest = sum.low + (first.low + apart_low[i]);
        const double part = density[i] * a[i] / sum.high;
        results[i] = part - part * rest / sum.high;
    }
}

GN_INLINE void gn_incompletes(int is_upper, int64_t count, const double *a, const double *x, double *results,
                              int is_wide) {
    int64_t places[GN_INCOMPLETE_METHODS][GN_INCOMPLETE_BLOCK];
    for (int64_t begin = 0; begin < count; begin += GN_INCOMPLETE_BLOCK) {
        int64_t numbers[GN_INCOMPLETE_METHODS] = {0};
        for (int64_t i = begin; i < gn_min(begin + GN_INCOMPLETE_BLOCK, count); i++) {
            const gn_incomplete_method method = gn_method_of_incomplete(a[i], x[i], is_upper, is_wide);
            places[method][numbers[method]++] = i;
        }
        for (int64_t k = 0; k < numbers[GN_ONE_BY_ONE]; k++) {
            const int64_t i = places[GN_ONE_BY_ONE][k];
            results[i] = is_upper ? gn_igammac_to(a[i], x[i], is_wide) : gn_igamma_to(a[i], x[i], is_wide);
        }
        for (int method = GN_BY_SERIES; method < GN_INCOMPLETE_METHODS; method++) {
            const int64_t number = numbers[method];
            for (int64_t first = 0; first < number; first += GN_INCOMPLETE_BESIDE) {
                double parameter[GN_INCOMPLETE_BESIDE], argument[GN_INCOMPLETE_BESIDE];
                double density[GN_INCOMPLETE_BESIDE], part[GN_INCOMPLETE_BESIDE];
                for (int64_t k = 0; k < GN_INCOMPLETE_BESIDE; k++) { /* what is missing repeats the last element */
                    const int64_t i = places[method][gn_min(first + k, number - 1)];
                    parameter[k] = a[i];
                    argument[k] = x[i];
                }
                gn_densities_beside(parameter, argument, density, is_wide);
                if (method == GN_BY_SERIES) {
                    gn_gamma_series_beside(parameter, argument, density, part, is_wide);
                } else {
                    gn_gamma_fraction_beside(parameter, argument, density, part, is_wide);
                }
                const int is_asked = (method == GN_BY_SERIES) != is_upper;
                for (int64_t k = 0; k < gn_min(GN_INCOMPLETE_BESIDE, number - first); k++) {
                    results[places[method][first + k]] = is_asked ? part[k] : 1 - part[k];
                }
            }
        }
    }
}

#define GN_INCOMPLETES(name, is_upper)                                                                              \
    static inline void gn_##name##_block(int64_t count, const double *a, const double *x, double *results,          \
                                         int is_wide) {                                                             \
        if (is_wide) {                                                                                              \
            gn_incompletes(is_upper, count, a, x, results, 1);                                                      \
        } else {                                                                                                    \
            gn_incompletes(is_upper, count, a, x, results, 0);                                                      \
        }                                                                                                           \
    }
GN_INCOMPLETES(igamma, 0)
GN_INCOMPLETES(igammac, 1)
#undef GN_INCOMPLETES

#endif
