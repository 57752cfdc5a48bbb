/* Orthogonal polynomials of many elements.  Blocks of these go through the steps of scalar_special.h side by side, so that
 * each step is vector code; results are those of one element at a time. */
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
    const int64_t last = is_hermite || !is_wide ? GN_LAST_ROUNDED : GN_LAST_STEPS;
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
/* Lanes of sums of two numbers. */
typedef struct gn_pairs {
    double high[GN_BESIDE], low[GN_BESIDE];
} gn_pairs;
GN_INLINE gn_pair gn_pair_of(const gn_pairs *all, int i, int exact) {
    const gn_pair result = {all->high[i], exact ? all->low[i] : 0};
    return result;
}
GN_INLINE void gn_put_pair(gn_pairs *all, int i, gn_pair value) {
    all->high[i] = value.high;
    all->low[i] = value.low;
}

/* gn_chebyshev of GN_BESIDE finite arguments and orders of at least 1, of which `most` is the greatest; if they are the
 * `same`, `orders` is not read. */
GN_INLINE void gn_chebyshev_beside(gn_polynomial_kind kind, int is_shifted, const double *x, const int64_t *orders,
                                   int64_t most, int same, double *results, int exact) {
    gn_pairs argument, above, below, square, factor, t, u;
    const gn_pair one = {1, 0}, minus = {-1, 0};
    const int has_sides = kind == GN_CHEBYSHEV_V || kind == GN_CHEBYSHEV_W;
    const int needs_square = !same || (most & (most - 1)) != 0; /* for a power of two it is never used */
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        const gn_pair plain = {x[i], 0};
        const gn_pair given = is_shifted ? gn_pair_of_sum(2 * x[i], -1) : plain;
        const gn_pair size = gn_pair_by(given, given.high < 0 ? -1 : 1);
        gn_put_pair(&argument, i, size);
        gn_put_pair(&square, i, one); /* and not whatever was there, which may be slow to compute with */
        gn_put_pair(&factor, i, size);
        gn_put_pair(&t, i, size);
        gn_put_pair(&u, i, one);
    }
    if (has_sides || needs_square) {
        GN_VECTOR
        for (int i = 0; i < GN_BESIDE; i++) {
            const gn_pair size = gn_pair_of(&argument, i, exact);
            gn_put_pair(&above, i, gn_pair_near(gn_pair_plus(size, one, exact)));
            gn_put_pair(&below, i, gn_pair_near(gn_pair_plus(size, minus, exact)));
        }
    }
    if (needs_square) {
        GN_VECTOR
        for (int i = 0; i < GN_BESIDE; i++) {
            gn_put_pair(&square, i, gn_pair_times(gn_pair_of(&above, i, exact), gn_pair_of(&below, i, exact), exact));
        }
    }
    if (has_sides) {
        GN_VECTOR
        for (int i = 0; i < GN_BESIDE; i++) {
            const int is_above = (kind == GN_CHEBYSHEV_W) != (is_shifted ? x[i] < 0.5 : x[i] < 0);
            factor.high[i] = is_above ? above.high[i] : below.high[i];
            factor.low[i] = is_above ? above.low[i] : below.low[i];
        }
    }
    int bit = 0;
    while (most >> (bit + 1) != 0) {
        bit++;
    }
    while (bit-- > 0) {
        const int all_steps = !same || (most >> bit & 1) != 0;
        GN_VECTOR
        for (int i = 0; i < GN_BESIDE; i++) {
            const gn_pair old_t = gn_pair_of(&t, i, exact), old_u = gn_pair_of(&u, i, exact);
            gn_pair new_u = gn_pair_by(gn_pair_times(old_t, old_u, exact), 2);
            gn_pair new_t = gn_pair_plus(gn_pair_by(gn_pair_times(old_t, old_t, exact), 2), minus, exact);
            if (all_steps) {
                const gn_pair by = gn_pair_of(&argument, i, exact), of_square = gn_pair_of(&square, i, exact);
                const gn_pair next_u = gn_pair_plus(new_t, gn_pair_times(by, new_u, exact), exact);
                const gn_pair next_t =
                    gn_pair_plus(gn_pair_times(by, new_t, exact), gn_pair_times(of_square, new_u, exact), exact);
                const int steps = same || (orders[i] >> bit & 1) != 0;
                new_u.high = steps ? next_u.high : new_u.high;
                new_u.low = steps ? next_u.low : new_u.low;
                new_t.high = steps ? next_t.high : new_t.high;
                new_t.low = steps ? next_t.low : new_t.low;
            }
            if (exact) {
                new_t = gn_pair_near(new_t);
                new_u = gn_pair_near(new_u);
            }
            const int has_begun = same || orders[i] >> (bit + 1) != 0; /* the first bit is done already */
            t.high[i] = has_begun ? new_t.high : old_t.high;
            u.high[i] = has_begun ? new_u.high : old_u.high;
            if (exact) {
                t.low[i] = has_begun ? new_t.low : old_t.low;
                u.low[i] = has_begun ? new_u.low : old_u.low;
            }
        }
    }
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        gn_pair value = gn_pair_of(&t, i, exact);
        if (kind != GN_CHEBYSHEV_T) {
            const gn_pair of_u = gn_pair_times(gn_pair_of(&factor, i, exact), gn_pair_of(&u, i, exact), exact);
            value = gn_pair_plus(value, of_u, exact);
        }
        const double sum = value.high + value.low;
        const double result = sum != sum ? (double)INFINITY : sum;
        const int is_negative = is_shifted ? x[i] < 0.5 : x[i] < 0;
        results[i] = is_negative && ((same ? most : orders[i]) & 1) != 0 ? -result : result;
    }
}

