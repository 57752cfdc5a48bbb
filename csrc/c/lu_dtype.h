/* The LU factorization of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

static inline MAGNITUDE NAME(size_of)(COMPUTE x) { /* LAPACK's, without a square root */
    return (MAGNITUDE)fabs((double)REAL_OF(x)) + (MAGNITUDE)fabs((double)IMAGINARY_OF(x));
}

/* Factors a matrix of few rows or columns. */
static void NAME(factor_small)(COMPUTE *a, int64_t rows, int64_t columns, int32_t *pivots, int32_t *info) {
    const int64_t count = gn_min(rows, columns);
    for (int64_t k = 0; k < count; k++) {
        int64_t chosen = k;
        MAGNITUDE largest = NAME(size_of)(a[k * columns + k]);
        for (int64_t i = k + 1; i < rows; i++) {
            const MAGNITUDE size = NAME(size_of)(a[i * columns + k]);
            if (size > largest) {
                largest = size;
                chosen = i;
            }
        }
        pivots[k] = (int32_t)(chosen + 1);
        COMPUTE *top = a + k * columns;
        if (chosen != k) {
            COMPUTE *other = a + chosen * columns;
            for (int64_t j = 0; j < columns; j++) {
                const COMPUTE x = top[j];
                top[j] = other[j];
                other[j] = x;
            }
        }
        if (top[k] == 0) {
            *info = *info != 0 ? *info : (int32_t)(k + 1);
            continue;
        }
        for (int64_t i = k + 1; i < rows; i++) {
            COMPUTE *row = a + i * columns;
            row[k] = row[k] / top[k];
            NAME(subtract)(row + k + 1, top + k + 1, row[k], columns - k - 1);
        }
    }
}

#if !IS_COMPLEX
#define FEW 4 /* rows and columns of the matrices that are factored, and solved with, by unrolled loops */

/* factor_small for such a matrix, with the same bits. */
static void NAME(factor_few)(COMPUTE *a, int32_t *pivots, int32_t *info) {
    enum { count = FEW };
    GN_UNROLL
    for (int k = 0; k < count; k++) {
        int chosen = k;
        MAGNITUDE largest = NAME(size_of)(a[k * count + k]);
        GN_UNROLL
        for (int i = k + 1; i < count; i++) {
            const MAGNITUDE size = NAME(size_of)(a[i * count + k]);
            chosen = size > largest ? i : chosen;
            largest = size > largest ? size : largest;
        }
        pivots[k] = chosen + 1;
        COMPUTE top[count];
        memcpy(top, a + chosen * count, sizeof top);
        memcpy(a + chosen * count, a + k * count, sizeof top);
        memcpy(a + k * count, top, sizeof top);
        if (top[k] == 0) {
            *info = *info != 0 ? *info : k + 1;
            continue;
        }
        GN_UNROLL
        for (int i = k + 1; i < count; i++) {
            COMPUTE *row = a + i * count;
            const COMPUTE factor = row[k] / top[k];
            row[k] = factor;
            GN_UNROLL
            for (int j = k + 1; j < count; j++) {
                row[j] = GN_FMA(-factor, top[j], row[j]);
            }
        }
    }
}

static void NAME(lu_factor_few_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *swaps = &call->tensors[1];
    const gn_tensor *codes = &call->tensors[2];
    const gn_tensor *in = &call->tensors[3];
    const int64_t row = in->strides[in->ndim - 2], column = in->strides[in->ndim - 1];
    const int64_t out_row = out->strides[out->ndim - 2], out_column = out->strides[out->ndim - 1];
    const int64_t step = swaps->strides[swaps->ndim - 1];
    for (int64_t matrix = begin; matrix < end; matrix++) {
        COMPUTE a[FEW * FEW];
        int32_t pivots[FEW], info = 0;
        NAME(gather)((const char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix), row, column, FEW, FEW, 0, a,
                     FEW);
        NAME(factor_few)(a, pivots, &info);
        if (info != 0 && call->integers[1] != 0) {
            gn_report(&work->status, GN_BAD_VALUE);
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out_row, out_column, FEW, FEW, 0,
                      a, FEW);
        char *to = (char *)work->data[1] + gn_matrix_offset(swaps, 1, in, 2, matrix);
        for (int64_t k = 0; k < FEW; k++) {
            *(int32_t *)(to + k * step) = pivots[k];
        }
        *(int32_t *)((char *)work->data[2] + gn_matrix_offset(codes, 0, in, 2, matrix)) = info;
    }
}
#endif

