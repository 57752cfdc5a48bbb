/* index_select, embedding and _index by one index: whole rows, which lie as usual in both tensors. */
#include "index.h"

#include "copy_lines.h"
#include "threads.h"

/* Indices that are checked before their rows are copied. */
#define FEW 256
/* Bytes of rows that are fetched ahead: more than that takes the place of what is wanted sooner. */
#define AHEAD_BYTES 2048
#define LINE_BYTES 64

typedef struct rows {
    const gn_row_taking *of;
    int64_t nbytes;      /* of a row */
    int64_t index_step;
    int64_t other_step;
    int32_t fault;
} rows;

/* Offsets in self of the rows that indices [first, first + count) name; whether one is out of range. */
GN_INLINE int find_offsets(const rows *work, const char *from, int64_t step, int32_t dtype, int64_t count,
                           int64_t *offsets) {
    const int64_t size = work->of->size;
    const int64_t self_step = work->of->self_step;
    const int64_t wrapped = work->of->wraps ? size : 0;
    uint64_t outside = 0; /* the sign bit */
    for (int64_t i = 0; i < count; i++) {
        const int64_t given = gn_index_at(from + i * step, dtype);
        const int64_t at = given + (given < 0 ? wrapped : 0);
        outside |= (uint64_t)at | (uint64_t)(size - 1 - at);
        offsets[i] = at * self_step;
    }
    return (int)(outside >> 63);
}

/* Copies rows of so many bytes, of which an element may be only a part: they are aligned for nothing larger. */
#define COPY_SHORT(SIZE)                                                                                            \
    static void copy_##SIZE(const char *self, const int64_t *offsets, int64_t count, char *other, int64_t step) {   \
        if (step == (SIZE)) {                                                                                       \
            for (int64_t i = 0; i < count; i++) {                                                                   \
                memcpy(other + i * (SIZE), self + offsets[i], SIZE);                                                \
            }                                                                                                       \
        } else {                                                                                                    \
            for (int64_t i = 0; i < count; i++) {                                                                   \
                memcpy(other + i * step, self + offsets[i], SIZE);                                                  \
            }                                                                                                       \
        }                                                                                                           \
    }
COPY_SHORT(1)
COPY_SHORT(2)
COPY_SHORT(4)
COPY_SHORT(8)

static void copy_rows(const char *self, const int64_t *offsets, int64_t count, char *other, int64_t step,
                      int64_t nbytes) {
    const int64_t fetched = gn_min(nbytes, AHEAD_BYTES);
    const int64_t ahead = gn_max(1, AHEAD_BYTES / nbytes);
    for (int64_t i = 0; i < count; i++) {
        if (i + ahead < count) {
            for (int64_t at = 0; at < fetched; at += LINE_BYTES) {
                GN_PREFETCH(self + offsets[i + ahead] + at);
            }
        }
        gn_copy_row(other + i * step, self + offsets[i], nbytes);
    }
}

/* Rows [first, last) of the indices, of one outer place. */
static int copy_some(const rows *work, const char *self, char *other, int64_t first, int64_t last) {
    const int32_t dtype = work->of->index->dtype;
    const int64_t step = work->index_step;
    int64_t offsets[FEW];
    for (int64_t i = first; i < last; i += FEW) {
        const int64_t count = gn_min(FEW, last - i);
        const char *from = work->of->index_data + i * step;
        int outside;
        if (dtype == GN_INT64 && step == (int64_t)sizeof(int64_t)) {
            outside = find_offsets(work, from, sizeof(int64_t), GN_INT64, count, offsets);
        } else {
            outside = find_offsets(work, from, step, dtype, count, offsets);
        }
        if (outside) {
            return 0;
        }
        char *to = other + i * work->other_step;
        switch (work->nbytes) {
        case 1: copy_1(self, offsets, count, to, work->other_step); break;
        case 2: copy_2(self, offsets, count, to, work->other_step); break;
        case 4: copy_4(self, offsets, count, to, work->other_step); break;
        case 8: copy_8(self, offsets, count, to, work->other_step); break;
        default: copy_rows(self, offsets, count, to, work->other_step, work->nbytes); break;
        }
    }
    return 1;
}

/* Pairs [begin, end) of an outer place and an index. */
static void copy_pairs(int64_t begin, int64_t end, void *context) {
    rows *work = context;
    const gn_dims *outer = &work->of->outer;
    const int64_t count = work->of->count;
    for (int64_t pair = begin; pair < end;) {
        const int64_t first = pair % count;
        const int64_t last = gn_min(count, first + end - pair);
        const char *self = work->of->self;
        char *other = work->of->other;
        int64_t place = pair / count;
        for (int32_t dim = outer->ndim - 1; dim >= 0; dim--) {
            self += place % outer->sizes[dim] * outer->self[dim];
            other += place % outer->sizes[dim] * outer->other[dim];
            place /= outer->sizes[dim];
        }
        if (!copy_some(work, self, other, first, last)) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
            work->fault = 1;
            return;
        }
        pair += last - first;
    }
}

int32_t gn_take_rows(const gn_row_taking *of) {
    const gn_dims *inner = &of->inner;
    rows work = {of, of->itemsize * inner->numel, gn_even_stride(of->index), gn_even_stride(of->picked), 0};
    const int is_whole = inner->ndim == 0
                         || (inner->ndim == 1 && inner->self[0] == of->itemsize && inner->other[0] == of->itemsize);
    if (!is_whole || work.index_step < 0 || work.other_step < 0 || work.nbytes == 0 || of->outer.numel == 0) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t steps = gn_max(1, work.nbytes / 4);
    gn_parallel(of->outer.numel * of->count, gn_max(1, GN_GRAIN / steps), copy_pairs, &work);
    return work.fault ? GN_BAD_VALUE : GN_OK;
}
