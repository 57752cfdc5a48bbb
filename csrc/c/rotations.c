/* Rotations of neighbouring rows. A row that two of them change stays in registers between them, and a strip in the L1
 * cache while all sequences are applied to it. */
#include "rotations.h"

#include "lanes.h"

/* Rows of two strips that the L1 cache holds. */
#define ROWS_OF_TWO 256

/* Vectors of a row of a strip. */
#define PARTS (GN_STRIP / GN_LANES)
#define MOST_TOGETHER 2

/* Rotates a row and the next one: what is left of them, and in *held what the next rotation is of. */
GN_INLINE gn_lanes rotate(gn_lanes *held, gn_lanes next, const double *pair) {
    const gn_lanes left = gn_add_multiple(pair[0], *held, pair[1] * next);
    *held = gn_add_multiple(-pair[1], *held, pair[0] * next);
    return left;
}

/* Where vector `s` of a row of several strips is. */
#define PLACE(row, s) ((row) + (s) / PARTS * strip + (s) % PARTS * GN_LANES)

/* Applies a sequence to `together` strips, `strip` numbers apart. */
GN_INLINE void turn_once(double *row, int64_t strip, const int together, int64_t count, int64_t step,
                         const double *pairs) {
    gn_lanes held[MOST_TOGETHER * PARTS];
    GN_UNROLL
    for (int s = 0; s < together * PARTS; s++) {
        held[s] = *(const gn_loose_lanes *)(PLACE(row, s));
    }
    for (int64_t k = 0; k < count; k++) {
        GN_UNROLL
        for (int s = 0; s < together * PARTS; s++) {
            *(gn_loose_lanes *)(PLACE(row, s)) = rotate(&held[s], *(const gn_loose_lanes *)(PLACE(row, s) + step), pairs + 2 * k);
        }
        row += step;
    }
    GN_UNROLL
    for (int s = 0; s < together * PARTS; s++) {
        *(gn_loose_lanes *)(PLACE(row, s)) = held[s];
    }
}

/* Applies two sequences that begin at the same row, the second one, which is not longer, one rotation behind the first:
 * rows are read and written once for both. */
GN_INLINE void turn_twice(double *row, int64_t strip, const int together, int64_t count, int64_t other_count,
                          int64_t step, const double *pairs, const double *other_pairs) {
    gn_lanes held[MOST_TOGETHER * PARTS], other[MOST_TOGETHER * PARTS];
    GN_UNROLL
    for (int s = 0; s < together * PARTS; s++) {
        held[s] = *(const gn_loose_lanes *)(PLACE(row, s));
        other[s] = rotate(&held[s], *(const gn_loose_lanes *)(PLACE(row, s) + step), pairs);
    }
    for (int64_t k = 0; k < gn_min(other_count, count - 1); k++) {
        GN_UNROLL
        for (int s = 0; s < together * PARTS; s++) {
            const gn_lanes next = rotate(&held[s], *(const gn_loose_lanes *)(PLACE(row, s) + 2 * step), pairs + 2 * k + 2);
            *(gn_loose_lanes *)(PLACE(row, s)) = rotate(&other[s], next, other_pairs + 2 * k);
        }
        row += step;
    }
    if (other_count == count) {
        GN_UNROLL
        for (int s = 0; s < together * PARTS; s++) {
            *(gn_loose_lanes *)(PLACE(row, s)) = rotate(&other[s], held[s], other_pairs + 2 * count - 2);
            *(gn_loose_lanes *)(PLACE(row, s) + step) = other[s];
        }
        return;
    }
    GN_UNROLL
    for (int s = 0; s < together * PARTS; s++) {
        *(gn_loose_lanes *)(PLACE(row, s)) = other[s];
        *(gn_loose_lanes *)(PLACE(row, s) + step) = held[s];
    }
    turn_once(row + step, strip, together, count - 1 - other_count, step, pairs + 2 * other_count + 2);
}

/* Applies the sequences to `together` strips. */
GN_INLINE void turn(double *from, int64_t strip, const int together, const gn_sweep *sweeps, int64_t count,
                    const double *pairs) {
    for (int64_t i = 0; i < count;) {
        const gn_sweep *sweep = sweeps + i;
        double *row = from + sweep->first * GN_STRIP;
        const int64_t step = sweep->step * GN_STRIP;
        const double *next = pairs + 2 * sweep->count;
        if (i + 1 < count && sweep[1].first == sweep->first && sweep[1].step == sweep->step
            && sweep[1].count <= sweep->count) {
            turn_twice(row, strip, together, sweep->count, sweep[1].count, step, pairs, next);
            pairs = next + 2 * sweep[1].count;
            i += 2;
        } else {
            turn_once(row, strip, together, sweep->count, step, pairs);
            pairs = next;
            i += 1;
        }
    }
}

void gn_turn_strips(double *strips, int64_t rows, int64_t columns, const gn_sweep *sweeps, int64_t count,
                    const double *pairs) {
    const int64_t strip = rows * GN_STRIP;
    int64_t left = gn_strips(columns);
    for (; left >= 2 && rows <= ROWS_OF_TWO; left -= 2) {
        turn(strips, strip, 2, sweeps, count, pairs);
        strips += 2 * strip;
    }
    for (; left > 0; left--) {
        turn(strips, strip, 1, sweeps, count, pairs);
        strips += strip;
    }
}
