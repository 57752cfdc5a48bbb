/* index_select, embedding and _index by one index: whole rows, which are dense in both tensors. */
#include "index.h"
#include "workspace.h"

#include "copy_lines.h"
#include "threads.h"

/* Indices that are checked before their rows are copied. */
#define FEW 256
/* Bytes of rows to prefetch: more would evict data that is needed sooner. */
#define AHEAD_BYTES 2048
#define LINE_BYTES 64

typedef struct rows {
    const gn_row_taking *of;
    int64_t nbytes;      /* of a row */
    int64_t index_step;
    int64_t other_step;
    gn_status fault;
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

/* Copies rows of so many bytes, which are aligned only for their elements. The same rows at each of `lines` places. */
#define COPY_SHORT(SIZE)                                                                                             \
    static void copy_##SIZE(const char *self, int64_t self_line, const int64_t *offsets, int64_t count, char *other, \
                            int64_t step, int64_t other_line, int64_t lines) {                                       \
        for (int64_t line = 0; line < lines; line++) {                                                               \
            if (step == (SIZE)) {                                                                                    \
                for (int64_t i = 0; i < count; i++) {                                                                \
                    memcpy(other + i * (SIZE), self + offsets[i], SIZE);                                             \
                }                                                                                                    \
            } else {                                                                                                 \
                for (int64_t i = 0; i < count; i++) {                                                                \
                    memcpy(other + i * step, self + offsets[i], SIZE);                                               \
                }                                                                                                    \
            }                                                                                                        \
            self += self_line;                                                                                       \
            other += other_line;                                                                                     \
        }                                                                                                            \
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

/* The rows at `offsets` of `lines` places, one after the other along the innermost outer dimension. */
static void copy_found(const rows *work, const char *self, const int64_t *offsets, int64_t count, char *to,
                       int64_t lines) {
    const gn_dims *outer = &work->of->outer;
    const int64_t self_line = outer->ndim == 0 ? 0 : outer->self[outer->ndim - 1];
    const int64_t line = outer->ndim == 0 ? 0 : outer->other[outer->ndim - 1];
    const int64_t step = work->other_step;
    switch (work->nbytes) {
    case 1: copy_1(self, self_line, offsets, count, to, step, line, lines); break;
    case 2: copy_2(self, self_line, offsets, count, to, step, line, lines); break;
    case 4: copy_4(self, self_line, offsets, count, to, step, line, lines); break;
    case 8: copy_8(self, self_line, offsets, count, to, step, line, lines); break;
    default:
        for (int64_t i = 0; i < lines; i++) {
            copy_rows(self + i * self_line, offsets, count, to + i * line, step, work->nbytes);
        }
        break;
    }
}

/* Offsets of the rows of indices [first, first + count); whether one is out of range. */
static int find_rows(const rows *work, int64_t first, int64_t count, int64_t *offsets) {
    const int32_t dtype = work->of->index->dtype;
    const int64_t step = work->index_step;
    const char *from = work->of->index_data + first * step;
    if (dtype == GN_INT64 && step == (int64_t)sizeof(int64_t)) {
        return find_offsets(work, from, sizeof(int64_t), GN_INT64, count, offsets);
    }
    return find_offsets(work, from, step, dtype, count, offsets);
}

/* Where an outer place is in both tensors. */
static void find_place(const gn_dims *outer, int64_t place, const char **self, char **other) {
    for (int32_t dim = outer->ndim - 1; dim >= 0 && place > 0; dim--) {
        const int is_last = place < outer->sizes[dim];
        const int64_t at = is_last ? place : place % outer->sizes[dim];
        place = is_last ? 0 : place / outer->sizes[dim];
        *self += at * outer->self[dim];
        *other += at * outer->other[dim];
    }
}

/* Pairs [begin, end) of an outer place and some FEW of the indices. */
static void copy_pairs(int64_t begin, int64_t end, void *context) {
    rows *work = context;
    const int64_t pieces = (work->of->count + FEW - 1) / FEW;
    int64_t offsets[FEW];
    const gn_dims *outer = &work->of->outer;
    const int64_t lines = outer->ndim == 0 ? 1 : outer->sizes[outer->ndim - 1];
    int64_t many = 1; /* pairs whose places follow each other */
    for (int64_t pair = begin; pair < end; pair += many) {
        const int64_t first = pieces == 1 ? 0 : pair % pieces * FEW;
        const int64_t count = gn_min(FEW, work->of->count - first);
        const char *self = work->of->self;
        char *other = work->of->other;
        if ((pieces > 1 || pair == begin) && find_rows(work, first, count, offsets)) {
            gn_report(&work->fault, GN_BAD_VALUE);
            return;
        }
        many = pieces > 1 ? 1 : gn_min(end - pair, lines - pair % lines);
        find_place(outer, pieces == 1 ? pair : pair / pieces, &self, &other);
        copy_found(work, self, offsets, count, other + first * work->other_step, many);
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
    const int64_t pieces = (of->count + FEW - 1) / FEW;
    const int64_t steps = gn_max(1, work.nbytes / 4) * gn_max(1, gn_min(FEW, of->count));
    gn_parallel_for(0, of->outer.numel * pieces, gn_grain(steps), copy_pairs, &work);
    return work.fault;
}
