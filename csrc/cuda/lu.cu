/* The LU factorization with partial pivoting, its matrices, and systems with them. */
#include "matrix.cuh"

/* The row of a column's largest element so far; of equal ones the first. */
struct gn_pivot {
    gn_magnitude size;
    int64_t row;
};
static inline gn_pivot gn_of_lane(gn_pivot value, int apart) {
    return gn_pivot{gn_of_lane(value.size, apart), gn_of_lane(value.row, apart)};
}
struct gn_larger_pivot {
    static inline gn_pivot of(gn_pivot a, gn_pivot b) {
        return b.size > a.size || (b.size == a.size && b.row < a.row) ? b : a;
    }
};

/* Swaps two rows. */
template <int THREADS> static inline void swap_rows(gn_compute *one, gn_compute *other, int64_t columns) {
    for (int64_t j = threadIdx.x; j < columns && one != other; j += THREADS) {
        const gn_compute x = one[j];
        one[j] = other[j];
        other[j] = x;
    }
}

/* Replaces the matrix by U and, below its diagonal, L. Writes the pivots, and returns 0 or the number of the first one
 * that is 0. */
template <int THREADS>
static inline int32_t factor(gn_compute *a, int64_t rows, int64_t columns, const gn_matrices &pivots, char *pivots_at) {
    __shared__ gn_pivot shared[THREADS / GN_WARP];
    int32_t info = 0;
    for (int64_t k = 0; k < gn_min(rows, columns); k++) {
        __syncthreads();
        gn_pivot chosen = {0, k};
        for (int64_t i = k; i < rows; i += i == k ? 1 + threadIdx.x : THREADS) {
            const gn_compute x = a[i * columns + k]; /* LAPACK's size, without a square root */
            const gn_magnitude size = (gn_magnitude)(fabs((double)gn_real_of(x)) + fabs((double)gn_imaginary_of(x)));
            chosen = i == k || size > chosen.size ? gn_pivot{size, i} : chosen;
        }
        chosen = gn_team_fold<gn_larger_pivot, THREADS>(chosen, shared);
        if (threadIdx.x == 0) {
            *(int32_t *)(pivots_at + k * pivots.column) = (int32_t)(chosen.row + 1);
        }
        gn_compute *const top = a + k * columns;
        __syncthreads();
        swap_rows<THREADS>(top, a + chosen.row * columns, columns);
        __syncthreads();
        const gn_compute pivot = top[k];
        if (pivot == gn_compute(0)) {
            info = info != 0 ? info : (int32_t)(k + 1);
            continue;
        }
        for (int64_t i = k + 1 + threadIdx.x; i < rows; i += THREADS) {
            a[i * columns + k] = a[i * columns + k] / pivot;
        }
        __syncthreads();
        const int64_t rest = columns - 1 - k;
        for (int64_t index = threadIdx.x; index < (rows - 1 - k) * rest; index += THREADS) {
            int64_t i = index;
            const int64_t j = gn_split(&i, rest) + k + 1;
            gn_compute *const row = a + (i + k + 1) * columns;
            row[j] = row[j] - row[k] * top[j];
        }
    }
    return info;
}

/* A matrix with a pivot of 0 is refused. */
template <int THREADS>
__global__ void lu_factor(gn_batch batch, gn_matrices out, gn_matrices pivots, gn_matrices codes, gn_matrices in, int64_t rows,
                          int64_t columns) {
    gn_compute *const a = (gn_compute *)batch.room();
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        gn_gather<THREADS>(in, matrix, rows, columns, false, a);
        const int32_t info = factor<THREADS>(a, rows, columns, pivots, pivots.of(matrix));
        __syncthreads();
        gn_scatter<THREADS>(out, matrix, rows, columns, false, a);
        if (threadIdx.x == 0) {
            *(int32_t *)codes.of(matrix) = info;
            if (info != 0) {
                batch.refuse();
            }
        }
        __syncthreads();
    }
}

