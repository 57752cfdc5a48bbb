/* _fft_c2c, _fft_r2c and _fft_c2r: Fourier transforms along dimensions, one after the other, in doubles.
 *
 * Between two dimensions the elements lie in a buffer; the first is read from the input, and the last is written, and
 * rounded once, to the output. */
#include "direct.h"
#include "fourier.h"
#include "threads.h"
#include "workspace.h"

/* One dimension: from lines of `in` to lines of `out`. */
typedef struct pass {
    gn_fourier plan;
    const gn_tensor *in;
    const gn_tensor *out;
    const char *from;
    char *to;
    int64_t dim;
    int hermitian; /* the input has the first half of a line, whose conjugates the others are */
    double divisor;
    int32_t status;
} pass;

/* For each element and each line: `at` is where it lies in memory, `x` the point that it becomes. */
#define EACH_POINT(tensor, count, statement)                       \
    {                                                              \
        const int64_t step = gn_step(tensor, work->dim);           \
        for (int64_t i = 0; i < (count); i++) {                    \
            for (int64_t line = 0; line < lines; line++) {         \
                char *at = places[line] + i * step;                \
                gn_point *x = &points[i * lines + line];           \
                statement;                                         \
            }                                                      \
        }                                                          \
    }

static void load_lines(const pass *work, char *const *places, int64_t lines, gn_point *points) {
    const int64_t length = work->plan.length;
    const int64_t count = work->hermitian ? length / 2 + 1 : length;
    switch (work->in->dtype) {
    case GN_FLOAT32: EACH_POINT(work->in, count, *x = ((gn_point){*(const float *)at, 0})) break;
    case GN_FLOAT64: EACH_POINT(work->in, count, *x = ((gn_point){*(const double *)at, 0})) break;
    case GN_COMPLEX64:
        EACH_POINT(work->in, count, *x = ((gn_point){((const float *)at)[0], ((const float *)at)[1]})) break;
    default: EACH_POINT(work->in, count, *x = *(const gn_point *)at) break;
    }
    if (!work->hermitian) {
        return;
    }
    for (int64_t line = 0; line < lines; line++) {
        points[line].imag = 0;
        if (length % 2 == 0) {
            points[length / 2 * lines + line].imag = 0;
        }
        for (int64_t i = count; i < length; i++) {
            const gn_point mirrored = points[(length - i) * lines + line];
            points[i * lines + line] = (gn_point){mirrored.real, -mirrored.imag};
        }
    }
}

static void store_lines(const pass *work, gn_point *points, int64_t lines, char *const *places) {
    const int64_t count = gn_length(work->out, work->dim);
    const double by = work->divisor;
    for (int64_t i = 0; i < count * lines && by != 1; i++) {
        points[i] = (gn_point){points[i].real / by, points[i].imag / by};
    }
    switch (work->out->dtype) {
    case GN_FLOAT32: EACH_POINT(work->out, count, *(float *)at = (float)x->real) break;
    case GN_FLOAT64: EACH_POINT(work->out, count, *(double *)at = x->real) break;
    case GN_COMPLEX64:
        EACH_POINT(work->out, count, ((float *)at)[0] = (float)x->real; ((float *)at)[1] = (float)x->imag) break;
    default: EACH_POINT(work->out, count, *(gn_point *)at = *x) break;
    }
}

static void transform_lines(int64_t begin, int64_t end, void *context) {
    pass *work = context;
    const int64_t length = work->plan.length;
    const int64_t together = gn_min(gn_fourier_lines(&work->plan), end - begin);
    gn_point *points =
        gn_take_items(gn_checked(together, length + gn_fourier_scratch(&work->plan)), sizeof(gn_point));
    if (points == NULL) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        work->status = GN_OUT_OF_MEMORY;
        return;
    }
    for (int64_t first = begin; first < end; first += together) {
        const int64_t lines = gn_min(together, end - first);
        char *from[GN_FOURIER_LINES];
        char *to[GN_FOURIER_LINES];
        for (int64_t line = 0; line < lines; line++) {
            from[line] = (char *)work->from + gn_offset(work->in, first + line, work->dim);
            to[line] = work->to + gn_offset(work->out, first + line, work->dim);
        }
        load_lines(work, from, lines, points);
        gn_transform(&work->plan, points, points + length * lines, lines);
        store_lines(work, points, lines, to);
    }
    gn_give(points);
}

/* What the three operators have in common. */
typedef struct transform {
    const gn_call *call;
    void *const *data;
    int64_t dims[GN_MAX_DIMS];
    int64_t dim_count;
    int64_t count; /* elements transformed together */
    int forward;
} transform;

