/* gather and scatter: elements of a tensor selected by an index along one dimension.
 *
 * An element of the index pairs one of `self`, at the place along the dimension that it names, with one of `other`, at
 * its own position. If the dimension is not the last, rows of neighbours are processed together, so that memory is read
 * in order. Different rows, and columns of a row, never share an element of `self`: they are split over threads, and
 * updates of one element run in the index's order. */
#include "index.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* The fewest columns of a task: a few cache lines of each tensor. */
#define LEAST_COLUMNS 32
/* With so many tasks, rows need not be split. */
#define ENOUGH_TASKS 16

/* Columns from which indices are checked first even if their rows are not adjacent, and the number checked at a
 * time. */
#define LEAST_USUAL 16
#define PIECE 512

/* A block of elements: `rows` of `columns`; strides in bytes. */
typedef struct block {
    char *self;
    const char *index;
    char *other;
    int64_t rows;
    int64_t columns;
    int64_t self_step; /* along the dimension */
    int64_t self_side; /* from column to column */
    int64_t self_row;
    int64_t index_row;
    int64_t index_side;
    int64_t other_row;
    int64_t other_side;
    int64_t size;      /* of self along the dimension, at least 1 */
    int is_short;      /* the index is int32 */
} block;

/* Processes a block; an index out of range is replaced by 0 or skipped. The sign bit of the result says whether there
 * was one. */
typedef uint64_t block_action(const block *part, const gn_call *call);

typedef struct gathering {
    const gn_call *call;
    const gn_tensor *index;
    const gn_tensor *self;
    const gn_tensor *other; /* NULL: one number for all */
    char *self_data;
    const char *index_data;
    char *other_data;
    int64_t dim;
    int64_t columns; /* of the last dimension, if it is not the indexed one; else 1 */
    int64_t width;   /* columns in a task */
    block_action *act;
    gn_status fault; /* an index was out of range */
} gathering;

/* Whether `count` indices, whose places are `step` bytes apart, are all in [0, size). */
static int line_is_in(const char *index, int64_t step, int64_t count, int is_short, int64_t size) {
    uint64_t outside = 0; /* the sign bit */
    if (!is_short && step == (int64_t)sizeof(int64_t)) {
        const int64_t *indices = (const int64_t *)index;
        for (int64_t i = 0; i < count; i++) {
            outside |= (uint64_t)indices[i] | (uint64_t)(size - 1 - indices[i]);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = gn_index_at(index + i * step, is_short ? GN_INT32 : GN_INT64);
            outside |= (uint64_t)at | (uint64_t)(size - 1 - at);
        }
    }
    return !(outside >> 63);
}

/* Whether all of an index is in [0, size). */
typedef struct index_check {
    const gn_tensor *index;
    const char *data;
    int64_t size;
    gn_status fault;
} index_check;

static void check_lines(int64_t begin, int64_t end, void *context) {
    index_check *check = context;
    const int32_t last = check->index->ndim - 1;
    const int64_t length = gn_length(check->index, last);
    for (int64_t line = begin; line < end; line++) {
        const char *from = check->data + gn_offset(check->index, line, last);
        if (!line_is_in(from, gn_step(check->index, last), length, check->index->dtype == GN_INT32, check->size)) {
            gn_report(&check->fault, GN_BAD_VALUE);
        }
    }
}

static int indices_are_in(const gn_tensor *index, const char *data, int64_t size) {
    /* Repeated indices are checked once. */
    int64_t sizes[GN_MAX_DIMS] = {1};
    for (int32_t dim = 0; dim < index->ndim; dim++) {
        sizes[dim] = index->strides[dim] == 0 ? 1 : index->sizes[dim];
    }
    const gn_tensor once = {index->dtype, index->ndim, sizes, index->strides};
    index_check check = {&once, data, size, 0};
    const int64_t length = gn_length(&once, once.ndim - 1);
    gn_parallel_for(0, gn_numel(&once) / length, gn_grain(length), check_lines, &check);
    return !check.fault;
}

