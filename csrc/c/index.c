/* index_select, _index and _index_put. */
#include "index.h"
#include "workspace.h"

#include "threads.h"

void gn_append_dim(gn_dims *dims, int64_t size, int64_t self, int64_t other) {
    dims->numel *= size;
    if (size == 1) {
        return;
    }
    const int32_t last = dims->ndim - 1;
    /* Merges a dimension with its predecessor if they are contiguous in both tensors. */
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
    work->self_picks = gn_take_items(gn_checked(2, count), sizeof(int64_t));
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

/* The runs of one pick of one outer place. */
static void index_pair(const index_job *job, int64_t outer, int64_t pick) {
    gn_indexing *work = job->of;
    const gn_dims *inner = &work->inner;
    const int32_t lines_ndim = inner->ndim > 0 ? inner->ndim - 1 : 0;
    const int64_t length = inner->ndim > 0 ? inner->sizes[lines_ndim] : 1;
    const int64_t self_stride = inner->ndim > 0 ? inner->self[lines_ndim] : 0;
    const int64_t other_stride = inner->ndim > 0 ? inner->other[lines_ndim] : 0;
    int64_t self = work->self_picks[pick];
    int64_t other = work->other_picks[pick];
    if (work->outer.ndim > 0) {
        find_place(&work->outer, work->outer.ndim, outer, &self, &other);
    }
    if (lines_ndim == 0) {
        job->action(work->self + self, self_stride, work->other + other, other_stride, length, work->call);
        return;
    }
    const int64_t lines = inner->numel / length;
    for (int64_t line = 0; line < lines; line++) {
        int64_t from = self;
        int64_t to = other;
        find_place(inner, lines_ndim, line, &from, &to);
        job->action(work->self + from, self_stride, work->other + to, other_stride, length, work->call);
    }
}

/* Picks whose rows of self are fetched ahead. */
#define AHEAD 8

/* Pairs [begin, end) of an outer place and a pick. */
static void index_pairs(int64_t begin, int64_t end, void *context) {
    const index_job *job = context;
    const gn_indexing *work = job->of;
    int64_t outer = begin / work->count;
    int64_t pick = begin % work->count;
    for (int64_t pair = begin; pair < end; pair++) {
        if (pick + AHEAD < work->count) {
            GN_PREFETCH(work->self + work->self_picks[pick + AHEAD]);
        }
        index_pair(job, outer, pick);
        if (++pick == work->count) {
            pick = 0;
            outer++;
        }
    }
}

/* All picks of the outer places [begin, end). */
static void index_outer(int64_t begin, int64_t end, void *context) {
    const index_job *job = context;
    index_pairs(begin * job->of->count, end * job->of->count, context);
}

/* All picks that start in the part [begin, end) of self. */
static void index_targets(int64_t begin, int64_t end, void *context) {
    const index_job *job = context;
    const gn_indexing *work = job->of;
    for (int64_t pick = 0; pick < work->count; pick++) {
        if (work->self_picks[pick] >= begin && work->self_picks[pick] < end) {
            for (int64_t outer = 0; outer < work->outer.numel; outer++) {
                index_pair(job, outer, pick);
            }
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
        gn_parallel_for(0, pairs, gn_grain(work->inner.numel), index_pairs, &job);
        return;
    }
    const int64_t threads = gn_parallel_parts(pairs * work->inner.numel, GN_GRAIN);
    if (threads == 1 || work->outer.numel >= 4 * threads) {
        const int64_t size = work->count * work->inner.numel;
        gn_parallel_for(0, work->outer.numel, gn_grain(size), index_outer, &job);
        return;
    }
    /* Runs that write the same element start at the same place of self: threads split the places. */
    int64_t lowest = work->self_picks[0];
    int64_t highest = lowest;
    for (int64_t pick = 1; pick < work->count; pick++) {
        lowest = gn_min(lowest, work->self_picks[pick]);
        highest = gn_max(highest, work->self_picks[pick]);
    }
    const int64_t span = highest - lowest + 1;
    gn_parallel_for(lowest, highest + 1, gn_max(1, span / threads), index_targets, &job);
}

/* 16 bytes, as a complex128. */
typedef struct pair {
    uint64_t first;
    uint64_t second;
} pair;

/* TAKE(uint32_t) becomes take_uint32_t and put_uint32_t, gn_run_actions that move elements of 4 bytes. */
#define MOVE(name, TYPE, to, to_stride, from, from_stride)                                                    \
    static void name##_##TYPE(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count, \
                              const gn_call *call) {                                                          \
        (void)call;                                                                                           \
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

/* What gn_take_rows needs of `work` and a dimension of self. */
static int32_t take_rows(const gn_indexing *work, const gn_tensor *self, int64_t dim, const gn_tensor *index,
                         const char *index_data, const gn_tensor *picked, int wraps) {
    const gn_row_taking rows = {work->self, work->other, work->outer, work->inner, gn_itemsize(self->dtype),
                          gn_length(self, dim), gn_step(self, dim), gn_numel(index), index, index_data, picked, wraps};
    return gn_take_rows(&rows);
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
    const int64_t count = gn_numel(index);
    const int64_t out_step = gn_step(out, dim);
    const gn_tensor picked = {out->dtype, 1, &count, &out_step};
    const int32_t status = take_rows(&work, self, dim, index, data[2], &picked, 0);
    if (status != GN_NOT_IMPLEMENTED) {
        return status;
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
        work.other_picks[i] = i * out_step;
    }
    gn_index(&work, gn_take_action(gn_itemsize(self->dtype)), 1);
    gn_give(work.self_picks);
    return GN_OK;
}

/* How the picks of _index and _index_put are found. */
typedef struct pick_job {
    const gn_call *call;
    void *const *data;
    const gn_tensor *self;
    int32_t first;          /* index tensor */
    const int32_t *present; /* which of them are given */
    int32_t present_count;
    const gn_tensor *picked; /* the indexed dimensions of `other` */
    gn_indexing *work;
    gn_status fault;
} pick_job;

/* Picks [begin, end). */
static void find_picks(int64_t begin, int64_t end, void *context) {
    pick_job *job = context;
    int32_t fault = 0;
    int64_t *self_picks = job->work->self_picks;
    int64_t *other_picks = job->work->other_picks;
    const int64_t other_stride = gn_even_stride(job->picked);
    for (int64_t i = begin; i < end; i++) {
        self_picks[i] = 0;
        other_picks[i] = other_stride >= 0 ? i * other_stride : gn_offset(job->picked, i, -1);
    }
    for (int32_t k = 0; k < job->present_count; k++) {
        const gn_tensor *index = &job->call->tensors[job->first + job->present[k]];
        const char *from = job->data[job->first + job->present[k]];
        const int64_t size = job->self->sizes[job->present[k]];
        const int64_t step = job->self->strides[job->present[k]];
        const int64_t stride = gn_even_stride(index);
        if (stride >= 0 && index->dtype == GN_INT64) {
            for (int64_t i = begin; i < end; i++) {
                const int64_t given = *(const int64_t *)(from + i * stride);
                const int64_t at = given < 0 ? given + size : given;
                fault |= (at < 0) | (at >= size);
                self_picks[i] += at * step;
            }
        } else {
            for (int64_t i = begin; i < end; i++) {
                const int64_t given = gn_index_at(from + gn_offset(index, i, -1), index->dtype);
                const int64_t at = given < 0 ? given + size : given;
                fault |= (at < 0) | (at >= size);
                self_picks[i] += at * step;
            }
        }
    }
    gn_report(&job->fault, fault ? GN_BAD_VALUE : GN_OK);
}

/* Places the unindexed dimensions of self: in `other` they keep their positions around the `shape_ndim` indexed ones if
 * those are adjacent, else they follow them. */
static void place_whole_dims(gn_indexing *work, const gn_tensor *self, const int32_t *present, int32_t present_count,
                             int32_t before, int32_t shape_ndim, const gn_tensor *other) {
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
        const int32_t place = outer ? whole : whole + shape_ndim;
        gn_append_dim(outer ? &work->outer : &work->inner, self->sizes[dim], self->strides[dim], other->strides[place]);
        whole++;
    }
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

    const gn_tensor picked = {other->dtype, shape->ndim, shape->sizes, other->strides + before};
    place_whole_dims(work, self, present, present_count, before, shape->ndim, other);
    if (gn_make_picks(work, gn_numel(shape)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    pick_job job = {call, data, self, first, present, present_count, &picked, work, 0};
    gn_parallel_for(0, work->count, GN_GRAIN / 8, find_picks, &job);
    if (job.fault) {
        gn_give(work->self_picks);
        return GN_BAD_VALUE;
    }
    return GN_OK;
}

/* _index by one tensor of integers, if gn_take_rows supports it. */
static int32_t index_by_one(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    int32_t at = -1;
    for (int32_t i = 2; i < call->tensor_count; i++) {
        const int32_t dtype = call->tensors[i].dtype;
        if (dtype == GN_NO_DTYPE) {
            continue;
        }
        if (at >= 0 || (dtype != GN_INT64 && dtype != GN_INT32)) {
            return GN_NOT_IMPLEMENTED;
        }
        at = i;
    }
    const int32_t dim = at - 2;
    if (at < 0 || dim >= self->ndim) {
        return GN_NOT_IMPLEMENTED;
    }
    const gn_tensor *index = &call->tensors[at];
    const gn_tensor picked = {out->dtype, index->ndim, index->sizes, out->strides + dim};
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.self = data[1];
    work.other = data[0];
    place_whole_dims(&work, self, &dim, 1, dim, index->ndim, out);
    return take_rows(&work, self, dim, index, data[at], &picked, 1);
}

/* (out; self, an index tensor or absent for each of its first dimensions). */
int32_t kernel_index(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const int32_t count = call->tensor_count - 2;
    int32_t status = index_by_one(call, data);
    if (status == GN_NOT_IMPLEMENTED) {
        status = gn_index_elements(self, data[1], call->tensors + 2, data + 2, count, out, data[0], NULL, NULL);
    }
    if (status != GN_NOT_IMPLEMENTED) {
        return status;
    }
    gn_indexing work;
    memset(&work, 0, sizeof work);
    work.self = data[1];
    work.other = data[0];
    status = make_indexing(call, data, self, 2, count, out, &work);
    if (status == GN_OK) {
        gn_index(&work, gn_take_action(gn_itemsize(self->dtype)), 1);
        gn_give(work.self_picks);
    }
    return status;
}

int32_t gn_prepare_sums(gn_sums *sums, const gn_tensor *out, void *out_data, int32_t wide) {
    sums->tensor = *out;
    sums->data = out_data;
    sums->owned = NULL;
    if (wide == out->dtype) {
        return GN_OK;
    }
    int64_t stride = gn_itemsize(wide);
    for (int32_t dim = out->ndim - 1; dim >= 0; dim--) {
        sums->strides[dim] = stride;
        stride *= out->sizes[dim];
    }
    sums->tensor.dtype = wide;
    sums->tensor.strides = sums->strides;
    sums->owned = gn_take(stride);
    sums->data = sums->owned;
    return sums->owned == NULL ? GN_OUT_OF_MEMORY : GN_OK;
}

void gn_fill_sums(gn_sums *sums, void *out_data, const gn_tensor *self, void *self_data) {
    if (sums->owned != NULL || out_data != self_data) {
        gn_copy(&sums->tensor, sums->data, self, self_data);
    }
}

void gn_finish_sums(gn_sums *sums, const gn_tensor *out, void *out_data, int32_t status) {
    if (sums->owned != NULL && status == GN_OK) {
        gn_copy(out, out_data, &sums->tensor, sums->data);
    }
    gn_give(sums->owned);
}

/* (out; self, index tensors or absent, values); integers: accumulate.  `out` becomes self first, unless it is the same
 * memory.  Of equal picks the last wins.  `add` accumulates, in elements of the dtype `wide`. */
static int32_t index_put(const gn_call *call, void *const *data, gn_run_action *add, int32_t wide) {
    gn_indexing work;
    gn_sums sums;
    memset(&work, 0, sizeof work);
    const int32_t last = call->tensor_count - 1;
    const gn_tensor *out = &call->tensors[0];
    const int accumulate = call->integers[0] != 0;
    if (!accumulate) {
        const int32_t done = gn_index_elements(out, data[0], call->tensors + 2, data + 2, last - 2,
                                               &call->tensors[last], data[last], &call->tensors[1], data[1]);
        if (done != GN_NOT_IMPLEMENTED) {
            return done;
        }
    }
    if (gn_prepare_sums(&sums, out, data[0], accumulate ? wide : out->dtype) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    work.call = call;
    work.self = sums.data;
    work.other = data[last];
    const int32_t status = make_indexing(call, data, &sums.tensor, 2, last - 2, &call->tensors[last], &work);
    if (status == GN_OK) {
        gn_fill_sums(&sums, data[0], &call->tensors[1], data[1]);
        gn_index(&work, accumulate ? add : gn_put_action(gn_itemsize(out->dtype)), 0);
        gn_give(work.self_picks);
    }
    gn_finish_sums(&sums, out, data[0], status);
    return status;
}

#define GN_TEMPLATE "index_dtype.h"
#include "each_dtype.h"