/* Transforms along dims[which] from one place to another, as `length` elements. */
static int32_t run_pass(const transform *work, int64_t which, int64_t length, const gn_tensor *in, const void *from,
                        const gn_tensor *out, void *to, int is_last) {
    const int64_t normalization = work->call->integers[work->dim_count + 1];
    pass now;
    memset(&now, 0, sizeof now);
    now.in = in;
    now.out = out;
    now.from = from;
    now.to = to;
    now.dim = work->dims[which];
    now.hermitian = is_last && out->dtype < GN_COMPLEX64;
    now.divisor = 1;
    if (is_last && normalization != 0) {
        now.divisor = normalization == 1 ? sqrt((double)work->count) : (double)work->count;
    }
    now.status = gn_begin_fourier(&now.plan, length, work->forward);
    if (now.status == GN_OK) {
        const int64_t lines = gn_numel(out) / gn_length(out, now.dim);
        gn_parallel(lines, gn_grain(16 * length), transform_lines, &now);
    }
    gn_end_fourier(&now.plan);
    return now.status;
}

/* Row-major strides of points. */
static void lay_points(const int64_t *sizes, int32_t ndim, int64_t *strides) {
    int64_t stride = sizeof(gn_point);
    for (int32_t dim = ndim - 1; dim >= 0; dim--) {
        strides[dim] = stride;
        stride *= sizes[dim];
    }
}

/* Passes in the order of work->dims, with `between_sizes` after each but the last, whose lines have `last_length`
 * elements where that is not 0. */
static int32_t run_passes(transform *work, const int64_t *between_sizes, int64_t last_length) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *self = &work->call->tensors[1];
    int64_t strides[GN_MAX_DIMS];
    lay_points(between_sizes, self->ndim, strides);
    const gn_tensor between = {GN_COMPLEX128, self->ndim, between_sizes, strides};
    void *buffer = NULL;
    if (work->dim_count > 1) {
        buffer = gn_take_items(gn_numel(&between), sizeof(gn_point));
        if (buffer == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    int32_t status = GN_OK;
    for (int64_t i = 0; i < work->dim_count && status == GN_OK; i++) {
        const int is_first = i == 0;
        const int is_last = i == work->dim_count - 1;
        const gn_tensor *in = is_first ? self : &between;
        const int64_t length = is_last && last_length > 0 ? last_length : gn_length(in, work->dims[i]);
        status = run_pass(work, i, length, in, is_first ? work->data[1] : buffer, is_last ? out : &between,
                          is_last ? work->data[0] : buffer, is_last);
    }
    gn_give(buffer);
    return status;
}

/* Reads the dimensions; how many elements of `sizes` are transformed together. */
static void begin_transform(transform *work, const gn_call *call, void *const *data, const int64_t *sizes) {
    const int32_t ndim = call->tensors[1].ndim;
    work->call = call;
    work->data = data;
    work->dim_count = call->integers[0];
    work->count = 1;
    for (int64_t i = 0; i < work->dim_count; i++) {
        work->dims[i] = gn_wrap_dim(call->integers[1 + i], ndim);
        work->count *= ndim == 0 ? 1 : sizes[work->dims[i]];
    }
}

/* (out; self); integers: dims, normalization, forward. */
static int32_t fft_c2c(const gn_call *call, void *const *data) {
    transform work;
    begin_transform(&work, call, data, call->tensors[1].sizes);
    work.forward = call->integers[work.dim_count + 2] != 0;
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    if (work.dim_count == 0) {
        gn_copy(&call->tensors[0], data[0], &call->tensors[1], data[1]);
        return GN_OK;
    }
    return run_passes(&work, call->tensors[1].sizes, 0);
}

/* (out; self); integers: dims, normalization, onesided.  The last dimension first, as much of it as is wanted. */
static int32_t fft_r2c(const gn_call *call, void *const *data) {
    transform work;
    begin_transform(&work, call, data, call->tensors[1].sizes);
    work.forward = 1;
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    for (int64_t i = work.dim_count - 1; i > 0; i--) {
        const int64_t moved = work.dims[i];
        work.dims[i] = work.dims[i - 1];
        work.dims[i - 1] = moved;
    }
    return run_passes(&work, call->tensors[0].sizes, 0);
}

/* (out; self); integers: dims, normalization, the length of the last dimension, which comes last. */
static int32_t fft_c2r(const gn_call *call, void *const *data) {
    transform work;
    begin_transform(&work, call, data, call->tensors[0].sizes);
    work.forward = 0;
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    return run_passes(&work, call->tensors[1].sizes, call->integers[work.dim_count + 2]);
}

#define GN_TEMPLATE "spectral_dtype.h"
#include "each_dtype.h"
