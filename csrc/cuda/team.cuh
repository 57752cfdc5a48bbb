/* A team is the group of THREADS threads that share a row: a part of a warp, a warp, or a whole block. */
#pragma once

#include "kernel.cuh"

#define GN_WARP 32
#define GN_ALL_LANES 0xffffffffu

/* The index of the calling thread in its team. */
template <int THREADS> static inline int gn_member(void) {
    return (int)(threadIdx.x % THREADS);
}

/* Distributes rows to teams: `for (gn_turns<THREADS> turn(count); turn.any(); turn.next())`, where `turn.row` is the
 * row of the caller's team. All threads of a warp, which may contain several teams, run the same number of iterations,
 * so that warp shuffles are valid; `is_there` is false in an iteration for which a team has no row. */
template <int THREADS> struct gn_turns {
    static constexpr int together = THREADS < GN_WARP ? GN_WARP / THREADS : 1;
    int64_t count, row;
    bool is_there;

    inline gn_turns(int64_t rows) : count(rows), row(gn_thread() / THREADS) {
        is_there = row < count;
    }
    inline bool any() const {
        return row / together * together < count;
    }
    inline void next() {
        row += gn_threads() / THREADS;
        is_there = row < count;
    }
};

struct gn_add {
    template <class T> static inline T of(T a, T b) {
        return a + b;
    }
};
/* The maximum; a NaN in `b` is ignored. */
struct gn_greater {
    template <class T> static inline T of(T a, T b) {
        return b > a ? b : a;
    }
};

/* The value of the lane whose index is this lane's XOR `apart`. */
template <class T> static inline T gn_of_lane(T value, int apart) {
    return __shfl_xor_sync(GN_ALL_LANES, value, apart);
}
template <class T> static inline gn_complex<T> gn_of_lane(gn_complex<T> value, int apart) {
    return gn_complex<T>(gn_of_lane(value.re, apart), gn_of_lane(value.im, apart));
}

/* Folds the values of all threads of a team; each thread gets the result, with the same bits. Within a warp it is a
 * butterfly of shuffles. All threads of a warp must call it. `shared` has an element for each warp of the block; teams
 * within a warp do not use it. */
template <class FOLD, int THREADS, class T> static inline T gn_team_fold(T value, T *shared) {
    constexpr int lanes = THREADS < GN_WARP ? THREADS : GN_WARP;
#pragma unroll
    for (int apart = 1; apart < lanes; apart *= 2) {
        value = FOLD::of(value, gn_of_lane(value, apart));
    }
    if constexpr (THREADS > GN_WARP) {
        constexpr int warps = THREADS / GN_WARP;
        __syncthreads(); /* the result of an earlier call has been read */
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
