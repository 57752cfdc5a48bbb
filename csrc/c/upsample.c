/* Upsampling over one to three dimensions in all modes, and its gradients.
 *
 * integers of the forward operators: output_size, then align_corners if the mode interpolates; of the backward
 * operators: output_size, input_size, align_corners.  scalars: the scales, NaN where they are not given. */
#include "upsample.h"

static int interpolates(gn_mode mode) {
    return mode != GN_NEAREST && mode != GN_NEAREST_EXACT;
}

static int is_antialiased(gn_mode mode) {
    return mode >= GN_LINEAR_AA;
}

/* Converts the weights to integers of 15 bits, for uint8; taps->shift is how often they were doubled. The weights of
 * positions beyond the border are first added to that of the border element, which replaces them.  Source:
 * ImagingResampleHorizontalConvolution8u. */
static void make_fixed_point(gn_taps *taps) {
    int64_t kept = 0;
    double largest = 0;
    for (int64_t i = 0; i < taps->out; i++) {
        const int64_t first = kept;
        const int64_t begin = taps->start[i];
        const int64_t end = taps->start[i + 1];
        taps->start[i] = first;
        for (int64_t k = begin; k < end; k++) {
            int64_t place = first;
            while (place < kept && taps->at[place] != taps->at[k]) {
                place++;
            }
            const double weight = taps->weight[k];
            if (place == kept) {
                taps->at[kept] = taps->at[k];
                taps->weight[kept++] = weight;
            } else {
                taps->weight[place] += weight;
            }
        }
        for (int64_t place = first; place < kept; place++) {
            largest = taps->weight[place] > largest || place == 0 ? taps->weight[place] : largest;
        }
    }
    taps->start[taps->out] = kept;
    int bits = 0;
    while (bits < 22 && floor(0.5 + ldexp(largest, bits + 1)) < 32768) {
        bits++;
    }
    for (int64_t k = 0; k < kept; k++) {
        taps->weight[k] = trunc(copysign(0.5, taps->weight[k]) + ldexp(taps->weight[k], bits));
    }
    taps->shift = bits;
}

/* The stage for uint8: sums of bytes by weights that are integers, rounded half up as they are shifted, and clamped. */
static void stage_bytes(const gn_taps *taps, int64_t outer, int64_t rows, int64_t low, int64_t inner, int64_t begin,
                        int64_t end, const void *in, void *out) {
    const uint8_t *from = in;
    uint8_t *to = out;
    const int64_t half = (int64_t)1 << taps->shift >> 1;
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t i = begin; i < end; i++) {
            for (int64_t j = 0; j < inner; j++) {
                int64_t sum = half;
                for (int64_t k = taps->start[i]; k < taps->start[i + 1]; k++) {
                    sum += from[(taps->at[k] - low) * inner + j] * (int64_t)taps->weight[k];
                }
                *to++ = (uint8_t)gn_min(gn_max(sum >> taps->shift, 0), 255);
            }
        }
        from += rows * inner;
    }
}

