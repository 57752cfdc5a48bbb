/* index_select, gather, scatter_add, _index, _index_put, count_nonzero and nonzero_static. */
#include "index.h"

#include "threads.h"

void gn_append_dim(gn_dims *dims, int64_t size, int64_t self, int64_t other) {
    dims->numel *= size;
    if (size == 1) {
        return;
    }
    const int32_t last = dims->ndim - 1;
    /* A dimension that its predecessor continues in both tensors is one with it. */
    if (last >= 0 && dims->self[last] == self * size && dims->other[last] == other * size) {
        dims->sizes[last] *= size;
        dims->self[last] = self;
        dims->other[last] = other;
        return;
    }
    dims->sizes[dims->ndim] = size;
    dims->self[dims->ndim] = self;
    dims->other[dims->ndim] = other;
    dims->ndim++;
}

int32_t gn_make_picks(gn_indexing *work, int64_t count) {
    work->count = count;
    work->self_picks = gn_take(2 * count * (int64_t)sizeof(int64_t));
    work->other_picks = work->self_picks + (work->self_picks == NULL ? 0 : count);
    return work->self_picks == NULL ? GN_OUT_OF_MEMORY : GN_OK;
}

/* Offsets of place `index` among the first `ndim` dimensions. */
static void find_place(const gn_dims *dims, int32_t ndim, int64_t index, int64_t *self, int64_t *other) {
    for (int32_t dim = ndim - 1; dim >= 0; dim--) {
        const int64_t at = index % dims->sizes[dim];
        index /= dims->sizes[dim];
        *self += at * dims->self[dim];
        *other += at * dims->other[dim];
    }
}

typedef struct index_job {
    gn_indexing *of;
    gn_run_action *action;
} index_job;

/* Pairs [begin, end) of an outer place and a pick. */
static void index_pairs(int64_t begin, int64_t end, void *context) {
    const index_job *job = context;
    gn_indexing *work = job->of;
    const gn_dims *inner = &work->inner;
    const int32_t lines_ndim = inner->ndim > 0 ? inner->ndim - 1 : 0;
    const int64_t length = inner->ndim > 0 ? inner->sizes[lines_ndim] : 1;
    const int64_t self_stride = inner->ndim > 0 ? inner->self[lines_ndim] : 0;
    const int64_t other_stride = inner->ndim > 0 ? inner->other[lines_ndim] : 0;
    const int64_t lines = inner->numel / length;
    for (int64_t pair = begin; pair < end; pair++) {
        const int64_t pick = pair % work->count;
        int64_t self = work->self_picks[pick];
        int64_t other = work->other_picks[pick];
        find_place(&work->outer, work->outer.ndim, pair / work->count, &self, &other);
        for (int64_t line = 0; line < lines; line++) {
            int64_t from = self;
            int64_t to = other;
            find_place(inner, lines_ndim, line, &from, &to);
            job->action(work->self + from, self_stride, work->other + to, other_stride, length);
        }
    }
}

void gn_index(gn_indexing *work, gn_run_action *action, int independent) {
    index_job job = {work, action};
    const int64_t pairs = work->outer.numel * work->count;
    if (pairs == 0 || work->inner.numel == 0) {
        return;
    }
    if (independent) {
        gn_parallel(pairs, gn_max(1, GN_GRAIN / work->inner.numel), index_pairs, &job);
    } else {
        index_pairs(0, pairs, &job);
    }
}

/* 16 bytes, as a complex128. */
typedef struct pair {
    uint64_t first;
    uint64_t second;
} pair;

/* TAKE(uint32_t) becomes take_uint32_t and put_uint32_t, gn_run_actions that move elements of 4 bytes. */
#define MOVE(name, TYPE, to, to_stride, from, from_stride)                                                    \
    static void name##_##TYPE(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count) { \
        if (self_stride == (int64_t)sizeof(TYPE) && other_stride == (int64_t)sizeof(TYPE) && count > 1) {     \
            memcpy(to, from, (size_t)count * sizeof(TYPE));                                                   \
            return;                                                                                           \
        }                                                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                                 \
            *(TYPE *)(to + i * to_stride) = *(const TYPE *)(from + i * from_stride);                          \
        }                                                                                                     \
    }
