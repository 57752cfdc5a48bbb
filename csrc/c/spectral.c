/* _fft_c2c, _fft_r2c and _fft_c2r: Fourier transforms along dimensions, one after the other.
 *
 * Between two dimensions the elements are in a buffer; the first dimension is read from the input, and the last is
 * written to the output. float32 is transformed in float32, or, if a sum might overflow or the length has a large prime
 * factor, in double, rounded once. */
#include "direct.h"
#include "fourier.h"
#include "threads.h"
#include "workspace.h"

/* An internal status: the input requires doubles. */
#define TOO_LARGE 1000

/* Bytes between two passes that stay in the cache of a core. */
#define SLICE_BYTES (1 << 19)

/* Shared by the three operators. */
typedef struct transform {
    const gn_call *call;
    void *const *data;
    int64_t dims[GN_MAX_DIMS];
    int64_t dim_count;
    int64_t count; /* elements transformed together */
    int forward;
    const int64_t *between_sizes; /* after each dimension but the last */
    int64_t last_length;          /* elements along the last, if not 0 */
} transform;

/* The length of pass `which`. */
static int64_t length_of(const transform *work, int64_t which) {
    const gn_tensor *self = &work->call->tensors[1];
    const int is_last = which == work->dim_count - 1;
    if (is_last && work->last_length > 0) {
        return work->last_length;
    }
    const int64_t dim = work->dims[which];
    return which == 0 ? gn_length(self, dim) : work->between_sizes[dim];
}

#define GN_TEMPLATE "spectral_dtype.h"
#include "each_dtype.h"

/* Whether two tensors of a call may share memory. */
static int may_overlap(const gn_call *call, void *const *data) {
    const char *begins[2], *ends[2];
    for (int i = 0; i < 2; i++) {
        const gn_tensor *tensor = &call->tensors[i];
        begins[i] = ends[i] = data[i];
        for (int32_t dim = 0; dim < tensor->ndim; dim++) {
            const int64_t reach = (tensor->sizes[dim] - 1) * tensor->strides[dim];
            begins[i] += reach < 0 ? reach : 0;
            ends[i] += reach > 0 ? reach : 0;
        }
        ends[i] += gn_itemsize(tensor->dtype);
    }
    return begins[0] < ends[1] && begins[1] < ends[0];
}

static int32_t run(transform *work) {
    int is_double = work->call->tensors[1].dtype == GN_FLOAT64 || work->call->tensors[1].dtype == GN_COMPLEX128;
    for (int64_t i = 0; i < work->dim_count; i++) {
        is_double |= !gn_is_smooth(length_of(work, i));
    }
    /* in place the input would be lost, and could not be transformed again */
    is_double |= may_overlap(work->call, work->data);
    const int32_t status = is_double ? TOO_LARGE : run_passes_float32(work);
    return status == TOO_LARGE ? run_passes_float64(work) : status;
}

/* Reads the dimensions; returns how many elements of `sizes` are transformed together. */
static void begin_transform(transform *work, const gn_call *call, void *const *data, const int64_t *sizes) {
    const int32_t ndim = call->tensors[1].ndim;
    memset(work, 0, sizeof *work);
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
    work.between_sizes = call->tensors[1].sizes;
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    if (work.dim_count == 0) {
        gn_copy(&call->tensors[0], data[0], &call->tensors[1], data[1]);
        return GN_OK;
    }
    return run(&work);
}

/* (out; self); integers: dims, normalization, onesided.  The last dimension is first, with as many elements as
 * requested. */
static int32_t fft_r2c(const gn_call *call, void *const *data) {
    transform work;
    begin_transform(&work, call, data, call->tensors[1].sizes);
    work.forward = 1;
    work.between_sizes = call->tensors[0].sizes;
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    for (int64_t i = work.dim_count - 1; i > 0; i--) {
        const int64_t moved = work.dims[i];
        work.dims[i] = work.dims[i - 1];
        work.dims[i - 1] = moved;
    }
    return run(&work);
}

/* (out; self); integers: dims, normalization, the length of the last dimension, which comes last. */
static int32_t fft_c2r(const gn_call *call, void *const *data) {
    transform work;
    begin_transform(&work, call, data, call->tensors[0].sizes);
    work.between_sizes = call->tensors[1].sizes;
    work.last_length = call->integers[work.dim_count + 2];
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    return run(&work);
}

#define GN_TEMPLATE "spectral_kernels_dtype.h"
#include "each_dtype.h"
