/* searchsorted: the positions at which numbers would be inserted into sorted rows. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

typedef struct bisection {
    const gn_tensor *out;
    char *to;
    const char *rows;   /* contiguous, of the common dtype, as the numbers are */
    const char *numbers;
    int64_t row_count;
    int64_t length;     /* of a row */
    int64_t width;      /* numbers searched for in one row */
    int right;
} bisection;

/* Numbers that are searched for at once. */
#define TOGETHER 8

#define GN_TEMPLATE "bisection_dtype.h"
#include "each_dtype.h"

/* The promoted dtype of two dtypes. */
static int32_t promote(int32_t a, int32_t b) {
    static const int8_t halves[2] = {GN_FLOAT16, GN_BFLOAT16};
    const int32_t low = a < b ? a : b;
    const int32_t high = a < b ? b : a;
    if (low == GN_UINT8 && high >= GN_INT8 && high <= GN_INT64) {
        return high == GN_INT8 ? GN_INT16 : high;
    }
    if (low == halves[0] && high == halves[1]) {
        return GN_FLOAT32;
    }
    if (low == GN_FLOAT64 && high == GN_COMPLEX64) {
        return GN_COMPLEX128;
    }
    return high;
}

/* 0 for bool, 1 for integers, 2 for floats, 3 for complex numbers. */
static int category(int32_t dtype) {
    return dtype == GN_BOOL ? 0 : dtype <= GN_INT64 ? 1 : dtype <= GN_FLOAT64 ? 2 : 3;
}

/* The same for tensors: one without dimensions counts only if it is of a higher category. */
static int32_t common_dtype(const gn_tensor *a, const gn_tensor *b) {
    if ((a->ndim == 0) == (b->ndim == 0)) {
        return promote(a->dtype, b->dtype);
    }
    const gn_tensor *number = a->ndim == 0 ? a : b;
    const gn_tensor *other = a->ndim == 0 ? b : a;
    return category(number->dtype) > category(other->dtype) ? promote(a->dtype, b->dtype) : other->dtype;
}

/* A copy of the rows in the order of `sorter`. GN_BAD_VALUE for an index out of range. */
static int32_t reorder(const gn_tensor *sorter, void *sorter_data, bisection *work, int64_t size, void **made) {
    void *owned;
    const int64_t *places = gn_compact(sorter, sorter_data, GN_INT64, &owned);
    const int64_t numel = work->row_count * work->length;
    char *rows = gn_take_items(numel, (size_t)size);
    int32_t status = places == NULL || rows == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t i = 0; i < numel && status == GN_OK; i++) {
        if (places[i] < 0 || places[i] >= work->length) {
            status = GN_BAD_VALUE;
        } else {
            memcpy(rows + i * size, work->rows + (i / work->length * work->length + places[i]) * size, (size_t)size);
        }
    }
    work->rows = rows;
    *made = rows;
    gn_give(owned);
    return status;
}

/* (out, int64 or int32; sorted_sequence, self, sorter or absent); integers: out_int32, right, side. */
int32_t kernel_searchsorted(const gn_call *call, void *const *data) {
    static gn_task *const tasks[GN_DTYPE_COUNT] = {
        NULL,        bisect_uint8,   bisect_int8,     bisect_int16,   bisect_int32,   bisect_int64,
        bisect_float16, bisect_bfloat16, bisect_float32, bisect_float64,
    };
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *sequence = &call->tensors[1];
    const gn_tensor *self = &call->tensors[2];
    const int32_t dtype = common_dtype(sequence, self);
    const int64_t numel = gn_numel(out);
    void *owned[3] = {NULL, NULL, NULL};
    bisection work;
    memset(&work, 0, sizeof work);
    if (numel == 0) {
        return GN_OK;
    }
    if (tasks[dtype] == NULL) {
        return GN_NOT_IMPLEMENTED;
    }
    work.out = out;
    work.to = data[0];
    work.length = sequence->sizes[sequence->ndim - 1];
    work.row_count = work.length == 0 ? 1 : gn_numel(sequence) / work.length;
    work.width = sequence->ndim > 1 ? gn_length(self, self->ndim - 1) : numel;
    work.right = call->integers[1] != 0 || call->integers[2] == 'r';
    work.rows = gn_compact(sequence, data[1], dtype, &owned[0]);
    work.numbers = gn_compact(self, data[2], dtype, &owned[1]);
    int32_t status = work.rows == NULL || work.numbers == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (status == GN_OK && call->tensors[3].dtype != GN_NO_DTYPE) {
        status = reorder(&call->tensors[3], data[3], &work, gn_itemsize(dtype), &owned[2]);
    }
    if (status == GN_OK) {
        gn_parallel_for(0, numel, GN_GRAIN / 16, tasks[dtype], &work);
    }
    for (int i = 0; i < 3; i++) {
        gn_give(owned[i]);
    }
    return status;
}
