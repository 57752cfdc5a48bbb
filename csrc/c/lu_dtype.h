/* The LU factorization of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

static inline MAGNITUDE NAME(size_of)(COMPUTE x) { /* LAPACK's, without a square root */
    return (MAGNITUDE)fabs((double)REAL_OF(x)) + (MAGNITUDE)fabs((double)IMAGINARY_OF(x));
}

/* Factors the columns from `first` to `last` of the rows from `first`; swaps whole rows. */
static void NAME(factor_panel)(COMPUTE *a, int64_t rows, int64_t columns, int64_t first, int64_t last, int32_t *pivots,
                               int32_t *info) {
    for (int64_t k = first; k < last; k++) {
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
            NAME(subtract)(row + k + 1, top + k + 1, row[k], last - k - 1);
        }
    }
}

/* The whole matrix: panels of columns; after each, its rows of U, and the product from the rest. */
static int32_t NAME(factor_whole)(COMPUTE *a, int64_t rows, int64_t columns, int32_t *pivots, int32_t *info) {
    const int64_t count = gn_min(rows, columns);
    for (int64_t first = 0; first < count; first += GN_PANEL) {
        const int64_t last = gn_min(first + GN_PANEL, count);
        NAME(factor_panel)(a, rows, columns, first, last, pivots, info);
        for (int64_t i = first; i < last && last < columns; i++) {
            for (int64_t p = first; p < i; p++) {
                NAME(subtract)(a + i * columns + last, a + p * columns + last, a[i * columns + p], columns - last);
            }
        }
        if (last < rows && last < columns) {
            const int32_t status =
                NAME(gn_gemm)(rows - last, columns - last, last - first, -1, a + last * columns + first, columns, 1,
                              a + first * columns + last, columns, 1, 1, a + last * columns + last, columns);
            if (status != GN_OK) {
                return status;
            }
        }
    }
    return GN_OK;
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
    COMPUTE *a = gn_take(gn_checked(gn_checked(rows, columns), sizeof(COMPUTE)) + gn_checked(count, sizeof(int32_t)));
    int32_t *pivots = (int32_t *)(a + rows * columns);
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        int32_t info = 0;
        NAME(gather)((const char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix), in->strides[in->ndim - 2],
                     in->strides[in->ndim - 1], rows, columns, 0, a, columns);
        status = NAME(factor_whole)(a, rows, columns, pivots, &info);
        if (info != 0 && call->integers[1] != 0) {
            status = GN_BAD_VALUE;
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out->strides[out->ndim - 2],
                      out->strides[out->ndim - 1], rows, columns, 0, a, columns);
        char *to = (char *)work->data[1] + gn_matrix_offset(swaps, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(int32_t *)(to + k * swaps->strides[swaps->ndim - 1]) = pivots[k];
        }
        *(int32_t *)((char *)work->data[2] + gn_matrix_offset(codes, 0, in, 2, matrix)) = info;
    }
    gn_report(&work->status, status);
    gn_give(a);
}

/* One large matrix. */
static int32_t NAME(lu_factor_large)(const factored *work, int64_t matrix) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *swaps = &work->call->tensors[1];
    const gn_tensor *codes = &work->call->tensors[2];
    const gn_tensor *in = &work->call->tensors[3];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    COMPUTE *a = gn_take(gn_checked(gn_checked(rows, columns), sizeof(COMPUTE)) + gn_checked(count, sizeof(int32_t)));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    int32_t *pivots = (int32_t *)(a + rows * columns);
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix),
                             in->strides[in->ndim - 2], in->strides[in->ndim - 1], rows, columns, 0, a)) {
        int32_t info = 0;
        NAME(gn_lapack_lu)(a, rows, columns, pivots, &info);
        status = info != 0 ? GN_NOT_IMPLEMENTED : GN_OK; /* our own treats pivots of 0 */
    }
    if (status == GN_OK) {
        NAME(gn_lapack_write)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix),
                              out->strides[out->ndim - 2], out->strides[out->ndim - 1], rows, columns, 0, a);
        char *to = (char *)work->data[1] + gn_matrix_offset(swaps, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(int32_t *)(to + k * swaps->strides[swaps->ndim - 1]) = pivots[k];
        }
        *(int32_t *)((char *)work->data[2] + gn_matrix_offset(codes, 0, in, 2, matrix)) = 0;
    }
    gn_give(a);
    return status;
}

