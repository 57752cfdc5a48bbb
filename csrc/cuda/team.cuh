/* Teams: the threads that share a row, THREADS of them: a part of a warp, a warp, or a whole block. */
#pragma once

#include "kernel.cuh"

#define GN_WARP 32
#define GN_ALL_LANES 0xffffffffu

/* Which thread of its team the caller is. */
template <int THREADS> static inline int gn_member(void) {
    return (int)(threadIdx.x % THREADS);
}

/* Rows are shared out to teams by `for (gn_turns<THREADS> turn(count); turn.any(); turn.next())`, in which `turn.row`
 * is that of the caller's team.  The threads of a warp, which may be several teams, go through the same turns, so
 * that they can meet; `is_there` is false for a team that has none left. */
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
/* The greater one; NaN is passed over. */
struct gn_greater {
    template <class T> static inline T of(T a, T b) {
        return b > a ? b : a;
    }
};

/* The value of the lane whose number differs by `apart`. */
template <class T> static inline T gn_of_lane(T value, int apart) {
    return __shfl_xor_sync(GN_ALL_LANES, value, apart);
}
template <class T> static inline gn_complex<T> gn_of_lane(gn_complex<T> value, int apart) {
    return gn_complex<T>(gn_of_lane(value.re, apart), gn_of_lane(value.im, apart));
}

/* The values of all threads of a team folded, for each of them the same bits: a lane meets the one beside it, then
 * the pairs meet, and so on.  All threads of a warp call it.  `shared` has room for a value of each warp of a block;
 * teams within a warp leave it alone. */
template <class FOLD, int THREADS, class T> static inline T gn_team_fold(T value, T *shared) {
    constexpr int lanes = THREADS < GN_WARP ? THREADS : GN_WARP;
#pragma unroll
    for (int apart = 1; apart < lanes; apart *= 2) {
        value = FOLD::of(value, gn_of_lane(value, apart));
    }
    if constexpr (THREADS > GN_WARP) {
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