/* A copy of a matrix, to `a` or from there, of whose rows threads take parts. */
typedef struct NAME(copying) {
    char *at;
    int64_t row, column, rows, columns, step;
    COMPUTE *a;
    int is_back;
} NAME(copying);

static void NAME(copy_strips)(int64_t begin, int64_t end, void *context) {
    const NAME(copying) *work = context;
    const int64_t first = begin * STRIP_ROWS, rows = gn_min(end * STRIP_ROWS, work->rows) - first;
    char *at = work->at + first * work->row;
    COMPUTE *a = work->a + first * work->step;
    if (work->is_back) {
        NAME(scatter)(at, work->row, work->column, rows, work->columns, 0, a, work->step);
    } else {
        NAME(gather)(at, work->row, work->column, rows, work->columns, 0, a, work->step);
    }
}

static void NAME(copy_matrix)(char *at, int64_t row, int64_t column, int64_t rows, int64_t columns, COMPUTE *a,
                              int64_t step, int is_back) {
    NAME(copying) work = {at, row, column, rows, columns, step, a, is_back};
    gn_parallel_for(0, (rows + STRIP_ROWS - 1) / STRIP_ROWS, gn_grain(gn_checked(STRIP_ROWS, columns)),
                    NAME(copy_strips), &work);
}

static void NAME(lu_factor_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *swaps = &call->tensors[1];
    const gn_tensor *codes = &call->tensors[2];
    const gn_tensor *in = &call->tensors[3];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    const int64_t step = count < GN_HALVES ? columns : gn_halves_step(columns);
    COMPUTE *a = gn_take(gn_checked(gn_checked(rows, step), sizeof(COMPUTE)) + gn_checked(count, sizeof(int32_t)));
    int32_t *pivots = (int32_t *)(a + rows * step);
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        int32_t info = 0;
        NAME(copy_matrix)((char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix), in->strides[in->ndim - 2],
                          in->strides[in->ndim - 1], rows, columns, a, step, 0);
        if (count < GN_HALVES) {
            NAME(factor_small)(a, rows, columns, pivots, &info);
        } else {
            status = NAME(gn_factor_halves)(a, step, rows, columns, pivots, &info);
        }
        if (info != 0 && call->integers[1] != 0) {
            status = GN_BAD_VALUE;
        }
        NAME(copy_matrix)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out->strides[out->ndim - 2],
                          out->strides[out->ndim - 1], rows, columns, a, step, 1);
        char *to = (char *)work->data[1] + gn_matrix_offset(swaps, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(int32_t *)(to + k * swaps->strides[swaps->ndim - 1]) = pivots[k];
        }
        *(int32_t *)((char *)work->data[2] + gn_matrix_offset(codes, 0, in, 2, matrix)) = info;
    }
    gn_report(&work->status, status);
    gn_give(a);
}

