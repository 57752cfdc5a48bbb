/* Windows over the spatial dimensions, for pooling of all kinds. */
#ifndef GN_POOLING_H
#define GN_POOLING_H

#include "flat.h"
#include "threads.h"

#define GN_SPATIAL 3

/* The windows along one dimension: window i holds the positions start[i], start[i] + dilation, ... below end[i].
 * Where they are regular, tap t of window i is at i * stride - padding + t * dilation. */
typedef struct gn_windows {
    int64_t in, out;
    int64_t taps, stride, padding, dilation;
    int regular;
    int64_t *start; /* the first position inside the input; one allocation with the other two */
    int64_t *end;
    int64_t *length; /* the divisor of an average */
} gn_windows;

typedef struct gn_pooling {
    gn_windows along[GN_SPATIAL]; /* outermost first; a missing dimension has size 1 */
    int64_t planes;
    int64_t in_numel, out_numel; /* of a plane */
    int64_t divisor;             /* of all averages; 0: the windows' lengths */
    const void *in;
    const int64_t *places;
    void *out;
    int64_t *out_places;
    gn_status status;
} gn_pooling;

/* What a window's length includes. */
typedef enum gn_counting { GN_COUNT_ELEMENTS, GN_COUNT_PADDING } gn_counting;

/* The pooling of `spatial` dimensions from `in` to `out`.  For regular windows the cursor reads kernel_size, stride
 * (empty: as the kernel), padding and, if `dilated`, dilation; without one the windows are adaptive. GN_OK or
 * GN_OUT_OF_MEMORY; gn_give_pooling frees its memory. */
int32_t gn_make_pooling(gn_pooling *work, int64_t spatial, const gn_tensor *in, const gn_tensor *out,
                        const int64_t **cursor, int dilated, gn_counting counting);
void gn_give_pooling(gn_pooling *work);

/* Whether two tensors agree in all but the `spatial` last dimensions, which not all meta functions check. */
static inline int gn_same_planes(const gn_tensor *left, const gn_tensor *right, int64_t spatial) {
    for (int32_t dim = 0; dim < left->ndim - spatial; dim++) {
        if (left->ndim != right->ndim || left->sizes[dim] != right->sizes[dim]) {
            return 0;
        }
    }
    return 1;
}

/* The windows' [first, past) whose tap t is inside the input. */
void gn_tap_range(const gn_windows *windows, int64_t tap, int64_t *first, int64_t *past);

#endif
