/* Fused attention: softmax(query key^T scale + mask) value, and its gradients.
 *
 * A block has a tile of queries and iterates over the keys tile by tile; only the scores of the current tile are kept,
 * in registers. For each query it keeps the largest score and the sum of exponentials so far, and rescales its sums
 * when a larger score appears (Milakov and Gimelshein, arXiv:1805.02867; Dao and others, arXiv:2205.14135). The
 * gradients of keys and values are computed by blocks that have a tile of keys and iterate over the queries, so that no
 * atomics are needed and each sum has a fixed order.
 *
 * PIECES: the number of tiles in the width of the output that one block computes. For wider tensors several blocks
 * divide the width. */
#include "parameter.cuh"
#include "team.cuh"
#include "tile.cuh"

#define ROWS 4 /* per thread */
#define TILE (SIDE * ROWS)
#define LEAST ((gn_compute)-INFINITY)

/* A tensor of (batch, head, position, width); strides in elements. */
struct gn_heads {
    gn_storage *at;
    int64_t batch, head, row, column;

    inline gn_storage *rows_of(int64_t b, int64_t h, int64_t first) const {
        return at + b * batch + h * head + first * row;
    }
};

struct gn_attention {
    int64_t batches, heads, key_heads, queries, keys, width;
    int64_t is_causal;
    double scale;
    gn_heads query, key, value, out, gradient, for_query, for_key, for_value;
    gn_parameter mask; /* null if there is none */
    int64_t mask_strides[4];
    gn_compute *logs; /* logsumexp of each query's scores */
    int64_t log_strides[3];
    gn_compute *products; /* for each query, dot product of output and its gradient: (batch, head, position) */
};

typedef gn_tile<ROWS, 1> gn_scores;

/* The piece, tile, head and batch that a block works on. */
struct gn_place_of_block {
    int64_t first, column, head, batch;

    inline gn_place_of_block(int64_t unit, int64_t tiles, int64_t pieces, int64_t heads)
        : first(unit % tiles * TILE), column(unit / tiles % pieces), head(unit / tiles / pieces % heads),
          batch(unit / tiles / pieces / heads) {
    }
};

static inline int64_t tiles_of(int64_t count) {
    return (count + TILE - 1) / TILE;
}

/* The score of a key for a query, from the dot product of their rows. */
static inline gn_compute score_of(const gn_attention &work, int64_t batch, int64_t head, int64_t query, int64_t key,
                                  gn_compute product) {
    const gn_compute score = product * (gn_compute)work.scale;
    if (work.mask.at == nullptr) {
        return score;
    }
    const int64_t *strides = work.mask_strides;
    return score + work.mask.get(batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3]);
}

static inline bool is_seen(const gn_attention &work, int64_t query, int64_t key) {
    return query < work.queries && key < work.keys && (!work.is_causal || key <= query);
}

static inline gn_compute *log_of(const gn_attention &work, int64_t batch, int64_t head, int64_t query) {
    return work.logs + batch * work.log_strides[0] + head * work.log_strides[1] + query * work.log_strides[2];
}

/* Folds the values of the SIDE threads that have the same rows. */
template <class FOLD> static inline gn_compute fold_across(gn_compute value) {
#pragma unroll
    for (int apart = 1; apart < SIDE; apart *= 2) {
        value = FOLD::of(value, __shfl_xor_sync(GN_ALL_LANES, value, apart));
    }
    return value;
}

/* sums[] += weights times `rows` by `width` elements of `right`, TILE columns for each of PIECES. The weights are in
 * registers, as the sums of a tile, and are copied to shared memory STEP columns at a time. */
