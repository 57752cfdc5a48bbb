/* _foreach_add_.Scalar: operators on lists of small tensors. */
#include "direct.h"

#define GN_TEMPLATE "foreach_dtype.h"
#include "each_dtype.h"

/* (self); scalars: the number.  Each tensor may have a different dtype. */
int32_t kernel_foreach_add(const gn_call *call, void *const *data) {
    typedef void add_number(const gn_call *call, const gn_tensor *tensor, char *data);
    static add_number *const kernels[GN_DTYPE_COUNT] = KERNELS_ALL(add_number);
    for (int32_t i = 0; i < call->tensor_count; i++) {
        if (kernels[call->tensors[i].dtype] == NULL) {
            return GN_NOT_IMPLEMENTED;
        }
    }
    for (int32_t i = 0; i < call->tensor_count; i++) {
        kernels[call->tensors[i].dtype](call, &call->tensors[i], data[i]);
    }
    return GN_OK;
}
