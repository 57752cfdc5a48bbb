/* Reductions: each element of the output from all elements of the input that share its place.
 *
 * In which order elements are folded depends on the sizes alone, so that a result has the same bits each time. */
#include "kernel.cuh"

#define GN_TEMPLATE "../cuda/reduce_dtype.cuh"
#include "../c/each_dtype.h"

#define REDUCE_THREADS 256

/* What is folded: `outputs` elements, each of `count`, cut in `parts` of equal length but the last.  `kept` has the
 * dimensions of the output, `reduced` the others, in which only the input's strides matter. */
template <int DIMS> struct gn_reduction {
    int64_t outputs;
    int64_t count;
    int64_t parts;
    gn_shape<DIMS> kept;
    gn_shape<DIMS> reduced;
};

template <class REDUCTION, int DIMS>
static inline typename REDUCTION::accumulator fold(const gn_reduction<DIMS> &work, const gn_places &from, int64_t begin,
                                                   int64_t end, int64_t step) {
    typename REDUCTION::accumulator total = REDUCTION::first();
    for (int64_t i = begin; i < end; i += step) {
        gn_places here = from;
        gn_move<int64_t>(&here, work.reduced, i, 2);
        total = REDUCTION::both(total, REDUCTION::of(*(const typename REDUCTION::input *)here.at[1]));
    }
    return total;
}

/* A thread for each output: for many outputs of few elements. */
template <class REDUCTION, int DIMS>
__global__ void reduce_threads(gn_places places, gn_reduction<DIMS> work) {
    for (int64_t output = gn_thread(); output < work.outputs; output += gn_threads()) {
        gn_places from = places;
        gn_move<int64_t>(&from, work.kept, output, 2);
        const auto total = fold<REDUCTION>(work, from, 0, work.count, 1);
        *(typename REDUCTION::result *)from.at[0] = REDUCTION::last(total, work.count);
    }
}

/* A block for each part of each output; with more than one part, their totals go to `totals`, those of an output side by
 * side. */
template <class REDUCTION, int DIMS>
__global__ void reduce_blocks(gn_places places, gn_reduction<DIMS> work, char *totals) {
    typedef typename REDUCTION::accumulator accumulator;
    __shared__ accumulator shared[REDUCE_THREADS];
    const int64_t length = (work.count + work.parts - 1) / work.parts;
    for (int64_t number = blockIdx.x; number < work.outputs * work.parts; number += gridDim.x) {
        const int64_t output = number / work.parts;
        const int64_t begin = (number - output * work.parts) * length;
        gn_places from = places;
        gn_move<int64_t>(&from, work.kept, output, 2);
        const int64_t end = gn_min(begin + length, work.count);
        shared[threadIdx.x] = fold<REDUCTION>(work, from, begin + threadIdx.x, end, REDUCE_THREADS);
        __syncthreads();
        for (int half = REDUCE_THREADS / 2; half > 0; half /= 2) {
            if ((int)threadIdx.x < half) {
                shared[threadIdx.x] = REDUCTION::both(shared[threadIdx.x], shared[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            if (work.parts == 1) {
                *(typename REDUCTION::result *)from.at[0] = REDUCTION::last(shared[0], work.count);
            } else {
                ((accumulator *)totals)[number] = shared[0];
            }
        }
        __syncthreads(); /* shared[0] has been read */
    }
}

/* The totals of the parts, one after the other: a thread for each output. */
template <class REDUCTION, int DIMS>
__global__ void reduce_parts(gn_places places, gn_reduction<DIMS> work, const char *totals) {
    typedef typename REDUCTION::accumulator accumulator;
    for (int64_t output = gn_thread(); output < work.outputs; output += gn_threads()) {
        gn_places to = places;
        gn_move<int64_t>(&to, work.kept, output, 2);
        accumulator total = REDUCTION::first();
        for (int64_t part = 0; part < work.parts; part++) {
            total = REDUCTION::both(total, ((const accumulator *)totals)[output * work.parts + part]);
        }
        *(typename REDUCTION::result *)to.at[0] = REDUCTION::last(total, work.count);
    }
}
