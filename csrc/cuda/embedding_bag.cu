/* _embedding_bag and its gradients: sums, means or maxima of rows of a table, one bag of rows at a time.
 *
 * If the offsets are sorted, the positions of a bag are contiguous; else each bag searches all positions for its own.
 * The gradient of the table sorts the positions by row, so that the uses of a row are summed in order of position. */
#include "number.cuh"
#include "order.cuh"
#include "places.cuh"
#include "team.cuh"

#define BAG_THREADS 256
#define MODE_SUM 0
#define MODE_MEAN 1
#define MODE_MAX 2
#define FEW 64 /* the most uses of a row that one thread sums */

/* A vector; `get` is for int32 or int64. */
struct gn_bag_vector {
    char *at;
    int64_t count, step; /* in bytes */
    int64_t dtype;

    inline int64_t get(int64_t i) const {
        return gn_index_in(at + i * step, (int32_t)dtype);
    }
    inline void set(int64_t i, int64_t value) const {
        if (dtype == GN_INT32) {
            *(int32_t *)(at + i * step) = (int32_t)value;
        } else {
            *(int64_t *)(at + i * step) = value;
        }
    }
    inline double real(int64_t i) const {
        return (double)gn_load(*(const gn_storage *)(at + i * step));
    }
};

/* A matrix of gn_storage; steps in bytes. */
struct gn_bag_matrix {
    char *at;
    int64_t row, column;

    inline gn_storage *place(int64_t i, int64_t j) const {
        return (gn_storage *)(at + i * row + j * column);
    }
    inline gn_compute get(int64_t i, int64_t j) const {
        return gn_load(*place(i, j));
    }
};

/* `bags` results of `width` elements; the table has `rows`. A team of `lines` times `columns` threads, each a power of
 * 2, takes a bag, or a part of its columns. */
struct gn_bags {
    int64_t bags, width, rows, padding;
    int32_t mode, lines, columns;
};

