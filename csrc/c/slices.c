/* Slices along a dimension, selected by a vector of indices: index_add, index_copy, index_fill. Single elements: take,
 * put and masked_scatter. */
#include "index.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Pairs the slices of `self` along `dim` that `index` names with those of `other`, in order, or, if that is NULL, with
 * one number.  GN_BAD_VALUE for an index out of range; from_end: negative ones count from the end. */
static int32_t pair_slices(gn_indexing *work, const gn_tensor *self, const gn_tensor *other, int64_t dim,
                           const gn_tensor *index, const char *indices, int from_end) {
    const int64_t size = gn_length(self, dim);
    work->outer.numel = 1;
    work->inner.numel = 1;
    for (int32_t i = 0; i < self->ndim; i++) {
        if (i != dim) {
            gn_append_dim(i < dim ? &work->outer : &work->inner, self->sizes[i], self->strides[i],
                          other == NULL || other->ndim == 0 ? 0 : other->strides[i]);
        }
    }
    if (gn_make_picks(work, gn_numel(index)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    const int64_t step = gn_step(index, 0);
    for (int64_t i = 0; i < work->count; i++) {
        int64_t at = gn_index_at(indices + i * step, index->dtype);
        at = from_end && at < 0 ? at + size : at;
        if (at < 0 || at >= size) {
            gn_give(work->self_picks);
            return GN_BAD_VALUE;
        }
        work->self_picks[i] = at * gn_step(self, dim);
        work->other_picks[i] = other == NULL ? 0 : i * gn_step(other, dim);
    }
    return GN_OK;
}

/* (out; self, index, source); integers: dim. */
int32_t kernel_index_copy(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.call = call;
    work.self = data[0];
    work.other = data[3];
    const int32_t status = pair_slices(&work, out, &call->tensors[3], gn_wrap_dim(call->integers[0], out->ndim),
                                       &call->tensors[2], data[2], 0);
    if (status == GN_OK) {
        if (data[0] != data[1]) {
            gn_copy(out, data[0], &call->tensors[1], data[1]);
        }
        gn_index(&work, gn_put_action(gn_itemsize(out->dtype)), 0);
        gn_give(work.self_picks);
    }
    return status;
}

/* (out; self, index, ...); integers: dim.  `number` is an element of out's dtype. */
static int32_t fill_slices(const gn_call *call, void *const *data, void *number) {
    const gn_tensor *out = &call->tensors[0];
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.call = call;
    work.self = data[0];
    work.other = number;
    const int32_t status = pair_slices(&work, out, NULL, gn_wrap_dim(call->integers[0], out->ndim),
                                       &call->tensors[2], data[2], 1);
    if (status == GN_OK) {
        if (data[0] != data[1]) {
            gn_copy(out, data[0], &call->tensors[1], data[1]);
        }
        gn_index(&work, gn_put_action(gn_itemsize(out->dtype)), 0);
        gn_give(work.self_picks);
    }
    return status;
}

/* Byte offsets, in `self` seen as one row, of the positions in `index`, which may count from the end; in memory that
 * the caller frees. GN_BAD_VALUE for one out of range. */
static int32_t find_positions(const gn_tensor *self, const gn_tensor *index, void *index_data, int64_t **offsets) {
    const int64_t numel = gn_numel(self);
    const int64_t count = gn_numel(index);
    const int contiguous = gn_is_contiguous(self);
    const int64_t size = gn_itemsize(self->dtype);
    void *owned;
    const int64_t *positions = gn_compact(index, index_data, GN_INT64, &owned);
    int64_t *found = gn_take_items(count, sizeof(int64_t));
    int32_t status = positions == NULL || found == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t i = 0; i < count && status == GN_OK; i++) {
        const int64_t at = positions[i] < 0 ? positions[i] + numel : positions[i];
        if (at < 0 || at >= numel) {
            status = GN_BAD_VALUE;
        } else {
            found[i] = contiguous ? at * size : gn_offset(self, at, -1);
        }
    }
    gn_give(owned);
    if (status != GN_OK) {
        gn_give(found);
        found = NULL;
    }
    *offsets = found;
    return status;
}

/* Elements [begin, end) of a take, to contiguous memory. */
typedef struct taking {
    const char *from;
    char *to;
    const int64_t *offsets;
    int64_t size;
} taking;

static void take_elements(int64_t begin, int64_t end, void *context) {
    const taking *work = context;
    switch (work->size) {
    case 1: for (int64_t i = begin; i < end; i++) work->to[i] = work->from[work->offsets[i]]; break;
    case 2:
        for (int64_t i = begin; i < end; i++) {
            ((uint16_t *)work->to)[i] = *(const uint16_t *)(work->from + work->offsets[i]);
        }
        break;
    case 4:
        for (int64_t i = begin; i < end; i++) {
            ((uint32_t *)work->to)[i] = *(const uint32_t *)(work->from + work->offsets[i]);
        }
        break;
    case 8:
        for (int64_t i = begin; i < end; i++) {
            ((uint64_t *)work->to)[i] = *(const uint64_t *)(work->from + work->offsets[i]);
        }
        break;
    default:
        for (int64_t i = begin; i < end; i++) {
            memcpy(work->to + i * work->size, work->from + work->offsets[i], (size_t)work->size);
        }
    }
}

/* (out; self, index). */
int32_t kernel_take(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    taking work = {data[1], data[0], NULL, gn_itemsize(self->dtype)};
    const int64_t count = gn_numel(out);
    int64_t *offsets;
    void *owned = NULL;
    int32_t status = find_positions(self, &call->tensors[2], data[2], &offsets);
    if (status == GN_OK && !gn_is_contiguous(out)) {
        owned = gn_take_items(count, (size_t)work.size);
        work.to = owned;
        status = owned == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    }
    if (status == GN_OK) {
        work.offsets = offsets;
        gn_parallel_for(0, count, GN_GRAIN, take_elements, &work);
        if (owned != NULL) {
            gn_spread(out, data[0], out->dtype, owned);
        }
    }
    gn_give(owned);
    gn_give(offsets);
    return status;
}

/* (out; self, mask, source): the elements of source, in order, where the mask is true. GN_BAD_VALUE if they are too
 * few. */
int32_t kernel_masked_scatter(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *source = &call->tensors[3];
    const int64_t size = gn_itemsize(out->dtype);
    int64_t strides[2][GN_MAX_DIMS];
    for (int k = 0; k < 2; k++) { /* self and the mask, expanded */
        const gn_tensor *given = &call->tensors[1 + k];
        for (int32_t dim = 0; dim < out->ndim; dim++) {
            const int32_t own = dim - (out->ndim - given->ndim);
            strides[k][dim] = own < 0 || given->sizes[own] == 1 ? 0 : given->strides[own];
        }
    }
    const gn_tensor self = {out->dtype, out->ndim, out->sizes, strides[0]};
    const gn_tensor mask = {GN_BOOL, out->ndim, out->sizes, strides[1]};
    const int64_t numel = gn_numel(out);
    const int32_t last = out->ndim - 1;
    if (numel == 0) {
        return GN_OK;
    }
    const int64_t length = gn_length(out, last);
    const int64_t mask_step = gn_step(&mask, last);
    int64_t wanted = 0;
    for (int64_t line = 0; line < numel / length; line++) {
        const char *chosen = (const char *)data[2] + gn_offset(&mask, line, last);
        for (int64_t i = 0; i < length; i++) {
            wanted += chosen[i * mask_step] != 0;
        }
    }
    if (wanted > gn_numel(source)) {
        return GN_BAD_VALUE;
    }
    void *owned;
    const char *from = gn_compact(source, data[3], source->dtype, &owned);
    if (from == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    if (data[0] != data[1]) {
        gn_copy(out, data[0], &self, data[1]);
    }
    const int64_t step = gn_step(out, last);
    for (int64_t line = 0; line < numel / length; line++) {
        const char *chosen = (const char *)data[2] + gn_offset(&mask, line, last);
        char *to = (char *)data[0] + gn_offset(out, line, last);
        for (int64_t i = 0; i < length; i++) {
            if (chosen[i * mask_step]) {
                memcpy(to + i * step, from, (size_t)size);
                from += size;
            }
        }
    }
    gn_give(owned);
    return GN_OK;
}

#define GN_TEMPLATE "slices_dtype.h"
#include "each_dtype.h"