#if !IS_COMPLEX
/* Groups [begin, end) of small matrices, which are factored beside each other. */
static void NAME(lu_factor_groups)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0], *swaps = &call->tensors[1], *codes = &call->tensors[2];
    const gn_tensor *in = &call->tensors[3];
    const int64_t rows = gn_rows_of(in), columns = gn_columns_of(in), count = gn_min(rows, columns);
    const int64_t lanes = NAME(gn_lu_lanes)(), matrices = gn_matrices(in, 2);
    const int64_t step = swaps->strides[swaps->ndim - 1];
    gn_beside_order orders[2];
    gn_begin_beside_order(&orders[0], sizeof(STORAGE), rows, columns, in->strides[in->ndim - 2],
                          in->strides[in->ndim - 1]);
    gn_begin_beside_order(&orders[1], sizeof(STORAGE), rows, columns, out->strides[out->ndim - 2],
                          out->strides[out->ndim - 1]);
    COMPUTE *a = gn_take_items(gn_beside_vectors(rows, columns) * lanes, sizeof(COMPUTE));
    gn_report(&work->status, a == NULL ? GN_OUT_OF_MEMORY : GN_OK);
    for (int64_t group = begin; group < end && a != NULL; group++) {
        const int64_t first = group * lanes, together = gn_min(lanes, matrices - first);
        int32_t pivots[GN_BESIDE_SIDE * GN_BESIDE_LANES], info[GN_BESIDE_LANES];
        const char *from[GN_BESIDE_LANES];
        char *to[GN_BESIDE_LANES];
        for (int64_t lane = 0; lane < lanes; lane++) { /* the first one again, if there are no more */
            const int64_t matrix = first + (lane < together ? lane : 0);
            from[lane] = (const char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix);
            to[lane] = (char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix);
        }
        NAME(gn_load_beside_order)(&orders[0], from, a);
        NAME(gn_factor_beside)(a, rows, columns, pivots, info);
        NAME(gn_store_beside_order)(&orders[1], a, together, to);
        for (int64_t lane = 0; lane < together; lane++) {
            char *at = (char *)work->data[1] + gn_matrix_offset(swaps, 1, in, 2, first + lane);
            for (int64_t k = 0; k < count; k++) {
                *(int32_t *)(at + k * step) = pivots[k * lanes + lane];
            }
            *(int32_t *)((char *)work->data[2] + gn_matrix_offset(codes, 0, in, 2, first + lane)) = info[lane];
            if (info[lane] != 0 && call->integers[1] != 0) {
                gn_report(&work->status, GN_BAD_VALUE);
            }
        }
    }
    gn_give(a);
}
#endif

/* (LU, pivots, info; A); integers: pivot, check_errors. */
int32_t NAME(kernel_lu_factor)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[3];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    factored work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_checked(rows, columns), gn_min(rows, columns) + 1);
    const int64_t matrices = gn_matrices(in, 2);
    gn_task *task = NAME(lu_factor_matrices);
#if !IS_COMPLEX
    const int64_t lanes = NAME(gn_lu_lanes)();
    if (lanes > 1 && matrices > lanes / 2 && gn_max(rows, columns) <= GN_BESIDE_SIDE && gn_min(rows, columns) > 1) {
        gn_parallel_for(0, (matrices + lanes - 1) / lanes, gn_grain(steps), NAME(lu_factor_groups), &work);
        return work.status;
    }
    task = rows == FEW && columns == FEW ? NAME(lu_factor_few_matrices) : task;
#endif
    gn_parallel_for(0, matrices, gn_grain(steps), task, &work);
    return work.status;
}

/* Reads the pivots of matrix `matrix` of the batch of `whole`, counted from 0; GN_BAD_VALUE for impossible ones. */
static int32_t NAME(read_pivots)(const gn_tensor *tensor, const void *data, const gn_tensor *whole, int64_t matrix,
                                 int64_t rows, int64_t *pivots) {
    const char *from = (const char *)data + gn_matrix_offset(tensor, 1, whole, 2, matrix);
    for (int64_t k = 0; k < tensor->sizes[tensor->ndim - 1]; k++) {
        pivots[k] = *(const int32_t *)(from + k * tensor->strides[tensor->ndim - 1]) - 1;
        if (pivots[k] < 0 || pivots[k] >= rows) {
            return GN_BAD_VALUE;
        }
    }
    return GN_OK;
}

