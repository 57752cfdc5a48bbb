/* Ranges of numbers: arange, linspace and logspace, each element computed by itself in double, or in an integer. */
#include "kernel.cuh"

/* `steps` numbers from `start` to `end`; the first half is counted from the start, the second from the end. */
struct gn_space {
    double start, end, step, base;
    int64_t steps;
};

#define GN_TEMPLATE "../cuda/ranges_dtype.cuh"
#include "../c/each_dtype.h"