/* Up to this order, the recurrence p(k + 1) = 2 x p(k) - p(k - 1) takes fewer operations than gn_chebyshev's powers. */
#define GN_MOST_SIMPLE 10

/* Twice the argument, and the polynomial of order 1; that of order 0 is 1. */
typedef struct gn_chebyshev_start {
    gn_pair twice, first;
} gn_chebyshev_start;
GN_INLINE gn_chebyshev_start gn_start_chebyshev(gn_polynomial_kind kind, int is_shifted, double x, int exact) {
    const gn_pair plain = {x, 0}, sign = {kind == GN_CHEBYSHEV_V ? -1 : 1, 0};
    gn_pair argument = is_shifted ? gn_pair_of_sum(2 * x, -1) : plain;
    argument.low = exact ? argument.low : 0;
    gn_chebyshev_start start = {gn_pair_by(argument, 2), argument};
    if (kind != GN_CHEBYSHEV_T) {
        start.first = kind == GN_CHEBYSHEV_U ? start.twice : gn_pair_plus(start.twice, sign, exact);
    }
    return start;
}
GN_INLINE gn_pair gn_next_chebyshev(int is_shifted, gn_pair twice, gn_pair value, gn_pair before, int exact) {
    const gn_pair product = is_shifted ? gn_pair_times(twice, value, exact)
                                       : gn_pair_times_number(value, twice.high, exact);
    return gn_pair_plus(product, gn_pair_by(before, -1), exact);
}
/* A result from its sum: NaN comes of infinities, when the largest power of the argument decides the sign. */
GN_INLINE double gn_chebyshev_of_sum(int is_shifted, double x, int64_t order, double sum) {
    const int is_negative = (is_shifted ? x < 0.5 : x < 0) & (int)(order & 1);
    const double infinite = is_negative ? -(double)INFINITY : (double)INFINITY;
    return sum != sum ? infinite : sum;
}

