/* copy_, fill_ and where: memory moved, with conversion between any two dtypes. */
#include "copy_lines.h"
#include "direct.h"
#include "for_each.h"
#include "half_vectors.h"
#include "scalar.h"
#include "threads.h"
#include "transpose.h"
#include "workspace.h"

/* The fewest rows and columns of a blocked copy. */
#define BLOCK 16

/* Elements of a plane that gn_copy_plane moves with `size` bytes each. */
#define MOVE_PLANE(TYPE)                                                                                     \
    for (int64_t row = 0; row < rows; row += BLOCK) {                                                        \
        const int64_t last_row = gn_min(row + BLOCK, rows);                                                  \
        for (int64_t column = 0; column < columns; column += BLOCK) {                                        \
            const int64_t last_column = gn_min(column + BLOCK, columns);                                     \
            for (int64_t i = row; i < last_row; i++) {                                                       \
                for (int64_t j = column; j < last_column; j++) {                                             \
                    *(TYPE *)(out + i * out_row + j * out_column) =                                          \
                        *(const TYPE *)(in + i * in_row + j * in_column);                                    \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }

/* 16 bytes, as a complex128 or anything else of that size. */
typedef struct pair {
    uint64_t first;
    uint64_t second;
} pair;

/* Copies a plane of rows * columns elements of `size` bytes, in blocks; strides in bytes. */
static void copy_plane(char *out, int64_t out_row, int64_t out_column, const char *in, int64_t in_row,
                       int64_t in_column, int64_t rows, int64_t columns, int64_t size) {
    switch (size) {
    case 1: MOVE_PLANE(uint8_t) break;
    case 2: MOVE_PLANE(uint16_t) break;
    case 4: MOVE_PLANE(uint32_t) break;
    case 8: MOVE_PLANE(uint64_t) break;
    default: MOVE_PLANE(pair) break;
    }
}

/* A row whose elements need no conversion. */
static int32_t move_row(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    const int64_t size = gn_itemsize(call->tensors[0].dtype);
    if (strides[0] == size && strides[1] == size) {
        memmove(data[0], data[1], (size_t)(count * size));
        return GN_OK;
    }
    char *out = data[0];
    const char *in = data[1];
    const int64_t to = strides[0];
    const int64_t from = strides[1];
    switch (size) {
    case 1: for (int64_t i = 0; i < count; i++) *(uint8_t *)(out + i * to) = *(const uint8_t *)(in + i * from); break;
    case 2: for (int64_t i = 0; i < count; i++) *(uint16_t *)(out + i * to) = *(const uint16_t *)(in + i * from); break;
    case 4: for (int64_t i = 0; i < count; i++) *(uint32_t *)(out + i * to) = *(const uint32_t *)(in + i * from); break;
    case 8: for (int64_t i = 0; i < count; i++) *(uint64_t *)(out + i * to) = *(const uint64_t *)(in + i * from); break;
    default: for (int64_t i = 0; i < count; i++) *(pair *)(out + i * to) = *(const pair *)(in + i * from); break;
    }
    return GN_OK;
}

/* Planes whose fast dimension is dimension 0 in the output and another one in the input. */
typedef struct transposition {
    const gn_call *call;
    void *const *data;
    int32_t row_dim; /* the input's fast dimension */
    int64_t strips;  /* of GN_TRANSPOSE_ROWS rows, in each plane */
} transposition;

/* Strips [begin, end) of all planes. */
static void transpose_strips(int64_t begin, int64_t end, void *context) {
    const transposition *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *in = &work->call->tensors[1];
    const int64_t rows = out->sizes[work->row_dim];
    for (int64_t strip = begin; strip < end; strip++) {
        const int64_t first = strip % work->strips * GN_TRANSPOSE_ROWS;
        int64_t plane = strip / work->strips;
        char *to = (char *)work->data[0] + first * out->strides[work->row_dim];
        const char *from = (const char *)work->data[1] + first * in->strides[work->row_dim];
        for (int32_t dim = 1; dim < out->ndim; dim++) {
            if (dim != work->row_dim) {
                const int64_t at = plane % out->sizes[dim];
                plane /= out->sizes[dim];
                to += at * out->strides[dim];
                from += at * in->strides[dim];
            }
        }
        const int64_t count = gn_min(GN_TRANSPOSE_ROWS, rows - first);
        const int64_t size = gn_itemsize(out->dtype);
        if (out->strides[0] == size) {
            gn_transpose(size, count, out->sizes[0], from, in->strides[0], to, out->strides[work->row_dim]);
        } else {
            copy_plane(to, out->strides[work->row_dim], out->strides[0], from, in->strides[work->row_dim],
                       in->strides[0], count, out->sizes[0], size);
        }
    }
}

/* A copy without conversion. */
static int32_t move(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const int64_t size = gn_itemsize(out->dtype);
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    for (int32_t dim = 1; dim < out->ndim; dim++) {
        if (in->strides[dim] == size && in->strides[0] != size && out->sizes[0] >= BLOCK
            && out->sizes[dim] >= BLOCK) {
            transposition work = {call, data, dim, (out->sizes[dim] + GN_TRANSPOSE_ROWS - 1) / GN_TRANSPOSE_ROWS};
            const int64_t strips = gn_numel(out) / out->sizes[dim] / out->sizes[0] * work.strips;
            gn_parallel_for(0, strips, gn_grain(GN_TRANSPOSE_ROWS * out->sizes[0]), transpose_strips, &work);
            return GN_OK;
        }
    }
    const int32_t status = gn_copy_lines(call, data);
    return status == GN_NOT_IMPLEMENTED ? gn_for_each(call, data, move_row) : status;
}

#define GN_TEMPLATE "copy_dtype.h"
#include "each_dtype.h"

/* out = condition ? a : b; elements are moved without arithmetic. */
#define WHERE_LOOP(TYPE)                                                                                    \
    static int32_t where_##TYPE(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) { \
        (void)call;                                                                                         \
        const int64_t size = sizeof(TYPE);                                                                  \
        if (strides[0] == size && strides[1] == 1 && strides[2] == size && strides[3] == size) {            \
            TYPE *out = (TYPE *)data[0];                                                                    \
            const uint8_t *condition = (const uint8_t *)data[1];                                            \
            const TYPE *a = (const TYPE *)data[2];                                                          \
            const TYPE *b = (const TYPE *)data[3];                                                          \
            GN_INDEPENDENT                                                                                  \
            for (int64_t i = 0; i < count; i++) {                                                           \
                const TYPE yes = a[i];                                                                      \
                const TYPE no = b[i];                                                                       \
                out[i] = condition[i] ? yes : no;                                                           \
            }                                                                                               \
            return GN_OK;                                                                                   \
        }                                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                               \
            const int32_t chosen = *(const uint8_t *)(data[1] + i * strides[1]) ? 2 : 3;                    \
            *(TYPE *)(data[0] + i * strides[0]) = *(const TYPE *)(data[chosen] + i * strides[chosen]);      \
        }                                                                                                   \
        return GN_OK;                                                                                       \
    }
WHERE_LOOP(uint8_t)
WHERE_LOOP(uint16_t)
WHERE_LOOP(uint32_t)
WHERE_LOOP(uint64_t)
WHERE_LOOP(pair)

int32_t kernel_where(const gn_call *call, void *const *data) {
    switch (gn_itemsize(call->tensors[0].dtype)) {
    case 1: return gn_for_each(call, data, where_uint8_t);
    case 2: return gn_for_each(call, data, where_uint16_t);
    case 4: return gn_for_each(call, data, where_uint32_t);
    case 8: return gn_for_each(call, data, where_uint64_t);
    default: return gn_for_each(call, data, where_pair);
    }
}

int gn_is_contiguous(const gn_tensor *tensor) {
    int64_t expected = gn_itemsize(tensor->dtype);
    for (int32_t dim = tensor->ndim - 1; dim >= 0; dim--) {
        if (tensor->sizes[dim] != 1 && tensor->strides[dim] != expected) {
            return 0;
        }
        expected *= tensor->sizes[dim];
    }
    return 1;
}

void gn_copy(const gn_tensor *out, void *out_data, const gn_tensor *in, void *in_data) {
    static gn_kernel *const kernels[GN_DTYPE_COUNT] = KERNELS_ALL(kernel_copy);
    int64_t sizes[GN_MAX_DIMS];
    int64_t to[GN_MAX_DIMS];
    int64_t from[GN_MAX_DIMS];
    int32_t ndim = 0;
    for (int32_t dim = out->ndim - 1; dim >= 0; dim--) {
        const int64_t size = out->sizes[dim];
        if (size == 1) {
            continue;
        }
        /* Merges dimensions that are contiguous with each other in both tensors. */
        if (ndim > 0 && to[ndim - 1] * sizes[ndim - 1] == out->strides[dim]
            && from[ndim - 1] * sizes[ndim - 1] == in->strides[dim]) {
            sizes[ndim - 1] *= size;
            continue;
        }
        sizes[ndim] = size;
        to[ndim] = out->strides[dim];
        from[ndim] = in->strides[dim];
        ndim++;
    }
    const gn_tensor tensors[2] = {{out->dtype, ndim, sizes, to}, {in->dtype, ndim, sizes, from}};
    void *const data[2] = {out_data, in_data};
    gn_call call;
    memset(&call, 0, sizeof call);
    call.tensors = tensors;
    call.tensor_count = 2;
    call.output_count = 1;
    kernels[out->dtype](&call, data);
}

/* Row-major strides, in bytes, of a tensor of these sizes. */
static void contiguous_strides(const gn_tensor *tensor, int32_t dtype, int64_t *strides) {
    int64_t stride = gn_itemsize(dtype);
    for (int32_t dim = tensor->ndim - 1; dim >= 0; dim--) {
        strides[dim] = stride;
        stride *= tensor->sizes[dim];
    }
}

void *gn_compact(const gn_tensor *tensor, void *data, int32_t dtype, void **owned) {
    *owned = NULL;
    if (tensor->dtype == dtype && gn_is_contiguous(tensor)) {
        return data;
    }
    void *copy = gn_take_items(gn_numel(tensor), (size_t)gn_itemsize(dtype));
    *owned = copy;
    if (copy != NULL) {
        int64_t strides[GN_MAX_DIMS];
        contiguous_strides(tensor, dtype, strides);
        const gn_tensor compact = {dtype, tensor->ndim, tensor->sizes, strides};
        gn_copy(&compact, copy, tensor, data);
    }
    return copy;
}

void gn_spread(const gn_tensor *tensor, void *data, int32_t dtype, void *from) {
    int64_t strides[GN_MAX_DIMS];
    contiguous_strides(tensor, dtype, strides);
    const gn_tensor compact = {dtype, tensor->ndim, tensor->sizes, strides};
    gn_copy(tensor, data, &compact, from);
}
