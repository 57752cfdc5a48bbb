/* reflection_pad and replication_pad over one to three dimensions, and their gradients. */
#include "resample.h"
#include "workspace.h"

/* The source of position `at` of the padded dimension: mirrored at the ends, or the nearest element. */
static int64_t reflected(int64_t at, int64_t size) {
    return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}
static int64_t replicated(int64_t at, int64_t size) {
    return gn_min(gn_max(at, 0), size - 1);
}

typedef int64_t position_rule(int64_t at, int64_t size);

/* The taps of a padding, which lists two numbers per dimension, last dimension first; where elements are only gathered,
 * their positions alone. */
static int32_t make_taps(const gn_tensor *self, const gn_call *call, int64_t spatial, position_rule *rule, int gathers,
                         gn_taps *taps) {
    const int64_t *padding = call->integers + 1;
    for (int64_t dim = 0; dim < spatial; dim++) {
        const int64_t size = self->sizes[self->ndim - spatial + dim];
        const int64_t before = padding[2 * (spatial - 1 - dim)];
        const int64_t after = padding[2 * (spatial - 1 - dim) + 1];
        const int64_t count = size + before + after;
        const int32_t status = gathers ? gn_take_taps(&taps[dim], size, count, count)
                                       : gn_take_positions(&taps[dim], size, count);
        if (status != GN_OK) {
            return status;
        }
        int64_t *at = taps[dim].at;
        const int64_t first = gn_min(gn_max(before, 0), count), past = gn_min(gn_max(before + size, first), count);
        for (int64_t i = 0; i < first; i++) {
            at[i] = rule(i - before, size);
        }
        for (int64_t i = first; i < past; i++) {
            at[i] = i - before;
        }
        for (int64_t i = past; i < count; i++) {
            at[i] = rule(i - before, size);
        }
        taps[dim].run_begin = past > first ? first : 0;
        taps[dim].run_end = past > first ? past : 0;
        taps[dim].keeps = before == 0 && after == 0;
    }
    return GN_OK;
}

/* (out; self); integers: padding.  Elements of any dtype are copied. */
static int32_t pad(const gn_call *call, void *const *data, position_rule *rule) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const int64_t spatial = call->integers[0] / 2;
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    gn_taps taps[GN_SPATIAL] = {{0}};
    void *owned = NULL;
    void *made = NULL;
    int32_t status = make_taps(self, call, spatial, rule, 1, taps);
    void *from = status == GN_OK ? gn_compact(self, data[1], self->dtype, &owned) : NULL;
    void *to = data[0];
    if (!gn_is_contiguous(out)) {
        made = gn_take_items(gn_numel(out), (size_t)gn_itemsize(out->dtype));
        to = made;
    }
    if (from == NULL || to == NULL) {
        status = GN_OUT_OF_MEMORY;
    } else {
        gn_gather_planes(taps, spatial, gn_planes(self, spatial), gn_itemsize(self->dtype), from, to);
        if (made != NULL) {
            gn_spread(out, data[0], out->dtype, made);
        }
    }
    gn_give(made);
    gn_give(owned);
    gn_give_taps(taps, spatial);
    return status;
}

/* (grad_input; grad_output, self); integers: padding. */
static int32_t pad_backward(const gn_call *call, void *const *data, position_rule *rule) {
    const gn_tensor *self = &call->tensors[2];
    const int64_t spatial = call->integers[0] / 2;
    gn_taps taps[GN_SPATIAL] = {{0}};
    gn_taps transposed[GN_SPATIAL] = {{0}};
    int32_t status = make_taps(self, call, spatial, rule, 0, taps);
    for (int64_t dim = 0; dim < spatial && status == GN_OK; dim++) {
        status = gn_transpose_taps(&taps[dim], &transposed[dim]);
    }
    gn_flat flat;
    if (status == GN_OK) {
        /* only the sizes of self are used */
        const gn_tensor used[2] = {call->tensors[0], call->tensors[1]};
        gn_call reduced = *call;
        reduced.tensors = used;
        reduced.tensor_count = 2;
        status = gn_flatten(&reduced, data, GN_NO_DTYPE, &flat);
        if (status == GN_OK) {
            const int32_t dtype = used[1].dtype == GN_FLOAT16 || used[1].dtype == GN_BFLOAT16 ? GN_FLOAT32
                                                                                            : used[1].dtype;
            gn_stage *stage = gn_stage_of(dtype);
            status = stage == NULL || used[0].dtype != used[1].dtype
                         ? GN_NOT_IMPLEMENTED
                         : gn_resample(transposed, spatial, gn_planes(self, spatial), gn_itemsize(dtype), stage,
                                       flat.at[1], flat.at[0]);
            status = gn_unflatten(&reduced, data, &flat, status);
        }
    }
    gn_give_taps(taps, spatial);
    gn_give_taps(transposed, spatial);
    return status;
}

int32_t kernel_reflection_pad(const gn_call *call, void *const *data) {
    return pad(call, data, reflected);
}

int32_t kernel_replication_pad(const gn_call *call, void *const *data) {
    return pad(call, data, replicated);
}

int32_t kernel_reflection_pad_backward(const gn_call *call, void *const *data) {
    return pad_backward(call, data, reflected);
}

int32_t kernel_replication_pad_backward(const gn_call *call, void *const *data) {
    return pad_backward(call, data, replicated);
}
