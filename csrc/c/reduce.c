/* Reductions: the rows of reduce.def.
 *
 * The dimension with the smallest stride in the input determines how memory is read. If it is reduced, each output
 * folds runs of elements; if it is kept, a tile of outputs folds rows of elements. The order of folding depends on the
 * shape alone and never on the number of threads: work is split into pieces of a fixed size, whose results are then
 * combined in order. */
#include <float.h>

#include "scalar.h"
#include "threads.h"
#include "transpose.h"
#include "workspace.h"

/* Outputs folded side by side, if the dimension with the smallest stride is kept: their lanes stay in the L1 cache, and
 * a row is long enough for prefetching. */
#define TILE 1024
/* Elements in a piece of one output's reduction, if there are too few outputs for all threads. */
#define PIECE 32768
/* With so many tasks, splitting outputs alone is enough. */
#define ENOUGH_TASKS 64
/* The largest accumulator: six doubles. */
#define LARGEST_ACCUMULATOR 48
/* Elements of a run that two-pass statistics process together: they stay in the L1 cache. */
#define CHUNK 1024
/* Accumulators over which one run of elements is distributed, so that its loop vectorises.  With 16, gcc 12 unrolls the
 * loop over them before it can vectorise the folds that compare: amax took four times as long. */
#define LANES 32
/* Elements that a lane adds in its own precision before the sum goes to the accumulator. */
#define LANE_LENGTH 32

/* Bytes of the longest run for which starting an output costs more than transposing a tile of runs, and of the buffer
 * for such a tile; outputs in a tile. */
#define SHORT_RUN 128
#define TURNED_BYTES 32768
#define LEAST_TURNED 16

/* One reduction for one dtype.  Accumulators are of `size` bytes, one after the other. */
typedef struct reducer {
    int64_t size;
    /* Initializes `count` accumulators. */
    void (*begin)(void *accumulators, int64_t count);
    /* Folds `count` elements, `stride` bytes apart, into one accumulator. */
    void (*run)(void *accumulator, const char *in, int64_t stride, int64_t count, const gn_call *call);
    /* Folds `rows` rows of `columns` elements into one accumulator per column; columns <= TILE. Fast for dense ones if
     * `has_quick_tile`. */
    void (*tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows, int64_t column_stride,
                 int64_t columns, const gn_call *call);
    /* Folds each of `count` accumulators into another. */
    void (*combine)(void *accumulators, const void *others, int64_t count, const gn_call *call);
    /* Writes one output; `count` elements were reduced. */
    void (*finish)(const void *accumulator, char *out, int64_t count, const gn_call *call);
    int has_quick_tile;
} reducer;

/* Dimensions, smallest stride in the input first; strides in bytes. */
typedef struct dims {
    int32_t ndim;
    int64_t numel;
    int64_t sizes[GN_MAX_DIMS];
    int64_t in[GN_MAX_DIMS];
    int64_t out[GN_MAX_DIMS];
} dims;

typedef struct reduction {
    const reducer *of;
    const gn_call *call;
    const char *in;
    char *out;
    dims kept;    /* without the columns */
    dims reduced;
    int64_t columns; /* 1, strides 0, when runs are folded */
    int is_turned;   /* runs are folded, many short ones side by side */
    int64_t column_in;
    int64_t column_out;
    int64_t tiles;  /* of the columns */
    int64_t piece;  /* elements of the reduced dimensions in a piece */
    int64_t pieces; /* for each output */
    char *partial;  /* the pieces' accumulators: [kept][piece][column]; NULL when pieces == 1 */
} reduction;

static void append_dim(dims *list, int64_t size, int64_t in, int64_t out) {
    list->sizes[list->ndim] = size;
    list->in[list->ndim] = in;
    list->out[list->ndim] = out;
    list->ndim++;
    list->numel *= size;
}

/* Offsets of element `index` in the input and in the output. */
static void find_offsets(const dims *list, int64_t index, int64_t *in, int64_t *out) {
    *in = 0;
    *out = 0;
    for (int32_t dim = 0; dim < list->ndim && index > 0; dim++) {
        const int is_last = dim + 1 == list->ndim;
        const int64_t at = is_last ? index : index % list->sizes[dim];
        index = is_last ? 0 : index / list->sizes[dim];
        *in += at * list->in[dim];
        *out += at * list->out[dim];
    }
}