static void NAME(lu_factor_large_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(lu_factor_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(lu_factor_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

/* (LU, pivots, info; A); integers: pivot, check_errors. */
int32_t NAME(kernel_lu_factor)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[3];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    factored work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_checked(rows, columns), gn_min(rows, columns) + 1);
    gn_task *task = gn_lapack_fits(GN_GETRF, CODE, rows, columns) ? NAME(lu_factor_large_matrices)
                                                                  : NAME(lu_factor_matrices);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(steps), task, &work);
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

static void NAME(swap_rows)(COMPUTE *x, int64_t width, int64_t one, int64_t other) {
    for (int64_t j = 0; j < width && one != other; j++) {
        const COMPUTE number = x[one * width + j];
        x[one * width + j] = x[other * width + j];
        x[other * width + j] = number;
    }
}

static void NAME(swap_numbers)(COMPUTE *x, int64_t step, int64_t width, int64_t one, int64_t other) {
    for (int64_t j = 0; j < width && one != other; j++) {
        const COMPUTE number = x[j * step + one];
        x[j * step + one] = x[j * step + other];
        x[j * step + other] = number;
    }
}

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

/* A system from the right is the adjoint of one from the left. */
static void NAME(lu_solve_matrices)(int64_t begin, int64_t end, void *context) {
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
    int64_t *pivots = gn_take_items(count, sizeof(int64_t));
    COMPUTE *a = gn_take_items(gn_checked(count, count + width), sizeof(COMPUTE));
    COMPUTE *x = a + count * count;
    int32_t status = pivots == NULL || a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        status = NAME(read_pivots)(swaps, work->data[2], out, matrix, count, pivots);
        if (status != GN_OK) {
            break;
        }
        NAME(gather)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix),
                     in->strides[in->ndim - (adjoint ? 1 : 2)], in->strides[in->ndim - (adjoint ? 2 : 1)], count,
                     count, adjoint, a, count);
        NAME(gather)((const char *)work->data[3] + gn_matrix_offset(right, 2, out, 2, matrix),
                     right->strides[right->ndim - (left ? 2 : 1)], right->strides[right->ndim - (left ? 1 : 2)], count,
                     width, !left, x, width);
        for (int64_t k = 0; k < count && !adjoint; k++) {
            NAME(swap_rows)(x, width, k, pivots[k]);
        }
        status = NAME(substitute)(a, count, count, x, width, 0, !adjoint);
        if (status == GN_OK) {
            status = NAME(substitute)(a, count, count, x, width, 1, adjoint);
        }
        for (int64_t k = count - 1; k >= 0 && adjoint; k--) {
            NAME(swap_rows)(x, width, k, pivots[k]);
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                      out->strides[out->ndim - (left ? 2 : 1)], out->strides[out->ndim - (left ? 1 : 2)], count, width,
                      !left, x, width);
    }
    gn_report(&work->status, status);
    gn_give(a);
    gn_give(pivots);
}

/* One large system with a few right sides. */
static int32_t NAME(lu_solve_large)(const factored *work, int64_t matrix) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *in = &work->call->tensors[1];
    const gn_tensor *right = &work->call->tensors[3];
    const int left = work->call->integers[0] != 0;
    const int adjoint = (work->call->integers[1] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t row = in->strides[in->ndim - (adjoint ? 1 : 2)];
    const int64_t column = in->strides[in->ndim - (adjoint ? 2 : 1)];
    const char *from = (const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix);
    int64_t *pivots = gn_take_items(count, sizeof(int64_t));
    COMPUTE *x = gn_take_items(gn_checked(count, width), sizeof(COMPUTE));
    int32_t status = pivots == NULL || x == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (status == GN_OK) {
        status = NAME(read_pivots)(&work->call->tensors[2], work->data[2], out, matrix, count, pivots);
    }
    if (status == GN_OK
        && !NAME(gn_lapack_read)((const char *)work->data[3] + gn_matrix_offset(right, 2, out, 2, matrix),
                                 right->strides[right->ndim - (left ? 2 : 1)],
                                 right->strides[right->ndim - (left ? 1 : 2)], count, width, !left, x)) {
        status = GN_NOT_IMPLEMENTED;
    }
    for (int64_t k = 0; k < count && status == GN_OK && !adjoint; k++) {
        NAME(swap_numbers)(x, count, width, k, pivots[k]);
    }
    for (int upper = 0; upper < 2 && status == GN_OK; upper++) {
        status = NAME(gn_lapack_substitute)(from, row, column, adjoint, count, x, width, upper, upper == adjoint);
    }
    for (int64_t k = count - 1; k >= 0 && status == GN_OK && adjoint; k--) {
        NAME(swap_numbers)(x, count, width, k, pivots[k]);
    }
    if (status == GN_OK) {
        NAME(gn_lapack_write)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                              out->strides[out->ndim - (left ? 2 : 1)], out->strides[out->ndim - (left ? 1 : 2)], count,
                              width, !left, x);
    }
    gn_give(x);
    gn_give(pivots);
    return status;
}

static void NAME(lu_solve_large_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(lu_solve_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(lu_solve_narrow_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

/* (result; LU, pivots, B); integers: left, adjoint. */
int32_t NAME(kernel_lu_solve)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    factored work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_rows_of(out), gn_checked(gn_columns_of(out), gn_rows_of(&call->tensors[1])));
    const int64_t width = call->integers[0] != 0 ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t count = gn_rows_of(&call->tensors[1]);
    gn_task *task = width > GN_NARROW && count > GN_SMALL ? NAME(lu_solve_matrices) : NAME(lu_solve_narrow_matrices);
    if (width <= GN_NARROW && gn_lapack_fits(GN_TRSM, CODE, count, count)) { /* trsm is slower for more */
        task = NAME(lu_solve_large_matrices);
    }
    gn_parallel_for(0, gn_matrices(out, 2), gn_grain(steps), task, &work);
    return work.status;
}

#include "matrix_end.h"

#endif
