/* Sequences of plane rotations of neighbouring rows, recorded and then applied to many columns. */
#ifndef GN_ROTATIONS_H
#define GN_ROTATIONS_H

#include "kernel.h"

/* Rows are in strips of so many columns: row k of strip s is at strips[(s * rows + k) * GN_STRIP]. */
#define GN_STRIP 8

/* Strips for so many columns. */
static inline int64_t gn_strips(int64_t columns) {
    return (columns + GN_STRIP - 1) / GN_STRIP;
}

/* A sequence of `count` rotations: the first is of row `first` and the next one, which is the row after it or, with a
 * `step` of -1, before it. Each rotation leaves one row as it will be, and the other one for the next rotation:
 *
 *   row, next = cosine * row + sine * next, cosine * next - sine * row */
typedef struct gn_sweep {
    int64_t first;
    int64_t count;
    int64_t step;
} gn_sweep;

/* Applies sequences to all strips of `rows` rows; `pairs` has the cosine and the sine of each rotation, in order. */
void gn_turn_strips(double *strips, int64_t rows, int64_t columns, const gn_sweep *sweeps, int64_t count,
                    const double *pairs);

#endif