template <int PIECES>
static inline void add_weighted(gn_scores (&sums)[PIECES], const gn_scores &weights, gn_scores::room &shared,
                                const gn_storage *right, int64_t row, int64_t column, int64_t rows, int64_t width) {
    const int down = (int)threadIdx.x / SIDE;
    const int across = (int)threadIdx.x % SIDE;
    gn_share<TILE> share[PIECES];
#pragma unroll
    for (int piece = 0; piece < PIECES; piece++) {
        share[piece].begin(right + piece * TILE * column, column, row, width - piece * TILE, row == 1 && column != 1);
    }
    for (int first = 0; first < TILE && first < rows; first += STEP) {
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            share[piece].read(rows - first);
            share[piece].write(shared.right[piece]);
        }
        if (across / (STEP / ROWS) == first / STEP) {
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                gn_scores::four column_of_weights;
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    column_of_weights.each[i] = weights.sums[i][j];
                }
                shared.left[0][across % (STEP / ROWS) * ROWS + j][down] = column_of_weights;
            }
        }
        __syncthreads();
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            sums[piece].add_pieces(shared.left[0], shared.right[piece]);
        }
        __syncthreads(); /* the pieces have been read */
    }
}

/* Writes the rows of a tile, TILE columns for each of PIECES, each row multiplied by its element of `shares`. */
template <int PIECES>
static inline void write_rows(const gn_scores (&sums)[PIECES], gn_storage *to, const gn_heads &heads, int64_t rows,
                              int64_t width, const gn_compute (&shares)[ROWS], const bool (&is_blind)[ROWS]) {
#pragma unroll
    for (int piece = 0; piece < PIECES; piece++) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                const int row = gn_scores::row(i);
                const int64_t column = piece * TILE + gn_scores::column(j);
                if (row < rows && column < width) {
                    const gn_compute found = is_blind[i] ? (gn_compute)0 : sums[piece].sums[i][j] * shares[i];
                    to[row * heads.row + column * heads.column] = gn_store(found);
                }
            }
        }
    }
}

template <int PIECES> __global__ void __launch_bounds__(TILE_THREADS, 1) attention_forward(gn_attention work) {
    __shared__ gn_scores::room shared;
    const int64_t tiles = tiles_of(work.queries);
    const int64_t pieces = (tiles_of(work.width) + PIECES - 1) / PIECES;
    for (int64_t unit = blockIdx.x; unit < tiles * pieces * work.heads * work.batches; unit += gridDim.x) {
        const gn_place_of_block place(unit, tiles, pieces, work.heads);
        const int64_t key_head = place.head / (work.heads / work.key_heads);
        const int64_t rows = gn_min(TILE, work.queries - place.first);
        const int64_t column = place.column * PIECES * TILE;
        const int64_t seen = work.is_causal ? gn_min(work.keys, place.first + rows) : work.keys;
        const gn_storage *query = work.query.rows_of(place.batch, place.head, place.first);
        gn_scores sums[PIECES];
        gn_compute largest[ROWS], totals[ROWS];
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            sums[piece].clear();
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            largest[i] = LEAST;
            totals[i] = 0;
        }
        for (int64_t first = 0; first < seen; first += TILE) {
            const int64_t columns = gn_min(TILE, seen - first);
            gn_scores scores;
            scores.clear();
            scores.add(shared, query, work.query.row, work.query.column, rows,
                       work.key.rows_of(place.batch, key_head, first), work.key.row, work.key.column, columns,
                       work.width);
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const int64_t number = place.first + scores.row(i);
                gn_compute most = largest[i];
#pragma unroll
                for (int j = 0; j < ROWS; j++) {
                    const int64_t key = first + scores.column(j);
                    if (is_seen(work, number, key)) {
                        scores.sums[i][j] =
                            score_of(work, place.batch, place.head, number, key, scores.sums[i][j]);
                    } else {
                        scores.sums[i][j] = LEAST;
                    }
                    most = gn_greater::of(most, scores.sums[i][j]);
                }
                most = fold_across<gn_greater>(most);
                gn_compute total = 0;
#pragma unroll
                for (int j = 0; j < ROWS; j++) {
                    const gn_compute distance = scores.sums[i][j] - (most == LEAST ? 0 : most);
                    const bool counts = is_seen(work, number, first + scores.column(j));
                    scores.sums[i][j] = counts ? gn_exp(distance) : 0;
                    total += scores.sums[i][j];
                }
                total = fold_across<gn_add>(total);
                if (most != largest[i]) {
                    const gn_compute factor = gn_exp(largest[i] - most);
                    totals[i] *= factor;
#pragma unroll
                    for (int piece = 0; piece < PIECES; piece++) {
#pragma unroll
                        for (int j = 0; j < ROWS; j++) {
                            sums[piece].sums[i][j] *= factor;
                        }
                    }
                    largest[i] = most;
                }
                totals[i] += total;
            }
            add_weighted<PIECES>(sums, scores, shared,
                                 work.value.rows_of(place.batch, key_head, first) + column * work.value.column,
                                 work.value.row, work.value.column, columns, work.width - column);
        }
        gn_compute shares[ROWS];
        bool is_blind[ROWS]; /* all keys are masked: the row is 0, even if values are NaN */
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            is_blind[i] = largest[i] == LEAST && totals[i] == 0;
            shares[i] = 1 / totals[i];
            if (place.column == 0 && threadIdx.x % SIDE == 0 && gn_scores::row(i) < rows) {
                *log_of(work, place.batch, place.head, place.first + gn_scores::row(i)) =
                    is_blind[i] ? 0 : largest[i] + gn_log(totals[i]);
            }
        }
        write_rows<PIECES>(sums, work.out.rows_of(place.batch, place.head, place.first) + column * work.out.column,
                           work.out, rows, work.width - column, shares, is_blind);
    }
}

