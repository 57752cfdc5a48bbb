/* Iterates over the operands of a TensorIterator: rows of dimension 0, split over threads. */
#include "for_each.h"
#include "workspace.h"

#include "copy_lines.h"
#include "half_vectors.h"
#include "limited.h"
#include "threads.h"
#include "transpose.h"

typedef struct iteration {
    const gn_call *call;
    void *const *data;
    gn_loop *loop;
    int through_float;
    gn_status status; /* the last fault; concurrent writes all write valid values */
} iteration;

/* Elements that are converted in the float buffers at a time: four operands of 2 KiB stay in the L1 cache. */
#define BUFFER 512

/* Half elements, a stride apart, to floats. */
static void widen(int32_t dtype, int64_t count, const char *from, int64_t stride, float *to) {
    const uint16_t *halves = (const uint16_t *)from;
    if (stride == 2) {
        (dtype == GN_FLOAT16 ? gn_widen_row_float16 : gn_widen_row_bfloat16)(halves, count, to);
    } else if (dtype == GN_FLOAT16) {
        for (int64_t i = 0; i < count; i++) {
            to[i] = gn_from_float16(*(const uint16_t *)(from + i * stride));
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            to[i] = gn_from_bfloat16(*(const uint16_t *)(from + i * stride));
        }
    }
}

/* Floats to half elements a stride apart. */
static void narrow(int32_t dtype, int64_t count, const float *from, char *to, int64_t stride) {
    if (stride == 2) {
        (dtype == GN_FLOAT16 ? gn_narrow_row_float16 : gn_narrow_row_bfloat16)(from, count, (uint16_t *)to);
    } else if (dtype == GN_FLOAT16) {
        for (int64_t i = 0; i < count; i++) {
            *(uint16_t *)(to + i * stride) = gn_to_float16(from[i]);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            *(uint16_t *)(to + i * stride) = gn_to_bfloat16(from[i]);
        }
    }
}

static int is_half(int32_t dtype) {
    return dtype == GN_FLOAT16 || dtype == GN_BFLOAT16;
}

int32_t gn_row_through_float(int64_t count, char *const *data, const int64_t *strides, const gn_call *call,
                             gn_loop *loop) {
    float buffers[GN_MAX_OPERANDS][BUFFER];
    char *row[GN_MAX_OPERANDS];
    int64_t steps[GN_MAX_OPERANDS];
    int32_t status = GN_OK;
    for (int64_t begin = 0; begin < count; begin += BUFFER) {
        const int64_t part = gn_min(BUFFER, count - begin);
        for (int32_t k = 0; k < call->tensor_count; k++) {
            const int32_t dtype = call->tensors[k].dtype;
            row[k] = data[k] + begin * strides[k];
            steps[k] = strides[k];
            if (is_half(dtype)) {
                if (k >= call->output_count) {
                    widen(dtype, strides[k] == 0 ? 1 : part, row[k], strides[k], buffers[k]);
                }
                row[k] = (char *)buffers[k];
                steps[k] = strides[k] == 0 ? 0 : (int64_t)sizeof(float);
            }
        }
        status |= loop(part, row, steps, call);
        for (int32_t k = 0; k < call->output_count; k++) {
            const int32_t dtype = call->tensors[k].dtype;
            if (is_half(dtype)) {
                narrow(dtype, strides[k] == 0 ? 1 : part, buffers[k], data[k] + begin * strides[k], strides[k]);
            }
        }
    }
    return status;
}

int gn_are_halves(const gn_call *call, const int64_t *strides, int64_t result, int32_t operands, int32_t dtype) {
    int are_halves = strides[0] == result;
    for (int32_t k = 1; k <= operands; k++) {
        are_halves &= (strides[k] == 0 || strides[k] == (int64_t)sizeof(uint16_t)) && call->tensors[k].dtype == dtype;
    }
    return are_halves;
}

