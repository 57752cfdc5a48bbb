/* Pointwise operators of one operand: rows of pointwise.def for each dtype, and clamp. */
#include <float.h>

#include "scalar.h"
#include "walk.h"

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
        return (double)FLT_MAX;
    default:
        return DBL_MAX;
    }
}

#define OF_ONE(...) __VA_ARGS__
#define OF_TWO(...)
#define OF_OTHERS(...)
#define GN_TEMPLATE "pointwise_dtype.h"
#include "each_dtype.h"
