/* Products of matrices: out = alpha left right + beta self, for each matrix of a batch.
 *
 * product_tiles is for matrices: a block makes a square tile of the output, from pieces of both factors in shared
 * memory, each thread some rows and columns of it in registers.  product_rows and product_columns are for a row times a
 * matrix, where no element is used twice.  Where a product has too few outputs to keep the device busy, k is cut in
 * parts; their sums are kept apart and added up in order by product_end. */
#include "number.cuh"
#include "team.cuh"

#define PRODUCT_THREADS 256
#define SIDE 16 /* threads along a side of a tile: SIDE * SIDE are all */
#define STEP 16 /* places of k of which pieces are in shared memory at once */
#define COLUMNS 32
#define SLICES (PRODUCT_THREADS / COLUMNS)

/* A matrix of a batch; strides in elements. */
struct gn_matrix {
    gn_storage *at;
    int64_t batch;
    int64_t row;
    int64_t column;
};

/* left is (m, k), right (k, n).  k is cut in `parts` of `length`, a multiple of STEP, but for the last. */
struct gn_product {
    int64_t batches, m, n, k;
    int64_t parts, length;
    gn_matrix out, self, left, right;
};

/* Writes an element of the output.  A beta of 0 ignores what `self` holds; `self` may be the output. */
static inline void end_product(const gn_product &work, const gn_numbers &numbers, int64_t batch, int64_t row,
                               int64_t column, gn_total sum) {
    const gn_total beta = (gn_total)gn_number(&numbers, 0);
    const gn_total alpha = (gn_total)gn_number(&numbers, 1);
    gn_total found = alpha * sum;
    if (beta != 0) {
        const gn_matrix &self = work.self;
        const int64_t place = batch * self.batch + row * self.row + column * self.column;
        found += beta * (gn_total)gn_load(self.at[place]);
    }
    const gn_matrix &out = work.out;
    out.at[batch * out.batch + row * out.row + column * out.column] = gn_store((gn_compute)found);
}

/* The same, or of one of several parts its sum to `totals`, which are (parts, batches, m, n). */
static inline void keep_product(const gn_product &work, const gn_numbers &numbers, gn_total *totals, int64_t part,
                                int64_t batch, int64_t row, int64_t column, gn_total sum) {
    if (work.parts == 1) {
        end_product(work, numbers, batch, row, column, sum);
    } else {
        totals[((part * work.batches + batch) * work.m + row) * work.n + column] = sum;
    }
}

/* A thread's share of a piece of a factor: SIZE places outside by STEP of k, on the way from memory to shared memory.
 * Threads next to each other take elements that are next to each other, where one of the strides allows it: with
 * `is_along_k` a thread has one place of k and several outside, else the other way round. */
template <int SIZE> struct gn_share {
    static constexpr int count = SIZE * STEP / PRODUCT_THREADS;
    static constexpr int apart_outside = PRODUCT_THREADS / STEP;
    static constexpr int apart_inside = PRODUCT_THREADS / SIZE;
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

/* A block for each tile of (SIDE ROWS) squared elements, of each part.  A thread makes ROWS squared elements: rows and
 * columns in groups of four, the groups SIDE of them apart, so that the threads of a warp read neighbouring vectors of
 * shared memory.  Shared memory has two pieces of each factor: while one is multiplied, the next is on its way. */
template <int ROWS>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    product_tiles(gn_product work, gn_numbers numbers, gn_total *totals) {
    constexpr int tile = SIDE * ROWS;
    constexpr int groups = ROWS / 4;
    typedef gn_lanes<gn_total, 4> four;
    __shared__ typename gn_share<tile>::piece left_pieces[2], right_pieces[2];
    const int down = (int)threadIdx.x / SIDE;
    const int across = (int)threadIdx.x % SIDE;
    const bool left_along_k = work.left.column == 1;
    const bool right_along_k = work.right.row == 1 && work.right.column != 1;
    const int64_t tiles_m = (work.m + tile - 1) / tile;
    const int64_t tiles_n = (work.n + tile - 1) / tile;
    const int64_t units = tiles_m * tiles_n * work.parts * work.batches;
    for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const int64_t row = unit % tiles_m * tile;
        const int64_t column = unit / tiles_m % tiles_n * tile;
        const int64_t part = unit / (tiles_m * tiles_n) % work.parts;
        const int64_t batch = unit / (tiles_m * tiles_n) / work.parts;
        const int64_t end = gn_min((part + 1) * work.length, work.k);
        const gn_storage *left = work.left.at + batch * work.left.batch + row * work.left.row;
        const gn_storage *right = work.right.at + batch * work.right.batch + column * work.right.column;
        gn_share<tile> of_left, of_right;
        const int64_t begin = part * work.length;
        of_left.begin(left + begin * work.left.column, work.left.row, work.left.column, work.m - row, left_along_k);
        of_right.begin(right + begin * work.right.row, work.right.column, work.right.row, work.n - column,
                       right_along_k);
        of_left.read(end - begin);
        of_right.read(end - begin);
        gn_total sums[ROWS][ROWS] = {};
        int piece = 0;
        for (int64_t left_over = end - begin; left_over > 0; left_over -= STEP) {
            of_left.write(left_pieces[piece]);
            of_right.write(right_pieces[piece]);
            __syncthreads();
            if (left_over > STEP) {
                of_left.read(left_over - STEP);
                of_right.read(left_over - STEP);
            }
#pragma unroll 2
            for (int place = 0; place < STEP; place++) {
                four a[groups], b[groups];
#pragma unroll
                for (int group = 0; group < groups; group++) {
                    a[group] = left_pieces[piece][place][group * SIDE + down];
                    b[group] = right_pieces[piece][place][group * SIDE + across];
                }
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
#pragma unroll
                    for (int j = 0; j < ROWS; j++) {
                        sums[i][j] += a[i / 4].each[i % 4] * b[j / 4].each[j % 4];
                    }
                }
            }
            piece = 1 - piece; /* whose last readers are behind the barrier that the next step comes to */
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                const int64_t down_to = row + (i / 4 * SIDE + down) * 4 + i % 4;
                const int64_t across_to = column + (j / 4 * SIDE + across) * 4 + j % 4;
                if (down_to < work.m && across_to < work.n) {
                    keep_product(work, numbers, totals, part, batch, down_to, across_to, sums[i][j]);
                }
            }
        }
        __syncthreads(); /* the pieces have been read */
    }
}