int32_t gn_row_of_blocks(int64_t count, char *const *data, const int64_t *strides, const gn_call *call, gn_loop *row) {
    const int64_t rest = count % GN_HALF_BLOCK, whole = count - rest;
    int32_t status = GN_OK;
    if (whole > 0) {
        status = row(whole, data, strides, call);
    }
    if (rest > 0) {
        uint16_t blocks[GN_MAX_OPERANDS][GN_HALF_BLOCK] = {{0}};
        char *places[GN_MAX_OPERANDS];
        for (int32_t k = 0; k < call->tensor_count; k++) {
            char *place = data[k] + whole * strides[k];
            places[k] = strides[k] == 0 ? place : (char *)blocks[k];
            if (k > 0 && strides[k] != 0) {
                memcpy(blocks[k], place, (size_t)(rest * strides[k]));
            }
        }
        status |= row(GN_HALF_BLOCK, places, strides, call);
        memcpy(data[0] + whole * strides[0], blocks[0], (size_t)(rest * strides[0]));
    }
    return status;
}

/* A position in the iteration: the index of each dimension, and its offset in each operand. */
typedef struct place {
    int64_t index[GN_MAX_DIMS];
    char *row[GN_MAX_OPERANDS]; /* without the offset of dimension 0 */
} place;

/* Sets the place to row `number` of the rows over dimensions `first` and on. */
static void set_place(const iteration *work, int32_t first, int64_t number, place *at) {
    const gn_call *call = work->call;
    for (int32_t k = 0; k < call->tensor_count; k++) {
        at->row[k] = work->data[k];
    }
    for (int32_t dim = first; dim < call->tensors[0].ndim; dim++) {
        at->index[dim] = number % call->tensors[0].sizes[dim];
        number /= call->tensors[0].sizes[dim];
        for (int32_t k = 0; k < call->tensor_count; k++) {
            at->row[k] += at->index[dim] * call->tensors[k].strides[dim];
        }
    }
}

/* Moves the place to the next row of dimensions `first` and on. */
static void next_place(const iteration *work, int32_t first, place *at) {
    const gn_call *call = work->call;
    const int64_t *sizes = call->tensors[0].sizes;
    for (int32_t dim = first; dim < call->tensors[0].ndim; dim++) {
        const int64_t turn = ++at->index[dim] == sizes[dim] ? sizes[dim] - 1 : -1;
        for (int32_t k = 0; k < call->tensor_count; k++) {
            at->row[k] -= turn * call->tensors[k].strides[dim];
        }
        if (turn < 0) {
            break;
        }
        at->index[dim] = 0;
    }
}

/* `part` elements of a row from `column` on. */
static void run_row(iteration *work, char *const *row, const int64_t *inner, int64_t column, int64_t part) {
    const gn_call *call = work->call;
    char *first[GN_MAX_OPERANDS];
    for (int32_t k = 0; k < call->tensor_count; k++) {
        first[k] = row[k] + column * inner[k];
    }
    const int32_t status = work->through_float ? gn_row_through_float(part, first, inner, call, work->loop)
                                               : work->loop(part, first, inner, call);
    gn_report(&work->status, status);
}

/* The steps of dimension 0. */
static void set_inner(const gn_call *call, int64_t *inner) {
    for (int32_t k = 0; k < call->tensor_count; k++) {
        inner[k] = call->tensors[k].ndim > 0 ? call->tensors[k].strides[0] : 0;
    }
}

/* The elements [begin, end) of the iteration, dimension 0 innermost. */
static void iterate_part(int64_t begin, int64_t end, void *context) {
    iteration *work = context;
    const gn_call *call = work->call;
    const int64_t row_size = call->tensors[0].ndim > 0 ? call->tensors[0].sizes[0] : 1;
    int64_t inner[GN_MAX_OPERANDS];
    place at;
    set_inner(call, inner);
    set_place(work, 1, begin / row_size, &at);
    int64_t column = begin % row_size;
    for (int64_t left = end - begin; left > 0;) {
        const int64_t part = gn_min(left, row_size - column);
        run_row(work, at.row, inner, column, part);
        left -= part;
        column = 0;
        if (left > 0) {
            next_place(work, 1, &at);
        }
    }
}

/* The same for a single row: a shortcut for small calls. */
static void iterate_row(int64_t begin, int64_t end, void *context) {
    iteration *work = context;
    int64_t inner[GN_MAX_OPERANDS];
    set_inner(work->call, inner);
    run_row(work, (char *const *)work->data, inner, begin, end - begin);
}