static void NAME(lu_unpack_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *in = &call->tensors[3];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    int64_t *order = gn_take(gn_checked(rows + count, sizeof(int64_t)));
    int32_t status = order == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        const char *from = (const char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix);
        for (int number = 1; number < 3 && call->integers[0] != 0; number++) { /* L and U */
            const gn_tensor *out = &call->tensors[number];
            char *to = (char *)work->data[number] + gn_matrix_offset(out, 2, in, 2, matrix);
            for (int64_t i = 0; i < gn_rows_of(out); i++) {
                for (int64_t j = 0; j < gn_columns_of(out); j++) {
                    const int kept = number == 1 ? j < i : j >= i;
                    const STORAGE other = number == 1 && i == j;
                    *(STORAGE *)(to + i * out->strides[out->ndim - 2] + j * out->strides[out->ndim - 1]) =
                        kept ? *(const STORAGE *)(from + i * in->strides[in->ndim - 2]
                                                  + j * in->strides[in->ndim - 1])
                             : other;
                }
            }
        }
        if (call->integers[1] != 0) {
            const gn_tensor *out = &call->tensors[0];
            char *to = (char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix);
            status = NAME(read_pivots)(&call->tensors[4], work->data[4], in, matrix, rows, order + rows);
            for (int64_t i = 0; i < rows; i++) {
                order[i] = i;
            }
            for (int64_t k = 0; k < count && status == GN_OK; k++) {
                const int64_t other = order[rows + k];
                const int64_t row = order[k];
                order[k] = order[other];
                order[other] = row;
            }
            for (int64_t i = 0; i < rows; i++) {
                for (int64_t j = 0; j < rows; j++) {
                    *(STORAGE *)(to + i * out->strides[out->ndim - 2] + j * out->strides[out->ndim - 1]) =
                        order[j] == i;
                }
            }
        }
    }
    gn_report(&work->status, status);
    gn_give(order);
}

/* (P, L, U; LU_data, LU_pivots); integers: unpack_data, unpack_pivots. */
int32_t NAME(kernel_lu_unpack)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[3];
    factored work = {call, data, GN_OK};
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(gn_checked(gn_rows_of(in), gn_columns_of(in) + gn_rows_of(in))),
                    NAME(lu_unpack_matrices), &work);
    return work.status;
}

static void NAME(swap_rows)(COMPUTE *x, int64_t step, int64_t width, int64_t one, int64_t other) {
    for (int64_t j = 0; j < width && one != other; j++) {
        const COMPUTE number = x[one * step + j];
        x[one * step + j] = x[other * step + j];
        x[other * step + j] = number;
    }
}

static void NAME(swap_numbers)(COMPUTE *x, int64_t step, int64_t width, int64_t one, int64_t other) {
    for (int64_t j = 0; j < width && one != other; j++) {
        const COMPUTE number = x[j * step + one];
        x[j * step + one] = x[j * step + other];
        x[j * step + other] = number;
    }
}

#if !IS_COMPLEX
/* Few rows: lu_solve_narrow_matrices with the same bits, unless pivots are applied last. */
static void NAME(lu_solve_few_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *swaps = &call->tensors[2];
    const gn_tensor *right = &call->tensors[3];
    const int left = call->integers[0] != 0;
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t from_step = right->strides[right->ndim - (left ? 2 : 1)];
    const int64_t from_next = right->strides[right->ndim - (left ? 1 : 2)];
    const int64_t to_step = out->strides[out->ndim - (left ? 2 : 1)];
    const int64_t to_next = out->strides[out->ndim - (left ? 1 : 2)];
    for (int64_t matrix = begin; matrix < end; matrix++) {
        int64_t pivots[FEW], order[FEW];
        COMPUTE t[FEW * FEW];
        const int32_t status = NAME(read_pivots)(swaps, work->data[2], out, matrix, FEW, pivots);
        if (status != GN_OK) {
            gn_report(&work->status, status);
            return;
        }
        for (int i = 0; i < FEW; i++) {
            order[i] = i;
        }
        for (int i = 0; i < FEW; i++) {
            const int64_t other = order[pivots[i]];
            order[pivots[i]] = order[i];
            order[i] = other;
        }
        NAME(gather)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix), in->strides[in->ndim - 2],
                     in->strides[in->ndim - 1], FEW, FEW, 0, t, FEW);
        const char *from = (const char *)work->data[3] + gn_matrix_offset(right, 2, out, 2, matrix);
        char *to = (char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix);
        for (int64_t c = 0; c < width; c++, from += from_next, to += to_next) {
            COMPUTE x[FEW];
            GN_UNROLL
            for (int i = 0; i < FEW; i++) {
                x[i] = *(const STORAGE *)(from + order[i] * from_step);
            }
            GN_UNROLL
            for (int p = 0; p < FEW; p++) {
                GN_UNROLL
                for (int i = p + 1; i < FEW; i++) {
                    x[i] = GN_FMA(-x[p], t[i * FEW + p], x[i]);
                }
            }
            GN_UNROLL
            for (int p = FEW - 1; p >= 0; p--) {
                x[p] = x[p] / t[p * FEW + p];
                GN_UNROLL
                for (int i = 0; i < p; i++) {
                    x[i] = GN_FMA(-x[p], t[i * FEW + p], x[i]);
                }
            }
            GN_UNROLL
            for (int i = 0; i < FEW; i++) {
                *(STORAGE *)(to + i * to_step) = x[i];
            }
        }
    }
}
#endif