/* Byte offset in `tensor`, which may be larger than the index, of task row `row`. */
static int64_t row_offset(const gathering *work, const gn_tensor *tensor, int64_t row) {
    if (tensor == NULL || tensor->ndim == 0) {
        return 0;
    }
    const int32_t ndim = work->columns > 1 ? work->index->ndim - 1 : work->index->ndim;
    const gn_tensor at_index = {tensor->dtype, ndim, work->index->sizes, tensor->strides};
    return gn_offset(&at_index, row, work->dim);
}

static int64_t step_along(const gn_tensor *tensor, int64_t dim) {
    return tensor == NULL ? 0 : gn_step(tensor, dim);
}

static void run_tasks(int64_t begin, int64_t end, void *context) {
    gathering *work = context;
    const int64_t length = gn_length(work->index, work->dim);
    const int32_t last = work->index->ndim - 1;
    const int64_t pieces = (work->columns + work->width - 1) / work->width;
    uint64_t outside = 0;
    block part;
    memset(&part, 0, sizeof part);
    part.size = gn_length(work->self, work->dim);
    part.is_short = work->index->dtype == GN_INT32;
    part.self_step = step_along(work->self, work->dim);
    const int has_columns = work->columns > 1;
    /* else a line is a row, whose columns share one place of self; lines along a dimension form a block */
    const int32_t beside = has_columns || last < 1 ? -1 : work->dim == last ? last - 1 : last;
    const int64_t lines = beside < 0 ? 1 : work->index->sizes[beside];
    part.rows = length;
    part.columns = length;
    part.self_side = has_columns ? step_along(work->self, last) : 0;
    part.self_row = beside < 0 ? 0 : step_along(work->self, beside);
    part.index_row = has_columns ? step_along(work->index, work->dim) : beside < 0 ? 0 : step_along(work->index, beside);
    part.index_side = step_along(work->index, has_columns ? last : work->dim);
    part.other_row = has_columns ? step_along(work->other, work->dim) : beside < 0 ? 0 : step_along(work->other, beside);
    part.other_side = step_along(work->other, has_columns ? last : work->dim);
    int64_t many = 1;
    for (int64_t task = begin; task < end; task += many) {
        const int64_t row = pieces == 1 ? task : task / pieces;
        part.self = work->self_data + row_offset(work, work->self, row);
        part.index = work->index_data + row_offset(work, work->index, row);
        part.other = work->other_data + row_offset(work, work->other, row);
        if (has_columns) {
            const int64_t first = pieces == 1 ? 0 : task % pieces * work->width;
            part.columns = gn_min(work->width, work->columns - first);
            part.self += first * part.self_side;
            part.index += first * part.index_side;
            part.other += first * part.other_side;
        } else {
            many = gn_min(end - task, lines - task % lines);
            part.rows = many;
        }
        outside |= work->act(&part, work->call);
    }
    if (outside >> 63) {
        gn_report(&work->fault, GN_BAD_VALUE);
    }
}

/* Runs `act` for all elements of the index. GN_BAD_VALUE for an index out of range, when some elements may have been
 * processed. */
static int32_t run_gathering(gathering *work) {
    const int64_t numel = gn_numel(work->index);
    const int32_t last = work->index->ndim - 1;
    if (numel == 0) {
        return GN_OK;
    }
    if (gn_length(work->self, work->dim) == 0) {
        return GN_BAD_VALUE;
    }
    const int64_t length = gn_length(work->index, work->dim);
    work->columns = work->index->ndim > 1 && work->dim != last ? work->index->sizes[last] : 1;
    const int64_t rows = numel / length / work->columns;
    work->width = work->columns;
    if (rows < ENOUGH_TASKS) {
        work->width = gn_min(work->columns, gn_max(LEAST_COLUMNS, work->columns * rows / ENOUGH_TASKS));
    }
    const int64_t tasks = rows * ((work->columns + work->width - 1) / work->width);
    gn_parallel_for(0, tasks, gn_grain(length * work->width), run_tasks, work);
    return work->fault;
}

