/* arange, linspace and logspace: each element is computed independently, in double, or for integers in integers. */
#include "kernel.cuh"

/* A sequence from `start` to `end`. */
struct gn_progression {
    double start, end, step;
};
/* `steps` numbers. Only complex dtypes have imaginary parts; `base` is that of logspace. */
struct gn_space {
    gn_progression re, im;
    double base;
    int64_t steps;
};

#define GN_TEMPLATE "../cuda/ranges_dtype.cuh"
#include "../c/each_dtype.h"
