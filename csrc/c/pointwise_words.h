/* What the expressions of pointwise.def are written in beside scalar.h: parameters of the call, and bounds.
 *
 * STORAGE, COMPUTE and the like are those of the dtype in whose kernel a word stands. */
#ifndef GN_POINTWISE_WORDS_H
#define GN_POINTWISE_WORDS_H

#include "kernel.h"

/* A Scalar where it was given, else another number. */
static inline double gn_given(const gn_scalar *scalar, double otherwise) {
    const int is_absent = isnan(scalar->real) && scalar->integer == GN_NO_INTEGER;
    return is_absent ? otherwise : scalar->real;
}

/* The greatest finite number of a floating dtype, or of a complex one's parts. */
static inline double gn_greatest(int32_t dtype) {
    switch (dtype) {
    case GN_FLOAT16:
        return 65504;
    case GN_BFLOAT16:
        return 0x1.fep127;
    case GN_FLOAT32:
    case GN_COMPLEX64:
        return 0x1.fffffep127;
    default:
        return 0x1.fffffffffffffp1023;
    }
}

/* The bits of an integer but its sign. */
#define PLACES ((int64_t)sizeof(STORAGE) * 8 - (LOWEST != 0))
/* The minimum of `high`, and the maximum of x and `low`; NaN if any is NaN. */
#define MAXIMUM(x, y) (((x) > (y)) | gn_isnan(x) ? (x) : (y))
#define MINIMUM(x, y) (((x) < (y)) | gn_isnan(x) ? (x) : (y))
#define BETWEEN(x, low, high) MINIMUM(MAXIMUM(x, low), high)
#define SCALAR(parameter, index) const COMPUTE parameter = NUMBER(index)
#define INTEGER_ARGUMENT(parameter, index) const int64_t parameter = call->integers[index]
/* An optional float argument; integers have no use for it. */
#define GIVEN(parameter, index, otherwise) GN_JOIN(GIVEN, IS_FRACTIONAL)(parameter, index, otherwise)
#define GIVEN_1(parameter, index, otherwise) \
    const MAGNITUDE parameter = (MAGNITUDE)gn_given(&call->scalars[index], otherwise)
#define GIVEN_0(parameter, index, otherwise) const int64_t parameter = 0
#define FIRST_NUMBER(parameter) const COMPUTE parameter = NUMBER(0)
#define CONSTANT(parameter, value) const int64_t parameter = value
#define NO_PARAMETER (void)0

/* Between two bounds: an element that is NaN stays it, and a bound that is NaN makes all elements so. */
#define RAISED (a >= low || gn_isnan(a) ? a : low)
#define CLAMPED (RAISED <= high || gn_isnan(RAISED) ? RAISED : high)

/* The bounds of clamp: an absent one is NaN and GN_NO_INTEGER. */
#define FIRST_BOUNDS                                                                    \
    const gn_scalar *bounds = call->scalars;                                            \
    const int no_low = isnan(bounds[0].real) && bounds[0].integer == GN_NO_INTEGER;     \
    const int no_high = isnan(bounds[1].real) && bounds[1].integer == GN_NO_INTEGER;    \
    const COMPUTE low = no_low ? LOWEST : NUMBER(0);                                    \
    const COMPUTE high = no_high ? HIGHEST : NUMBER(1)

#endif