/* Computes `products`: for each query the dot product of the output and its gradient, one warp per query. */
template <int UNUSED> __global__ void __launch_bounds__(TILE_THREADS, 1) attention_products(gn_attention work) {
    const int64_t count = work.batches * work.heads * work.queries;
    for (gn_turns<GN_WARP> turn(count); turn.any(); turn.next()) {
        const int64_t query = turn.row % work.queries;
        const int64_t head = turn.row / work.queries % work.heads;
        const int64_t batch = turn.row / work.queries / work.heads;
        const gn_storage *out = work.out.rows_of(batch, head, query);
        const gn_storage *gradient = work.gradient.rows_of(batch, head, query);
        gn_compute sum = 0;
        for (int64_t i = gn_member<GN_WARP>(); i < work.width; i += GN_WARP) {
            sum += gn_load(out[i * work.out.column]) * gn_load(gradient[i * work.gradient.column]);
        }
        sum = gn_team_fold<gn_add, GN_WARP>(sum, (gn_compute *)nullptr);
        if (gn_member<GN_WARP>() == 0) {
            work.products[turn.row] = sum;
        }
    }
}

/* `weight` and `slope` come as the dot products query * key and gradient * value. `weight` becomes p = exp(score -
 * log), and `slope` becomes p (slope - product) scale, the gradient of the score before scaling. */
static inline void find_slopes(const gn_attention &work, int64_t batch, int64_t head, int64_t query, int64_t key,
                               gn_total &weight, gn_total &slope) {
    if (!is_seen(work, query, key)) {
        weight = 0;
        slope = 0;
        return;
    }
    const gn_compute product = work.products[(batch * work.heads + head) * work.queries + query];
    weight = gn_exp(score_of(work, batch, head, query, key, weight) - *log_of(work, batch, head, query));
    slope = weight * (slope - product) * (gn_compute)work.scale;
}

/* The gradient of a tile of queries. */
template <int PIECES> __global__ void __launch_bounds__(TILE_THREADS, 1) attention_for_query(gn_attention work) {
    __shared__ gn_scores::room shared;
    const gn_compute shares[ROWS] = {1, 1, 1, 1};
    const bool is_blind[ROWS] = {};
    const int64_t tiles = tiles_of(work.queries);
    const int64_t pieces = (tiles_of(work.width) + PIECES - 1) / PIECES;
    for (int64_t unit = blockIdx.x; unit < tiles * pieces * work.heads * work.batches; unit += gridDim.x) {
        const gn_place_of_block place(unit, tiles, pieces, work.heads);
        const int64_t key_head = place.head / (work.heads / work.key_heads);
        const int64_t rows = gn_min(TILE, work.queries - place.first);
        const int64_t column = place.column * PIECES * TILE;
        const int64_t seen = work.is_causal ? gn_min(work.keys, place.first + rows) : work.keys;
        const gn_storage *query = work.query.rows_of(place.batch, place.head, place.first);
        const gn_storage *gradient = work.gradient.rows_of(place.batch, place.head, place.first);
        gn_scores sums[PIECES];
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            sums[piece].clear();
        }
        for (int64_t first = 0; first < seen; first += TILE) {
            const int64_t columns = gn_min(TILE, seen - first);
            const gn_storage *key = work.key.rows_of(place.batch, key_head, first);
            gn_scores weights, slopes;
            weights.clear();
            weights.add(shared, query, work.query.row, work.query.column, rows, key, work.key.row, work.key.column,
                        columns, work.width);
            slopes.clear();
            slopes.add(shared, gradient, work.gradient.row, work.gradient.column, rows,
                       work.value.rows_of(place.batch, key_head, first), work.value.row, work.value.column, columns,
                       work.width);
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
#pragma unroll
                for (int j = 0; j < ROWS; j++) {
                    find_slopes(work, place.batch, place.head, place.first + weights.row(i), first + weights.column(j),
                                weights.sums[i][j], slopes.sums[i][j]);
                }
            }
            add_weighted<PIECES>(sums, slopes, shared, key + column * work.key.column, work.key.row, work.key.column,
                                 columns, work.width - column);
        }
        write_rows<PIECES>(sums,
                           work.for_query.rows_of(place.batch, place.head, place.first)
                               + column * work.for_query.column,
                           work.for_query, rows, work.width - column, shares, is_blind);
    }
}

