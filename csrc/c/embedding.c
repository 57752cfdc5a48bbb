/* embedding and embedding_dense_backward. */
#include "index.h"
#include "threads.h"
#include "workspace.h"

/* (out; weight, indices).  GN_BAD_VALUE for an index that is no row of weight. */
int32_t kernel_embedding(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *weight = &call->tensors[1];
    const gn_tensor *indices = &call->tensors[2];
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.self = data[1];
    work.other = data[0];
    work.outer.numel = 1;
    work.inner.numel = 1;
    gn_append_dim(&work.inner, weight->sizes[1], weight->strides[1], out->strides[out->ndim - 1]);
    const gn_tensor picked = {out->dtype, indices->ndim, indices->sizes, out->strides};
    const gn_row_taking whole = {data[1], data[0], work.outer, work.inner, gn_itemsize(weight->dtype), weight->sizes[0],
                           weight->strides[0], gn_numel(indices), indices, data[2], &picked, 0};
    const int32_t status = gn_take_rows(&whole);
    if (status != GN_NOT_IMPLEMENTED) {
        return status;
    }
    if (gn_make_picks(&work, gn_numel(indices)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    for (int64_t i = 0; i < work.count; i++) {
        const int64_t at = gn_index_at((const char *)data[2] + gn_offset(indices, i, -1), indices->dtype);
        if (at < 0 || at >= weight->sizes[0]) {
            gn_give(work.self_picks);
            return GN_BAD_VALUE;
        }
        work.self_picks[i] = at * weight->strides[0];
        work.other_picks[i] = gn_offset(&picked, i, -1);
    }
    gn_index(&work, gn_take_action(gn_itemsize(weight->dtype)), 1);
    gn_give(work.self_picks);
    return GN_OK;
}

typedef struct embedding_gradient {
    const gn_call *call;
    void *const *data;
    const int64_t *indices;
    const int64_t *counts; /* of each index; NULL when gradients are not scaled */
    int64_t index_count;
    int64_t padding_index;
    void *sums;            /* (rows, columns), COMPUTE */
} embedding_gradient;

#define GN_TEMPLATE "embedding_dtype.h"
#include "each_dtype.h"