/* m is 1, and the columns of `right` lie along k: a team for each column of each part.  A thread takes as many elements
 * as 16 bytes hold, at once where `is_dense` says that both factors allow it, and sums them in the same order where not. */
template <int THREADS>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    product_rows(gn_product work, gn_numbers numbers, gn_total *totals, int64_t is_dense) {
    constexpr int many = 16 / sizeof(gn_storage);
    typedef gn_lanes<gn_storage, many> vector;
    __shared__ gn_total shared[PRODUCT_THREADS / GN_WARP];
    const int64_t units = work.n * work.parts * work.batches;
    for (gn_turns<THREADS> turn(units); turn.any(); turn.next()) {
        const int64_t unit = turn.row;
        const int64_t column = unit % work.n;
        const int64_t part = unit / work.n % work.parts;
        const int64_t batch = unit / work.n / work.parts;
        const int64_t end = gn_min((part + 1) * work.length, work.k);
        const gn_storage *left = work.left.at + batch * work.left.batch;
        const gn_storage *right = work.right.at + batch * work.right.batch + column * work.right.column;
        gn_total sum = 0;
        for (int64_t place = part * work.length + gn_member<THREADS>() * many; place < end; place += THREADS * many) {
            vector a, b;
            if (is_dense && place + many <= end) {
                a = *(const vector *)(left + place);
                b = *(const vector *)(right + place);
            } else {
#pragma unroll
                for (int i = 0; i < many; i++) {
                    const bool is_there = place + i < end;
                    a.each[i] = is_there ? left[(place + i) * work.left.column] : (gn_storage)0;
                    b.each[i] = is_there ? right[(place + i) * work.right.row] : (gn_storage)0;
                }
            }
#pragma unroll
            for (int i = 0; i < many; i++) {
                sum += (gn_total)gn_load(a.each[i]) * (gn_total)gn_load(b.each[i]);
            }
        }
        sum = gn_team_fold<gn_add, THREADS>(sum, shared);
        if (gn_member<THREADS>() == 0) {
            keep_product(work, numbers, totals, part, batch, 0, column, sum);
        }
    }
}

/* m is 1, and the rows of `right` lie along n: a block for COLUMNS columns of each part, whose SLICES share out k. */
template <int UNUSED>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    product_columns(gn_product work, gn_numbers numbers, gn_total *totals) {
    __shared__ gn_total shared[SLICES][COLUMNS];
    const int across = (int)threadIdx.x % COLUMNS;
    const int slice = (int)threadIdx.x / COLUMNS;
    const int64_t strips = (work.n + COLUMNS - 1) / COLUMNS;
    const int64_t units = strips * work.parts * work.batches;
    for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const int64_t column = unit % strips * COLUMNS + across;
        const int64_t part = unit / strips % work.parts;
        const int64_t batch = unit / strips / work.parts;
        const int64_t end = column < work.n ? gn_min((part + 1) * work.length, work.k) : 0;
        const gn_storage *left = work.left.at + batch * work.left.batch;
        const gn_storage *right = work.right.at + batch * work.right.batch + column * work.right.column;
        gn_total sum = 0;
        for (int64_t place = part * work.length + slice; place < end; place += SLICES) {
            sum += (gn_total)gn_load(left[place * work.left.column]) * (gn_total)gn_load(right[place * work.right.row]);
        }
        shared[slice][across] = sum;
        __syncthreads();
        if (slice == 0 && column < work.n) {
            for (int other = 1; other < SLICES; other++) {
                sum += shared[other][across];
            }
            keep_product(work, numbers, totals, part, batch, 0, column, sum);
        }
        __syncthreads(); /* the slices have been read */
    }
}

/* The sums of the parts, for each element of the output by a thread, or where these are few by a warp. */
template <int THREADS>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    product_end(gn_product work, gn_numbers numbers, const gn_total *totals) {
    const int64_t count = work.batches * work.m * work.n;
    for (gn_turns<THREADS> turn(count); turn.any(); turn.next()) {
        const int64_t number = turn.row;
        gn_total sum = 0;
        for (int64_t part = gn_member<THREADS>(); part < work.parts && turn.is_there; part += THREADS) {
            sum += totals[part * count + number];
        }
        sum = gn_team_fold<gn_add, THREADS>(sum, (gn_total *)nullptr);
        if (turn.is_there && gn_member<THREADS>() == 0) {
            const int64_t matrix = number / work.n;
            end_product(work, numbers, matrix / work.m, matrix % work.m, number % work.n, sum);
        }
    }
}