/* One finite argument, of an order from 1 to GN_MOST_SIMPLE. */
GN_INLINE double gn_simple_chebyshev(gn_polynomial_kind kind, int is_shifted, double x, int64_t order, int exact) {
    const gn_chebyshev_start start = gn_start_chebyshev(kind, is_shifted, x, exact);
    gn_pair value = start.first, before = {1, 0};
    for (int64_t k = 1; k < order; k++) {
        const gn_pair next = gn_next_chebyshev(is_shifted, start.twice, value, before, exact);
        before = value;
        value = next;
    }
    return gn_chebyshev_of_sum(is_shifted, x, order, value.high + value.low);
}
/* GN_BESIDE of them; those of an `order` that is not 0 all have it. Others' orders are in `orders`: results of orders
 * below 1 or above GN_MOST_SIMPLE are left as they are. */
GN_INLINE void gn_simple_chebyshevs(gn_polynomial_kind kind, int is_shifted, const double *x, int64_t order,
                                    const int64_t *orders, double *results, int exact) {
    gn_pairs twice, value, before;
    const int64_t most = order != 0 ? order : GN_MOST_SIMPLE;
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        const gn_chebyshev_start start = gn_start_chebyshev(kind, is_shifted, x[i], exact);
        const gn_pair one = {1, 0};
        gn_put_pair(&twice, i, start.twice);
        gn_put_pair(&value, i, start.first);
        gn_put_pair(&before, i, one);
    }
    /* Two steps at a time, after which `value` and `before` are again what they were called. */
    for (int64_t k = 1; k <= most; k += 2) {
        if (order == 0) {
            GN_VECTOR
            for (int i = 0; i < GN_BESIDE; i++) {
                const double sum = value.high[i] + (exact ? value.low[i] : 0);
                results[i] = orders[i] == k ? gn_chebyshev_of_sum(is_shifted, x[i], k, sum) : results[i];
            }
        }
        if (k == most) {
            break;
        }
        GN_VECTOR
        for (int i = 0; i < GN_BESIDE; i++) {
            const gn_pair by = gn_pair_of(&twice, i, exact), now = gn_pair_of(&value, i, exact);
            const gn_pair next = gn_next_chebyshev(is_shifted, by, now, gn_pair_of(&before, i, exact), exact);
            const gn_pair after = gn_next_chebyshev(is_shifted, by, next, now, exact);
            before.high[i] = next.high;
            value.high[i] = after.high;
            if (exact) {
                before.low[i] = next.low;
                value.low[i] = after.low;
            }
        }
        if (order == 0) {
            GN_VECTOR
            for (int i = 0; i < GN_BESIDE; i++) {
                const double sum = before.high[i] + (exact ? before.low[i] : 0);
                results[i] = orders[i] == k + 1 ? gn_chebyshev_of_sum(is_shifted, x[i], k + 1, sum) : results[i];
            }
        }
    }
    if (order == 0) {
        return;
    }
    const gn_pairs *last = (order & 1) != 0 ? &value : &before;
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        const double sum = last->high[i] + (exact ? last->low[i] : 0);
        results[i] = gn_chebyshev_of_sum(is_shifted, x[i], order, sum);
    }
}

GN_INLINE void gn_chebyshevs_beside(gn_polynomial_kind kind, int is_shifted, const double *x, const double *orders,
                                    double *results, int is_wide) {
    const double last = is_wide ? 1 << 26 : GN_LAST_ROUNDED;
    int64_t are_different = 0, are_odd = 0;
    GN_VECTOR
    for (int i = 0; i < GN_BESIDE; i++) {
        are_different |= !(orders[i] == orders[0]);
        are_odd |= !(x[i] - x[i] == 0) | !(orders[i] >= 0 && orders[i] <= last);
    }
    if (are_odd == 0 && are_different == 0 && orders[0] >= 1) {
        if (orders[0] < GN_MOST_SIMPLE + 1) {
            gn_simple_chebyshevs(kind, is_shifted, x, (int64_t)orders[0], NULL, results, is_wide);
            return;
        }
        gn_chebyshev_beside(kind, is_shifted, x, NULL, (int64_t)orders[0], 1, results, is_wide);
        return;
    }
    if (are_odd == 0) {
        int64_t rounded[GN_BESIDE], most = 1;
        for (int i = 0; i < GN_BESIDE; i++) {
            rounded[i] = orders[i] < 1 ? 1 : (int64_t)orders[i];
            most = rounded[i] > most ? rounded[i] : most;
        }
        if (most > GN_MOST_SIMPLE) {
            gn_chebyshev_beside(kind, is_shifted, x, rounded, most, 0, results, is_wide);
        }
        gn_simple_chebyshevs(kind, is_shifted, x, 0, rounded, results, is_wide);
        for (int i = 0; i < GN_BESIDE; i++) {
            results[i] = orders[i] < 1 ? 1 : results[i];
        }
        return;
    }
    for (int i = 0; i < GN_BESIDE; i++) {
        if (x[i] - x[i] == 0 && orders[i] >= 1 && orders[i] < GN_MOST_SIMPLE + 1) {
            results[i] = gn_simple_chebyshev(kind, is_shifted, x[i], (int64_t)orders[i], is_wide);
        } else {
            results[i] = gn_orthogonal(kind, is_shifted, x[i], orders[i], is_wide || orders[i] > GN_LAST_ROUNDED);
        }
    }
}

