/* Elements that are wanted, or not, counted in row-major order: each tile of them first, so that each knows where its first
 * one goes. */
#pragma once

#include "places.cuh"

#define MARK_THREADS 256
#define MARK_WARPS (MARK_THREADS / 32)
#define MARK_ROUNDS 8 /* elements of a tile that a thread looks at */
#define MARK_TILE (MARK_THREADS * MARK_ROUNDS)

/* counts[tile] = how many of its elements are wanted; one more count than there are tiles is 0. */
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

/* act(i, rank) for each element i that is wanted, whose rank is how many are before it; `before`: how many of the tiles
 * before each. */
template <class IS_WANTED, class ACTION>
static inline void gn_walk_marks(int64_t count, const int64_t *before, IS_WANTED is_wanted, ACTION act) {
    __shared__ uint32_t votes[MARK_ROUNDS * MARK_WARPS]; /* a bit for each lane that is wanted */
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
