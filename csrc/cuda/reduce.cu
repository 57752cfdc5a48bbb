/* The reductions that fold one element after the other: sums, products, extremes, any and all. */
#include "reduction.cuh"

#define GN_TEMPLATE "../cuda/reduce_dtype.cuh"
#include "../c/each_dtype.h"
