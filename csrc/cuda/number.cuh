/* Names for the dtype that a source is compiled for, used by kernels that are written once for all dtypes:
 *
 *   gn_storage, gn_compute   STORAGE and COMPUTE of each_dtype.h
 *   gn_total                 the type in which products are summed: gn_compute; for integers unsigned, so that it wraps
 *   gn_load, gn_store        convert between gn_storage and gn_compute
 *   gn_number(&numbers, 0)   a Scalar argument as gn_compute */
#pragma once

#include "kernel.cuh"

#define GN_TEMPLATE "../cuda/number_dtype.cuh"
#include "../c/each_dtype.h"