/* Folds a dense run of `count` elements into each of `columns` accumulators. */
static void fold_turned(const reduction *work, const char *in, int64_t count, int64_t columns, char *accumulators) {
    const int64_t itemsize = gn_itemsize(work->call->tensors[1].dtype);
    const int64_t width = TURNED_BYTES / (count * itemsize);
    double memory[TURNED_BYTES / sizeof(double)];
    for (int64_t first = 0; first < columns; first += width) {
        const int64_t part = gn_min(width, columns - first);
        gn_transpose(itemsize, count, part, in + first * work->column_in, work->column_in, (char *)memory,
                     part * itemsize);
        work->of->tile(accumulators + first * work->of->size, (const char *)memory, part * itemsize, count, itemsize,
                       part, work->call);
    }
}

/* Folds elements [begin, end) of the reduced dimensions, for `columns` outputs from `in` on. */
static void fold(const reduction *work, const char *in, int64_t columns, int64_t begin, int64_t end,
                 void *accumulators) {
    const dims *reduced = &work->reduced;
    const int64_t length = reduced->ndim > 0 ? reduced->sizes[0] : 1;
    const int64_t stride = reduced->ndim > 0 ? reduced->in[0] : 0;
    while (begin < end) {
        int64_t offset;
        int64_t ignored;
        find_offsets(reduced, begin, &offset, &ignored);
        const int64_t count = gn_min(end - begin, begin == 0 ? length : length - begin % length);
        if (work->is_turned) {
            fold_turned(work, in + offset, count, columns, accumulators);
        } else if (work->columns > 1) {
            work->of->tile(accumulators, in + offset, stride, count, work->column_in, columns, work->call);
        } else {
            work->of->run(accumulators, in + offset, stride, count, work->call);
        }
        begin += count;
    }
}

/* Tasks [begin, end); a task is a piece of a tile of a kept index. */
static void fold_tasks(int64_t begin, int64_t end, void *context) {
    const reduction *work = context;
    const int64_t size = work->of->size;
    double memory[TILE * LARGEST_ACCUMULATOR / sizeof(double)];
    char *accumulators = (char *)memory;
    for (int64_t task = begin; task < end; task++) {
        /* avoids division, which takes as long as a short run */
        const int64_t tile = work->pieces == 1 ? task : task / work->pieces;
        const int64_t piece = work->pieces == 1 ? 0 : task % work->pieces;
        const int64_t kept = work->tiles == 1 ? tile : tile / work->tiles;
        const int64_t first = work->tiles == 1 ? 0 : tile % work->tiles * TILE;
        const int64_t columns = gn_min(TILE, work->columns - first);
        int64_t in;
        int64_t out;
        find_offsets(&work->kept, kept, &in, &out);
        work->of->begin(accumulators, columns);
        fold(work, work->in + in + first * work->column_in, columns, piece * work->piece,
             gn_min(work->reduced.numel, (piece + 1) * work->piece), accumulators);
        if (work->partial != NULL) {
            const int64_t place = (kept * work->pieces + piece) * work->columns + first;
            memcpy(work->partial + place * size, accumulators, (size_t)(columns * size));
            continue;
        }
        for (int64_t i = 0; i < columns; i++) {
            work->of->finish(accumulators + i * size, work->out + out + (first + i) * work->column_out,
                             work->reduced.numel, work->call);
        }
    }
}

/* Combines the pieces of outputs [begin, end), in order. */
static void combine_pieces(int64_t begin, int64_t end, void *context) {
    const reduction *work = context;
    const int64_t size = work->of->size;
    for (int64_t output = begin, columns; output < end; output += columns) {
        const int64_t kept = output / work->columns;
        const int64_t column = output % work->columns;
        columns = gn_min(gn_min(TILE, work->columns - column), end - output);
        char *first = work->partial + (kept * work->pieces * work->columns + column) * size;
        for (int64_t piece = 1; piece < work->pieces; piece++) {
            work->of->combine(first, first + piece * work->columns * size, columns, work->call);
        }
        int64_t in;
        int64_t out;
        find_offsets(&work->kept, kept, &in, &out);
        for (int64_t i = 0; i < columns; i++) {
            work->of->finish(first + i * size, work->out + out + (column + i) * work->column_out, work->reduced.numel,
                             work->call);
        }
    }
}