/* A few right sides, as columns. */
static void NAME(lu_solve_narrow_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *swaps = &call->tensors[2];
    const gn_tensor *right = &call->tensors[3];
    const int left = call->integers[0] != 0;
    const int adjoint = (call->integers[1] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t step = NAME(narrow_step)(count);
    const int64_t row = in->strides[in->ndim - (adjoint ? 1 : 2)];
    const int64_t column = in->strides[in->ndim - (adjoint ? 2 : 1)];
    int64_t *pivots = gn_take_items(count, sizeof(int64_t));
    COMPUTE *memory = NAME(take_narrow)(count, count + width);
    COMPUTE *t = memory + WIDE;
    COMPUTE *x = t + count * step;
    int32_t status = pivots == NULL || memory == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        status = NAME(read_pivots)(swaps, work->data[2], out, matrix, count, pivots);
        if (status != GN_OK) {
            break;
        }
        const char *from = (const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix);
        NAME(gather)((const char *)work->data[3] + gn_matrix_offset(right, 2, out, 2, matrix),
                     right->strides[right->ndim - (left ? 1 : 2)], right->strides[right->ndim - (left ? 2 : 1)], width,
                     count, !left, x, step);
        for (int64_t k = 0; k < count && !adjoint; k++) {
            NAME(swap_numbers)(x, step, width, k, pivots[k]);
        }
        NAME(solve_narrow)(from, row, column, adjoint, count, t, x, width, 0, !adjoint);
        NAME(solve_narrow)(from, row, column, adjoint, count, t, x, width, 1, adjoint);
        for (int64_t k = count - 1; k >= 0 && adjoint; k--) {
            NAME(swap_numbers)(x, step, width, k, pivots[k]);
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                      out->strides[out->ndim - (left ? 1 : 2)], out->strides[out->ndim - (left ? 2 : 1)], width, count,
                      !left, x, step);
    }
    gn_report(&work->status, status);
    gn_give(memory);
    gn_give(pivots);
}

/* X P, with the row swaps P; replaces `pivots`. `line` has room for a row. */
static void NAME(permute_columns)(COMPUTE *x, int64_t step, int64_t count, int64_t *pivots, COMPUTE *line) {
    /* column j of X P is column order[j] of X; only pivots before k are still needed at k */
    for (int64_t k = count - 1; k >= 0; k--) {
        const int64_t other = pivots[k];
        pivots[k] = k;
        if (other != k) {
            const int64_t place = pivots[other];
            pivots[other] = pivots[k];
            pivots[k] = place;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        COMPUTE *row = x + i * step;
        for (int64_t j = 0; j < count; j++) {
            line[j] = row[pivots[j]];
        }
        memcpy(row, line, (size_t)count * sizeof(COMPUTE));
    }
}

/* Large matrices.  A system from the right is the adjoint of one from the left. */
static void NAME(lu_solve_large_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *swaps = &call->tensors[2];
    const gn_tensor *right = &call->tensors[3];
    const int left = call->integers[0] != 0;
    const int adjoint = (call->integers[1] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t step = gn_halves_step(width);
    const int64_t row = in->strides[in->ndim - (adjoint ? 1 : 2)] / (int64_t)sizeof(STORAGE);
    const int64_t column = in->strides[in->ndim - (adjoint ? 2 : 1)] / (int64_t)sizeof(STORAGE);
    int64_t *pivots = gn_take_items(count, sizeof(int64_t));
    COMPUTE *x = gn_take_items(gn_checked(count + 1, gn_max(count, step)), sizeof(COMPUTE));
    COMPUTE *line = x + count * step;
    int32_t status = pivots == NULL || x == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        status = NAME(read_pivots)(swaps, work->data[2], out, matrix, count, pivots);
        if (status != GN_OK) {
            break;
        }
        const STORAGE *from = (const STORAGE *)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix));
#if !IS_COMPLEX
        if (width <= GN_FEW_COLUMNS && (row == 1 || column == 1)) {
            NAME(gather)((const char *)work->data[3] + gn_matrix_offset(right, 2, out, 2, matrix),
                         right->strides[right->ndim - (left ? 1 : 2)], right->strides[right->ndim - (left ? 2 : 1)],
                         width, count, 0, x, count);
            for (int64_t k = 0; k < count && !adjoint; k++) {
                NAME(swap_numbers)(x, count, width, k, pivots[k]);
            }
            NAME(gn_solve_columns)(from, row, column, count, x, count, width, 0, !adjoint);
            NAME(gn_solve_columns)(from, row, column, count, x, count, width, 1, adjoint);
            for (int64_t k = count - 1; k >= 0 && adjoint; k--) {
                NAME(swap_numbers)(x, count, width, k, pivots[k]);
            }
            NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                          out->strides[out->ndim - (left ? 1 : 2)], out->strides[out->ndim - (left ? 2 : 1)], width,
                          count, 0, x, count);
            continue;
        }
