/* Householder's reflections of columns of doubles: I - factor v v^T with 1 as the first element of v, as LAPACK has them.
 *
 * They are applied lazily: each in the sweep over the columns that multiplies these by the next one. Columns are
 * gn_column_step (lanes.h) apart. */
#ifndef GN_REFLECTIONS_H
#define GN_REFLECTIONS_H

#include "lanes.h"

/* Squares of numbers below this may be subnormal, and so not exact; beside a largest element of about 1 such numbers do
 * not matter. */
#define GN_LEAST 0x1p-450

/* Columns that are computed together. */
#define GN_TOGETHER 4

/* Numbers of scratch memory of gn_triangulate and of gn_multiply_reflections. */
static inline int64_t gn_reflections_scratch(int64_t rows, int64_t columns) {
    return 2 * (gn_column_step(rows) + columns);
}

/* Replaces `count` columns of `rows` elements by R and, below its diagonal, the vectors of the reflections. */
void gn_triangulate(double *columns, int64_t rows, int64_t count, double *factors, double *scratch);

/* The first `wanted` columns of the product of `count` reflections, of which k has its first element, 1, in row k +
 * first, and zeros above it. */
void gn_multiply_reflections(const double *vectors, const double *factors, int64_t count, int64_t first, int64_t rows,
                             double *product, int64_t wanted, double *scratch);

GN_INLINE double gn_sum_of_squares(const double *x, int64_t count) {
    gn_lanes lanes = gn_no_lanes();
    int64_t i = 0;
    for (; i + GN_LANES <= count; i += GN_LANES) {
        const gn_lanes part = *(const gn_loose_lanes *)(x + i);
        lanes = gn_add_product(part, part, lanes);
    }
    double sum = gn_sum_of_lanes(lanes);
    for (; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

/* The reflection that zeroes all of x but its first element, which is returned: x - factor (x . v) v with v[0] = 1. x
 * is replaced by v. */
GN_INLINE double gn_reflect(double *x, int64_t count, double *factor) {
    const double rest = gn_sum_of_squares(x + 1, count - 1);
    const double first = x[0];
    x[0] = 1;
    *factor = 0;
    if (rest < GN_LEAST * GN_LEAST) {
        return first;
    }
    const double length = -copysign(sqrt(first * first + rest), first);
    *factor = (length - first) / length;
    const double scale = 1 / (first - length);
    for (int64_t i = 1; i < count; i++) {
        x[i] *= scale;
    }
    return length;
}

/* The matrix, and the reflections not yet applied: column j is to be reduced by row[j] * v, and by share[j] * z if there
 * is a z. */
typedef struct gn_reduction {
    double *columns;
    int64_t step;
    const double *v;
    const double *z;
    const double *row;
    const double *share;
} gn_reduction;

/* Applies the reflections to `count` columns, from element `begin` on; products[c] is their product with `by`. */
GN_INLINE void gn_update_columns(const gn_reduction *work, int64_t first, const int count, const int has_z, int64_t begin,
                              const double *by, double *products) {
    gn_lanes sums[GN_TOGETHER];
    double rows[GN_TOGETHER], shares[GN_TOGETHER];
    const int64_t step = work->step;
    double *column = work->columns + first * step;
    GN_UNROLL
    for (int c = 0; c < count; c++) {
        sums[c] = gn_no_lanes();
        rows[c] = -work->row[first + c];
        shares[c] = has_z ? -work->share[first + c] : 0;
    }
    for (int64_t i = begin; i < step; i += GN_LANES) {
        const gn_lanes v = *(const gn_loose_lanes *)(work->v + i);
        const gn_lanes z = *(const gn_loose_lanes *)((has_z ? work->z : by) + i);
        const gn_lanes factor = *(const gn_loose_lanes *)(by + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            gn_lanes rest = gn_add_multiple(rows[c], v, *(const gn_loose_lanes *)(column + c * step + i));
            if (has_z) {
                rest = gn_add_multiple(shares[c], z, rest);
            }
            *(gn_loose_lanes *)(column + c * step + i) = rest;
            sums[c] = gn_add_product(rest, factor, sums[c]);
        }
    }
    GN_UNROLL
    for (int c = 0; c < count; c++) {
        products[c] = gn_sum_of_lanes(sums[c]);
    }
}

/* The same for columns from `first` to `end`. */
GN_INLINE void gn_update_all(const gn_reduction *work, int64_t first, int64_t end, const int has_z, int64_t begin,
                          const double *by, double *products) {
    for (; first + GN_TOGETHER <= end; first += GN_TOGETHER) {
        gn_update_columns(work, first, GN_TOGETHER, has_z, begin, by, products + first);
    }
    for (; first < end; first++) {
        gn_update_columns(work, first, 1, has_z, begin, by, products + first);
    }
}

#endif
