/* Max and average pooling over two and three dimensions, adaptive too, and their gradients.  One dimension is
 * pooled as a plane of height 1. */
#include "pooling.h"
#include "workspace.h"

#include "scalar.h"
#include "threads.h"

static int32_t take_windows(gn_windows *windows, int64_t in, int64_t out) {
    const gn_windows made = {in, out, 1, 1, 0, 1, 1, gn_take_items(gn_checked(3, out), sizeof(int64_t)), NULL, NULL};
    *windows = made;
    if (made.start == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    windows->end = windows->start + out;
    windows->length = windows->end + out;
    return GN_OK;
}

/* Window i of m over n elements goes from floor(i n / m) to ceil((i + 1) n / m). */
static void fill_adaptive(gn_windows *windows) {
    windows->regular = 0;
    for (int64_t i = 0; i < windows->out; i++) {
        /* i n / m without a product that overflows */
        const int64_t n = windows->in;
        const int64_t m = windows->out;
        windows->start[i] = i * (n / m) + i * (n % m) / m;
        windows->end[i] = (i + 1) * (n / m) + ((i + 1) * (n % m) + m - 1) / m;
        windows->length[i] = windows->end[i] - windows->start[i];
    }
}

static void fill_regular(gn_windows *windows, gn_counting counting) {
    /* loop over taps only if each can be inside the input: there may be 2**62 of them */
    windows->regular = windows->taps <= windows->in;
    for (int64_t i = 0; i < windows->out; i++) {
        const int64_t begin = i * windows->stride - windows->padding;
        const int64_t skipped = begin < 0 ? (-begin - 1) / windows->dilation + 1 : 0;
        const int64_t past = begin + (windows->taps - 1) * windows->dilation + 1;
        windows->start[i] = begin + skipped * windows->dilation;
        windows->end[i] = gn_min(past, windows->in);
        windows->length[i] = counting == GN_COUNT_PADDING
                                 ? gn_min(begin + windows->taps, windows->in + windows->padding) - begin
                                 : gn_max(windows->end[i] - windows->start[i], 0);
    }
}

int32_t gn_make_pooling(gn_pooling *work, int64_t spatial, const gn_tensor *in, const gn_tensor *out,
                        const int64_t **cursor, int dilated, gn_counting counting) {
    int64_t lists[4][GN_SPATIAL] = {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
    const int64_t missing = GN_SPATIAL - spatial;
    if (cursor != NULL) {
        gn_read_list(cursor, lists[0] + missing, spatial);
        if (gn_read_list(cursor, lists[1] + missing, spatial) == 0) {
            memcpy(lists[1], lists[0], sizeof lists[0]);
        }
        gn_read_list(cursor, lists[2] + missing, spatial);
        if (dilated) {
            gn_read_list(cursor, lists[3] + missing, spatial);
        }
    }
    memset(work, 0, sizeof *work);
    work->planes = 1;
    for (int32_t dim = 0; dim < in->ndim - spatial; dim++) {
        work->planes *= in->sizes[dim];
    }
    work->in_numel = 1;
    work->out_numel = 1;
    for (int64_t i = 0; i < GN_SPATIAL; i++) {
        gn_windows *windows = &work->along[i];
        const int64_t dim = i - GN_SPATIAL;
        const int64_t in_size = i < missing ? 1 : in->sizes[in->ndim + dim];
        const int64_t out_size = i < missing ? 1 : out->sizes[out->ndim + dim];
        if (take_windows(windows, in_size, out_size) != GN_OK) {
            return GN_OUT_OF_MEMORY;
        }
        windows->taps = lists[0][i];
        windows->stride = lists[1][i];
        windows->padding = lists[2][i];
        windows->dilation = lists[3][i];
        if (cursor == NULL) {
            fill_adaptive(windows);
        } else {
            fill_regular(windows, counting);
        }
        work->in_numel *= in_size;
        work->out_numel *= out_size;
    }
    return GN_OK;
}

void gn_give_pooling(gn_pooling *work) {
    for (int i = 0; i < GN_SPATIAL; i++) {
        gn_give(work->along[i].start);
    }
}

void gn_tap_range(const gn_windows *windows, int64_t tap, int64_t *first, int64_t *past) {
    const int64_t origin = tap * windows->dilation - windows->padding;
    const int64_t room = windows->in - 1 - origin;
    *past = room < 0 ? 0 : gn_min(room / windows->stride + 1, windows->out);
    *first = origin >= 0 ? 0 : (-origin - 1) / windows->stride + 1;
    *first = gn_min(*first, *past);
}

/* Elementary steps of a row of the output. */
static int64_t row_steps(const gn_pooling *work) {
    int64_t steps = work->along[2].out;
    for (int i = 0; i < GN_SPATIAL; i++) {
        const gn_windows *windows = &work->along[i];
        steps *= gn_max(1, windows->regular ? windows->taps : windows->in / gn_max(1, windows->out));
    }
    return gn_max(1, steps);
}

/* Splits the rows of all planes of the output over threads, which run `task`. */
static void run_rows(gn_pooling *work, gn_task *task) {
    const int64_t rows = work->planes * work->along[0].out * work->along[1].out;
    gn_parallel_for(0, rows, gn_grain(row_steps(work)), task, work);
}

static void run_planes(gn_pooling *work, gn_task *task) {
    const int64_t steps = row_steps(work) * work->along[0].out * work->along[1].out + work->in_numel;
    gn_parallel_for(0, work->planes, gn_grain(steps), task, work);
}

#define GN_TEMPLATE "max_pool_dtype.h"
#include "each_dtype.h"

#define GN_TEMPLATE "avg_pool_dtype.h"
#include "each_dtype.h"

/* Averages of int64 and of floats; the meta function refuses other dtypes. */
#define AVERAGE_OF(id)                                           \
    int32_t kernel_##id(const gn_call *call, void *const *data) { \
        switch (call->tensors[1].dtype) {                        \
        case GN_INT64:                                           \
            return kernel_##id##_int64(call, data);              \
        case GN_FLOAT64:                                         \
            return kernel_##id##_float64(call, data);            \
        default:                                                 \
            return kernel_##id##_float32(call, data);            \
        }                                                        \
    }

AVERAGE_OF(avg_pool2d)
AVERAGE_OF(avg_pool3d)
AVERAGE_OF(avg_pool2d_backward)
AVERAGE_OF(avg_pool3d_backward)