/* Any number of elements. */
GN_INLINE void gn_polynomials(gn_polynomial_kind kind, int is_shifted, int64_t count, const double *x,
                              const double *orders, double *results, int is_wide) {
    double rest[3][GN_BESIDE];
    for (int64_t begin = 0; begin < count; begin += GN_BESIDE) {
        const int is_whole = count - begin >= GN_BESIDE;
        for (int64_t i = 0; i < GN_BESIDE && !is_whole; i++) { /* what is missing repeats the last element */
            rest[0][i] = x[gn_min(begin + i, count - 1)];
            rest[1][i] = orders[gn_min(begin + i, count - 1)];
        }
        const double *from = is_whole ? x + begin : rest[0], *of = is_whole ? orders + begin : rest[1];
        double *to = is_whole ? results + begin : rest[2];
        if (kind <= GN_CHEBYSHEV_W) {
            gn_chebyshevs_beside(kind, is_shifted, from, of, to, is_wide);
        } else {
            gn_polynomials_beside(kind, from, of, to, is_wide);
        }
        for (int64_t i = begin; i < count && !is_whole; i++) {
            results[i] = rest[2][i - begin];
        }
    }
}

#define GN_POLYNOMIALS(name, kind, is_shifted)                                                                         \
    static inline void gn_##name##_block(int64_t count, const double *x, const double *orders, double *results,        \
                                         int is_wide) {                                                                \
        if (is_wide) {                                                                                                 \
            gn_polynomials(kind, is_shifted, count, x, orders, results, 1);                                            \
        } else {                                                                                                       \
            gn_polynomials(kind, is_shifted, count, x, orders, results, 0);                                            \
        }                                                                                                              \
    }
GN_POLYNOMIALS(chebyshev_t, GN_CHEBYSHEV_T, 0)
GN_POLYNOMIALS(chebyshev_u, GN_CHEBYSHEV_U, 0)
GN_POLYNOMIALS(chebyshev_v, GN_CHEBYSHEV_V, 0)
GN_POLYNOMIALS(chebyshev_w, GN_CHEBYSHEV_W, 0)
GN_POLYNOMIALS(shifted_t, GN_CHEBYSHEV_T, 1)
GN_POLYNOMIALS(shifted_u, GN_CHEBYSHEV_U, 1)
GN_POLYNOMIALS(shifted_v, GN_CHEBYSHEV_V, 1)
GN_POLYNOMIALS(shifted_w, GN_CHEBYSHEV_W, 1)
GN_POLYNOMIALS(hermite_h, GN_HERMITE_H, 0)
GN_POLYNOMIALS(hermite_he, GN_HERMITE_HE, 0)
GN_POLYNOMIALS(laguerre_l, GN_LAGUERRE_L, 0)
GN_POLYNOMIALS(legendre_p, GN_LEGENDRE_P, 0)
#undef GN_POLYNOMIALS

#endif
