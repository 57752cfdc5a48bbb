/* Separable maps of ([N,] C, *spatial): along each dimension, an output position is a weighted sum of input positions.
 * Padding and upsampling are such maps, and their gradients are the transposed maps, which therefore gather, too.
 *
 * Positions and weights are tables in device memory. */
#include "kernel.cuh"

#define SPATIAL 3

/* Strides, in elements, are those of the batch, the channels and three dimensions; a missing dimension has size 1. */
struct gn_resampling {
    int64_t count, channels;
    int64_t out[SPATIAL];
    int64_t starts[SPATIAL]; /* table indices of each dimension's list bounds, out + 1 of them */
    int64_t places[SPATIAL]; /* table indices of the lists' positions */
    int64_t weights[SPATIAL];
    int32_t is_channels_last; /* adjacent threads have adjacent channels */
    int64_t in_strides[SPATIAL + 2], out_strides[SPATIAL + 2];
};

/* A word of the table: an index, or a double. */
union gn_word {
    int64_t place;
    double weight;
};

/* The offset of an output element's plane in the input, the offset of the element in the output, and its position. */
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

/* Copies one input element to each output element, by size regardless of dtype; each list has one position. */
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

/* Interpolation of uint8 along one dimension; in the others, input and output positions are equal. Weights are
 * integers, scaled by 2^shift; the sum is rounded half up and clamped. */
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
