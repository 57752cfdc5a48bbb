/* Helpers for GN_DIRECT kernels: places in tensors, and copies between them. */
#ifndef GN_DIRECT_H
#define GN_DIRECT_H

#include "kernel.h"

/* Byte offset of the element with row-major number `index`, over all dimensions but `skipped` (-1: none). */
static inline int64_t gn_offset(const gn_tensor *tensor, int64_t index, int64_t skipped) {
    int64_t offset = 0;
    for (int32_t dim = tensor->ndim - 1; dim >= 0; dim--) {
        if (dim != skipped) {
            if (index < tensor->sizes[dim]) { /* avoids division, which takes as long as a short line */
                return offset + index * tensor->strides[dim];
            }
            offset += index % tensor->sizes[dim] * tensor->strides[dim];
            index /= tensor->sizes[dim];
        }
    }
    return offset;
}

/* Elements, and their stride in bytes, along a dimension; a 0-d tensor is one element. */
static inline int64_t gn_length(const gn_tensor *tensor, int64_t dim) {
    return tensor->ndim == 0 ? 1 : tensor->sizes[dim];
}
static inline int64_t gn_step(const gn_tensor *tensor, int64_t dim) {
    return tensor->ndim == 0 ? 0 : tensor->strides[dim];
}

/* Whether the tensor is contiguous in row-major order. */
int gn_is_contiguous(const gn_tensor *tensor);

/* Copies `in` to `out`, which has the same sizes and any dtype.  Can not fail. */
void gn_copy(const gn_tensor *out, void *out_data, const gn_tensor *in, void *in_data);

/* A tensor as contiguous elements of `dtype`: its own memory if it has that layout, else a copy, which is also stored
 * in *owned for the caller to gn_give (otherwise NULL). NULL when memory is exhausted. */
void *gn_compact(const gn_tensor *tensor, void *data, int32_t dtype, void **owned);

/* Copies contiguous elements of `dtype` to a tensor. */
void gn_spread(const gn_tensor *tensor, void *data, int32_t dtype, void *from);

/* An int32 or int64 element as int64. */
static inline int64_t gn_index_at(const void *place, int32_t dtype) {
    return dtype == GN_INT32 ? *(const int32_t *)place : *(const int64_t *)place;
}

/* Reads the next int[] of a call's integers and moves *cursor past it. A list of one element is expanded to `count`.
 * Returns its length. */
static inline int64_t gn_read_list(const int64_t **cursor, int64_t *list, int64_t count) {
    const int64_t length = *(*cursor)++;
    for (int64_t i = 0; i < count && length > 0; i++) {
        list[i] = (*cursor)[length == 1 ? 0 : gn_min(i, length - 1)];
    }
    *cursor += length;
    return length;
}

#endif
