/* Matrix products: out = alpha left right + beta self, for each matrix of a batch.
 *
 * product_tiles is for two matrices: a block computes a square tile of the output (tile.cuh). product_rows and
 * product_columns are for a row times a matrix, in which no element is reused. If a product has too few outputs to keep
 * the device busy, k is split into parts; their sums are stored separately, and product_end adds them up in order. */
#include "team.cuh"
#include "tile.cuh"

#define PRODUCT_THREADS TILE_THREADS
#define COLUMNS 32
#define SLICES (PRODUCT_THREADS / COLUMNS)

/* A matrix of a batch; strides in elements. */
struct gn_matrix {
    gn_storage *at;
    int64_t batch;
    int64_t row;
    int64_t column;
};

/* left is (m, k), right is (k, n). k is split into `parts` of `length` indices, a multiple of STEP, except the last. */
struct gn_product {
    int64_t batches, m, n, k;
    int64_t parts, length;
    gn_matrix out, self, left, right;
};

/* A product with alpha or beta. A factor of 1 does not multiply: complex infinities would become NaN. */
static inline gn_total gn_scaled(gn_total factor, gn_total x) {
    return factor == 1 ? x : factor * x;
}

/* Writes an element of the output. If beta is 0, `self` is not read; `self` may be the output. */
static inline void end_product(const gn_product &work, const gn_numbers &numbers, int64_t batch, int64_t row,
                               int64_t column, gn_total sum) {
    const gn_total beta = (gn_total)gn_number(&numbers, 0);
    const gn_total alpha = (gn_total)gn_number(&numbers, 1);
    gn_total found = gn_scaled(alpha, sum);
    if (beta != 0) {
        const gn_matrix &self = work.self;
        const int64_t place = batch * self.batch + row * self.row + column * self.column;
        found += gn_scaled(beta, (gn_total)gn_load(self.at[place]));
    }
    const gn_matrix &out = work.out;
    out.at[batch * out.batch + row * out.row + column * out.column] = gn_store((gn_compute)found);
}

/* Writes an element of the output; if there are several parts, writes the part's sum to `totals` of (parts, batches, m,
 * n). */
static inline void keep_product(const gn_product &work, const gn_numbers &numbers, gn_total *totals, int64_t part,
                                int64_t batch, int64_t row, int64_t column, gn_total sum) {
    if (work.parts == 1) {
        end_product(work, numbers, batch, row, column, sum);
    } else {
        totals[((part * work.batches + batch) * work.m + row) * work.n + column] = sum;
    }
}

/* One block per tile of the output and part. */
template <int ROWS>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    product_tiles(gn_product work, gn_numbers numbers, gn_total *totals) {
    constexpr int size = gn_tile<ROWS>::size;
    __shared__ typename gn_tile<ROWS>::room shared;
    const int64_t tiles_m = (work.m + size - 1) / size;
    const int64_t tiles_n = (work.n + size - 1) / size;
    const int64_t units = tiles_m * tiles_n * work.parts * work.batches;
    for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const int64_t row = unit % tiles_m * size;
        const int64_t column = unit / tiles_m % tiles_n * size;
        const int64_t part = unit / (tiles_m * tiles_n) % work.parts;
        const int64_t batch = unit / (tiles_m * tiles_n) / work.parts;
        const int64_t begin = part * work.length;
        const gn_matrix &left = work.left, &right = work.right;
        gn_tile<ROWS> tile;
        tile.clear();
        tile.add(shared, left.at + batch * left.batch + row * left.row + begin * left.column, left.row, left.column,
                 work.m - row, right.at + batch * right.batch + column * right.column + begin * right.row,
                 right.column, right.row, work.n - column, gn_min(work.length, work.k - begin));
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                const int64_t down = row + tile.row(i);
                const int64_t across = column + tile.column(j);
                if (down < work.m && across < work.n) {
                    keep_product(work, numbers, totals, part, batch, down, across, tile.sums[i][j]);
                }
            }
        }
    }
}

/* m is 1, and the columns of `right` are contiguous along k: one team per column and part. A thread reads 16 bytes of
 * elements at a time; `is_dense` says that both factors allow a vector access. The order of the sum does not depend on
 * it. */
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

/* m is 1, and the rows of `right` are contiguous along n: one block for COLUMNS columns and a part; its SLICES divide
 * k. */
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

/* Adds up the parts of each element of the output: by a thread, or if there are few elements by a warp. */
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
