/* Reductions: each element of the output is computed from all elements of the input with the same index in the
 * dimensions that are kept.
 *
 * The order in which elements are folded depends only on the sizes, the strides and the device, so that a result always
 * has the same bits. A REDUCTION is a structure with
 *
 *     input, accumulator, result                                       the types
 *     static accumulator first();                                      the accumulator of no elements
 *     template <int COUNT> static void fold(accumulator *total, const input *elements, double number);
 *     static accumulator both(accumulator a, accumulator b, double number);
 *     static result last(accumulator total, int64_t count, double number);
 *
 * where `number` is the call's Scalar, if it has one. */
#pragma once

#include "kernel.cuh"

#define REDUCE_THREADS 256
/* Elements that a thread loads before it folds them, so that the latencies of the loads overlap. */
#define REDUCE_TOGETHER 8

/* The work: `outputs` results, each from `count` elements, which are split into `parts` of equal length except the
 * last. A block computes a part of `width` adjacent outputs, a power of 2, at most REDUCE_THREADS. `kept` has the
 * dimensions of the output; `reduced` has the others, in which only the input's strides are used. */
template <int DIMS> struct gn_reduction {
    int64_t outputs;
    int64_t count;
    int64_t parts;
    int64_t width;
    double number;
    gn_shape<DIMS> kept;
    gn_shape<DIMS> reduced;
};

/* The byte offset of element `index` of the reduced dimensions. The remaining index belongs to the last dimension
 * without a division; most reductions have only one. */
template <int DIMS> static inline int64_t reduced_offset(const gn_shape<DIMS> &reduced, int64_t index) {
    int64_t offset = 0;
    const int32_t last = reduced.ndim - 1;
    for (int32_t dim = 0; dim < last; dim++) {
        const int64_t above = index / reduced.sizes[dim];
        offset += (index - above * reduced.sizes[dim]) * reduced.strides[1][dim];
        index = above;
    }
    return last < 0 ? 0 : offset + index * reduced.strides[1][last];
}

template <class REDUCTION, int DIMS>
static inline typename REDUCTION::accumulator fold(const gn_reduction<DIMS> &work, const char *from, int64_t begin,
                                                   int64_t end, int64_t step) {
    typedef typename REDUCTION::input input;
    typename REDUCTION::accumulator total = REDUCTION::first();
    int64_t i = begin;
    for (; i + (REDUCE_TOGETHER - 1) * step < end; i += REDUCE_TOGETHER * step) {
        input elements[REDUCE_TOGETHER];
#pragma unroll
        for (int k = 0; k < REDUCE_TOGETHER; k++) { /* unrolled: registers cannot be indexed at run time */
            elements[k] = *(const input *)(from + reduced_offset(work.reduced, i + k * step));
        }
        REDUCTION::template fold<REDUCE_TOGETHER>(&total, elements, work.number);
    }
    for (; i < end; i += step) {
        REDUCTION::template fold<1>(&total, (const input *)(from + reduced_offset(work.reduced, i)), work.number);
    }
    return total;
}

/* Folds the totals of a block's threads, in a fixed order. The results of `width` columns are in the first row of
 * threads. */
template <class REDUCTION>
static inline typename REDUCTION::accumulator block_total(typename REDUCTION::accumulator *shared,
                                                          typename REDUCTION::accumulator mine, int width,
                                                          double number) {
    const int thread = (int)threadIdx.x;
    __syncthreads(); /* the result of the last call has been read */
    shared[thread] = mine;
    __syncthreads();
    for (int half = REDUCE_THREADS / 2; half >= width; half /= 2) {
        if (thread < half) {
            shared[thread] = REDUCTION::both(shared[thread], shared[thread + half], number);
        }
        __syncthreads();
    }
    return shared[thread];
}

/* One thread per output: for many outputs of few elements. */
template <class REDUCTION, int DIMS>
__global__ void reduce_threads(gn_places places, gn_reduction<DIMS> work) {
    for (int64_t output = gn_thread(); output < work.outputs; output += gn_threads()) {
        gn_places from = places;
        gn_move<int64_t>(&from, work.kept, output, 2);
        const auto total = fold<REDUCTION>(work, from.at[1], 0, work.count, 1);
        *(typename REDUCTION::result *)from.at[0] = REDUCTION::last(total, work.count, work.number);
    }
}

/* One block for a part of `width` outputs: adjacent threads fold adjacent outputs, so that reads are coalesced if
 * adjacent elements of the input belong to different outputs. With more than one part, the totals are written to
 * `totals`, those of one output contiguously. */
template <class REDUCTION, int DIMS>
__global__ void reduce_blocks(gn_places places, gn_reduction<DIMS> work, char *totals) {
    typedef typename REDUCTION::accumulator accumulator;
    __shared__ accumulator shared[REDUCE_THREADS];
    const int width = (int)work.width;
    const int column = (int)threadIdx.x % width;
    const int row = (int)threadIdx.x / width;
    const int rows = REDUCE_THREADS / width;
    const int64_t groups = (work.outputs + width - 1) / width;
    const int64_t length = (work.count + work.parts - 1) / work.parts;
    for (int64_t number = blockIdx.x; number < groups * work.parts; number += gridDim.x) {
        const int64_t group = number / work.parts;
        const int64_t part = number - group * work.parts;
        const int64_t output = group * width + column;
        gn_places from = places;
        accumulator total = REDUCTION::first();
        if (output < work.outputs) {
            gn_move<int64_t>(&from, work.kept, output, 2);
            const int64_t end = gn_min((part + 1) * length, work.count);
            total = fold<REDUCTION>(work, from.at[1], part * length + row, end, rows);
        }
        total = block_total<REDUCTION>(shared, total, width, work.number);
        if (row == 0 && output < work.outputs) {
            if (work.parts == 1) {
                *(typename REDUCTION::result *)from.at[0] = REDUCTION::last(total, work.count, work.number);
            } else {
                ((accumulator *)totals)[output * work.parts + part] = total;
            }
        }
    }
}

/* One block per output: folds the totals of its parts. */
template <class REDUCTION, int DIMS>
__global__ void reduce_parts(gn_places places, gn_reduction<DIMS> work, const char *totals) {
    typedef typename REDUCTION::accumulator accumulator;
    __shared__ accumulator shared[REDUCE_THREADS];
    for (int64_t output = blockIdx.x; output < work.outputs; output += gridDim.x) {
        accumulator total = REDUCTION::first();
        for (int64_t part = threadIdx.x; part < work.parts; part += REDUCE_THREADS) {
            total = REDUCTION::both(total, ((const accumulator *)totals)[output * work.parts + part], work.number);
        }
        total = block_total<REDUCTION>(shared, total, 1, work.number);
        if (threadIdx.x == 0) {
            gn_places to = places;
            gn_move<int64_t>(&to, work.kept, output, 2);
            *(typename REDUCTION::result *)to.at[0] = REDUCTION::last(total, work.count, work.number);
        }
    }
}
