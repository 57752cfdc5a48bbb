/* Teams: the threads that share a row, THREADS of them: a warp, or a whole block. */
#pragma once

#include "kernel.cuh"

#define GN_WARP 32
#define GN_ALL_LANES 0xffffffffu

/* Which thread of its team the caller is; the number of the team, and how many there are. */
template <int THREADS> static inline int gn_member(void) {
    return (int)(threadIdx.x % THREADS);
}
template <int THREADS> static inline int64_t gn_team(void) {
    return gn_thread() / THREADS;
}
template <int THREADS> static inline int64_t gn_teams(void) {
    return gn_threads() / THREADS;
}

struct gn_add {
    template <class T> static inline T of(T a, T b) {
        return a + b;
    }
};
/* The greater one; NaN is passed over. */
struct gn_greater {
    template <class T> static inline T of(T a, T b) {
        return b > a ? b : a;
    }
};

/* The values of all threads of a team folded, for each of them the same bits: a lane meets the one beside it, then the
 * pairs meet, and so on.  All of the team's threads call it.  `shared` has room for a value of each warp of a block; a
 * team that is a warp leaves it alone. */
template <class FOLD, int THREADS, class T> static inline T gn_team_fold(T value, T *shared) {
    for (int lanes = 1; lanes < GN_WARP; lanes *= 2) {
        value = FOLD::of(value, __shfl_xor_sync(GN_ALL_LANES, value, lanes));
    }
    if (THREADS > GN_WARP) {
        constexpr int warps = THREADS / GN_WARP;
        __syncthreads(); /* what an earlier call left there has been read */
        if (threadIdx.x % GN_WARP == 0) {
            shared[threadIdx.x / GN_WARP] = value;
        }
        __syncthreads();
        value = shared[0];
        for (int warp = 1; warp < warps; warp++) {
            value = FOLD::of(value, shared[warp]);
        }
    }
    return value;
}
