/* Pointwise operators: the rows of pointwise.def for each dtype, and clamp. */
#include "scalar.h"
#include "walk.h"

#define GN_TEMPLATE "pointwise_dtype.h"
#include "each_dtype.h"
