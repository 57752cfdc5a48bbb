/* The reductions that fold elements one by one: sums, products, minima and maxima, any and all. */
#include "reduction.cuh"

#define GN_TEMPLATE "../cuda/reduce_dtype.cuh"
#include "../c/each_dtype.h"