/* 16 bytes, as a complex128. */
typedef struct pair {
    uint64_t first;
    uint64_t second;
} pair;

/* EACH(uint32_t, uint32_t, statement): for each element of the block, with `to` in self and `from` in other.  The steps
 * are in local variables, which writes cannot change; those of a dense line are constants, and its indices are checked
 * with vector code before elements are moved. */
#define EACH_STEP(INDEX, SELF, OTHER, statement)                                  \
    for (int64_t j = 0; j < columns; j++) {                                       \
        const int64_t given = *(const INDEX *)(index + j * index_side);           \
        const int64_t at = (uint64_t)given < (uint64_t)size ? given : 0;          \
        SELF *to = (SELF *)(self + at * self_step + j * self_side);               \
        OTHER *from = (OTHER *)(other + j * other_side);                          \
        outside |= (uint64_t)given | (uint64_t)(size - 1 - given);                \
        statement;                                                                \
    }
#define EACH_USUAL(INDEX, SELF, OTHER, statement)                                                              \
    const int64_t width = gn_min(columns, PIECE);                                                              \
    for (int64_t piece = 0; piece < columns; piece += width) {                                                 \
        const INDEX *indices = (const INDEX *)index + piece;                                                   \
        const int64_t count = gn_min(width, columns - piece);                                                  \
        const int64_t last = size - 1;                                                                         \
        uint64_t wrong = 0;                                                                                    \
        for (int64_t j = 0; j < count * many; j++) {                                                           \
            wrong |= (uint64_t)(int64_t)indices[j] | (uint64_t)(last - indices[j]);                            \
        }                                                                                                      \
        outside |= wrong;                                                                                      \
        for (int64_t k = 0; k < many && !(wrong >> 63); k++) {                                                 \
            SELF *selves = (SELF *)(self + k * self_row);                                                      \
            OTHER *others = (OTHER *)(other + k * other_row) + piece;                                          \
            for (int64_t j = 0; j < count; j++) {                                                              \
                SELF *to = selves + indices[j];                                                                \
                OTHER *from = others + j;                                                                      \
                statement;                                                                                     \
            }                                                                                                  \
            indices += count;                                                                                  \
        }                                                                                                      \
    }
#define EACH_OF(INDEX, SELF, OTHER, statement)                                                                 \
    const int64_t rows = part->rows;                                                                           \
    const int64_t columns = part->columns;                                                                     \
    const int64_t size = part->size;                                                                           \
    const int64_t self_step = part->self_step;                                                                 \
    const int64_t index_side = part->index_side;                                                               \
    const int64_t self_side = part->self_side;                                                                 \
    const int64_t other_side = part->other_side;                                                               \
    const int64_t self_row = part->self_row;                                                                   \
    const int64_t index_row = part->index_row;                                                                 \
    const int64_t other_row = part->other_row;                                                                 \
    const int close = index_row == columns * (int64_t)sizeof(INDEX); /* rows of the index are adjacent */ \
    const int usual = (close || columns >= LEAST_USUAL) && index_side == (int64_t)sizeof(INDEX)                \
                      && self_side == 0 && self_step == (int64_t)sizeof(SELF)                                  \
                      && other_side == (int64_t)sizeof(OTHER);                                                 \
    const char *index = part->index;                                                                           \
    char *self = part->self;                                                                                   \
    char *other = part->other;                                                                                 \
    uint64_t outside = 0;                                                                                      \
    for (int64_t i = 0; i < rows;) {                                                                           \
        const int64_t many = usual && close ? gn_min(rows - i, gn_max(1, PIECE / columns)) : 1;                \
        if (usual) {                                                                                           \
            EACH_USUAL(INDEX, SELF, OTHER, statement)                                                          \
        } else {                                                                                               \
            EACH_STEP(INDEX, SELF, OTHER, statement)                                                           \
        }                                                                                                      \
        i += many;                                                                                             \
        self += many * self_row;                                                                               \
        index += many * index_row;                                                                             \
        other += many * other_row;                                                                             \
    }                                                                                                          \
    return outside;
