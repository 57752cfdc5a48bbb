/* Pointwise operators of two operands: rows of pointwise.def for float32 and the half types. */
#include "for_each.h"
#include "half_vectors.h"
#include "incomplete.h"
#include "orthogonal.h"
#include "pointwise_words.h"
#include "scalar_pointwise.h"
#include "scalar_rest.h"

#define OF_DTYPES (IS_FLOATING && CODE != GN_FLOAT64)
#define OF_ONE(...)
#define OF_TWO(...) __VA_ARGS__
#define OF_OTHERS(...)
#define GN_TEMPLATE "pointwise_dtype.h"
#include "each_dtype.h"