/* The bag of a position: that of the last offset which is not greater. */
static inline int64_t bag_of(const gn_bag_vector &offsets, int64_t bags, int64_t position) {
    int64_t low = 0;
    int64_t high = offsets.count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (position < offsets.get(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return gn_min(low, bags) - 1;
}

/* *fault becomes 1 if an index is out of range, the first offset is not 0, or the last one is greater than the number
 * of indices; *unordered becomes 1 if the offsets are not sorted. */
__global__ void check_bags(gn_bags work, gn_bag_vector indices, gn_bag_vector offsets, int32_t *fault, int32_t *unordered) {
    const int64_t used = work.bags == 0 ? 0 : indices.count;
    for (int64_t i = gn_thread(); i < gn_max(used, offsets.count); i += gn_threads()) {
        bool is_wrong = false;
        if (i < used) {
            const int64_t row = indices.get(i);
            is_wrong = row < 0 || row >= work.rows;
        }
        if (i < offsets.count) {
            const int64_t offset = offsets.get(i);
            is_wrong |= i == 0 && offset != 0;
            is_wrong |= i == offsets.count - 1 && offset > indices.count;
            if (i > 0 && offsets.get(i - 1) > offset) {
                *unordered = 1;
            }
        }
        if (is_wrong) {
            *fault = 1;
        }
    }
}

/* Writes the bag of each position; -1 if there are no bags. */
__global__ void name_bags(gn_bags work, gn_bag_vector offsets, gn_bag_vector out) {
    for (int64_t i = gn_thread(); i < out.count; i += gn_threads()) {
        out.set(i, work.bags == 0 ? -1 : bag_of(offsets, work.bags, i));
    }
}

/* The sum, mean or maximum of each bag. `sizes` becomes the number of rows of each bag without padding (0 for sums);
 * `chosen` becomes the same, or for maxima the row of each, the first of equal ones. A bag's maximum is computed by one
 * line of threads, in order. */
__global__ void fold_bags(gn_bags work, gn_bag_vector indices, gn_bag_vector offsets, gn_bag_matrix table, gn_bag_vector scales,
                          const int32_t *unordered, gn_bag_matrix out, gn_bag_vector sizes, gn_bag_vector chosen) {
    __shared__ gn_compute sums[BAG_THREADS];
    __shared__ int64_t counts[BAG_THREADS];
    const int32_t team = work.lines * work.columns;
    const int32_t line = (int32_t)threadIdx.x % team / work.columns;
    const int64_t chunks = gn_max(1, (work.width + work.columns - 1) / work.columns);
    const int64_t tasks = work.bags * chunks;
    const bool is_ordered = *unordered == 0;
    const int32_t teams = BAG_THREADS / team;
    for (int64_t first = (int64_t)blockIdx.x * teams; first < tasks; first += (int64_t)gridDim.x * teams) {
        const int64_t task = first + threadIdx.x / team;
        const int64_t bag = task / chunks;
        const int64_t chunk = task - bag * chunks;
        const int64_t column = chunk * work.columns + threadIdx.x % work.columns;
        const bool is_there = task < tasks;
        gn_compute sum = 0;
        int64_t met = 0;
        int64_t best = 0;
        if (is_there) {
            const int64_t begin = is_ordered ? offsets.get(bag) : 0;
            const int64_t end = is_ordered && bag + 1 < work.bags ? offsets.get(bag + 1) : indices.count;
            for (int64_t k = begin + line; k < end; k += work.lines) {
                const int64_t row = indices.get(k);
                if (row == work.padding || (!is_ordered && bag_of(offsets, work.bags, k) != bag)) {
                    continue;
                }
                met++;
                if (column >= work.width) {
                    continue;
                }
                const gn_compute element = table.get(row, column);
                if (work.mode != MODE_MAX) {
                    sum += scales.at == NULL ? element : element * (gn_compute)scales.real(k);
                } else if (met == 1 || element > sum) {
                    sum = element;
                    best = row;
                }
            }
        }
        if (work.lines > 1) {
            sums[threadIdx.x] = sum;
            counts[threadIdx.x] = met;
            __syncthreads();
            for (int32_t half = work.lines / 2; half > 0; half /= 2) {
                if (line < half) {
                    sums[threadIdx.x] += sums[threadIdx.x + half * work.columns];
                    counts[threadIdx.x] += counts[threadIdx.x + half * work.columns];
                }
                __syncthreads();
            }
            sum = sums[threadIdx.x];
            met = counts[threadIdx.x];
            __syncthreads();
        }
        if (!is_there || line > 0) {
            continue;
        }
        if (column < work.width) {
            *out.place(bag, column) = gn_store(work.mode == MODE_MEAN && met > 0 ? sum / (gn_compute)met : sum);
            if (work.mode == MODE_MAX) {
                chosen.set(bag * work.width + column, best);
            }
        }
        if (chunk == 0 && threadIdx.x % work.columns == 0) {
            sizes.set(bag, work.mode == MODE_SUM ? 0 : met);
            if (work.mode != MODE_MAX) {
                chosen.set(bag, work.mode == MODE_SUM ? 0 : met);
            }
        }
    }
}

/* Inputs of the gradient of sums and means: the bag in which each row is used. */
struct gn_uses {
    gn_bag_vector where; /* the bag of each position */
    gn_bag_vector sizes; /* of bags, for means; else null */
    gn_bag_vector scales; /* of positions; null for none */
    int32_t by_frequency;
};

/* Writes the row of each position, `rows` for padding; *fault becomes 1 if the row or the bag is out of range. */
__global__ void number_uses(gn_bags work, gn_bag_vector indices, gn_uses uses, int64_t *numbers, int32_t *fault) {
    for (int64_t i = gn_thread(); i < indices.count; i += gn_threads()) {
        const int64_t row = indices.get(i);
        const int64_t bag = uses.where.get(i);
        numbers[i] = row == work.padding ? work.rows : row;
        if (row == work.padding) {
            continue;
        }
        if (row < 0 || row >= work.rows || bag < 0 || bag >= work.bags
            || (uses.sizes.at != NULL && (bag >= uses.sizes.count || uses.sizes.get(bag) == 0))) {
            *fault = 1;
        }
    }
}

/* What one use of a row, which has `count` uses, adds to a column of the row's gradient. */
static inline gn_compute share_of(const gn_uses &uses, const gn_bag_matrix &gradient, int64_t position, int64_t count,
                                  int64_t column) {
    const int64_t bag = uses.where.get(position);
    double scale = uses.by_frequency ? 1 / (double)count : 1;
    if (uses.sizes.at != NULL) {
        scale /= (double)uses.sizes.get(bag);
    }
    if (uses.scales.at != NULL) {
        scale *= uses.scales.real(position);
    }
    return gradient.get(bag, column) * (gn_compute)scale;
}

/* The gradients of rows with up to FEW uses: one thread per element. */
template <class ENTRY>
__global__ void sum_few_uses(gn_bags work, gn_uses uses, const ENTRY *sorted, const int64_t *starts, gn_bag_matrix gradient,
                             gn_bag_matrix out) {
    for (int64_t i = gn_thread(); i < work.rows * work.width; i += gn_threads()) {
        const int64_t row = i / work.width;
        const int64_t column = i - row * work.width;
        const int64_t begin = starts[row];
        const int64_t count = starts[row + 1] - begin;
        if (count > FEW) {
            continue;
        }
        gn_compute sum = 0;
        for (int64_t k = begin; k < begin + count; k++) {
            sum += share_of(uses, gradient, sorted[k].place(), count, column);
        }
        *out.place(row, column) = gn_store(sum);
    }
}

/* The gradients of the other rows: a block for some columns of a row. A row with more than FEW uses has one at an index
 * that is a multiple of FEW; the first such index represents the row. */
template <class ENTRY>
__global__ void sum_many_uses(gn_bags work, gn_uses uses, const ENTRY *sorted, int64_t count, const int64_t *starts,
                              gn_bag_matrix gradient, gn_bag_matrix out) {
    __shared__ gn_compute sums[BAG_THREADS];
    const int64_t chunks = (work.width + work.columns - 1) / work.columns;
    const int64_t tasks = (count + FEW - 1) / FEW * chunks;
    const int32_t line = (int32_t)threadIdx.x / work.columns;
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        const int64_t place = task / chunks * FEW;
        const int64_t row = (int64_t)sorted[place].key();
        if (row >= work.rows) {
            continue; /* padding */
        }
        const int64_t begin = starts[row];
        const int64_t end = starts[row + 1];
        if (end - begin <= FEW || place - begin >= FEW) {
            continue;
        }
        const int64_t column = task % chunks * work.columns + threadIdx.x % work.columns;
        gn_compute sum = 0;
        if (column < work.width) {
            for (int64_t k = begin + line; k < end; k += work.lines) {
                sum += share_of(uses, gradient, sorted[k].place(), end - begin, column);
            }
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int32_t half = work.lines / 2; half > 0; half /= 2) {
            if (line < half) {
                sums[threadIdx.x] += sums[threadIdx.x + half * work.columns];
            }
            __syncthreads();
        }
        if (line == 0 && column < work.width) {
            *out.place(row, column) = gn_store(sums[threadIdx.x]);
        }
        __syncthreads();
    }
}

/* For the gradient of maxima: the row-major number of the table element that is the maximum, or the number of elements
 * if the bag is empty. */
__global__ void number_chosen(gn_bags work, gn_bag_vector sizes, gn_view chosen, int64_t *numbers, int32_t *fault) {
    for (int64_t i = gn_thread(); i < work.bags * work.width; i += gn_threads()) {
        const int64_t bag = i / work.width;
        const int64_t column = i - bag * work.width;
        int64_t number = work.rows * work.width;
        if (sizes.get(bag) != 0) {
            const char *at = chosen.at + bag * chosen.strides[0] + column * chosen.strides[1];
            const int64_t row = gn_index_in(at, chosen.dtype);
            if (row < 0 || row >= work.rows) {
                *fault = 1;
            }
            number = row * work.width + column;
        }
        numbers[i] = number;
    }
}

/* The gradients of per_sample_weights: for each position the dot product of the bag's gradient with the row, by a
 * warp. */
__global__ void scale_gradients(gn_bags work, gn_bag_vector indices, gn_bag_vector offsets, gn_bag_vector where,
                                gn_bag_matrix gradient, gn_bag_matrix table, gn_bag_vector out, int32_t *fault) {
    for (gn_turns<GN_WARP> turn(indices.count); turn.any(); turn.next()) {
        double sum = 0;
        const int64_t row = turn.is_there ? indices.get(turn.row) : work.padding;
        if (row != work.padding) {
            const int64_t bag = where.count > 0 ? where.get(turn.row) : bag_of(offsets, work.bags, turn.row);
            if (row < 0 || row >= work.rows || bag < 0 || bag >= work.bags) {
                *fault = 1;
            } else {
                for (int64_t column = gn_member<GN_WARP>(); column < work.width; column += GN_WARP) {
                    sum += (double)gradient.get(bag, column) * (double)table.get(row, column);
                }
            }
        }
        sum = gn_team_fold<gn_add, GN_WARP>(sum, (double *)NULL);
        if (turn.is_there && gn_member<GN_WARP>() == 0) {
            *(gn_storage *)(out.at + turn.row * out.step) = gn_store((gn_compute)sum);
        }
    }
}
