/* Products of tiles: a block of SIDE * SIDE threads multiplies pieces of two matrices in shared memory, each thread
 * some rows and columns of the product in registers. */
#pragma once

#include "number.cuh"

#define SIDE 16 /* threads along a side of a tile */
#define TILE_THREADS (SIDE * SIDE)
/* Places of k of which pieces are in shared memory at once, as many as fit there. */
#if GN_CUDA_CODE == GN_COMPLEX128
#define STEP 8
#else
#define STEP 16
#endif

/* A thread's share of a piece of a factor: SIZE places outside by STEP of k, on the way from memory to shared memory.
 * Threads next to each other take elements that are next to each other, where one of the strides allows it: with
 * `is_along_k` a thread has one place of k and several outside, else the other way round. */
template <int SIZE> struct gn_share {
    static constexpr int count = SIZE * STEP / TILE_THREADS;
    static constexpr int apart_outside = TILE_THREADS / STEP;
    static constexpr int apart_inside = TILE_THREADS / SIZE;
    typedef gn_lanes<gn_total, 4> piece[STEP][SIZE / 4 + 1];

    gn_storage held[count];
    const gn_storage *from; /* the first of them */
    int64_t apart;          /* from one to the next */
    int64_t advance;        /* to the next piece */
    int32_t outside_left;   /* places outside from the first on */
    int32_t place, depth;   /* of the first */
    bool is_along_k;

    inline void begin(const gn_storage *factor, int64_t outer, int64_t inner, int64_t outside, bool along_k) {
        const int thread = (int)threadIdx.x;
        is_along_k = along_k;
        place = along_k ? thread / STEP : thread % SIZE;
        depth = along_k ? thread % STEP : thread / SIZE;
        from = factor + place * outer + depth * inner;
        apart = along_k ? apart_outside * outer : apart_inside * inner;
        advance = STEP * inner;
        outside_left = (int32_t)gn_min(outside, SIZE) - place;
    }

    /* Takes the next piece, of which `inside` places of k are there.  Zeros stand for what is outside of the matrix. */
    inline void read(int64_t inside) {
        const int inside_left = (int)gn_min(inside, STEP) - depth;
        int there = is_along_k ? (outside_left + apart_outside - 1) / apart_outside
                               : (inside_left + apart_inside - 1) / apart_inside;
        there = outside_left > 0 && inside_left > 0 ? there : 0;
#pragma unroll
        for (int i = 0; i < count; i++) {
            held[i] = i < there ? from[i * apart] : (gn_storage)0;
        }
        from += advance;
    }

    inline void write(piece &to) const {
        const int next = is_along_k ? apart_outside : apart_inside * (SIZE + 4);
        gn_total *first = &to[0][0].each[0] + depth * (SIZE + 4) + place;
#pragma unroll
        for (int i = 0; i < count; i++) {
            first[i * next] = (gn_total)gn_load(held[i]);
        }
    }
};

/* A product of (SIDE ROWS) squared elements.  A thread has ROWS squared of them: rows and columns in groups of four,
 * the groups SIDE of them apart, so that the threads of a warp read neighbouring vectors of shared memory. */
template <int ROWS, int AT_ONCE = 2> struct gn_tile {
    static constexpr int size = SIDE * ROWS;
    static constexpr int groups = ROWS / 4;
    typedef gn_lanes<gn_total, 4> four;
    typedef typename gn_share<size>::piece piece;
    /* Two pieces of each factor: while one is multiplied, the next is on its way. */
    struct room {
        piece left[2], right[2];
    };

    gn_total sums[ROWS][ROWS];

    /* Which row or column of the tile the thread's number i is. */
    static inline int row(int i) {
        return (i / 4 * SIDE + (int)threadIdx.x / SIDE) * 4 + i % 4;
    }
    static inline int column(int j) {
        return (j / 4 * SIDE + (int)threadIdx.x % SIDE) * 4 + j % 4;
    }

    inline void clear(void) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                sums[i][j] = 0;
            }
        }
    }

    /* Adds the product of two pieces. */
    inline void add_pieces(const piece &left, const piece &right) {
        const int down = (int)threadIdx.x / SIDE;
        const int across = (int)threadIdx.x % SIDE;
#pragma unroll AT_ONCE
        for (int place = 0; place < STEP; place++) {
            four a[groups], b[groups];
#pragma unroll
            for (int group = 0; group < groups; group++) {
                a[group] = left[place][group * SIDE + down];
                b[group] = right[place][group * SIDE + across];
            }
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
#pragma unroll
                for (int j = 0; j < ROWS; j++) {
                    sums[i][j] += a[i / 4].each[i % 4] * b[j / 4].each[j % 4];
                }
            }
        }
    }

    /* Adds the product of `rows` by `depth` elements of the left factor, `down` apart and along k `left_step`, with
     * `depth` by `columns` of the right one, `across` and `right_step` apart.  All threads of the block call it. */
    inline void add(room &shared, const gn_storage *left, int64_t down, int64_t left_step, int64_t rows,
                    const gn_storage *right, int64_t across, int64_t right_step, int64_t columns, int64_t depth) {
        gn_share<size> of_left, of_right;
        of_left.begin(left, down, left_step, rows, left_step == 1);
        of_right.begin(right, across, right_step, columns, right_step == 1 && across != 1);
        of_left.read(depth);
        of_right.read(depth);
        int which = 0;
        for (int64_t left_over = depth; left_over > 0; left_over -= STEP) {
            of_left.write(shared.left[which]);
            of_right.write(shared.right[which]);
            __syncthreads();
            if (left_over > STEP) {
                of_left.read(left_over - STEP);
                of_right.read(left_over - STEP);
            }
            add_pieces(shared.left[which], shared.right[which]);
            which = 1 - which; /* whose last readers are behind the barrier that the next step comes to */
        }
        __syncthreads(); /* the pieces have been read */
    }
};
