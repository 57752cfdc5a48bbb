/* The weights of the modes of upsampling. */
#ifndef GN_UPSAMPLE_H
#define GN_UPSAMPLE_H

#include "resample.h"

typedef enum gn_mode {
    GN_NEAREST,
    GN_NEAREST_EXACT,
    GN_LINEAR,
    GN_CUBIC,
    GN_LINEAR_AA,
    GN_CUBIC_AA,
    GN_LANCZOS_AA
} gn_mode;

/* The taps from `size` positions to `count`.  `scale` is the ratio of output to input, NaN if it follows from the
 * sizes; `single`: positions and weights are rounded to float32.  GN_OK or GN_OUT_OF_MEMORY. */
int32_t gn_upsample_taps(gn_taps *taps, gn_mode mode, int64_t size, int64_t count, int align_corners, double scale,
                         int single);

#endif
