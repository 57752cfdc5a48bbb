/* Tiled matrix products: a block of SIDE * SIDE threads multiplies pieces of two matrices in shared memory. Each thread
 * accumulates some rows and columns of the product in registers. */
#pragma once

#include "number.cuh"

#define SIDE 16 /* threads along a side of a tile */
#define TILE_THREADS (SIDE * SIDE)
/* The number of indices of k whose pieces are in shared memory at once, as many as fit. */
#if GN_CUDA_CODE == GN_COMPLEX128
#define STEP 8
#else
#define STEP 16
#endif

/* One thread's part of a piece of a factor, in registers on the way from global to shared memory. A piece has SIZE rows
 * of the left factor (or columns of the right one), called "outside" here, by STEP indices of k. Adjacent threads read
 * adjacent elements if one of the strides is 1: with `is_along_k` a thread has one index of k and several outside, else
 * one outside and several of k. */
template <int SIZE> struct gn_share {
    static constexpr int count = SIZE * STEP / TILE_THREADS;
    static constexpr int apart_outside = TILE_THREADS / STEP;
    static constexpr int apart_inside = TILE_THREADS / SIZE;
    typedef gn_lanes<gn_total, 4> piece[STEP][SIZE / 4 + 1];

    gn_storage held[count];
    const gn_storage *from; /* the thread's first element */
    int64_t apart;          /* from an element to the next */
    int64_t advance;        /* from a piece to the next */
    int32_t outside_left;   /* how many outside indices remain, counted from the first */
    int32_t place, depth;   /* of the first element */
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

    /* Reads the next piece, which has `inside` indices of k. Elements outside the matrix become 0. */
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

/* A product of SIDE * ROWS by SIDE * ROWS elements. A thread has ROWS by ROWS of them: rows and columns in groups of
 * four, with a distance of SIDE groups, so that the threads of a warp read adjacent vectors of shared memory. */
template <int ROWS, int AT_ONCE = 2> struct gn_tile {
    static constexpr int size = SIDE * ROWS;
    static constexpr int groups = ROWS / 4;
    typedef gn_lanes<gn_total, 4> four;
    typedef typename gn_share<size>::piece piece;
    /* Double buffering: two pieces of each factor, one being multiplied while the next is loaded. */
    struct room {
        piece left[2], right[2];
    };

    gn_total sums[ROWS][ROWS];

    /* The row or column of the tile that corresponds to index i of the thread. */
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

    /* Adds the product of `rows` by `depth` elements of the left factor (strides `down` and, along k, `left_step`) and
     * `depth` by `columns` elements of the right one (strides `right_step` along k, and `across`). All threads of the
     * block must call it. */
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
            which = 1 - which; /* its last readers have passed the barrier of the next step before it is written */
        }
        __syncthreads(); /* the pieces have been read */
    }
};