static int32_t upsample(const gn_call *call, void *const *data, gn_mode mode) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const int64_t spatial = call->integers[0];
    const int align_corners = interpolates(mode) && call->integers[1 + spatial] != 0;
    const int bytes = self->dtype == GN_UINT8 && interpolates(mode);
    const int single = self->dtype != GN_FLOAT64 && !bytes;
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    gn_taps taps[GN_SPATIAL] = {{0}};
    int32_t status = GN_OK;
    int keeps = 1;
    for (int64_t dim = 0; dim < spatial && status == GN_OK; dim++) {
        const int64_t size = self->sizes[2 + dim];
        const int64_t count = out->sizes[2 + dim];
        const double scale = call->scalars[dim].real;
        /* with antialiasing, a dimension that keeps its size is not changed, whatever its scale */
        const int alone = size == count && (is_antialiased(mode) || bytes);
        status = gn_upsample_taps(&taps[dim], alone ? GN_NEAREST : mode, size, count, align_corners, scale, single);
        keeps = keeps && taps[dim].keeps;
    }
    const int copies = keeps || !interpolates(mode);
    gn_stage *stage = bytes ? stage_bytes : gn_stage_of(self->dtype);
    if (status == GN_OK && bytes && !keeps) {
        for (int64_t dim = 0; dim < spatial; dim++) {
            make_fixed_point(&taps[dim]);
        }
    }
    gn_flat flat;
    if (status == GN_OK) {
        status = gn_flatten(call, data, GN_NO_DTYPE, &flat);
    }
    if (status == GN_OK) {
        const int half = self->dtype == GN_FLOAT16 || self->dtype == GN_BFLOAT16;
        const int64_t itemsize = half ? 4 : gn_itemsize(self->dtype);
        const int64_t planes = gn_planes(self, spatial);
        if (copies) {
            gn_gather_planes(taps, spatial, planes, itemsize, flat.at[1], flat.at[0]);
        } else if (half) {
            status = gn_resample(taps, spatial, planes, itemsize, gn_stage_float32, flat.at[1], flat.at[0]);
        } else if (stage == NULL) {
            status = GN_NOT_IMPLEMENTED;
        } else {
            status = gn_resample(taps, spatial, planes, itemsize, stage, flat.at[1], flat.at[0]);
        }
        status = gn_unflatten(call, data, &flat, status);
    }
    gn_give_taps(taps, spatial);
    return status;
}

/* (grad_input; grad_output). */
static int32_t upsample_backward(const gn_call *call, void *const *data, gn_mode mode) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *gradient = &call->tensors[1];
    const int64_t spatial = call->integers[0];
    const int64_t *sizes = call->integers + 1 + spatial; /* input_size and its length */
    const int align_corners = interpolates(mode) && sizes[1 + sizes[0]] != 0;
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    gn_taps transposed[GN_SPATIAL] = {{0}};
    int32_t status = GN_OK;
    int same = 1;
    for (int64_t dim = 0; dim < spatial; dim++) {
        same = same && out->sizes[2 + dim] == gradient->sizes[2 + dim];
    }
    if (same && mode == GN_CUBIC) { /* the gradient itself, whatever the scales */
        mode = GN_NEAREST;
    }
    for (int64_t dim = 0; dim < spatial && status == GN_OK; dim++) {
        gn_taps taps = {0};
        status = gn_upsample_taps(&taps, mode, out->sizes[2 + dim], gradient->sizes[2 + dim], align_corners,
                                  call->scalars[dim].real, gradient->dtype != GN_FLOAT64);
        if (status == GN_OK) {
            status = gn_transpose_taps(&taps, &transposed[dim]);
        }
        gn_give_taps(&taps, 1);
    }
    gn_flat flat;
    if (status == GN_OK) {
        status = gn_flatten(call, data, GN_NO_DTYPE, &flat);
    }
    if (status == GN_OK) {
        const int double_precision = gradient->dtype == GN_FLOAT64;
        status = gn_resample(transposed, spatial, gn_planes(out, spatial), double_precision ? 8 : 4,
                             double_precision ? gn_stage_float64 : gn_stage_float32, flat.at[1], flat.at[0]);
        status = gn_unflatten(call, data, &flat, status);
    }
    gn_give_taps(transposed, spatial);
    return status;
}

#define MODE(id, mode)                                                          \
    int32_t kernel_##id(const gn_call *call, void *const *data) {               \
        return upsample(call, data, mode);                                      \
    }                                                                           \
    int32_t kernel_##id##_backward(const gn_call *call, void *const *data) {    \
        return upsample_backward(call, data, mode);                             \
    }

MODE(upsample_nearest, GN_NEAREST)
MODE(upsample_nearest_exact, GN_NEAREST_EXACT)
MODE(upsample_linear, GN_LINEAR)
MODE(upsample_cubic, GN_CUBIC)
MODE(upsample_linear_aa, GN_LINEAR_AA)
MODE(upsample_cubic_aa, GN_CUBIC_AA)
MODE(upsample_lanczos_aa, GN_LANCZOS_AA)