/* If an input's elements are adjacent across rows (a transposed input), each element of a row is in a different cache
 * line, whose other elements belong to the next rows. Such an iteration goes tile by tile, and each tile is first
 * copied to a buffer with dense rows. The copy reads TILE_LINES columns at a time: a power-of-two stride maps all of
 * them to one cache set, which has eight ways or more. */
#define LINE 64
#define TILE_LINES 8
#define TILE_ROWS 64
#define TILE_BYTES 65536

/* 64 rows, which are several cache lines of one page of a transposed operand; and as many columns as fit then: rows so
 * long that starting one costs little. */
static int64_t widest_item(const gn_call *call) {
    int64_t itemsize = 1;
    for (int32_t k = 0; k < call->tensor_count; k++) {
        itemsize = gn_max(itemsize, gn_bytes_of(call->tensors[k].dtype));
    }
    return itemsize;
}
static int64_t tile_columns(const gn_call *call) {
    return TILE_BYTES / (TILE_ROWS * widest_item(call));
}

static int is_across(const gn_tensor *tensor) {
    const int64_t step = tensor->strides[0];
    const int64_t next = tensor->strides[1];
    return (step >= LINE || step <= -LINE) && next < LINE && next > -LINE && next != 0;
}

static int wants_tiles(const gn_call *call) {
    if (call->tensors[0].ndim < 2 || call->tensors[0].sizes[0] < TILE_LINES || call->tensors[0].sizes[1] < TILE_LINES) {
        return 0;
    }
    int any = 0;
    for (int32_t k = call->output_count; k < call->tensor_count; k++) {
        any |= is_across(&call->tensors[k]);
    }
    return any;
}

typedef struct pair {
    uint64_t words[2];
} pair;

/* Copies `rows` times `columns` elements to rows of `width` elements. */
#define COPY_TILE(TYPE)                                                                                       \
    static void copy_tile_##TYPE(int64_t rows, int64_t columns, const char *from, const int64_t *strides,     \
                                 int64_t width, void *tile) {                                                 \
        for (int64_t first = 0; first < columns; first += TILE_LINES) {                                       \
            const int64_t count = gn_min(TILE_LINES, columns - first);                                        \
            for (int64_t row = 0; row < rows; row++) {                                                        \
                const char *in = from + first * strides[0] + row * strides[1];                                \
                TYPE *out = (TYPE *)tile + row * width + first;                                               \
                if (count == TILE_LINES) {                                                                    \
                    for (int64_t column = 0; column < TILE_LINES; column++) {                                 \
                        out[column] = *(const TYPE *)(in + column * strides[0]);                              \
                    }                                                                                         \
                } else {                                                                                      \
                    for (int64_t column = 0; column < count; column++) {                                      \
                        out[column] = *(const TYPE *)(in + column * strides[0]);                              \
                    }                                                                                         \
                }                                                                                             \
            }                                                                                                 \
        }                                                                                                     \
    }
COPY_TILE(uint8_t)
COPY_TILE(uint16_t)
COPY_TILE(uint32_t)
COPY_TILE(uint64_t)
COPY_TILE(pair)

static void copy_tile(int64_t itemsize, int64_t rows, int64_t columns, const char *from, const int64_t *strides,
                      int64_t width, void *tile) {
    if (strides[1] == itemsize) {
        gn_transpose(itemsize, rows, columns, from, strides[0], tile, width * itemsize);
        return;
    }
    switch (itemsize) {
    case 1:
        copy_tile_uint8_t(rows, columns, from, strides, width, tile);
        break;
    case 2:
        copy_tile_uint16_t(rows, columns, from, strides, width, tile);
        break;
    case 4:
        copy_tile_uint32_t(rows, columns, from, strides, width, tile);
        break;
    case 8:
        copy_tile_uint64_t(rows, columns, from, strides, width, tile);
        break;
    default:
        copy_tile_pair(rows, columns, from, strides, width, tile);
        break;
    }
}

