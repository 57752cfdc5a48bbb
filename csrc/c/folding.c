/* im2col and col2im: the windows of a plane as columns, and back. */
#include "flat.h"
#include "threads.h"
#include "workspace.h"

/* A window's position in a column is (y, x); its taps are (i, j). */
typedef struct folding {
    int64_t planes; /* images times channels */
    int64_t in[2], blocks[2];
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    int64_t itemsize;
    const char *from;
    char *to;
} folding;

/* integers: kernel_size, dilation, padding and stride, from the cursor on. */
static folding read_folding(const int64_t *cursor, const int64_t *sizes) {
    folding made;
    memset(&made, 0, sizeof made);
    gn_read_list(&cursor, made.kernel, 2);
    gn_read_list(&cursor, made.dilation, 2);
    gn_read_list(&cursor, made.padding, 2);
    gn_read_list(&cursor, made.stride, 2);
    for (int dim = 0; dim < 2; dim++) {
        made.in[dim] = sizes[dim];
        made.blocks[dim] =
            (sizes[dim] + 2 * made.padding[dim] - made.dilation[dim] * (made.kernel[dim] - 1) - 1) / made.stride[dim]
            + 1;
    }
    return made;
}

/* The windows [*first, *past) whose tap, at `origin` in window 0, is inside. */
static void inside(const folding *work, int dim, int64_t origin, int64_t *first, int64_t *past) {
    const int64_t stride = work->stride[dim];
    const int64_t room = work->in[dim] - 1 - origin;
    *past = room < 0 ? 0 : gn_min(room / stride + 1, work->blocks[dim]);
    *first = origin >= 0 ? 0 : gn_min((-origin - 1) / stride + 1, *past);
}

#define PICK(type)                                              \
    for (int64_t x = 0; x < count; x++) {                       \
        ((type *)to)[x] = ((const type *)from)[x * stride];     \
    }

static void pick(const char *from, int64_t stride, int64_t count, int64_t itemsize, char *to) {
    typedef struct pair {
        uint64_t first, second;
    } pair;
    if (stride == 1) {
        memcpy(to, from, (size_t)(count * itemsize));
    } else if (itemsize == 1) {
        PICK(uint8_t)
    } else if (itemsize == 2) {
        PICK(uint16_t)
    } else if (itemsize == 4) {
        PICK(uint32_t)
    } else if (itemsize == 8) {
        PICK(uint64_t)
    } else {
        PICK(pair)
    }
}

/* Rows [begin, end) of the columns: one tap of one plane, for all windows. */
static void unfold_rows(int64_t begin, int64_t end, void *context) {
    const folding *work = context;
    const int64_t size = work->itemsize;
    const int64_t width = work->blocks[1];
    for (int64_t row = begin; row < end; row++) {
        const int64_t j = row % work->kernel[1];
        const int64_t i = row / work->kernel[1] % work->kernel[0];
        const int64_t plane = row / work->kernel[1] / work->kernel[0];
        const int64_t top = i * work->dilation[0] - work->padding[0];
        const int64_t left = j * work->dilation[1] - work->padding[1];
        int64_t first[2];
        int64_t past[2];
        inside(work, 0, top, &first[0], &past[0]);
        inside(work, 1, left, &first[1], &past[1]);
        const char *from = work->from + plane * work->in[0] * work->in[1] * size;
        char *to = work->to + row * work->blocks[0] * width * size;
        for (int64_t y = 0; y < work->blocks[0]; y++, to += width * size) {
            if (y < first[0] || y >= past[0] || first[1] == past[1]) {
                memset(to, 0, (size_t)(width * size));
                continue;
            }
            const int64_t line = (top + y * work->stride[0]) * work->in[1];
            memset(to, 0, (size_t)(first[1] * size));
            pick(from + (line + left + first[1] * work->stride[1]) * size, work->stride[1], past[1] - first[1], size,
                 to + first[1] * size);
            memset(to + past[1] * size, 0, (size_t)((width - past[1]) * size));
        }
    }
}

/* (out; self).  Elements of any dtype are copied. */
int32_t kernel_im2col(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    gn_flat flat;
    const int32_t status = gn_flatten(call, data, GN_NO_DTYPE, &flat);
    if (status != GN_OK) {
        return status;
    }
    folding work = read_folding(call->integers, self->sizes + self->ndim - 2);
    const int half = self->dtype == GN_FLOAT16 || self->dtype == GN_BFLOAT16;
    work.itemsize = half ? (int64_t)sizeof(float) : gn_itemsize(self->dtype);
    work.from = flat.at[1];
    work.to = flat.at[0];
    const int64_t blocks = work.blocks[0] * work.blocks[1];
    gn_parallel_for(0, gn_numel(out) / blocks, gn_grain(blocks), unfold_rows, &work);
    return gn_unflatten(call, data, &flat, GN_OK);
}

#define GN_TEMPLATE "folding_dtype.h"
#include "each_dtype.h"

/* (out; self); integers: output_size, then the window.  The meta function refuses integers. */
int32_t kernel_col2im(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    gn_flat flat;
    const int32_t status = gn_flatten(call, data, GN_NO_DTYPE, &flat);
    if (status != GN_OK) {
        return status;
    }
    folding work = read_folding(call->integers + 1 + call->integers[0], out->sizes + out->ndim - 2);
    const int64_t plane = work.in[0] * work.in[1];
    work.from = flat.at[1];
    work.to = flat.at[0];
    gn_task *task = fold_planes_float32;
    switch (out->dtype) {
    case GN_BOOL:
        task = fold_planes_bool;
        break;
    case GN_FLOAT64:
        task = fold_planes_float64;
        break;
#if GN_HAS_COMPLEX
    case GN_COMPLEX64:
        task = fold_planes_complex64;
        break;
    case GN_COMPLEX128:
        task = fold_planes_complex128;
        break;
#endif
    default:
        break;
    }
    const int64_t steps = plane + work.kernel[0] * work.kernel[1] * work.blocks[0] * work.blocks[1];
    gn_parallel_for(0, gn_numel(out) / plane, gn_grain(steps), task, &work);
    return gn_unflatten(call, data, &flat, GN_OK);
}
