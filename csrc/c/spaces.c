/* linspace and logspace. */
#include "scalar.h"
#include "threads.h"

/* The numbers that define a range; a complex one has two ranges, one per part. */
typedef struct space {
    double start;
    double end;
    double step;
    int64_t steps;
    int is_rounded; /* a half type's product is rounded before the addition */
    int is_fused;   /* other dtypes' products are not rounded */
    int32_t dtype;
} space;

/* Rounds to float32.  GCC 12 vectorizes two of these side by side without the rounding: hence volatile. */
static double rounded_to_float32(double x) {
    volatile float narrow = (float)x;
    return (double)narrow;
}

/* Rounds to a floating dtype. */
static double rounded(double x, int32_t dtype) {
    switch (dtype) {
    case GN_FLOAT16:
        return (double)gn_from_float16(gn_to_float16((float)x));
    case GN_BFLOAT16:
        return (double)gn_from_bfloat16(gn_to_bfloat16((float)x));
    case GN_FLOAT32:
    case GN_COMPLEX64:
        return rounded_to_float32(x);
    default:
        return x;
    }
}

/* The range of numbers of a floating dtype, whose step is one too. */
static space make_space(double start, double end, int64_t steps, int32_t dtype) {
    space made = {rounded(start, dtype), rounded(end, dtype), 0, steps, 0, 1, dtype};
    made.is_rounded = dtype == GN_FLOAT16 || dtype == GN_BFLOAT16;
    made.step = steps > 1 ? rounded((made.end - made.start) / (double)(steps - 1), dtype) : 0;
    return made;
}

/* Element `index`: the first half is counted from the start, the second from the end. */
static double element_of(const space *of, int64_t index) {
    if (of->steps == 1) {
        return of->start;
    }
    /* Subtracts when counting from the end, so that zeros have the same signs as in PyTorch. */
    const int from_start = index < of->steps / 2;
    const double base = from_start ? of->start : of->end;
    const double step = from_start ? of->step : -of->step;
    const double count = (double)(from_start ? index : of->steps - 1 - index);
    if (of->is_rounded) {
        return base + rounded(step * count, of->dtype);
    }
    return of->is_fused ? fma(step, count, base) : base + step * count;
}

#define GN_TEMPLATE "spaces_dtype.h"
#include "each_dtype.h"
