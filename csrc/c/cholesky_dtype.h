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

/* How the elements of U lie in memory, for a factor and for a matrix: U is read and written as L^H, if not `upper`. */
typedef struct NAME(places) {
    const gn_tensor *out, *codes, *in;
    int64_t count, row, column, out_row, out_column;
    int upper;
} NAME(places);

static NAME(places) NAME(places_of)(const gn_call *call) {
    const gn_tensor *out = &call->tensors[0], *in = &call->tensors[2];
    const int upper = call->integers[0] != 0;
    return (NAME(places)){
        .out = out,
        .codes = &call->tensors[1],
        .in = in,
        .count = gn_rows_of(in),
        .row = in->strides[in->ndim - (upper ? 2 : 1)],
        .column = in->strides[in->ndim - (upper ? 1 : 2)],
        .out_row = out->strides[out->ndim - (upper ? 2 : 1)],
        .out_column = out->strides[out->ndim - (upper ? 1 : 2)],
        .upper = upper,
    };
}

static const char *NAME(matrix_at)(const factored *work, const NAME(places) *at, int64_t matrix) {
    return (const char *)work->data[2] + gn_matrix_offset(at->in, 2, at->in, 2, matrix);
}

static char *NAME(factor_at)(const factored *work, const NAME(places) *at, int64_t matrix) {
    return (char *)work->data[0] + gn_matrix_offset(at->out, 2, at->in, 2, matrix);
}

static void NAME(write_info)(const factored *work, const NAME(places) *at, int64_t matrix, int64_t info) {
    *(int32_t *)((char *)work->data[1] + gn_matrix_offset(at->codes, 0, at->in, 2, matrix)) = (int32_t)info;
}

static int32_t NAME(factor_one)(const factored *work, const NAME(places) *at, int64_t matrix, COMPUTE *a) {
    const char *from = NAME(matrix_at)(work, at, matrix);
    const int64_t count = at->count, row = at->row, column = at->column;
    const int conjugated = !at->upper;
    int64_t info = 0;
    NAME(gather)(from, row, column, count, count, conjugated, a, count);
    int32_t status = NAME(factor_upper)(a, count, a + count * count, &info);
    if (info != 0) { /* what follows the pivot is left as it was */
        const int64_t last = info - 1;
        const COMPUTE pivot = a[last * count + last];
        NAME(gather)(from + last * row, row, column, count - last, count, conjugated, a + last * count, count);
        a[last * count + last] = pivot;
        if (work->call->integers[1] != 0) {
            status = GN_BAD_VALUE;
        }
    }
    for (int64_t i = 1; i < count; i++) {
        memset(a + i * count, 0, (size_t)i * sizeof(COMPUTE));
    }
    NAME(scatter)(NAME(factor_at)(work, at, matrix), at->out_row, at->out_column, count, count, conjugated, a, count);
    NAME(write_info)(work, at, matrix, info);
    return status;
}

#if IS_REAL
/* TOGETHER small matrices from number `first` on.  `a` is memory for one whose pivot is not positive. */
static int32_t NAME(factor_together)(const factored *work, const NAME(places) *at, int64_t first, COMPUTE *a) {
    const int64_t count = at->count;
    COMPUTE u[SMALL][SMALL][TOGETHER];
    for (int lane = 0; lane < TOGETHER; lane++) {
        const char *from = NAME(matrix_at)(work, at, first + lane);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = i; j < count; j++) {
                u[i][j][lane] = *(const STORAGE *)(const void *)(from + i * at->row + j * at->column);
            }
        }
    }
    int32_t are_bad[TOGETHER] = {0};
    for (int64_t k = 0; k < count; k++) {
        COMPUTE roots[TOGETHER];
        for (int lane = 0; lane < TOGETHER; lane++) {
            are_bad[lane] |= !(u[k][k][lane] > 0);
            u[k][k][lane] = roots[lane] = (COMPUTE)sqrt((double)u[k][k][lane]);
        }
        for (int64_t j = k + 1; j < count; j++) {
            for (int lane = 0; lane < TOGETHER; lane++) {
                u[k][j][lane] /= roots[lane];
            }
        }
        for (int64_t i = k + 1; i < count; i++) {
            for (int64_t j = i; j < count; j++) {
                for (int lane = 0; lane < TOGETHER; lane++) {
                    u[i][j][lane] = GN_FMA(-u[k][i][lane], u[k][j][lane], u[i][j][lane]);
                }
            }
        }
    }
    int32_t status = GN_OK;
    for (int lane = 0; lane < TOGETHER; lane++) {
        if (are_bad[lane]) {
            const int32_t found = NAME(factor_one)(work, at, first + lane, a);
            status = found != GN_OK ? found : status;
            continue;
        }
        char *to = NAME(factor_at)(work, at, first + lane);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = 0; j < count; j++) {
                *(STORAGE *)(void *)(to + i * at->out_row + j * at->out_column) = j < i ? 0 : u[i][j][lane];
            }
        }
        NAME(write_info)(work, at, first + lane, 0);
    }
    return status;
}
#endif

static void NAME(factor_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const NAME(places) at = NAME(places_of)(work->call);
    COMPUTE *a = gn_take(gn_checked(gn_checked(at.count, at.count + GN_PANEL), sizeof(COMPUTE)));
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    int64_t matrix = begin;
#if IS_REAL
    for (; at.count <= SMALL && matrix + TOGETHER <= end && status == GN_OK; matrix += TOGETHER) {
        status = NAME(factor_together)(work, &at, matrix, a);
    }
#endif
    for (; matrix < end && status == GN_OK; matrix++) {
        status = NAME(factor_one)(work, &at, matrix, a);
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