/* One run, to one output, in one piece: a shortcut for small calls. */
static int32_t reduce_run(const gn_call *call, void *const *data, const reducer *of) {
    const gn_tensor *in = &call->tensors[1];
    double accumulator[LARGEST_ACCUMULATOR / sizeof(double)];
    of->begin((char *)accumulator, 1);
    of->run((char *)accumulator, data[1], in->strides[0], in->sizes[0], call);
    of->finish((char *)accumulator, data[0], in->sizes[0], call);
    return GN_OK;
}

/* Runs an iterated reduction: tensors[0] is the output, tensors[1] the input.  GN_OUT_OF_MEMORY at worst. */
static int32_t reduce(const gn_call *call, void *const *data, const reducer *of) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    if (in->ndim == 1 && out->strides[0] == 0 && in->sizes[0] > 1 && in->sizes[0] <= PIECE) {
        return reduce_run(call, data, of);
    }
    reduction work;
    memset(&work, 0, sizeof work);
    work.of = of;
    work.call = call;
    work.in = data[1];
    work.out = data[0];
    work.kept.numel = 1;
    work.reduced.numel = 1;
    work.columns = 1;
    if (gn_numel(in) == 0) {
        return GN_OK;
    }

    /* Dimensions by their stride in the input; insertion keeps the iterator's order among equals. */
    int32_t order[GN_MAX_DIMS];
    int32_t ndim = 0;
    for (int32_t dim = 0; dim < in->ndim; dim++) {
        if (in->sizes[dim] == 1) {
            continue;
        }
        int32_t place = ndim++;
        while (place > 0 && llabs(in->strides[order[place - 1]]) > llabs(in->strides[dim])) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = dim;
    }
    const int64_t itemsize = gn_itemsize(in->dtype);
    const int has_short_runs = of->has_quick_tile && ndim > 1 && out->strides[order[0]] == 0
                               && in->strides[order[0]] == itemsize && in->sizes[order[0]] * itemsize <= SHORT_RUN;
    for (int32_t place = 0; place < ndim; place++) {
        const int32_t dim = order[place];
        if (out->strides[dim] == 0) {
            append_dim(&work.reduced, in->sizes[dim], in->strides[dim], 0);
        } else if (place == 0 || (has_short_runs && !work.is_turned && in->sizes[dim] >= LEAST_TURNED)) {
            work.is_turned = place > 0;
            work.columns = in->sizes[dim];
            work.column_in = in->strides[dim];
            work.column_out = out->strides[dim];
        } else {
            append_dim(&work.kept, in->sizes[dim], in->strides[dim], out->strides[dim]);
        }
    }

    work.tiles = (work.columns + TILE - 1) / TILE;
    work.piece = work.reduced.numel;
    const int64_t tasks = work.kept.numel * work.tiles;
    if (tasks < ENOUGH_TASKS) {
        work.piece = PIECE / gn_min(TILE, work.columns);
        if (work.columns > 1) { /* pieces need many accumulators there: no more pieces than threads can use */
            work.piece = gn_max(work.piece, (work.reduced.numel * tasks + ENOUGH_TASKS - 1) / ENOUGH_TASKS);
        }
    }
    work.pieces = (work.reduced.numel + work.piece - 1) / work.piece;
    const int64_t outputs = work.kept.numel * work.columns;
    if (work.pieces > 1) {
        work.partial = gn_take_items(gn_checked(outputs, work.pieces), (size_t)of->size);
        if (work.partial == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    const int64_t task_size = gn_min(work.piece, work.reduced.numel) * gn_min(TILE, work.columns);
    gn_parallel_for(0, work.kept.numel * work.tiles * work.pieces, gn_grain(task_size), fold_tasks, &work);
    if (work.partial != NULL) {
        gn_parallel_for(0, outputs, gn_grain(work.pieces), combine_pieces, &work);
        gn_give(work.partial);
    }
    return GN_OK;
}

/* The `combine` of accumulators of a type, each by the function combine_<name>. */
#define COMBINE_EACH(name, TYPE)                                                                                  \
    static void combine_each_##name(void *accumulators, const void *others, int64_t count, const gn_call *call) { \
        for (int64_t i = 0; i < count; i++) {                                                                     \
            combine_##name((TYPE *)accumulators + i, (const TYPE *)others + i, call);                             \
        }                                                                                                         \
    }

