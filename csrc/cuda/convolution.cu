/* Convolution over one to three spatial dimensions, its gradients, and transposed convolution, as matrix products
 * without a materialized unfolded matrix: out(m, n) = sum over k of a(m, k) * source(n, k), where source(n, k) is the
 * element of a tensor whose coordinates are the sum of those of n and k, or 0 if they are outside.
 *
 * A convolution computes small(n, m, p) from large(n, c, p * stride - padding + tap * dilation), summed over channels
 * and taps; its gradient goes in the opposite direction, by dividing coordinates; the gradient of the weights sums over
 * positions. Each is described by a gn_convolution, and all use the same kernels. */
#include "kernel.cuh"

#define SPATIAL 3
#define CONVOLVE_THREADS 256
#define CONVOLVE_DEPTH 8 /* indices of k in shared memory at once */

/* How an index n or k is split: into an outer index (an image, or a channel) and three inner ones (a position, or a
 * tap). A missing spatial dimension has size 1. Strides are in elements. */
struct gn_axis {
    int64_t count;
    int64_t sizes[SPATIAL];
    int64_t source;                            /* stride of the outer index in the source */
    int32_t multiply[SPATIAL], start[SPATIAL]; /* coordinate in the source: index * multiply + start */
    int64_t outer, inner[SPATIAL];             /* strides in the other tensor: a for k, out for n */
};

struct gn_convolution {
    int64_t groups, rows; /* values of m per group */
    int64_t parts, length; /* k is split into `parts` of `length` */
    gn_axis n, k;
    int64_t a_row, out_row;                   /* strides of m */
    int64_t a_group, source_group, out_group; /* strides of groups */
    int64_t bias_step;
    int32_t divide[SPATIAL], limits[SPATIAL]; /* coordinates: divisible by `divide`, quotient < `limits` */
    int64_t source_strides[SPATIAL];
};

/* The contribution of an index n or k to the coordinates and offsets. */
struct gn_meeting {
    int64_t source, other;
    int32_t at[SPATIAL];
};

template <int IS_DIVIDED>
static inline gn_meeting meeting_of(const gn_convolution &work, const gn_axis &axis, int64_t number) {
    gn_meeting made = {0, 0, {0, 0, 0}};
    for (int dim = SPATIAL - 1; dim >= 0; dim--) {
        const int64_t index = axis.sizes[dim] == 1 ? 0 : gn_split(&number, axis.sizes[dim]);
        made.at[dim] = (int32_t)index * axis.multiply[dim] + axis.start[dim];
        made.other += index * axis.inner[dim];
        if (!IS_DIVIDED) { /* then the contributions of n and k to the offset are independent */
            made.source += made.at[dim] * work.source_strides[dim];
        }
    }
    made.source += number * axis.source;
    made.other += number * axis.outer;
    return made;
}

/* The source's element for n and k, or `outside` if their coordinates are outside of it. */
template <int IS_DIVIDED, class T>
static inline T met(const gn_convolution &work, const T *source, const gn_meeting &n, const gn_meeting &k, T outside) {
    bool is_inside = true;
    int64_t offset = n.source + k.source;
    for (int dim = 0; dim < SPATIAL; dim++) {
        int32_t at = n.at[dim] + k.at[dim];
        if (IS_DIVIDED) {
            is_inside = is_inside && at >= 0;
            const uint32_t quotient = (uint32_t)at / (uint32_t)work.divide[dim];
            is_inside = is_inside && quotient * (uint32_t)work.divide[dim] == (uint32_t)at;
            at = (int32_t)quotient;
            offset += at * work.source_strides[dim];
        }
        is_inside = is_inside && (uint32_t)at < (uint32_t)work.limits[dim];
    }
    return is_inside ? source[offset] : outside;
}

#define GN_TEMPLATE "../cuda/convolution_dtype.cuh"
#include "../c/each_dtype.h"