/* The row that row k is swapped with; k itself, which is refused, if there is none. */
static inline int64_t other_row(const gn_batch &batch, const gn_matrices &pivots, const char *pivots_at, int64_t k,
                                int64_t rows) {
    const int64_t row = (int64_t)*(const int32_t *)(pivots_at + k * pivots.column) - 1;
    if (row < 0 || row >= rows) {
        batch.refuse();
        return k;
    }
    return row;
}

/* A system from the right has the steps of the adjoints, and `right_conjugated`, so that it is one from the left; the
 * factors have those of the adjoint if the system is one of it. Impossible pivots are refused. */
template <int THREADS>
__global__ void lu_solve(gn_batch batch, gn_matrices out, gn_matrices in, gn_matrices pivots, gn_matrices right, int64_t count,
                         int64_t width, int32_t adjoint, int32_t right_conjugated) {
    gn_compute *const a = (gn_compute *)batch.room();
    gn_compute *const x = a + count * count;
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        const char *const pivots_at = pivots.of(matrix);
        gn_gather<THREADS>(in, matrix, count, count, adjoint, a);
        gn_gather<THREADS>(right, matrix, count, width, right_conjugated, x);
        for (int pass = 0; pass < 3; pass++) {
            __syncthreads();
            if (pass == (adjoint ? 2 : 0)) {
                for (int64_t j = threadIdx.x; j < width; j += THREADS) { /* each thread swaps within a column */
                    for (int64_t step = 0; step < count; step++) {
                        const int64_t k = adjoint ? count - 1 - step : step;
                        const int64_t other = other_row(batch, pivots, pivots_at, k, count);
                        const gn_compute swapped = x[k * width + j];
                        x[k * width + j] = x[other * width + j];
                        x[other * width + j] = swapped;
                    }
                }
            } else {
                const bool upper = pass == (adjoint ? 1 : 2);
                gn_substitute<THREADS>(a, count, x, width, upper, upper == (adjoint != 0));
            }
        }
        __syncthreads();
        gn_scatter<THREADS>(out, matrix, count, width, right_conjugated, x);
        __syncthreads();
    }
}

/* Views that are not wanted are null. Impossible pivots are refused. */
template <int THREADS>
__global__ void lu_unpack(gn_batch batch, gn_matrices permutation, gn_matrices lower, gn_matrices upper, gn_matrices in,
                          gn_matrices pivots, int64_t rows, int64_t columns) {
    int64_t *const order = (int64_t *)batch.room();
    const int64_t count = gn_min(rows, columns);
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        char *const from = in.of(matrix);
        if (lower.batch.at != NULL) {
            char *const to = lower.of(matrix);
            for (int64_t index = threadIdx.x; index < rows * count; index += THREADS) {
                int64_t i = index;
                const int64_t j = gn_split(&i, count);
                const gn_compute other = gn_compute(i == j ? 1 : 0);
                lower.element(to, i, j) = j < i ? in.element(from, i, j) : gn_store(other);
            }
        }
        if (upper.batch.at != NULL) {
            char *const to = upper.of(matrix);
            for (int64_t index = threadIdx.x; index < count * columns; index += THREADS) {
                int64_t i = index;
                const int64_t j = gn_split(&i, columns);
                upper.element(to, i, j) = j >= i ? in.element(from, i, j) : gn_store(gn_compute(0));
            }
        }
        if (permutation.batch.at == NULL) {
            continue;
        }
        if (threadIdx.x == 0) {
            const char *const pivots_at = pivots.of(matrix);
            for (int64_t i = 0; i < rows; i++) {
                order[i] = i;
            }
            for (int64_t k = 0; k < count; k++) {
                const int64_t other = other_row(batch, pivots, pivots_at, k, rows);
                const int64_t row = order[k];
                order[k] = order[other];
                order[other] = row;
            }
        }
        __syncthreads();
        char *const to = permutation.of(matrix);
        for (int64_t index = threadIdx.x; index < rows * rows; index += THREADS) {
            int64_t i = index;
            const int64_t j = gn_split(&i, rows);
            permutation.element(to, i, j) = gn_store(gn_compute(order[j] == i ? 1 : 0));
        }
        __syncthreads();
    }
}
