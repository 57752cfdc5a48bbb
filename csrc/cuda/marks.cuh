/* Compaction: finds the elements that satisfy a predicate, in row-major order. A first pass counts them in each tile,
 * so that a second pass knows the output position of each tile's first one. */
#pragma once

#include "places.cuh"

#define MARK_THREADS 256
#define MARK_WARPS (MARK_THREADS / 32)
#define MARK_ROUNDS 8 /* elements of a tile per thread */
#define MARK_TILE (MARK_THREADS * MARK_ROUNDS)

/* counts[tile] = the number of its elements that satisfy the predicate. There is one count more than tiles, which is
 * 0. */
template <class IS_WANTED> static inline void gn_count_marks(int64_t count, int64_t *counts, IS_WANTED is_wanted) {
    __shared__ int32_t shared[MARK_WARPS];
    const int64_t tiles = (count + MARK_TILE - 1) / MARK_TILE;
    for (int64_t tile = blockIdx.x; tile <= tiles; tile += gridDim.x) {
        int32_t here = 0;
        GN_ROLLED
        for (int32_t round = 0; round < MARK_ROUNDS; round++) {
            const int64_t i = tile * MARK_TILE + round * MARK_THREADS + threadIdx.x;
            here += __popc(__ballot_sync(0xffffffffu, i < count && is_wanted(i)));
        }
        if (threadIdx.x % 32 == 0) {
            shared[threadIdx.x / 32] = here;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int64_t total = 0;
            for (int32_t warp = 0; warp < MARK_WARPS; warp++) {
                total += shared[warp];
            }
            counts[tile] = total;
        }
        __syncthreads();
    }
}

/* Calls act(i, rank) for each element i that satisfies the predicate, where rank is the number of such elements before
 * it. `before` is the exclusive prefix sum of the tiles' counts. */
template <class IS_WANTED, class ACTION>
static inline void gn_walk_marks(int64_t count, const int64_t *before, IS_WANTED is_wanted, ACTION act) {
    __shared__ uint32_t votes[MARK_ROUNDS * MARK_WARPS]; /* one bit per lane whose element satisfies the predicate */
    __shared__ int32_t ranks[MARK_ROUNDS * MARK_WARPS];
    const int32_t warp = (int32_t)threadIdx.x / 32;
    const int32_t lane = (int32_t)threadIdx.x % 32;
    const int64_t tiles = (count + MARK_TILE - 1) / MARK_TILE;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        GN_ROLLED
        for (int32_t round = 0; round < MARK_ROUNDS; round++) {
            const int64_t i = tile * MARK_TILE + round * MARK_THREADS + threadIdx.x;
            const uint32_t here = __ballot_sync(0xffffffffu, i < count && is_wanted(i));
            if (lane == 0) {
                votes[round * MARK_WARPS + warp] = here;
            }
        }
        __syncthreads();
        if (threadIdx.x < MARK_ROUNDS * MARK_WARPS) {
            int32_t earlier = 0;
            for (int32_t each = 0; each < (int32_t)threadIdx.x; each++) {
                earlier += __popc(votes[each]);
            }
            ranks[threadIdx.x] = earlier;
        }
        __syncthreads();
        GN_ROLLED
        for (int32_t round = 0; round < MARK_ROUNDS; round++) {
            const uint32_t here = votes[round * MARK_WARPS + warp];
            if (here >> lane & 1) {
                const int32_t rank = ranks[round * MARK_WARPS + warp] + __popc(here & ((1u << lane) - 1));
                act(tile * MARK_TILE + round * MARK_THREADS + threadIdx.x, before[tile] + rank);
            }
        }
        __syncthreads();
    }
}
