/* The Cholesky factorization of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

/* Replaces the rows from `first` to `last` of the upper triangle of a by those of U; their columns from `last` are
 * computed too. Returns 0, or the number of the row, counted from 1, whose pivot, which it leaves, is not positive. */
static int64_t NAME(factor_rows)(COMPUTE *a, int64_t count, int64_t first, int64_t last) {
    for (int64_t k = first; k < last; k++) {
        COMPUTE *row = a + k * count;
        const MAGNITUDE square = REAL_OF(row[k]);
        if (!(square > 0)) {
            row[k] = square;
            return k + 1;
        }
        const MAGNITUDE root = (MAGNITUDE)sqrt((double)square);
        row[k] = root;
        for (int64_t j = k + 1; j < count; j++) {
            row[j] = row[j] / root;
        }
        for (int64_t i = k + 1; i < last; i++) {
            NAME(subtract)(a + i * count + i, row + i, CONJUGATE(row[i]), count - i);
        }
    }
    return 0;
}

/* The whole matrix: panels of rows, and after each the product of its adjoint with itself from the rest. `scratch` has
 * room for a panel. *info is what factor_rows returns. */
static int32_t NAME(factor_upper)(COMPUTE *a, int64_t count, COMPUTE *scratch, int64_t *info) {
    for (int64_t first = 0; first < count; first += GN_PANEL) {
        const int64_t last = gn_min(first + GN_PANEL, count);
        *info = NAME(factor_rows)(a, count, first, last);
        if (*info != 0 || last == count) {
            return GN_OK;
        }
        for (int64_t k = first; k < last; k++) {
            for (int64_t j = last; j < count; j++) {
                scratch[(k - first) * count + j] = CONJUGATE(a[k * count + j]);
            }
        }
        for (int64_t at = last; at < count; at += GN_PANEL) { /* the upper triangle of the rest, by strips */
            const int32_t status =
                NAME(gn_gemm)(gn_min(GN_PANEL, count - at), count - at, last - first, -1, scratch + at, 1, count,
                              a + first * count + at, count, 1, 1, a + at * count + at, count);
            if (status != GN_OK) {
                return status;
            }
        }
    }
    return GN_OK;
}

static void NAME(factor_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *codes = &call->tensors[1];
    const gn_tensor *in = &call->tensors[2];
    const int upper = call->integers[0] != 0;
    const int64_t count = gn_rows_of(in);
    const int64_t row = in->strides[in->ndim - (upper ? 2 : 1)];
    const int64_t column = in->strides[in->ndim - (upper ? 1 : 2)];
    COMPUTE *a = gn_take(gn_checked(gn_checked(count, count + GN_PANEL), sizeof(COMPUTE)));
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        const char *from = (const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix);
        char *to = (char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix);
        int64_t info = 0;
        NAME(gather)(from, row, column, count, count, !upper, a, count);
        status = NAME(factor_upper)(a, count, a + count * count, &info);
        if (info != 0) { /* what follows the pivot is left as it was */
            const int64_t at = info - 1;
            const COMPUTE pivot = a[at * count + at];
            NAME(gather)(from + at * row, row, column, count - at, count, !upper, a + at * count, count);
            a[at * count + at] = pivot;
            if (call->integers[1] != 0) {
                status = GN_BAD_VALUE;
            }
        }
        for (int64_t i = 1; i < count; i++) {
            memset(a + i * count, 0, (size_t)i * sizeof(COMPUTE));
        }
        NAME(scatter)(to, out->strides[out->ndim - (upper ? 2 : 1)], out->strides[out->ndim - (upper ? 1 : 2)], count,
                      count, !upper, a, count);
        *(int32_t *)((char *)work->data[1] + gn_matrix_offset(codes, 0, in, 2, matrix)) = (int32_t)info;
    }
    gn_report(&work->status, status);
    gn_give(a);
}

/* (L, info; self); integers: upper, check_errors. */
int32_t NAME(kernel_cholesky)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[2];
    const int64_t count = gn_rows_of(in);
    factored work = {call, data, GN_OK};
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(gn_checked(count, gn_checked(count, count + 1))),
                    NAME(factor_matrices), &work);
    return work.status;
}

#include "matrix_end.h"

#endif
