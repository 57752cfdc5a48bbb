/* Copies of short rows. */
#include "copy_lines.h"
#include "workspace.h"

#include "threads.h"

/* Bytes of the longest row that is copied here, and of the least: fewer are elements. */
#define LONGEST_ROW 2048
#define SHORTEST_ROW 16

typedef struct lines {
    const gn_tensor *out;
    const gn_tensor *in;
    char *to;
    const char *from;
    int64_t nbytes; /* of a row */
} lines;

/* The first and the last byte of a tensor's memory. */
static void find_ends(const gn_tensor *tensor, const char *data, const char **first, const char **last) {
    *first = data;
    *last = data + gn_itemsize(tensor->dtype) - 1;
    for (int32_t dim = 0; dim < tensor->ndim; dim++) {
        const int64_t reach = (tensor->sizes[dim] - 1) * tensor->strides[dim];
        *first += gn_min(reach, 0);
        *last += gn_max(reach, 0);
    }
}

/* Rows [begin, end). */
static void copy_lines(int64_t begin, int64_t end, void *context) {
    const lines *work = context;
    const gn_tensor *out = work->out;
    const gn_tensor *in = work->in;
    const int64_t nbytes = work->nbytes;
    int64_t at[GN_MAX_DIMS];
    char *to = work->to;
    const char *from = work->from;
    int64_t rest = begin;
    for (int32_t dim = 1; dim < out->ndim; dim++) {
        at[dim] = rest % out->sizes[dim];
        rest /= out->sizes[dim];
        to += at[dim] * out->strides[dim];
        from += at[dim] * in->strides[dim];
    }
    for (int64_t line = begin; line < end; line++) {
        gn_copy_row(to, from, nbytes);
        for (int32_t dim = 1; dim < out->ndim; dim++) {
            to += out->strides[dim];
            from += in->strides[dim];
            if (++at[dim] < out->sizes[dim]) {
                break;
            }
            at[dim] = 0;
            to -= out->sizes[dim] * out->strides[dim];
            from -= out->sizes[dim] * in->strides[dim];
        }
    }
}

int32_t gn_copy_lines(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const int64_t size = gn_itemsize(out->dtype);
    if (out->ndim < 2 || out->strides[0] != size || in->strides[0] != size) {
        return GN_NOT_IMPLEMENTED;
    }
    lines work = {out, in, data[0], data[1], out->sizes[0] * size};
    const int64_t count = gn_numel(out) / out->sizes[0];
    if (work.nbytes < SHORTEST_ROW || work.nbytes > LONGEST_ROW) {
        return GN_NOT_IMPLEMENTED;
    }
    const char *out_first;
    const char *out_last;
    const char *in_first;
    const char *in_last;
    find_ends(out, data[0], &out_first, &out_last);
    find_ends(in, data[1], &in_first, &in_last);
    if ((uintptr_t)out_first <= (uintptr_t)in_last && (uintptr_t)in_first <= (uintptr_t)out_last) {
        return GN_NOT_IMPLEMENTED;
    }
    gn_parallel_for(0, count, gn_grain(out->sizes[0]), copy_lines, &work);
    return GN_OK;
}
