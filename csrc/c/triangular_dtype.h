/* Triangular systems of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

/* A few right sides, as columns. */
static void NAME(solve_narrow_matrices)(int64_t begin, int64_t end, void *context) {
    substitution *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *right = &call->tensors[2];
    const int left = call->integers[1] != 0;
    const int upper = (call->integers[0] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t step = NAME(narrow_step)(count);
    COMPUTE *memory = NAME(take_narrow)(count, count + width);
    COMPUTE *t = memory + WIDE;
    COMPUTE *x = t + count * step;
    const int32_t status = memory == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(gather)((const char *)work->data[2] + gn_matrix_offset(right, 2, out, 2, matrix),
                     right->strides[right->ndim - (left ? 1 : 2)], right->strides[right->ndim - (left ? 2 : 1)], width,
                     count, 0, x, step);
        NAME(solve_narrow)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix),
                           in->strides[in->ndim - (left ? 2 : 1)], in->strides[in->ndim - (left ? 1 : 2)], 0, count, t,
                           x, width, upper, call->integers[2] != 0);
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                      out->strides[out->ndim - (left ? 1 : 2)], out->strides[out->ndim - (left ? 2 : 1)], width, count,
                      0, x, step);
    }
    gn_report(&work->status, status);
    gn_give(memory);
}

/* A system from the right is the transpose of one from the left. */
static void NAME(solve_matrices)(int64_t begin, int64_t end, void *context) {
    substitution *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *right = &call->tensors[2];
    const int left = call->integers[1] != 0;
    const int upper = (call->integers[0] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    COMPUTE *a = gn_take(gn_checked(gn_checked(count, count + width), sizeof(COMPUTE)));
    COMPUTE *x = a + count * count;
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(gather)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix),
                     in->strides[in->ndim - (left ? 2 : 1)], in->strides[in->ndim - (left ? 1 : 2)], count, count, 0, a,
                     count);
        NAME(gather)((const char *)work->data[2] + gn_matrix_offset(right, 2, out, 2, matrix),
                     right->strides[right->ndim - (left ? 2 : 1)], right->strides[right->ndim - (left ? 1 : 2)], count,
                     width, 0, x, width);
        status = NAME(substitute)(a, count, count, x, width, upper, call->integers[2] != 0);
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                      out->strides[out->ndim - (left ? 2 : 1)], out->strides[out->ndim - (left ? 1 : 2)], count, width,
                      0, x, width);
    }
    gn_report(&work->status, status);
    gn_give(a);
}

/* One large system with a few right sides. */
static int32_t NAME(solve_large)(const substitution *work, int64_t matrix) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *in = &work->call->tensors[1];
    const gn_tensor *right = &work->call->tensors[2];
    const int left = work->call->integers[1] != 0;
    const int upper = (work->call->integers[0] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    COMPUTE *x = gn_take_items(gn_checked(count, width), sizeof(COMPUTE));
    if (x == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[2] + gn_matrix_offset(right, 2, out, 2, matrix),
                             right->strides[right->ndim - (left ? 2 : 1)],
                             right->strides[right->ndim - (left ? 1 : 2)], count, width, 0, x)) {
        status = NAME(gn_lapack_substitute)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix),
                                            in->strides[in->ndim - (left ? 2 : 1)],
                                            in->strides[in->ndim - (left ? 1 : 2)], 0, count, x, width, upper,
                                            work->call->integers[2] != 0);
    }
    if (status == GN_OK) {
        NAME(gn_lapack_write)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                              out->strides[out->ndim - (left ? 2 : 1)], out->strides[out->ndim - (left ? 1 : 2)], count,
                              width, 0, x);
    }
    gn_give(x);
    return status;
}

static void NAME(solve_large_matrices)(int64_t begin, int64_t end, void *context) {
    substitution *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(solve_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(solve_narrow_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

/* (result; self, B); integers: upper, left, unitriangular. */
int32_t NAME(kernel_solve_triangular)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    substitution work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_rows_of(out), gn_checked(gn_columns_of(out), gn_rows_of(&call->tensors[1])));
    const int64_t width = call->integers[1] != 0 ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t count = gn_rows_of(&call->tensors[1]);
    gn_task *task = width > GN_NARROW && count > GN_SMALL ? NAME(solve_matrices) : NAME(solve_narrow_matrices);
    if (width <= GN_NARROW && gn_lapack_fits(GN_TRSM, CODE, count, count)) { /* trsm is slower for more */
        task = NAME(solve_large_matrices);
    }
    gn_parallel_for(0, gn_matrices(out, 2), gn_grain(steps), task, &work);
    return work.status;
}

#include "matrix_end.h"

#endif
