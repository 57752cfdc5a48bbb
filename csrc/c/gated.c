/* glu, log_sigmoid_forward and frexp: pointwise, but on halves of a tensor, or with two results. */
#include "direct.h"
#include "for_each.h"
#include "scalar.h"
#include "scalar_parts.h"

#define GN_TEMPLATE "gated_dtype.h"
#include "each_dtype.h"
