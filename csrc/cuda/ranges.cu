/* Ranges of numbers: arange, linspace and logspace, each element computed by itself in double, or in an integer. */
#include "kernel.cuh"

/* Numbers from `start` to `end`. */
struct gn_progression {
    double start, end, step;
};
/* `steps` numbers, whose imaginary parts only complex dtypes have; `base` is that of powers. */
struct gn_space {
    gn_progression re, im;
    double base;
    int64_t steps;
};

#define GN_TEMPLATE "../cuda/ranges_dtype.cuh"
#include "../c/each_dtype.h"
