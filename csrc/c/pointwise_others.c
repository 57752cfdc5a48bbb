/* Comparisons, and pointwise operators of three operands: rows of pointwise.def for each dtype. */
#include "for_each.h"
#include "half_vectors.h"
#include "pointwise_words.h"
#include "scalar_pointwise.h"

#define OF_DTYPES 1
#define OF_ONE(...)
#define OF_TWO(...)
#define OF_OTHERS(...) __VA_ARGS__
#define GN_TEMPLATE "pointwise_dtype.h"
#include "each_dtype.h"
