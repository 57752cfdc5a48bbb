/* Rotations of neighbouring rows. A row that two of them change stays in registers between them, and a strip in the L1
 * cache while all sequences are applied to it. */
#include "rotations.h"

/* Rows of two strips that the L1 cache holds. */
#define ROWS_OF_TWO 256

#if defined(__GNUC__)
/* Fully unrolls a loop, so that arrays that it indexes are in registers. */
#define GN_UNROLL _Pragma("GCC unroll 8")
typedef double lanes __attribute__((vector_size(GN_STRIP * sizeof(double))));
typedef double loose __attribute__((vector_size(GN_STRIP * sizeof(double)), aligned(sizeof(double)), may_alias));

#define TIMES(number, lanes) ((number) * (lanes))

/* sum + a b, rounded once if the processor can. Written lane by lane: vector types have no such operator. */
GN_INLINE lanes add_product(double a, lanes b, lanes sum) {
    for (int lane = 0; lane < GN_STRIP; lane++) {
        sum[lane] = GN_FMA(a, b[lane], sum[lane]);
    }
    return sum;
}
#else
#define GN_UNROLL
typedef struct lanes {
    double at[GN_STRIP];
} lanes;
typedef lanes loose;

#define TIMES(number, lanes) times(number, lanes)

static lanes times(double a, lanes b) {
    for (int lane = 0; lane < GN_STRIP; lane++) {
        b.at[lane] *= a;
    }
    return b;
}

static lanes add_product(double a, lanes b, lanes sum) {
    for (int lane = 0; lane < GN_STRIP; lane++) {
        sum.at[lane] += a * b.at[lane];
    }
    return sum;
}
#endif

/* Rotates a row and the next one: what is left of them, and in *held what the next rotation is of. */
GN_INLINE lanes rotate(lanes *held, lanes next, const double *pair) {
    const lanes left = add_product(pair[0], *held, TIMES(pair[1], next));
    *held = add_product(-pair[1], *held, TIMES(pair[0], next));
    return left;
}

/* Applies a sequence to `together` strips, `strip` numbers apart. */
GN_INLINE void turn_once(double *row, int64_t strip, const int together, int64_t count, int64_t step,
                         const double *pairs) {
    lanes held[2];
    GN_UNROLL
    for (int s = 0; s < together; s++) {
        held[s] = *(const loose *)(row + s * strip);
    }
    for (int64_t k = 0; k < count; k++) {
        GN_UNROLL
        for (int s = 0; s < together; s++) {
            *(loose *)(row + s * strip) = rotate(&held[s], *(const loose *)(row + s * strip + step), pairs + 2 * k);
        }
        row += step;
    }
    GN_UNROLL
    for (int s = 0; s < together; s++) {
        *(loose *)(row + s * strip) = held[s];
    }
}

/* Applies two sequences that begin at the same row, the second one, which is not longer, one rotation behind the first:
 * rows are read and written once for both. */
GN_INLINE void turn_twice(double *row, int64_t strip, const int together, int64_t count, int64_t other_count,
                          int64_t step, const double *pairs, const double *other_pairs) {
    lanes held[2], other[2];
    GN_UNROLL
    for (int s = 0; s < together; s++) {
        held[s] = *(const loose *)(row + s * strip);
        other[s] = rotate(&held[s], *(const loose *)(row + s * strip + step), pairs);
    }
    for (int64_t k = 0; k < gn_min(other_count, count - 1); k++) {
        GN_UNROLL
        for (int s = 0; s < together; s++) {
            const lanes next = rotate(&held[s], *(const loose *)(row + s * strip + 2 * step), pairs + 2 * k + 2);
            *(loose *)(row + s * strip) = rotate(&other[s], next, other_pairs + 2 * k);
        }
        row += step;
    }
    if (other_count == count) {
        GN_UNROLL
        for (int s = 0; s < together; s++) {
            *(loose *)(row + s * strip) = rotate(&other[s], held[s], other_pairs + 2 * count - 2);
            *(loose *)(row + s * strip + step) = other[s];
        }
        return;
    }
    GN_UNROLL
    for (int s = 0; s < together; s++) {
        *(loose *)(row + s * strip) = other[s];
        *(loose *)(row + s * strip + step) = held[s];
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
