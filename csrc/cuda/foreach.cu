/* Operators on lists of tensors: one launch for all tensors. A table in device memory has their addresses; each block
 * takes chunks of CHUNK elements, and searches the table for the tensor of each chunk. */
#include "kernel.cuh"

#define FOREACH_CHUNK 4096
#define FOREACH_PARTS 5

/* A real number in device memory, or none. */
struct gn_stored {
    const char *at;
    int32_t dtype;
};

/* An entry of the table: a tensor and those that belong to it (gradient, state), with the same layout; an absent one is
 * null.
 *
 * first_chunk   the number of chunks of the tensors before
 * step          the step count, for Adam and Adagrad */
struct gn_entry {
    char *parts[FOREACH_PARTS];
    int64_t count;
    int64_t first_chunk;
    gn_stored step;
};

/* Arguments common to all tensors. If `found` is 1, nothing is written; gradients are divided by `scale`. */
struct gn_step {
    double lr, lr_decay, weight_decay, momentum, dampening, beta1, beta2, eps;
    int32_t has_momentum, is_first, nesterov, amsgrad, decoupled, maximize;
    gn_stored scale, found;
    gn_scalar number; /* the Scalar of _foreach_add_ */
};

/* Common to all elements of one tensor: the size of its step, and Adam's bias correction. */
struct gn_bias {
    double step_size, root;
};

static inline double read_stored(const gn_stored &stored) {
    switch (stored.dtype) {
    case GN_BOOL:
    case GN_UINT8:
        return *(const uint8_t *)stored.at;
    case GN_INT8:
        return *(const int8_t *)stored.at;
    case GN_INT16:
        return *(const int16_t *)stored.at;
    case GN_INT32:
        return *(const int32_t *)stored.at;
    case GN_INT64:
        return (double)*(const int64_t *)stored.at;
    case GN_FLOAT16:
        return gn_from_float16(*(const uint16_t *)stored.at);
    case GN_BFLOAT16:
        return gn_from_bfloat16(*(const uint16_t *)stored.at);
    case GN_FLOAT32:
        return *(const float *)stored.at;
    default:
        return *(const double *)stored.at;
    }
}

/* The entry of the tensor that contains a chunk. */
static inline int64_t entry_of(const gn_entry *entries, int64_t count, int64_t chunk) {
    int64_t first = 0;
    while (count > 1) {
        const int64_t half = count / 2;
        if (entries[first + half].first_chunk <= chunk) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

static inline bool is_left_out(const gn_step &step) {
    return step.found.at != nullptr && read_stored(step.found) == 1;
}

#define GN_TEMPLATE "../cuda/foreach_dtype.cuh"
#include "../c/each_dtype.h"

/* All tensors of the table, LANES elements at a time. */
template <class OPERATION, int LANES>
__global__ void foreach_dense(const gn_entry *entries, int64_t count, int64_t chunks, gn_step step) {
    typedef typename OPERATION::element element;
    typedef gn_lanes<element, LANES> lanes;
    if (is_left_out(step)) {
        return;
    }
    const double scale = step.scale.at == nullptr ? 1 : read_stored(step.scale);
    __shared__ gn_bias bias;
    for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const gn_entry *entry = entries + entry_of(entries, count, chunk);
        const int64_t begin = (chunk - entry->first_chunk) * FOREACH_CHUNK;
        const int64_t end = gn_min(begin + FOREACH_CHUNK, entry->count);
        if (OPERATION::has_bias) {
            __syncthreads(); /* the previous chunk's bias has been read */
            if (threadIdx.x == 0) {
                bias = OPERATION::bias_of(step, read_stored(entry->step));
            }
            __syncthreads();
        }
        const int64_t whole = begin + (end - begin) / LANES * LANES;
        for (int64_t i = begin + threadIdx.x * LANES; i < whole; i += blockDim.x * LANES) {
            lanes given[OPERATION::parts];
            for (int k = 0; k < OPERATION::parts; k++) {
                if (entry->parts[k] != nullptr) {
                    given[k] = *(const lanes *)((const element *)entry->parts[k] + i);
                }
            }
            for (int lane = 0; lane < LANES; lane++) {
                element elements[OPERATION::parts];
                for (int k = 0; k < OPERATION::parts; k++) {
                    elements[k] = given[k].each[lane];
                }
                OPERATION::run(step, bias, scale, elements);
                for (int k = 0; k < OPERATION::parts; k++) {
                    given[k].each[lane] = elements[k];
                }
            }
            for (int k = 0; k < OPERATION::parts; k++) {
                if (entry->parts[k] != nullptr && OPERATION::writes(step, k)) {
                    *(lanes *)((element *)entry->parts[k] + i) = given[k];
                }
            }
        }
        for (int64_t i = whole + threadIdx.x; i < end; i += blockDim.x) {
            element elements[OPERATION::parts];
            for (int k = 0; k < OPERATION::parts; k++) {
                if (entry->parts[k] != nullptr) {
                    elements[k] = ((const element *)entry->parts[k])[i];
                }
            }
            OPERATION::run(step, bias, scale, elements);
            for (int k = 0; k < OPERATION::parts; k++) {
                if (entry->parts[k] != nullptr && OPERATION::writes(step, k)) {
                    ((element *)entry->parts[k])[i] = elements[k];
                }
            }
        }
    }
}

/* One tensor and those that belong to it, with any strides. */
template <class OPERATION>
__global__ void foreach_strided(gn_view self, gn_view grad, gn_view second, gn_view third, gn_view fourth,
                                gn_stored number, gn_step step) {
    typedef typename OPERATION::element element;
    if (is_left_out(step)) {
        return;
    }
    const double scale = step.scale.at == nullptr ? 1 : read_stored(step.scale);
    gn_bias bias = {0, 0};
    if (OPERATION::has_bias) {
        bias = OPERATION::bias_of(step, read_stored(number));
    }
    const int64_t count = gn_count(self);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        char *at[FOREACH_PARTS] = {gn_place(self, i), nullptr, nullptr, nullptr, nullptr};
        at[1] = grad.at == nullptr ? nullptr : gn_place(grad, i);
        at[2] = second.at == nullptr ? nullptr : gn_place(second, i);
        at[3] = third.at == nullptr ? nullptr : gn_place(third, i);
        at[4] = fourth.at == nullptr ? nullptr : gn_place(fourth, i);
        element elements[OPERATION::parts];
        for (int k = 0; k < OPERATION::parts; k++) {
            if (at[k] != nullptr) {
                elements[k] = *(const element *)at[k];
            }
        }
        OPERATION::run(step, bias, scale, elements);
        for (int k = 0; k < OPERATION::parts; k++) {
            if (at[k] != nullptr && OPERATION::writes(step, k)) {
                *(element *)at[k] = elements[k];
            }
        }
    }
}
