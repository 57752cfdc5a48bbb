/* Orthogonal polynomials of many elements.  Blocks of these go through the recurrence (scalar_special.h) side by side,
 * so that each step is vector code; results are those of one element at a time. */
#ifndef GN_ORTHOGONAL_H
#define GN_ORTHOGONAL_H

#include "half_vectors.h"
#include "scalar_special.h"

#define GN_BESIDE 16 /* elements: enough for the steps of one to wait for nothing */
#define GN_MOST_BESIDE 32 /* the greatest order of a block whose orders differ */

/* The polynomials of GN_BESIDE arguments by the recurrence up to order n; those of each order on the way are put in
 * `all`, unless it is NULL.  Returns whether any number was too large, or NaN: `all` is then not valid. */
GN_INLINE int gn_recurrence_beside(gn_polynomial_kind kind, const double *x, int64_t n, double (*all)[GN_BESIDE],
                                   double *result, int exact) {
    double argument[GN_BESIDE], high[GN_BESIDE], low[GN_BESIDE], high_before[GN_BESIDE], low_before[GN_BESIDE];
    int32_t exponent[GN_BESIDE] = {0};
    int64_t is_odd = 0;
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        const gn_pair first = gn_first_polynomial(kind, x[i]);
        argument[i] = kind == GN_HERMITE_H ? 2 * x[i] : x[i];
        high[i] = first.high;
        low[i] = first.low;
        high_before[i] = 1;
        low_before[i] = 0;
        if (all != NULL) {
            all[1][i] = first.high + first.low;
        }
    }
    for (int64_t order = 1; order < n; order++) {
        const gn_polynomial_step step = gn_step_of_order(kind, order);
        int64_t is_large = 0;
        GN_VECTOR
        for (int i = 0; i < GN_BESIDE; i++) {
            const gn_pair value = {high[i], exact ? low[i] : 0};
            const gn_pair before = {high_before[i], exact ? low_before[i] : 0};
            const gn_pair next = gn_next_polynomial(kind, argument[i], step, value, before, exact);
            high_before[i] = value.high;
            high[i] = next.high;
            if (exact) {
                low_before[i] = value.low;
                low[i] = next.low;
            }
            if (all != NULL) {
                all[order + 1][i] = next.high + next.low;
            }
            is_large |= fabs(next.high) > GN_LARGE_POLYNOMIAL;
        }
        if (exact && (order & 15) == 0) {
            GN_VECTOR
            for (int i = 0; i < GN_BESIDE; i++) {
                const gn_pair value = {high[i], low[i]};
                const gn_pair before = {high_before[i], low_before[i]};
                const gn_pair near_value = gn_pair_near(value);
                const gn_pair near_before = gn_pair_near(before);
                high[i] = near_value.high;
                low[i] = near_value.low;
                high_before[i] = near_before.high;
                low_before[i] = near_before.low;
            }
        }
        is_odd |= is_large;
        for (int i = 0; i < GN_BESIDE && GN_UNLIKELY(is_large != 0); i++) {
            if (fabs(high[i]) > GN_LARGE_POLYNOMIAL) {
                high[i] *= 1 / GN_LARGE_POLYNOMIAL;
                low[i] *= 1 / GN_LARGE_POLYNOMIAL;
                high_before[i] *= 1 / GN_LARGE_POLYNOMIAL;
                low_before[i] *= 1 / GN_LARGE_POLYNOMIAL;
                exponent[i] += 500;
            }
        }
    }
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        const double sum = high[i] + low[i];
        result[i] = sum;
        is_odd |= sum != sum;
    }
    for (int i = 0; i < GN_BESIDE && GN_UNLIKELY(is_odd != 0); i++) {
        result[i] = gn_polynomial_of_sum(kind, x[i], n, result[i], exponent[i]);
    }
    return is_odd != 0;
}

/* GN_BESIDE elements.  If orders differ, a block has each of them on the way to the greatest, unless that is far. */
GN_INLINE void gn_polynomials_beside(gn_polynomial_kind kind, const double *x, const double *orders, double *results,
                                     int is_wide) {
    const int is_hermite = kind == GN_HERMITE_H || kind == GN_HERMITE_HE;
    const int64_t last = is_hermite || !is_wide ? GN_LAST_ROUNDED : 1 << 14;
    double all[GN_MOST_BESIDE + 1][GN_BESIDE];
    int64_t are_infinite = 0, are_different = 0;
    double most = orders[0], least = orders[0];
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        are_different |= !(orders[i] == orders[0]);
        are_infinite |= !(x[i] - x[i] == 0);
    }
    if (are_infinite == 0 && are_different == 0 && most >= 1 && most < (double)last + 1) {
        gn_recurrence_beside(kind, x, (int64_t)most, NULL, results, is_wide);
        return;
    }
    for (int i = 1; i < GN_BESIDE; i++) {
        most = orders[i] > most ? orders[i] : most;
        least = orders[i] < least ? orders[i] : least;
        are_infinite |= orders[i] != orders[i];
    }
    if (are_infinite == 0 && least >= 0 && most >= 1 && most < GN_MOST_BESIDE + 1 &&
        !gn_recurrence_beside(kind, x, (int64_t)most, all, results, is_wide)) {
        for (int i = 0; i < GN_BESIDE; i++) {
            all[0][i] = 1;
            results[i] = all[(int64_t)orders[i]][i];
        }
        return;
    }
    for (int i = 0; i < GN_BESIDE; i++) {
        results[i] = gn_orthogonal(kind, 0, x[i], orders[i], is_wide || orders[i] > GN_LAST_ROUNDED);
    }
}
/* Any number of elements. */
GN_INLINE void gn_polynomials(gn_polynomial_kind kind, int64_t count, const double *x, const double *orders,
                              double *results, int is_wide) {
    double rest[3][GN_BESIDE];
    for (int64_t begin = 0; begin < count; begin += GN_BESIDE) {
        const int is_whole = count - begin >= GN_BESIDE;
        for (int64_t i = 0; i < GN_BESIDE && !is_whole; i++) { /* what is missing repeats the last element */
            rest[0][i] = x[gn_min(begin + i, count - 1)];
            rest[1][i] = orders[gn_min(begin + i, count - 1)];
        }
        gn_polynomials_beside(kind, is_whole ? x + begin : rest[0], is_whole ? orders + begin : rest[1],
                              is_whole ? results + begin : rest[2], is_wide);
        for (int64_t i = begin; i < count && !is_whole; i++) {
            results[i] = rest[2][i - begin];
        }
    }
}

#define GN_POLYNOMIALS(name, kind)                                                                                     \
    static inline void gn_##name##_block(int64_t count, const double *x, const double *orders, double *results,        \
                                         int is_wide) {                                                                \
        if (is_wide) {                                                                                                 \
            gn_polynomials(kind, count, x, orders, results, 1);                                                        \
        } else {                                                                                                       \
            gn_polynomials(kind, count, x, orders, results, 0);                                                        \
        }                                                                                                              \
    }
GN_POLYNOMIALS(hermite_h, GN_HERMITE_H)
GN_POLYNOMIALS(hermite_he, GN_HERMITE_HE)
GN_POLYNOMIALS(laguerre_l, GN_LAGUERRE_L)
GN_POLYNOMIALS(legendre_p, GN_LEGENDRE_P)
#undef GN_POLYNOMIALS

#endif