#define EACH(SELF, OTHER, statement)             \
    if (part->is_short) {                              \
        EACH_OF(int32_t, SELF, OTHER, statement) \
    } else {                                           \
        EACH_OF(int64_t, SELF, OTHER, statement) \
    }

#define MOVES(TYPE)                                                        \
    static uint64_t fetch_##TYPE(const block *part, const gn_call *call) { \
        (void)call;                                                        \
        EACH(TYPE, TYPE, *from = *to)                      \
    }                                                                      \
    static uint64_t put_##TYPE(const block *part, const gn_call *call) {   \
        (void)call;                                                        \
        EACH(TYPE, TYPE, *to = *from)                                    \
    }
MOVES(uint8_t)
MOVES(uint16_t)
MOVES(uint32_t)
MOVES(uint64_t)
MOVES(pair)

/* (out; self, index); integers: dim, sparse_grad. */
int32_t kernel_gather(const gn_call *call, void *const *data) {
    const gn_tensor *self = &call->tensors[1];
    gathering work = {call, &call->tensors[2], self, &call->tensors[0], data[1], data[2], data[0], 0, 0, 0, NULL, 0};
    work.dim = gn_wrap_dim(call->integers[0], gn_max(self->ndim, work.index->ndim));
    switch (gn_itemsize(self->dtype)) {
    case 1: work.act = fetch_uint8_t; break;
    case 2: work.act = fetch_uint16_t; break;
    case 4: work.act = fetch_uint32_t; break;
    case 8: work.act = fetch_uint64_t; break;
    default: work.act = fetch_pair; break;
    }
    return run_gathering(&work);
}

/* scatter of `other`, or of one number where that is NULL: (out; self, index, ...); integers: dim. */
static int32_t scatter(const gn_call *call, void *const *data, const gn_tensor *other, void *other_data,
                       block_action *act) {
    const gn_tensor *out = &call->tensors[0];
    gathering work = {call, &call->tensors[2], out, other, data[0], data[2], other_data, 0, 0, 0, act, 0};
    work.dim = gn_wrap_dim(call->integers[0], gn_max(out->ndim, work.index->ndim));
    if (data[0] != data[1]) {
        gn_copy(out, data[0], &call->tensors[1], data[1]);
    } else if (gn_numel(work.index) > 0) {
        /* before anything is written to self */
        if (!indices_are_in(work.index, work.index_data, gn_length(out, work.dim))) {
            return GN_BAD_VALUE;
        }
    }
    return run_gathering(&work);
}

/* Moves `other`, elements of out's dtype. */
static int32_t scatter_moved(const gn_call *call, void *const *data, const gn_tensor *other, void *other_data) {
    switch (gn_itemsize(call->tensors[0].dtype)) {
    case 1: return scatter(call, data, other, other_data, put_uint8_t);
    case 2: return scatter(call, data, other, other_data, put_uint16_t);
    case 4: return scatter(call, data, other, other_data, put_uint32_t);
    case 8: return scatter(call, data, other, other_data, put_uint64_t);
    default: return scatter(call, data, other, other_data, put_pair);
    }
}

/* (out; self, index, src); integers: dim. */
int32_t kernel_scatter(const gn_call *call, void *const *data) {
    return scatter_moved(call, data, &call->tensors[3], data[3]);
}

/* How elements with the same target are combined. */
enum combination { TOTAL_OF, PRODUCT_OF, MEAN_OF, MOST_OF, LEAST_OF };

/* What the write-back of combined elements needs. */
typedef struct combined {
    const gn_tensor *out;
    char *out_data;
    const void *cells;
    enum combination how;
    int with_self;
} combined;

#define GN_TEMPLATE "scatter_dtype.h"
#include "each_dtype.h"
