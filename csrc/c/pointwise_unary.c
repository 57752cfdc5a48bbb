/* Pointwise operators of one operand: rows of pointwise.def for bool and each integer and complex dtype. */
#include "for_each.h"
#include "half_vectors.h"
#include "pointwise_words.h"
#include "scalar_pointwise.h"

#define OF_DTYPES !IS_FLOATING
#define OF_ONE(...) __VA_ARGS__
#define OF_TWO(...)
#define OF_OTHERS(...)
#define GN_TEMPLATE "pointwise_dtype.h"
#include "each_dtype.h"
