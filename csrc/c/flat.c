/* Tensors as contiguous memory. */
#include "flat.h"
#include "workspace.h"

static int32_t wide_dtype(int32_t dtype) {
    return dtype == GN_FLOAT16 || dtype == GN_BFLOAT16 ? GN_FLOAT32 : dtype;
}

int32_t gn_flatten(const gn_call *call, void *const *data, int32_t dtype, gn_flat *flat) {
    memset(flat, 0, sizeof *flat);
    if (call->tensor_count > GN_MOST_FLAT) {
        return GN_NOT_IMPLEMENTED;
    }
    for (int32_t i = 0; i < call->tensor_count; i++) {
        const int32_t given = call->tensors[i].dtype;
        if (given >= GN_FLOAT16 && dtype != GN_NO_DTYPE && wide_dtype(given) != dtype) {
            return GN_NOT_IMPLEMENTED;
        }
    }
    for (int32_t i = 0; i < call->tensor_count; i++) {
        const gn_tensor *tensor = &call->tensors[i];
        const int32_t wanted = wide_dtype(tensor->dtype);
        if (tensor->dtype == GN_NO_DTYPE) {
            continue;
        }
        if (i >= call->output_count) {
            flat->at[i] = gn_compact(tensor, data[i], wanted, &flat->owned[i]);
        } else if (wanted == tensor->dtype && gn_is_contiguous(tensor)) {
            flat->at[i] = data[i];
        } else {
            flat->owned[i] = gn_take_items(gn_numel(tensor), (size_t)gn_itemsize(wanted));
            flat->at[i] = flat->owned[i];
        }
        if (flat->at[i] == NULL && gn_numel(tensor) > 0) {
            return gn_unflatten(call, data, flat, GN_OUT_OF_MEMORY);
        }
    }
    return GN_OK;
}

int32_t gn_unflatten(const gn_call *call, void *const *data, gn_flat *flat, int32_t status) {
    for (int32_t i = 0; i < call->tensor_count; i++) {
        const gn_tensor *tensor = &call->tensors[i];
        if (status == GN_OK && i < call->output_count && flat->owned[i] != NULL) {
            gn_spread(tensor, data[i], wide_dtype(tensor->dtype), flat->owned[i]);
        }
        gn_give(flat->owned[i]);
        flat->owned[i] = NULL;
    }
    return status;
}
