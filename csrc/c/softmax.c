/* Along one dimension: _softmax, _log_softmax and their gradients.
 *
 * A line is the elements of one position of the other dimensions. */
#include "flat.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Partial results of a line, so that its loop vectorises. */
#define LANES 32
/* Joins the lanes into the first one, in independent pairs; the widths are constants, so that each loop becomes a vector
 * operation. */
#define JOIN_HALF(lanes, width, JOINED)                           \
    for (int lane = 0; lane < (width); lane++) {                  \
        lanes[lane] = JOINED(lanes[lane], lanes[lane + (width)]); \
    }
#define JOIN_LANES(lanes, JOINED)        \
    JOIN_HALF(lanes, LANES / 2, JOINED)  \
    JOIN_HALF(lanes, LANES / 4, JOINED)  \
    JOIN_HALF(lanes, LANES / 8, JOINED)  \
    JOIN_HALF(lanes, LANES / 16, JOINED) \
    JOIN_HALF(lanes, LANES / 32, JOINED)
/* Elements of a line that are summed in its own type before double: LANES sums of 16 each. */
#define BLOCK 512
#define FLUSH_ROWS 16
/* The most adjacent lines that are processed together: whole pages of each row, which suits prefetching. */
#define TILE 1024
/* The fewest, and the bytes of a buffer for half types. */
#define LEAST_TILE 64
#define BUFFER_BYTES (1024 * 1024)
/* Elements of adjacent lines of a half type that are converted at once. */
#define BUFFERED 2048

/* Tensors of (outer, length, inner) elements in row-major order; a task is a tile of lines side by side. */
typedef struct softmax {
    const void *in; /* the gradients: the output of the forward operator */
    const void *gradient;
    void *out;
    int64_t length, inner;
    int64_t tile;
    int logarithm;
    int wide; /* of half types: the output is float32 (half_to_float) */
    gn_status status;
} softmax;

/* Runs a forward operator, or a backward one, whose tiles are `task`. */
static int32_t run_softmax(const gn_call *call, void *const *data, int logarithm, int backward, gn_task *task) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[backward ? 2 : 1];
    const int32_t dtype = call->tensors[1].dtype;
    const int64_t dim = gn_wrap_dim(call->integers[0], in->ndim);
    const int half = dtype == GN_FLOAT16 || dtype == GN_BFLOAT16;
    const int wide = half && !backward && out->dtype == GN_FLOAT32;
    if ((out->dtype != dtype && !wide) || in->dtype != dtype) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t numel = gn_numel(in);
    if (numel == 0) {
        return GN_OK;
    }
    softmax work = {NULL, NULL, NULL, gn_length(in, dim), 1, 1, logarithm, wide, GN_OK};
    for (int64_t each = dim + 1; each < in->ndim; each++) {
        work.inner *= in->sizes[each];
    }
    /* lines are independent of each other, so tiles may depend on the threads */
    const int64_t share = numel / work.length / gn_get_num_threads();
    work.tile = gn_min(TILE, gn_max(LEAST_TILE, share));
    if (half) {
        work.tile = gn_min(work.tile, gn_max(LEAST_TILE, BUFFER_BYTES / work.length / (int64_t)sizeof(float)));
    }
    work.tile = gn_min(work.inner, work.tile);
    void *owned[3] = {NULL, NULL, NULL};
    work.in = gn_compact(in, data[backward ? 2 : 1], dtype, &owned[0]);
    work.gradient = backward ? gn_compact(&call->tensors[1], data[1], dtype, &owned[1]) : NULL;
    work.out = data[0];
    if (!gn_is_contiguous(out)) {
        owned[2] = gn_take_items(numel, (size_t)gn_itemsize(out->dtype));
        work.out = owned[2];
    }
    if (work.in == NULL || work.out == NULL || (backward && work.gradient == NULL)) {
        work.status = GN_OUT_OF_MEMORY;
    } else {
        const int64_t tiles = (work.inner + work.tile - 1) / work.tile;
        const int64_t steps = work.length * work.tile;
        gn_parallel_for(0, numel / work.length / work.inner * tiles, gn_grain(steps), task, &work);
        if (owned[2] != NULL && work.status == GN_OK) {
            gn_spread(out, data[0], out->dtype, owned[2]);
        }
    }
    for (int i = 0; i < 3; i++) {
        gn_give(owned[i]);
    }
    return work.status;
}

#define GN_TEMPLATE "softmax_dtype.h"
#include "each_dtype.h"
