/* Vectors of doubles, as wide as the processor's, for kernels of one matrix. Without vector types they are one double. */
#ifndef GN_LANES_H
#define GN_LANES_H

#include "gemm.h"

#if GN_HAS_GEMM
#define GN_LANES ((int)(GN_GEMM_BYTES / sizeof(double)))
typedef double gn_lanes __attribute__((vector_size(GN_GEMM_BYTES)));
/* The same where it is not aligned, and among other elements. */
typedef double gn_loose_lanes __attribute__((vector_size(GN_GEMM_BYTES), aligned(sizeof(double)), may_alias));
#define GN_LANE(vector, lane) (vector)[lane]
#else
#define GN_LANES 1
typedef double gn_lanes;
typedef double gn_loose_lanes;
#define GN_LANE(vector, lane) (vector)
#endif

GN_INLINE gn_lanes gn_no_lanes(void) {
#if GN_HAS_GEMM
    return (gn_lanes){0};
#else
    return 0;
#endif
}

/* sum + a b, rounded once if the processor can. Written lane by lane: vector types have no such operator. */
GN_INLINE gn_lanes gn_add_product(gn_lanes a, gn_lanes b, gn_lanes sum) {
    for (int lane = 0; lane < GN_LANES; lane++) {
        GN_LANE(sum, lane) = GN_FMA(GN_LANE(a, lane), GN_LANE(b, lane), GN_LANE(sum, lane));
    }
    return sum;
}
GN_INLINE gn_lanes gn_add_multiple(double a, gn_lanes b, gn_lanes sum) {
    for (int lane = 0; lane < GN_LANES; lane++) {
        GN_LANE(sum, lane) = GN_FMA(a, GN_LANE(b, lane), GN_LANE(sum, lane));
    }
    return sum;
}

GN_INLINE double gn_sum_of_lanes(gn_lanes lanes) {
    double sums[GN_LANES];
    for (int lane = 0; lane < GN_LANES; lane++) {
        sums[lane] = GN_LANE(lanes, lane);
    }
    for (int half = GN_LANES / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; lane++) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

/* Columns are a whole number of these apart, and zero after their end: vectors of any width have no rest. */
#define GN_COLUMN_LANES 8
static inline int64_t gn_column_step(int64_t rows) {
    return (rows + GN_COLUMN_LANES - 1) / GN_COLUMN_LANES * GN_COLUMN_LANES;
}

#endif
