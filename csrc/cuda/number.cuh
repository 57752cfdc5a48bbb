/* Names for the dtype that a text is compiled for, for kernels that are written once for all:
 *
 *   gn_storage, gn_compute   as STORAGE and COMPUTE of each_dtype.h
 *   gn_total                 what products are summed in: gn_compute, of integers one without a sign, which wraps
 *   gn_load, gn_store        between memory and gn_compute
 *   gn_number(&numbers, 0)   a call's Scalar as gn_compute */
#pragma once

#include "kernel.cuh"

#define GN_TEMPLATE "../cuda/number_dtype.cuh"
#include "../c/each_dtype.h"
