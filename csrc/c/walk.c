/* Walking iterated tensors: rows of dimension 0, split over threads. */
#include "walk.h"

#include "threads.h"

typedef struct walk {
    const gn_call *call;
    void *const *data;
    gn_loop *loop;
    int through_float;
    int32_t status; /* the last fault; threads that write it at once write what any of them may */
} walk;

static void set_status(walk *work, int32_t status) {
    if (GN_UNLIKELY(status != GN_OK)) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        work->status = status;
    }
}

/* Elements that pass through the buffers of floats at a time: four operands of 2 KiB stay in the L1 cache. */
#define BUFFER 512

/* Half elements, a stride apart, to floats. */
static void widen(int32_t dtype, int64_t count, const char *from, int64_t stride, float *to) {
    if (dtype == GN_FLOAT16) {
        if (stride == 2) {
            const uint16_t *halves = (const uint16_t *)from;
            for (int64_t i = 0; i < count; i++) {
                to[i] = gn_from_float16(halves[i]);
            }
        } else {
            for (int64_t i = 0; i < count; i++) {
                to[i] = gn_from_float16(*(const uint16_t *)(from + i * stride));
            }
        }
    } else if (stride == 2) {
        const uint16_t *halves = (const uint16_t *)from;
        for (int64_t i = 0; i < count; i++) {
            to[i] = gn_from_bfloat16(halves[i]);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            to[i] = gn_from_bfloat16(*(const uint16_t *)(from + i * stride));
        }
    }
}

/* Floats to half elements a stride apart. */
static void narrow(int32_t dtype, int64_t count, const float *from, char *to, int64_t stride) {
    if (dtype == GN_FLOAT16) {
        if (stride == 2) {
            uint16_t *halves = (uint16_t *)to;
            for (int64_t i = 0; i < count; i++) {
                halves[i] = gn_to_float16(from[i]);
            }
        } else {
            for (int64_t i = 0; i < count; i++) {
                *(uint16_t *)(to + i * stride) = gn_to_float16(from[i]);
            }
        }
    } else if (stride == 2) {
        uint16_t *halves = (uint16_t *)to;
        for (int64_t i = 0; i < count; i++) {
            halves[i] = gn_to_bfloat16(from[i]);
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

/* One row through buffers of floats. */
static int32_t float_row(int64_t count, char *const *data, const int64_t *strides, const walk *work) {
    float buffers[GN_MAX_OPERANDS][BUFFER];
    char *row[GN_MAX_OPERANDS];
    int64_t steps[GN_MAX_OPERANDS];
    const gn_call *call = work->call;
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
        status |= work->loop(part, row, steps, call);
        for (int32_t k = 0; k < call->output_count; k++) {
            const int32_t dtype = call->tensors[k].dtype;
            if (is_half(dtype)) {
                narrow(dtype, strides[k] == 0 ? 1 : part, buffers[k], data[k] + begin * strides[k], strides[k]);
            }
        }
    }
    return status;
}

/* The elements [begin, end) of the walk, in the order of dimension 0 first. */
static void walk_part(int64_t begin, int64_t end, void *context) {
    walk *work = context;
    const gn_call *call = work->call;
    const int32_t count = call->tensor_count;
    const int32_t ndim = call->tensors[0].ndim;
    const int64_t *sizes = call->tensors[0].sizes;
    const int64_t row_size = ndim > 0 ? sizes[0] : 1;
    int64_t index[GN_MAX_DIMS];
    int64_t inner[GN_MAX_OPERANDS];
    char *row[GN_MAX_OPERANDS];

    int64_t rest = begin;
    for (int32_t dim = 0; dim < ndim; dim++) {
        index[dim] = rest % sizes[dim];
        rest /= sizes[dim];
    }
    int64_t column = ndim > 0 ? index[0] : 0;
    for (int32_t k = 0; k < count; k++) {
        row[k] = work->data[k];
        inner[k] = ndim > 0 ? call->tensors[k].strides[0] : 0;
        for (int32_t dim = 1; dim < ndim; dim++) {
            row[k] += index[dim] * call->tensors[k].strides[dim];
        }
    }

    int64_t left = end - begin;
    while (1) {
        const int64_t part = gn_min(left, row_size - column);
        char *first[GN_MAX_OPERANDS];
        for (int32_t k = 0; k < count; k++) {
            first[k] = row[k] + column * inner[k];
        }
        set_status(work, work->through_float ? float_row(part, first, inner, work)
                                             : work->loop(part, first, inner, call));
        left -= part;
        if (left == 0) {
            return;
        }
        column = 0;
        for (int32_t dim = 1; dim < ndim; dim++) {
            const int64_t turn = ++index[dim] == sizes[dim] ? sizes[dim] - 1 : -1;
            for (int32_t k = 0; k < count; k++) {
                row[k] -= turn * call->tensors[k].strides[dim];
            }
            if (turn < 0) {
                break;
            }
            index[dim] = 0;
        }
    }
}

static int32_t run(const gn_call *call, void *const *data, gn_loop *loop, int through_float) {
    walk work = {call, data, loop, through_float, GN_OK};
    gn_parallel(gn_numel(&call->tensors[0]), GN_GRAIN, walk_part, &work);
    return work.status;
}

int32_t gn_walk(const gn_call *call, void *const *data, gn_loop *loop) {
    return run(call, data, loop, 0);
}

int32_t gn_walk_float(const gn_call *call, void *const *data, gn_loop *loop) {
    return run(call, data, loop, 1);
}