#endif
        NAME(gather_wide)((const char *)work->data[3] + gn_matrix_offset(right, 2, out, 2, matrix),
                          right->strides[right->ndim - (left ? 2 : 1)], right->strides[right->ndim - (left ? 1 : 2)],
                          count, width, !left, x, step);
        const int64_t wide = NAME(widened)(width);
        /* with a diagonal B, as for an inverse, U^-1 L^-1 P B is U^-1 L^-1 (P B P^T) P, of which L^-1 is a triangle */
        const int is_diagonal = !adjoint && width == count && NAME(gn_is_triangle)(x, step, count, 0)
                                && NAME(gn_is_triangle)(x, step, count, 1);
        for (int64_t k = 0; k < count && is_diagonal; k++) {
            const COMPUTE number = x[k * (step + 1)];
            x[k * (step + 1)] = x[pivots[k] * (step + 1)];
            x[pivots[k] * (step + 1)] = number;
        }
        for (int64_t k = 0; k < count && !adjoint && !is_diagonal; k++) {
            NAME(swap_rows)(x, step, width, k, pivots[k]);
        }
        status = is_diagonal ? NAME(gn_solve_triangle)(from, row, column, 0, count, x, step, 0, 1)
                             : NAME(gn_solve_shared)(from, row, column, adjoint, count, x, step, wide, 0, !adjoint);
        if (status == GN_OK) {
            status = NAME(gn_solve_shared)(from, row, column, adjoint, count, x, step, wide, 1, adjoint);
        }
        if (is_diagonal) {
            NAME(permute_columns)(x, step, count, pivots, line);
        }
        for (int64_t k = count - 1; k >= 0 && adjoint; k--) {
            NAME(swap_rows)(x, step, width, k, pivots[k]);
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                      out->strides[out->ndim - (left ? 2 : 1)], out->strides[out->ndim - (left ? 1 : 2)], count, width,
                      !left, x, step);
    }
    gn_report(&work->status, status);
    gn_give(x);
    gn_give(pivots);
}

/* (result; LU, pivots, B); integers: left, adjoint. */
int32_t NAME(kernel_lu_solve)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    factored work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_rows_of(out), gn_checked(gn_columns_of(out), gn_rows_of(&call->tensors[1])));
    const int64_t count = gn_rows_of(&call->tensors[1]);
    gn_task *task = count > GN_SMALL ? NAME(lu_solve_large_matrices) : NAME(lu_solve_narrow_matrices);
#if !IS_COMPLEX
    const int adjoint = (call->integers[1] != 0) == (call->integers[0] != 0);
    task = count == FEW && !adjoint ? NAME(lu_solve_few_matrices) : task;
#endif
    gn_parallel_for(0, gn_matrices(out, 2), gn_grain(steps), task, &work);
    return work.status;
}

#undef FEW
#include "matrix_end.h"

#endif
