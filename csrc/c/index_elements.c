/* _index and _index_put where every dimension is indexed: single elements, for which index.c would call a function per
 * element. */
#include "index.h"
#include "threads.h"

/* Elements whose offsets are computed in one batch before they are moved. */
#define FEW 512

/* 16 bytes, as a complex128. */
typedef struct pair {
    uint64_t first;
    uint64_t second;
} pair;

typedef struct elements {
    const gn_tensor *self;
    char *self_data;
    const gn_tensor *indices; /* one for each dimension, int64 */
    void *const *index_data;
    int64_t index_steps[GN_MAX_DIMS];
    char *other;
    int64_t other_step;
    int put;
    gn_status fault;
} elements;

/* The stride, in bytes, of a tensor's elements in row-major order; -1 where it is not the same all along. */
int64_t gn_even_stride(const gn_tensor *tensor) {
    int64_t stride = -1;
    int64_t expected = -1;
    for (int32_t dim = tensor->ndim - 1; dim >= 0; dim--) {
        if (tensor->sizes[dim] == 1) {
            continue;
        }
        if (stride < 0) {
            stride = tensor->strides[dim];
            expected = stride;
        }
        if (tensor->strides[dim] != expected || stride < 0) {
            return -1;
        }
        expected *= tensor->sizes[dim];
    }
    return stride < 0 ? 0 : stride;
}

/* Checks that indices [begin, end) of all dimensions are in range; negative ones count from the end. */
static void check_indices(int64_t begin, int64_t end, void *context) {
    elements *work = context;
    uint64_t outside = 0; /* the sign bit */
    for (int32_t dim = 0; dim < work->self->ndim; dim++) {
        const int64_t size = work->self->sizes[dim];
        const int64_t step = work->index_steps[dim];
        const char *from = work->index_data[dim];
        if (step == (int64_t)sizeof(int64_t)) {
            const int64_t *indices = (const int64_t *)from;
            for (int64_t i = begin; i < end; i++) {
                /* sums of sizes below 2^62 do not overflow to a wrong sign */
                outside |= (uint64_t)(size - 1 - indices[i]) | ((uint64_t)indices[i] & (uint64_t)(indices[i] + size));
            }
        } else {
            for (int64_t i = begin; i < end; i++) {
                const int64_t at = *(const int64_t *)(from + i * step);
                outside |= (uint64_t)(size - 1 - at) | ((uint64_t)at & (uint64_t)(at + size));
            }
        }
    }
    gn_report(&work->fault, outside >> 63 ? GN_BAD_VALUE : GN_OK);
}

/* Byte offsets in self of `count` elements from `first` on. */
static void find_offsets(const elements *work, int64_t first, int64_t count, int64_t *offsets) {
    for (int32_t dim = 0; dim < work->self->ndim; dim++) {
        const int64_t size = work->self->sizes[dim];
        const int64_t stride = work->self->strides[dim];
        const int64_t step = work->index_steps[dim];
        const char *from = (const char *)work->index_data[dim] + first * step;
        if (step == (int64_t)sizeof(int64_t) && dim == 0) {
            const int64_t *indices = (const int64_t *)from;
            for (int64_t i = 0; i < count; i++) {
                offsets[i] = (indices[i] + (indices[i] < 0 ? size : 0)) * stride;
            }
        } else {
            for (int64_t i = 0; i < count; i++) {
                const int64_t at = *(const int64_t *)(from + i * step);
                offsets[i] = (at + (at < 0 ? size : 0)) * stride + (dim == 0 ? 0 : offsets[i]);
            }
        }
    }
}

#define MOVE_ELEMENTS(TYPE)                                                                                         \
    static void move_##TYPE(const elements *work, const int64_t *offsets, int64_t first, int64_t count) {           \
        char *self = work->self_data;                                                                               \
        const int64_t step = work->other_step;                                                                      \
        char *other = work->other + first * step;                                                                   \
        if (work->put) {                                                                                            \
            for (int64_t i = 0; i < count; i++) {                                                                   \
                *(TYPE *)(self + offsets[i]) = *(const TYPE *)(other + i * step);                                   \
            }                                                                                                       \
        } else {                                                                                                    \
            for (int64_t i = 0; i < count; i++) {                                                                   \
                *(TYPE *)(other + i * step) = *(const TYPE *)(self + offsets[i]);                                   \
            }                                                                                                       \
        }                                                                                                           \
    }
MOVE_ELEMENTS(uint8_t)
MOVE_ELEMENTS(uint16_t)
MOVE_ELEMENTS(uint32_t)
MOVE_ELEMENTS(uint64_t)
MOVE_ELEMENTS(pair)

static void move_elements(int64_t begin, int64_t end, void *context) {
    const elements *work = context;
    int64_t offsets[FEW];
    for (int64_t first = begin; first < end; first += FEW) {
        const int64_t count = gn_min(FEW, end - first);
        find_offsets(work, first, count, offsets);
        switch (gn_itemsize(work->self->dtype)) {
        case 1: move_uint8_t(work, offsets, first, count); break;
        case 2: move_uint16_t(work, offsets, first, count); break;
        case 4: move_uint32_t(work, offsets, first, count); break;
        case 8: move_uint64_t(work, offsets, first, count); break;
        default: move_pair(work, offsets, first, count); break;
        }
    }
}

/* Whether each of `count` index tensors is supported by this file, for `self`. */
static int are_even(elements *work, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (work->indices[i].dtype != GN_INT64) {
            return 0;
        }
        work->index_steps[i] = gn_even_stride(&work->indices[i]);
        if (work->index_steps[i] < 0) {
            return 0;
        }
    }
    return 1;
}

int32_t gn_index_elements(const gn_tensor *self, char *self_data, const gn_tensor *indices, void *const *index_data,
                          int32_t index_count, const gn_tensor *other, char *other_data, const gn_tensor *start,
                          void *start_data) {
    const int put = start != NULL;
    if (index_count == 0 || index_count != self->ndim) {
        return GN_NOT_IMPLEMENTED;
    }
    elements work = {self, self_data, indices, index_data, {0}, other_data, gn_even_stride(other), put, 0};
    const int64_t count = gn_numel(other);
    if (work.other_step < 0 || !are_even(&work, index_count)) {
        return GN_NOT_IMPLEMENTED;
    }
    /* For equal places the last write wins, so that a single thread writes all. */
    if (put && gn_parallel_parts(count, GN_GRAIN) > 1) {
        return GN_NOT_IMPLEMENTED;
    }
    gn_parallel_for(0, count, GN_GRAIN, check_indices, &work);
    if (work.fault) {
        return GN_BAD_VALUE;
    }
    if (put && start_data != self_data) {
        gn_copy(self, self_data, start, start_data);
    }
    gn_parallel_for(0, count, GN_GRAIN, move_elements, &work);
    return GN_OK;
}
