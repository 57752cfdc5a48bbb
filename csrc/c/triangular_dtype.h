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

/* Large matrices.  A system from the right is the transpose of one from the left. */
static void NAME(solve_large_matrices)(int64_t begin, int64_t end, void *context) {
    substitution *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *right = &call->tensors[2];
    const int left = call->integers[1] != 0;
    const int upper = (call->integers[0] != 0) == left;
    const int64_t count = gn_rows_of(in);
    const int64_t width = left ? gn_columns_of(out) : gn_rows_of(out);
    const int64_t step = gn_halves_step(width);
    const int64_t row = in->strides[in->ndim - (left ? 2 : 1)] / (int64_t)sizeof(STORAGE);
    const int64_t column = in->strides[in->ndim - (left ? 1 : 2)] / (int64_t)sizeof(STORAGE);
    COMPUTE *x = gn_take_items(gn_checked(count, step), sizeof(COMPUTE));
    int32_t status = x == NULL ? GN_OUT_OF_MEMORY : GN_OK;
#if !IS_COMPLEX
    for (; width <= GN_FEW_COLUMNS && (row == 1 || column == 1) && begin < end && status == GN_OK; begin++) {
        NAME(gather)((const char *)work->data[2] + gn_matrix_offset(right, 2, out, 2, begin),
                     right->strides[right->ndim - (left ? 1 : 2)], right->strides[right->ndim - (left ? 2 : 1)], width,
                     count, 0, x, count);
        NAME(gn_solve_columns)(
            (const STORAGE *)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, begin)), row, column,
            count, x, count, width, upper, call->integers[2] != 0);
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, begin),
                      out->strides[out->ndim - (left ? 1 : 2)], out->strides[out->ndim - (left ? 2 : 1)], width, count,
                      0, x, count);
    }
#endif
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(gather_wide)((const char *)work->data[2] + gn_matrix_offset(right, 2, out, 2, matrix),
                          right->strides[right->ndim - (left ? 2 : 1)], right->strides[right->ndim - (left ? 1 : 2)],
                          count, width, 0, x, step);
        const STORAGE *from = (const STORAGE *)((const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix));
        if (width == count && NAME(gn_is_triangle)(x, step, count, upper)) { /* half of the work, as for an inverse */
            status = NAME(gn_solve_triangle)(from, row, column, 0, count, x, step, upper, call->integers[2] != 0);
        } else {
            status = NAME(gn_solve_shared)(from, row, column, 0, count, x, step, NAME(widened)(width), upper,
                                           call->integers[2] != 0);
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix),
                      out->strides[out->ndim - (left ? 2 : 1)], out->strides[out->ndim - (left ? 1 : 2)], count, width,
                      0, x, step);
    }
    gn_report(&work->status, status);
    gn_give(x);
}

/* (result; self, B); integers: upper, left, unitriangular. */
int32_t NAME(kernel_solve_triangular)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    substitution work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_rows_of(out), gn_checked(gn_columns_of(out), gn_rows_of(&call->tensors[1])));
    const int64_t count = gn_rows_of(&call->tensors[1]);
    gn_task *task = count > GN_SMALL ? NAME(solve_large_matrices) : NAME(solve_narrow_matrices);
    gn_parallel_for(0, gn_matrices(out, 2), gn_grain(steps), task, &work);
    return work.status;
}

#include "matrix_end.h"

#endif
