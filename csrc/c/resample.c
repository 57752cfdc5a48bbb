/* Separable maps, applied dimension by dimension.
 *
 * A task is a block of positions of the outermost dimension of one plane, so that the results between two dimensions
 * stay small; blocks depend on the shapes alone. */
#include "resample.h"
#include "workspace.h"

#include "threads.h"

/* Elements of a block's output. */
#define BLOCK_ELEMENTS (32 * 1024)

int32_t gn_take_taps(gn_taps *taps, int64_t in, int64_t out, int64_t count) {
    taps->in = in;
    taps->out = out;
    taps->keeps = 0;
    taps->shift = 0;
    taps->run_begin = taps->run_end = 0;
    taps->start = gn_take_items(out + 1 + gn_checked(2, count), sizeof(int64_t));
    if (taps->start == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    taps->start[0] = 0;
    taps->at = taps->start + out + 1;
    taps->weight = (double *)(taps->at + count);
    return GN_OK;
}

void gn_give_taps(gn_taps *taps, int64_t spatial) {
    for (int64_t dim = 0; dim < spatial; dim++) {
        gn_give(taps[dim].start);
    }
}

int32_t gn_take_positions(gn_taps *taps, int64_t in, int64_t out) {
    const int32_t status = gn_take_taps(taps, in, out, out);
    for (int64_t i = 0; status == GN_OK && i < out; i++) {
        taps->start[i + 1] = i + 1;
        taps->weight[i] = 1;
    }
    return status;
}

int32_t gn_transpose_taps(const gn_taps *taps, gn_taps *made) {
    const int64_t count = taps->start[taps->out];
    if (gn_take_taps(made, taps->out, taps->in, count) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    memset(made->start, 0, (size_t)(made->out + 1) * sizeof(int64_t));
    for (int64_t k = 0; k < count; k++) {
        made->start[taps->at[k] + 1]++;
    }
    for (int64_t i = 0; i < made->out; i++) {
        made->start[i + 1] += made->start[i];
    }
    /* start[i] advances as list i fills, to the start of list i + 1. */
    for (int64_t i = 0; i < taps->out; i++) {
        for (int64_t k = taps->start[i]; k < taps->start[i + 1]; k++) {
            const int64_t place = made->start[taps->at[k]]++;
            made->at[place] = i;
            made->weight[place] = taps->weight[k];
        }
    }
    for (int64_t i = made->out; i > 0; i--) {
        made->start[i] = made->start[i - 1];
    }
    made->start[0] = 0;
    made->keeps = taps->keeps;
    return GN_OK;
}

gn_stage *gn_stage_of(int32_t dtype) {
    switch (dtype) {
    case GN_FLOAT32:
        return gn_stage_float32;
    case GN_FLOAT64:
        return gn_stage_float64;
#if GN_HAS_COMPLEX
    case GN_COMPLEX64:
        return gn_stage_complex64;
    case GN_COMPLEX128:
        return gn_stage_complex128;
#endif
    default:
        return NULL;
    }
}

typedef struct resampling {
    const gn_taps *taps;
    int64_t spatial;
    int64_t itemsize;
    gn_stage *stage;
    const char *in;
    char *out;
    int64_t in_numel, out_numel; /* of a plane */
    int64_t in_row, out_row;     /* elements of a position of the outermost dimension */
    int64_t block;               /* positions of it in a task */
    gn_status status;
} resampling;

/* One block: the dimensions from the last to the first, each from one buffer to the other. */
static int32_t resample_block(const resampling *work, int64_t plane, int64_t begin, int64_t end) {
    const gn_taps *outermost = &work->taps[0];
    int64_t low = outermost->in;
    int64_t high = 0;
    for (int64_t k = outermost->start[begin]; k < outermost->start[end]; k++) {
        low = gn_min(low, outermost->at[k]);
        high = gn_max(high, outermost->at[k] + 1);
    }
    low = gn_min(low, high);
    const char *from = work->in + (plane * work->in_numel + low * work->in_row) * work->itemsize;
    char *to = work->out + (plane * work->out_numel + begin * work->out_row) * work->itemsize;
    int64_t sizes[GN_SPATIAL];
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        sizes[dim] = work->taps[dim].in;
    }
    sizes[0] = high - low;
    char *buffers[2] = {NULL, NULL};
    int32_t status = GN_OK;
    int turn = 0;
    for (int64_t dim = work->spatial - 1; dim >= 0 && status == GN_OK; dim--) {
        const gn_taps *taps = &work->taps[dim];
        const int64_t first = dim == 0 ? begin : 0;
        const int64_t past = dim == 0 ? end : taps->out;
        if (taps->keeps && dim > 0) {
            continue;
        }
        int64_t outer = 1;
        int64_t inner = 1;
        for (int64_t each = 0; each < dim; each++) {
            outer *= sizes[each];
        }
        for (int64_t each = dim + 1; each < work->spatial; each++) {
            inner *= sizes[each];
        }
        char *target = to;
        if (dim > 0) {
            gn_give(buffers[turn]);
            buffers[turn] = gn_take_items(gn_checked(outer, gn_checked(past - first, inner)), (size_t)work->itemsize);
            target = buffers[turn];
            turn = 1 - turn;
        }
        if (target == NULL) {
            status = GN_OUT_OF_MEMORY;
        } else if (taps->keeps) {
            memcpy(target, from, (size_t)((past - first) * inner * work->itemsize));
        } else {
            work->stage(taps, outer, sizes[dim], dim == 0 ? low : 0, inner, first, past, from, target);
        }
        sizes[dim] = past - first;
        from = target;
    }
    gn_give(buffers[0]);
    gn_give(buffers[1]);
    return status;
}

static void resample_task(int64_t begin, int64_t end, void *context) {
    resampling *work = context;
    const int64_t out = work->taps[0].out;
    const int64_t blocks = (out + work->block - 1) / work->block;
    for (int64_t task = begin; task < end; task++) {
        const int64_t first = task % blocks * work->block;
        gn_report(&work->status,
                  resample_block(work, task / blocks, first, gn_min(out, first + work->block)));
    }
}

int32_t gn_resample(const gn_taps *taps, int64_t spatial, int64_t planes, int64_t itemsize, gn_stage *stage,
                    const void *in, void *out) {
    resampling work = {taps, spatial, itemsize, stage, in, out, 1, 1, 1, 1, 1, GN_OK};
    int64_t most = 1;
    for (int64_t dim = 0; dim < spatial; dim++) {
        work.in_numel *= taps[dim].in;
        work.out_numel *= taps[dim].out;
        if (dim > 0) {
            work.in_row *= taps[dim].in;
            work.out_row *= taps[dim].out;
        }
        most *= 1 + (taps[dim].out == 0 ? 0 : taps[dim].start[taps[dim].out] / taps[dim].out);
    }
    if (planes * work.out_numel == 0) {
        return GN_OK;
    }
    work.block = gn_min(taps[0].out, gn_max(1, BLOCK_ELEMENTS / gn_max(work.in_row, work.out_row)));
    const int64_t blocks = (taps[0].out + work.block - 1) / work.block;
    const int64_t steps = gn_max(1, work.block * work.out_row * most);
    gn_parallel_for(0, planes * blocks, gn_grain(steps), resample_task, &work);
    return work.status;
}

#define GATHER(type)                                                                    \
    for (int64_t j = 0; j < count; j++) {                                               \
        ((type *)to)[j] = ((const type *)from)[at[j]];                                  \
    }

/* One row: the positions at[0] to at[count - 1] of `from`. */
static void gather_row(const int64_t *at, int64_t count, int64_t itemsize, const char *from, char *to) {
    typedef struct pair {
        uint64_t first, second;
    } pair;
    switch (itemsize) {
    case 1:
        GATHER(uint8_t)
        break;
    case 2:
        GATHER(uint16_t)
        break;
    case 4:
        GATHER(uint32_t)
        break;
    case 8:
        GATHER(uint64_t)
        break;
    default:
        GATHER(pair)
    }
}

typedef struct gathering {
    const gn_taps *taps[GN_SPATIAL];
    int64_t itemsize;
    const char *in;
    char *out;
    int64_t run_begin, run_end; /* innermost positions that are contiguous in the input, too */
} gathering;

/* Rows [begin, end) of all planes of the output. */
static void gather_rows(int64_t begin, int64_t end, void *context) {
    const gathering *work = context;
    const gn_taps *depth = work->taps[0];
    const gn_taps *height = work->taps[1];
    const gn_taps *width = work->taps[2];
    const int64_t size = work->itemsize;
    const int64_t row_bytes = width->out * size;
    const char *last = NULL;
    for (int64_t row = begin; row < end; row++) {
        const int64_t y = row % height->out;
        const int64_t z = row / height->out % depth->out;
        const int64_t plane = row / height->out / depth->out;
        const int64_t line = (plane * depth->in + depth->at[z]) * height->in + height->at[y];
        const char *from = work->in + line * width->in * size;
        char *to = work->out + row * row_bytes;
        if (from == last) {
            memcpy(to, to - row_bytes, (size_t)row_bytes);
            continue;
        }
        last = from;
        const int64_t *at = width->at;
        const int64_t first = work->run_begin;
        const int64_t past = work->run_end;
        gather_row(at, first, size, from, to);
        memcpy(to + first * size, from + at[first] * size, (size_t)((past - first) * size));
        gather_row(at + past, width->out - past, size, from, to + past * size);
    }
}

void gn_gather_planes(const gn_taps *taps, int64_t spatial, int64_t planes, int64_t itemsize, const void *in,
                      void *out) {
    int64_t start = 0;
    int64_t at = 0;
    double weight = 1;
    const gn_taps one = {1, 1, &start, &at, &weight, 1, 0, 0, 1};
    gathering work = {{&one, &one, &one}, itemsize, in, out, 0, 0};
    for (int64_t dim = 0; dim < spatial; dim++) {
        work.taps[GN_SPATIAL - spatial + dim] = &taps[dim];
    }
    const gn_taps *width = work.taps[2];
    const int64_t rows = planes * work.taps[0]->out * work.taps[1]->out;
    if (rows * width->out == 0) {
        return;
    }
    work.run_begin = width->run_begin;
    work.run_end = width->run_end;
    for (int64_t begin = 0; begin < width->out && width->run_end == 0;) {
        int64_t end = begin + 1;
        while (end < width->out && width->at[end] == width->at[end - 1] + 1) {
            end++;
        }
        if (end - begin > work.run_end - work.run_begin) {
            work.run_begin = begin;
            work.run_end = end;
        }
        begin = end;
    }
    gn_parallel_for(0, rows, gn_grain(width->out), gather_rows, &work);
}

#define GN_TEMPLATE "resample_dtype.h"
#include "each_dtype.h"
