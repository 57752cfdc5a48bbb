/* Convolution over one to three spatial dimensions, its gradients, and the transposed kind, as products of matrices of
 * which one is never made: out(m, n) = sum over k of a(m, k) * source(n, k), where source(n, k) is the element of a tensor
 * at the coordinates that n and k give together, or 0 where these lie outside.
 *
 * A convolution takes small(n, m, p) from large(n, c, p * stride - padding + tap * dilation), over channels and taps; its
 * gradient goes the other way, by a division of coordinates; the gradient of the weights sums over positions.  Each is one
 * gn_convolution, and all of them one kernel. */
#include "kernel.cuh"

#define SPATIAL 3
#define CONVOLVE_THREADS 256
#define CONVOLVE_DEPTH 8 /* of k that a block holds in shared memory at once */

/* What a number n or k stands for: an outer index (an image, or a channel) and three inner ones (a position, or a tap); a
 * missing spatial dimension has size 1.  Strides are in elements. */
struct gn_axis {
    int64_t count;
    int64_t sizes[SPATIAL];
    int64_t source;                            /* stride of the outer index in the source */
    int32_t multiply[SPATIAL], start[SPATIAL]; /* what the inner ones add to the coordinates in the source */
    int64_t outer, inner[SPATIAL];             /* strides in the other tensor: a for k, out for n */
};

struct gn_convolution {
    int64_t groups, rows; /* m of each group */
    int64_t parts, length; /* k is cut in so many parts of this length */
    gn_axis n, k;
    int64_t a_row, out_row;                   /* strides of m */
    int64_t a_group, source_group, out_group; /* of groups */
    int64_t bias_step;
    int32_t divide[SPATIAL], limits[SPATIAL]; /* coordinates in the source: divided without a rest, and below these */
    int64_t source_strides[SPATIAL];
};

/* Where a number of an axis points to. */
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
        if (!IS_DIVIDED) { /* then what n and k add to an address does not depend on each other */
            made.source += made.at[dim] * work.source_strides[dim];
        }
    }
    made.source += number * axis.source;
    made.other += number * axis.outer;
    return made;
}

/* The source's element where n and k meet; `outside` where they do not. */
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