/* The tile of `rows` rows from `row` on and `columns` columns from `column` on. */
static void run_tile(iteration *work, char *const *row_data, int64_t row, int64_t rows, int64_t column, int64_t columns,
                     char *tiles) {
    const gn_call *call = work->call;
    char *places[GN_MAX_OPERANDS];
    int64_t inner[GN_MAX_OPERANDS];
    int64_t outer[GN_MAX_OPERANDS];
    for (int32_t k = 0; k < call->tensor_count; k++) {
        const gn_tensor *tensor = &call->tensors[k];
        places[k] = row_data[k] + row * tensor->strides[1] + column * tensor->strides[0];
        inner[k] = tensor->strides[0];
        outer[k] = tensor->strides[1];
        if (k >= call->output_count && is_across(tensor)) {
            const int64_t itemsize = gn_bytes_of(tensor->dtype);
            copy_tile(itemsize, rows, columns, places[k], tensor->strides, columns, tiles + k * TILE_BYTES);
            places[k] = tiles + k * TILE_BYTES;
            inner[k] = itemsize;
            outer[k] = itemsize * columns;
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        run_row(work, places, inner, 0, columns);
        for (int32_t k = 0; k < call->tensor_count; k++) {
            places[k] += outer[k];
        }
    }
}

/* The strips [begin, end): each is TILE_ROWS rows of dimension 1, all columns of dimension 0. */
static void iterate_strips(int64_t begin, int64_t end, void *context) {
    iteration *work = context;
    const gn_call *call = work->call;
    const int64_t *sizes = call->tensors[0].sizes;
    const int64_t width = tile_columns(call);
    const int64_t strips = (sizes[1] + TILE_ROWS - 1) / TILE_ROWS;
    char *tiles = gn_take(call->tensor_count * TILE_BYTES);
    if (tiles == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t strip = begin; strip < end; strip++) {
        place at;
        set_place(work, 2, strip / strips, &at);
        const int64_t row = strip % strips * TILE_ROWS;
        const int64_t rows = gn_min(TILE_ROWS, sizes[1] - row);
        for (int64_t column = 0; column < sizes[0]; column += width) {
            run_tile(work, at.row, row, rows, column, gn_min(width, sizes[0] - column), tiles);
        }
    }
    gn_give(tiles);
}

/* Short rows whose operands are not all contiguous across rows. Starting a row takes as long as some hundred elements,
 * so several rows are copied to one long row, on which the loop runs. */
#define SHORT_ROW 1024 /* bytes */
#define JOINED_BYTES 4096

/* One long row, a single element, one repeated row, or other. */
typedef enum lie { LIES_JOINED, LIES_ONCE, LIES_REPEATED, LIES_APART } lie;

typedef struct joining {
    iteration *work;
    lie lies[GN_MAX_OPERANDS];
    int64_t rows; /* that are joined at a time */
} joining;

static lie how_it_lies(const gn_tensor *tensor) {
    const int64_t step = tensor->strides[0];
    int64_t next = step;
    int is_joined = step == gn_bytes_of(tensor->dtype);
    int is_repeated = 1;
    for (int32_t dim = 0; dim < tensor->ndim; dim++) {
        is_joined &= tensor->strides[dim] == next;
        is_repeated &= tensor->strides[dim] == 0 || dim == 0;
        next *= tensor->sizes[dim];
    }
    if (is_repeated) {
        return step == 0 ? LIES_ONCE : LIES_REPEATED;
    }
    return is_joined ? LIES_JOINED : LIES_APART;
}

static int wants_joining(const gn_call *call, joining *join) {
    const int64_t *sizes = call->tensors[0].sizes;
    if (call->tensors[0].ndim < 2 || sizes[0] * widest_item(call) >= SHORT_ROW) {
        return 0;
    }
    int any = 0;
    for (int32_t k = 0; k < call->tensor_count; k++) {
        join->lies[k] = how_it_lies(&call->tensors[k]);
        any |= join->lies[k] >= LIES_REPEATED;
        for (int32_t dim = 0; dim < call->tensors[0].ndim && k < call->output_count; dim++) {
            if (call->tensors[k].strides[dim] == 0) {
                return 0; /* outputs that overlap themselves are not copied */
            }
        }
    }
    join->rows = gn_max(1, JOINED_BYTES / (sizes[0] * widest_item(call)));
    return any;
}

/* Elements constant along a row; few columns; and others. */
#define COPY_ELEMENTS(TYPE)                                                                                       \
    if (strides[0] == 0 && into[0] == (int64_t)sizeof(TYPE) && columns >= 8) {                                                  \
        for (int64_t row = 0; row < rows; row++) {                                                                \
            const TYPE value = *(const TYPE *)(from + row * strides[1]);                                          \
            TYPE *out = (TYPE *)(to + row * into[1]);                                                             \
            for (int64_t column = 0; column < columns; column++) {                                                \
                out[column] = value;                                                                              \
            }                                                                                                     \
        }                                                                                                         \
    } else if (columns < 8 && columns < rows) {                                                                          \
        for (int64_t column = 0; column < columns; column++) {                                                    \
            for (int64_t row = 0; row < rows; row++) {                                                            \
                *(TYPE *)(to + row * into[1] + column * into[0]) =                                                \
                    *(const TYPE *)(from + row * strides[1] + column * strides[0]);                               \
            }                                                                                                     \
        }                                                                                                         \
    } else {                                                                                                      \
        for (int64_t row = 0; row < rows; row++) {                                                                \
            for (int64_t column = 0; column < columns; column++) {                                                \
                *(TYPE *)(to + row * into[1] + column * into[0]) =                                                \
                    *(const TYPE *)(from + row * strides[1] + column * strides[0]);                               \
            }                                                                                                     \
        }                                                                                                         \
    }

/* Copies some rows from strides `strides` (of elements and rows) to strides `into`. */
static void copy_rows(int64_t itemsize, int64_t rows, int64_t columns, const char *from, const int64_t *strides,
                      char *to, const int64_t *into) {
    const int64_t nbytes = columns * itemsize;
    if (strides[0] == itemsize && into[0] == itemsize && nbytes >= 16) {
        for (int64_t row = 0; row < rows; row++) {
            gn_copy_row(to + row * into[1], from + row * strides[1], nbytes);
        }
        return;
    }
    switch (itemsize) {
    case 1: COPY_ELEMENTS(uint8_t) break;
    case 2: COPY_ELEMENTS(uint16_t) break;
    case 4: COPY_ELEMENTS(uint32_t) break;
    case 8: COPY_ELEMENTS(uint64_t) break;
    default: COPY_ELEMENTS(pair) break;
    }
}

/* Copies `rows` rows from `at` on of the inputs whose layout is at least `least` to their buffers, or the outputs from
 * theirs; advances `at`. */
static void copy_joined(const joining *join, place *at, int64_t rows, char (*buffers)[JOINED_BYTES], lie least,
                        int is_output) {
    const gn_call *call = join->work->call;
    const int64_t columns = call->tensors[0].sizes[0];
    const int32_t first = is_output ? 0 : call->output_count;
    const int32_t last = is_output ? call->output_count : call->tensor_count;
    for (int64_t done = 0; done < rows;) {
        const int64_t part = gn_min(rows - done, call->tensors[0].sizes[1] - at->index[1]);
        for (int32_t k = first; k < last; k++) {
            const gn_tensor *tensor = &call->tensors[k];
            if (join->lies[k] >= least) {
                const int64_t itemsize = gn_bytes_of(tensor->dtype);
                const int64_t dense[] = {itemsize, columns * itemsize};
                char *buffer = buffers[k] + done * dense[1];
                if (is_output) {
                    copy_rows(itemsize, part, columns, buffer, dense, at->row[k], tensor->strides);
                } else {
                    copy_rows(itemsize, part, columns, at->row[k], tensor->strides, buffer, dense);
                }
            }
        }
        done += part;
        at->index[1] += part - 1;
        for (int32_t k = 0; k < call->tensor_count; k++) {
            at->row[k] += (part - 1) * call->tensors[k].strides[1];
        }
        next_place(join->work, 1, at);
    }
}

/* The rows [begin, end), joined. */
static void iterate_joined(int64_t begin, int64_t end, void *context) {
    const joining *join = context;
    iteration *work = join->work;
    const gn_call *call = work->call;
    _Alignas(64) char buffers[GN_MAX_OPERANDS][JOINED_BYTES];
    char *data[GN_MAX_OPERANDS];
    int64_t steps[GN_MAX_OPERANDS];
    place from;
    place to;
    int any_output = 0;
    for (int32_t k = 0; k < call->output_count; k++) {
        any_output |= join->lies[k] == LIES_APART;
    }
    set_place(work, 1, begin, &from);
    to = from;
    for (int64_t row = begin; row < end; row += join->rows) {
        const int64_t rows = gn_min(join->rows, end - row);
        for (int32_t k = 0; k < call->tensor_count; k++) {
            data[k] = join->lies[k] >= LIES_REPEATED ? buffers[k] : from.row[k];
            steps[k] = join->lies[k] == LIES_ONCE ? 0 : gn_bytes_of(call->tensors[k].dtype);
        }
        copy_joined(join, &from, rows, buffers, row == begin ? LIES_REPEATED : LIES_APART, 0);
        run_row(work, data, steps, 0, rows * call->tensors[0].sizes[0]);
        if (any_output) {
            copy_joined(join, &to, rows, buffers, LIES_APART, 1);
        }
    }
}

static int32_t run(const gn_call *call, void *const *data, gn_loop *loop, int through_float) {
    iteration work = {call, data, loop, through_float, GN_OK};
    const int64_t numel = gn_numel(&call->tensors[0]);
    if (numel == 0) {
        return GN_OK;
    }
    const int64_t *sizes = call->tensors[0].sizes;
    joining join = {.work = &work};
    if (call->tensors[0].ndim <= 1) {
        gn_parallel_for(0, numel, GN_GRAIN, iterate_row, &work);
    } else if (wants_tiles(call)) {
        const int64_t strips = (sizes[1] + TILE_ROWS - 1) / TILE_ROWS * (numel / (sizes[0] * sizes[1]));
        gn_parallel_for(0, strips, gn_grain(TILE_ROWS * sizes[0]), iterate_strips, &work);
    } else if (wants_joining(call, &join)) {
        gn_parallel_for(0, numel / sizes[0], gn_grain(sizes[0]), iterate_joined, &join);
    } else {
        gn_parallel_for(0, numel, GN_GRAIN, iterate_part, &work);
    }
    return work.status;
}

int32_t gn_for_each(const gn_call *call, void *const *data, gn_loop *loop) {
    return run(call, data, loop, 0);
}

int32_t gn_for_each_float(const gn_call *call, void *const *data, gn_loop *loop) {
    return run(call, data, loop, 1);
}

int32_t gn_for_each_direct(const gn_call *call, int32_t output_count, int32_t count, const gn_tensor *tensors,
                       void *const *data, gn_loop *loop) {
    gn_tensor turned[GN_MAX_OPERANDS];
    int64_t sizes[GN_MAX_DIMS];
    int64_t strides[GN_MAX_OPERANDS][GN_MAX_DIMS];
    int32_t ndim = 0;
    int any_half = 0;
    for (int32_t dim = tensors[0].ndim - 1; dim >= 0; dim--) {
        const int64_t size = tensors[0].sizes[dim];
        if (size == 0) {
            return GN_OK;
        }
        /* Merges a dimension with the one before it if they are contiguous in all tensors. */
        int is_continued = ndim > 0;
        for (int32_t k = 0; k < count && is_continued; k++) {
            is_continued = strides[k][ndim - 1] * sizes[ndim - 1] == tensors[k].strides[dim];
        }
        if (size == 1) {
            continue;
        }
        if (is_continued) {
            sizes[ndim - 1] *= size;
            continue;
        }
        sizes[ndim] = size;
        for (int32_t k = 0; k < count; k++) {
            strides[k][ndim] = tensors[k].strides[dim];
        }
        ndim++;
    }
    for (int32_t k = 0; k < count; k++) {
        turned[k] = (gn_tensor){tensors[k].dtype, ndim, sizes, strides[k]};
        any_half |= is_half(tensors[k].dtype);
    }
    gn_call iterated = *call;
    iterated.tensor_count = count;
    iterated.output_count = output_count;
    iterated.tensors = turned;
    return run(&iterated, data, loop, any_half);
}