/* The gradients of a tile of keys and values, summed over all query heads that share them. */
template <int PIECES> __global__ void __launch_bounds__(TILE_THREADS, 1) attention_for_key(gn_attention work) {
    __shared__ gn_scores::room shared;
    const gn_compute shares[ROWS] = {1, 1, 1, 1};
    const bool is_blind[ROWS] = {};
    const int64_t tiles = tiles_of(work.keys);
    const int64_t pieces = (tiles_of(work.width) + PIECES - 1) / PIECES;
    const int64_t group = work.heads / work.key_heads;
    for (int64_t unit = blockIdx.x; unit < tiles * pieces * work.key_heads * work.batches; unit += gridDim.x) {
        const gn_place_of_block place(unit, tiles, pieces, work.key_heads);
        const int64_t rows = gn_min(TILE, work.keys - place.first);
        const int64_t column = place.column * PIECES * TILE;
        const gn_storage *key = work.key.rows_of(place.batch, place.head, place.first);
        const gn_storage *value = work.value.rows_of(place.batch, place.head, place.first);
        gn_scores of_key[PIECES], of_value[PIECES];
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            of_key[piece].clear();
            of_value[piece].clear();
        }
        for (int64_t head = place.head * group; head < (place.head + 1) * group; head++) {
            for (int64_t first = work.is_causal ? place.first : 0; first < work.queries; first += TILE) {
                const int64_t columns = gn_min(TILE, work.queries - first);
                const gn_storage *query = work.query.rows_of(place.batch, head, first);
                const gn_storage *gradient = work.gradient.rows_of(place.batch, head, first);
                gn_scores weights, slopes;
                weights.clear();
                weights.add(shared, key, work.key.row, work.key.column, rows, query, work.query.row,
                            work.query.column, columns, work.width);
                slopes.clear();
                slopes.add(shared, value, work.value.row, work.value.column, rows, gradient, work.gradient.row,
                           work.gradient.column, columns, work.width);
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
#pragma unroll
                    for (int j = 0; j < ROWS; j++) {
                        find_slopes(work, place.batch, head, first + weights.column(j), place.first + weights.row(i),
                                    weights.sums[i][j], slopes.sums[i][j]);
                    }
                }
                add_weighted<PIECES>(of_value, weights, shared, gradient + column * work.gradient.column,
                                     work.gradient.row, work.gradient.column, columns, work.width - column);
                add_weighted<PIECES>(of_key, slopes, shared, query + column * work.query.column, work.query.row,
                                     work.query.column, columns, work.width - column);
            }
        }
        const gn_heads &for_key = work.for_key, &for_value = work.for_value;
        write_rows<PIECES>(of_key, for_key.rows_of(place.batch, place.head, place.first) + column * for_key.column,
                           for_key, rows, work.width - column, shares, is_blind);
        write_rows<PIECES>(of_value,
                           for_value.rows_of(place.batch, place.head, place.first) + column * for_value.column,
                           for_value, rows, work.width - column, shares, is_blind);
    }
}