#define TAKE(TYPE)                                               \
    MOVE(take, TYPE, other, other_stride, self, self_stride)     \
    MOVE(put, TYPE, self, self_stride, other, other_stride)
TAKE(uint8_t)
TAKE(uint16_t)
TAKE(uint32_t)
TAKE(uint64_t)
TAKE(pair)

gn_run_action *gn_take_action(int64_t size) {
    switch (size) {
    case 1: return take_uint8_t;
    case 2: return take_uint16_t;
    case 4: return take_uint32_t;
    case 8: return take_uint64_t;
    default: return take_pair;
    }
}

gn_run_action *gn_put_action(int64_t size) {
    switch (size) {
    case 1: return put_uint8_t;
    case 2: return put_uint16_t;
    case 4: return put_uint32_t;
    case 8: return put_uint64_t;
    default: return put_pair;
    }
}

/* (out; self, index); integers: dim.  GN_BAD_VALUE for an index outside the dimension. */
int32_t kernel_index_select(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const gn_tensor *index = &call->tensors[2];
    const int64_t dim = gn_wrap_dim(call->integers[0], self->ndim);
    const int64_t size = gn_length(self, dim);
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.self = data[1];
    work.other = data[0];
    work.outer.numel = 1;
    work.inner.numel = 1;
    for (int32_t i = 0; i < self->ndim; i++) {
        if (i != dim) {
            gn_append_dim(i < dim ? &work.outer : &work.inner, self->sizes[i], self->strides[i], out->strides[i]);
        }
    }
    if (gn_make_picks(&work, gn_numel(index)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    for (int64_t i = 0; i < work.count; i++) {
        const int64_t at = gn_index_at((const char *)data[2] + gn_offset(index, i, -1), index->dtype);
        if (at < 0 || at >= size) {
            gn_give(work.self_picks);
            return GN_BAD_VALUE;
        }
        work.self_picks[i] = at * gn_step(self, dim);
        work.other_picks[i] = i * gn_step(out, dim);
    }
    gn_index(&work, gn_take_action(gn_itemsize(self->dtype)), 1);
    gn_give(work.self_picks);
    return GN_OK;
}

/* _index and _index_put: the tensor `self`, `index_count` index tensors from tensors[first] on, and the
 * tensor of the indexed shape.  GN_BAD_VALUE for an index outside its dimension. */
static int32_t make_indexing(const gn_call *call, void *const *data, const gn_tensor *self, int32_t first,
                             int32_t index_count, const gn_tensor *other, gn_indexing *work) {
    int32_t present[GN_MAX_DIMS];
    int32_t present_count = 0;
    int adjacent = 1;
    for (int32_t i = 0; i < index_count; i++) {
        if (call->tensors[first + i].dtype == GN_NO_DTYPE) {
            continue;
        }
        if (call->tensors[first + i].dtype != GN_INT64 && call->tensors[first + i].dtype != GN_INT32) {
            return GN_NOT_IMPLEMENTED;
        }
        adjacent = adjacent && (present_count == 0 || present[present_count - 1] == i - 1);
        present[present_count++] = i;
    }
    if (present_count == 0 || index_count > self->ndim) {
        return GN_NOT_IMPLEMENTED;
    }
    const gn_tensor *shape = &call->tensors[first + present[0]];
    const int32_t before = adjacent ? present[0] : 0;

    /* Dimensions taken whole stand in `other` before the indexed ones when those are adjacent, else behind. */
    work->outer.numel = 1;
    work->inner.numel = 1;
    int32_t at_present = 0;
    int32_t whole = 0;
    for (int32_t dim = 0; dim < self->ndim; dim++) {
        if (at_present < present_count && present[at_present] == dim) {
            at_present++;
            continue;
        }
        const int outer = dim < before;
        const int32_t place = outer ? whole : whole + shape->ndim;
        gn_append_dim(outer ? &work->outer : &work->inner, self->sizes[dim], self->strides[dim], other->strides[place]);
        whole++;
    }

    if (gn_make_picks(work, gn_numel(shape)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    const gn_tensor picked = {other->dtype, shape->ndim, shape->sizes, other->strides + before};
    for (int64_t i = 0; i < work->count; i++) {
        int64_t offset = 0;
        for (int32_t k = 0; k < present_count; k++) {
            const gn_tensor *index = &call->tensors[first + present[k]];
            const int64_t size = self->sizes[present[k]];
            int64_t at = gn_index_at((const char *)data[first + present[k]] + gn_offset(index, i, -1), index->dtype);
            at = at < 0 ? at + size : at;
            if (at < 0 || at >= size) {
                gn_give(work->self_picks);
                return GN_BAD_VALUE;
            }
            offset += at * self->strides[present[k]];
        }
        work->self_picks[i] = offset;
        work->other_picks[i] = gn_offset(&picked, i, -1);
    }
    return GN_OK;
}

/* (out; self, an index tensor or absent for each of its first dimensions). */
int32_t kernel_index(const gn_call *call, void *const *data) {
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.self = data[1];
    work.other = data[0];
    const int32_t status =
        make_indexing(call, data, &call->tensors[1], 2, call->tensor_count - 2, &call->tensors[0], &work);
    if (status == GN_OK) {
        gn_index(&work, gn_take_action(gn_itemsize(call->tensors[1].dtype)), 1);
        gn_give(work.self_picks);
    }
    return status;
}

/* (out; self, index tensors or absent, values); integers: accumulate.  `out` becomes self first, unless it is
 * the same memory.  Picks are done in order, so that of equal ones the last wins, or sums are always made in the same order.  `add` accumulates. */
static int32_t index_put(const gn_call *call, void *const *data, gn_run_action *add) {
    gn_indexing work;
    memset(&work, 0, sizeof work);
    const int32_t last = call->tensor_count - 1;
    if (data[0] != data[1]) {
        gn_copy(&call->tensors[0], data[0], &call->tensors[1], data[1]);
    }
    work.self = data[0];
    work.other = data[last];
    const int32_t status = make_indexing(call, data, &call->tensors[0], 2, last - 2, &call->tensors[last], &work);
    if (status == GN_OK) {
        gn_index(&work, call->integers[0] ? add : gn_put_action(gn_itemsize(call->tensors[0].dtype)), 0);
        gn_give(work.self_picks);
    }
    return status;
}

/* gather and scatter_add: lines along a dimension. */
typedef struct line_job {
    const gn_call *call;
    void *const *data;
    int64_t dim;
    int32_t status;
} line_job;

/* Lines [begin, end) of gather (out; self, index).  The index's sizes may be less than self's. */
static void gather_lines(int64_t begin, int64_t end, void *context) {
    line_job *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *self = &work->call->tensors[1];
    const gn_tensor *index = &work->call->tensors[2];
    const gn_tensor self_at_index = {self->dtype, index->ndim, index->sizes, self->strides};
    const int64_t dim = work->dim;
    const int64_t length = gn_length(index, dim);
    const int64_t size = gn_length(self, dim);
    const int64_t itemsize = gn_itemsize(self->dtype);
    for (int64_t line = begin; line < end; line++) {
        char *to = (char *)work->data[0] + gn_offset(out, line, dim);
        const char *from = (const char *)work->data[1] + (self->ndim == 0 ? 0 : gn_offset(&self_at_index, line, dim));
        const char *places = (const char *)work->data[2] + gn_offset(index, line, dim);
        for (int64_t i = 0; i < length; i++) {
            const int64_t at = gn_index_at(places + i * gn_step(index, dim), index->dtype);
            if (at < 0 || at >= size) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
                work->status = GN_BAD_VALUE;
                return;
            }
            char *target = to + i * gn_step(out, dim);
            const char *source = from + at * gn_step(self, dim);
            switch (itemsize) {
            case 4: *(uint32_t *)target = *(const uint32_t *)source; break;
            case 8: *(uint64_t *)target = *(const uint64_t *)source; break;
            default: memcpy(target, source, (size_t)itemsize); break;
            }
        }
    }
}

/* (out; self, index); integers: dim, sparse_grad. */
int32_t kernel_gather(const gn_call *call, void *const *data) {
    const gn_tensor *index = &call->tensors[2];
    line_job work = {call, data, gn_wrap_dim(call->integers[0], index->ndim), GN_OK};
    const int64_t numel = gn_numel(index);
    if (numel > 0) {
        const int64_t length = gn_length(index, work.dim);
        gn_parallel(numel / length, gn_max(1, GN_GRAIN / length), gather_lines, &work);
    }
    return work.status;
}

#define GN_TEMPLATE "index_dtype.h"
#include "each_dtype.h"
