/* cat. */
#include "direct.h"

/* (out; tensors, all of out's dtype); integers: dim.  An empty tensor of one dimension joins anything. */
int32_t kernel_cat(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const int64_t dim = gn_wrap_dim(call->integers[0], out->ndim);
    char *to = data[0];
    for (int32_t k = 1; k < call->tensor_count; k++) {
        const gn_tensor *in = &call->tensors[k];
        if (in->ndim != out->ndim || gn_numel(in) == 0) {
            if (gn_numel(in) > 0) {
                return GN_NOT_IMPLEMENTED;
            }
            continue;
        }
        const gn_tensor part = {out->dtype, in->ndim, in->sizes, out->strides};
        gn_copy(&part, to, in, data[k]);
        to += in->sizes[dim] * out->strides[dim];
    }
    return GN_OK;
}
