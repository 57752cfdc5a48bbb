/* Maps of ([N,] C, *spatial) that go dimension by dimension: along each, an output position is a sum of input positions with
 * weights.  Padding and upsampling are such maps, and their gradients the transposed ones, so that these gather, too.
 *
 * Positions and weights are tables in device memory. */
#include "kernel.cuh"

#define SPATIAL 3

/* Strides, in elements, are those of the batch, the channels and three dimensions, of which a missing one has size 1. */
struct gn_resampling {
    int64_t count, channels;
    int64_t out[SPATIAL];
    int64_t starts[SPATIAL]; /* where in the table the lists of a dimension begin: out + 1 numbers */
    int64_t places[SPATIAL]; /* the lists' positions */
    int64_t weights[SPATIAL];
    int32_t is_channels_last; /* threads side by side take channels side by side */
    int64_t in_strides[SPATIAL + 2], out_strides[SPATIAL + 2];
};

/* The table's words, some of which are doubles. */
union gn_word {
    int64_t place;
    double weight;
};

/* Offsets of an output element's plane in the input, and of the element itself; `at` is its position. */
struct gn_target {
    int64_t from, to;
    int64_t at[SPATIAL];
};

static inline gn_target target_of(const gn_resampling &work, int64_t number) {
    gn_target made = {0, 0, {0, 0, 0}};
    int64_t channel = 0;
    if (work.is_channels_last) {
        channel = gn_split(&number, work.channels);
    }
    for (int dim = SPATIAL - 1; dim >= 0; dim--) {
        made.at[dim] = work.out[dim] == 1 ? 0 : gn_split(&number, work.out[dim]);
        made.to += made.at[dim] * work.out_strides[dim + 2];
    }
    if (!work.is_channels_last) {
        channel = gn_split(&number, work.channels);
    }
    made.from = number * work.in_strides[0] + channel * work.in_strides[1];
    made.to += number * work.out_strides[0] + channel * work.out_strides[1];
    return made;
}

/* Each element one of the input's, moved by its size; lists are of one position each. */
template <class T> __global__ void copy_positions(gn_resampling work, const gn_word *table, const T *in, T *out) {
    for (int64_t i = gn_thread(); i < work.count; i += gn_threads()) {
        const gn_target target = target_of(work, i);
        int64_t from = target.from;
        for (int dim = 0; dim < SPATIAL; dim++) {
            from += table[work.places[dim] + target.at[dim]].place * work.in_strides[dim + 2];
        }
        out[target.to] = in[from];
    }
}

/* uint8 interpolated: along one dimension, whose positions are the others' own, sums by weights that are integers and were
 * doubled `shift` times for that; rounded half up, and clamped. */
__global__ void sum_bytes(gn_resampling work, int32_t dim, int32_t shift, const gn_word *table, const uint8_t *in,
                          uint8_t *out) {
    const int64_t half = ((int64_t)1 << shift) >> 1;
    for (int64_t i = gn_thread(); i < work.count; i += gn_threads()) {
        const gn_target target = target_of(work, i);
        int64_t from = target.from;
        for (int each = 0; each < SPATIAL; each++) {
            from += each == dim ? 0 : target.at[each] * work.in_strides[each + 2];
        }
        int64_t sum = half;
        const gn_word *starts = table + work.starts[dim] + target.at[dim];
        for (int64_t k = starts[0].place; k < starts[1].place; k++) {
            const int64_t place = table[work.places[dim] + k].place;
            sum += in[from + place * work.in_strides[dim + 2]] * (int64_t)table[work.weights[dim] + k].weight;
        }
        out[target.to] = (uint8_t)gn_min(gn_max(sum >> shift, 0), 255);
    }
}

#define GN_TEMPLATE "../cuda/resample_dtype.cuh"
#include "../c/each_dtype.h"