/* A double with the rounding errors of its additions (Neumaier's sum). */
typedef struct compensated {
    double sum;
    double error;
} compensated;

static inline void add_compensated(compensated *total, double value) {
    const double sum = total->sum + value;
    total->error += fabs(total->sum) >= fabs(value) ? (total->sum - sum) + value : (value - sum) + total->sum;
    total->sum = sum;
}

/* The sum; the error of an infinite one is ignored. */
static inline double round_compensated(const compensated *total) {
    const double sum = total->sum + total->error;
    return sum == sum ? sum : total->sum;
}

/* Count, mean, and sum of squared deviations from the mean, of the elements so far. */
typedef struct moments {
    double count;
    double mean;
    double imaginary_mean; /* of complex numbers, with deviations in the complex plane */
    double squares;
    double rest, imaginary_rest; /* what the means are short of, of elements that have as many digits as they */
} moments;
_Static_assert(sizeof(moments) <= LARGEST_ACCUMULATOR, "the memory for accumulators is too small");

/* Adds to a mean and its rest. */
static void add_to_mean(double *mean, double *rest, double distance) {
    const double low = *rest + distance;
    const double sum = *mean + low;
    const double kept = sum - *mean;
    *rest = isfinite(sum) ? (*mean - (sum - kept)) + (low - kept) : 0;
    *mean = sum;
}

/* Moves the deviations, whose sums are these, from a mean to what it is with its rest. */
static void correct_moments(moments *part, double sum, double imaginary_sum) {
    if (isfinite(sum) && isfinite(imaginary_sum)) {
        part->rest = sum / part->count;
        part->imaginary_rest = imaginary_sum / part->count;
        const double excess = sum * part->rest + imaginary_sum * part->imaginary_rest;
        if (isfinite(excess)) {
            part->squares = excess < part->squares ? part->squares - excess : 0;
        }
    }
}

/* Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979. */
static void combine_moments(void *accumulator, const void *other, const gn_call *call) {
    moments *total = accumulator;
    const moments *part = other;
    (void)call;
    if (part->count == 0) {
        return;
    }
    if (total->count == 0) {
        *total = *part;
        return;
    }
    const double count = total->count + part->count;
    const double share = part->count / count;
    const double real = part->mean - total->mean + (part->rest - total->rest);
    const double imaginary =
        part->imaginary_mean - total->imaginary_mean + (part->imaginary_rest - total->imaginary_rest);
    total->squares += part->squares + (real * real + imaginary * imaginary) * (total->count * share);
    add_to_mean(&total->mean, &total->rest, real * share);
    add_to_mean(&total->imaginary_mean, &total->imaginary_rest, imaginary * share);
    total->count = count;
}

static void begin_moments(void *accumulators, int64_t count) {
    memset(accumulators, 0, (size_t)count * sizeof(moments));
}

/* The variance; scalars: correction, 1 where absent. */
static double spread_of(const moments *total, const gn_call *call) {
    const gn_scalar *correction = &call->scalars[0];
    const int absent = isnan(correction->real) && correction->integer == GN_NO_INTEGER;
    const double freedom = total->count - (absent ? 1 : correction->real);
    return total->squares / (freedom > 0 ? freedom : 0);
}

#include "exponentials.h"
#include "norm.h"

COMBINE_EACH(moments, moments)
COMBINE_EACH(norm, scaled_sum)
COMBINE_EACH(powers, powers)
#undef COMBINE_EACH

#define AS_BYTE(x) ((uint8_t)(x))

#define GN_TEMPLATE "reduce_dtype.h"
#include "each_dtype.h"
