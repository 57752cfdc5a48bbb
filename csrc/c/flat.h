/* Tensors as contiguous memory, for kernels that index by element number instead of strides. */
#ifndef GN_FLAT_H
#define GN_FLAT_H

#include "direct.h"

#define GN_MOST_FLAT 12

/* The tensors of a call in row-major order: `at` is a tensor's own memory if it is contiguous, else a copy of an input,
 * or memory for an output; NULL for an absent optional tensor. */
typedef struct gn_flat {
    void *at[GN_MOST_FLAT];
    void *owned[GN_MOST_FLAT];
} gn_flat;

/* Makes all tensors of a call contiguous. Half types become float32; other dtypes are kept. With a `dtype` other than
 * GN_NO_DTYPE, floats and complex numbers of other dtypes give GN_NOT_IMPLEMENTED. */
int32_t gn_flatten(const gn_call *call, void *const *data, int32_t dtype, gn_flat *flat);

/* Writes the outputs back if `status` is GN_OK, and frees the memory. Returns `status`. */
int32_t gn_unflatten(const gn_call *call, void *const *data, gn_flat *flat, int32_t status);

/* The kernel of a half type is that of float32, which converts its tensors by gn_flatten. */
#define GN_HALF_KERNEL(id)                                              \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) { \
        return kernel_##id##_float32(call, data);                       \
    }

#endif
