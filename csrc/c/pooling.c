/* max_pool2d_with_indices and its gradient.  A plane is one channel of one image. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"

typedef struct window {
    int64_t size[2], stride[2], padding[2], dilation[2];
} window;

/* Reads kernel_size, stride (empty: as the kernel), padding and dilation. */
static window read_window(const int64_t *integers) {
    window made = {{1, 1}, {1, 1}, {0, 0}, {1, 1}};
    const int64_t *cursor = integers;
    gn_read_list(&cursor, made.size, 2);
    if (gn_read_list(&cursor, made.stride, 2) == 0) {
        memcpy(made.stride, made.size, sizeof made.stride);
    }
    gn_read_list(&cursor, made.padding, 2);
    gn_read_list(&cursor, made.dilation, 2);
    return made;
}

typedef struct pooling {
    const gn_call *call;
    void *const *data;
    window of;
    int32_t status;
} pooling;

/* Where plane number `plane` of a (channel, h, w) or (image, channel, h, w) tensor begins. */
static int64_t plane_offset(const gn_tensor *tensor, int64_t plane) {
    const gn_tensor planes = {tensor->dtype, tensor->ndim - 2, tensor->sizes, tensor->strides};
    return gn_offset(&planes, plane, -1);
}

static int64_t plane_count(const gn_tensor *tensor) {
    const gn_tensor planes = {tensor->dtype, tensor->ndim - 2, tensor->sizes, tensor->strides};
    return gn_numel(&planes);
}

#define GN_TEMPLATE "pooling_dtype.h"
#include "each_dtype.h"
