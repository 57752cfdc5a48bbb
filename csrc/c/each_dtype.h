/* Includes the file GN_TEMPLATE once for each dtype, with these names defined:
 *
 *   DTYPE     float32: the ending of names; NAME(exp) is exp_float32
 *   CODE      GN_FLOAT32
 *   STORAGE   the type in memory
 *   COMPUTE   the type in which values are computed: float for the half types, else STORAGE
 *   MAGNITUDE the type of an absolute value
 *   LOAD, STORE   from STORAGE to COMPUTE, and back, rounding once
 *   LOWEST, HIGHEST   the least and the greatest value; complex types have none
 *   NUMBER(index)     the Scalar of that index of the gn_call `call`, as COMPUTE
 *   IS_<class>    1 or 0
 *
 * one_dtype.h includes GN_TEMPLATE, and undefines all of these but IS_<class>, which several dtypes share.
 * float32 comes before the half types, which may use its functions. */

#define NAME(name) GN_JOIN(name, DTYPE)

#define IS_NUMERIC 0
#define IS_ORDERED 1
#define IS_REAL 0
#define IS_INTEGRAL 1
#define IS_INTEGER 0
#define IS_PRECISE 0
#define IS_FLOATING 0
#define IS_FRACTIONAL 0
#define IS_COMPLEX 0

#define DTYPE bool
#define NUMBER(index) ((uint8_t)(call->scalars[index].integer != 0))
#define LOWEST 0
#define HIGHEST 1
#define CODE GN_BOOL
#define STORAGE uint8_t
#define COMPUTE uint8_t
#define MAGNITUDE uint8_t
#define LOAD(x) ((uint8_t)((x) != 0)) /* memory of other libraries may hold other bytes than 0 and 1 */
#define STORE(x) ((uint8_t)((x) != 0))
#define IS_HALF 0
#include "one_dtype.h"

#undef IS_NUMERIC
#undef IS_ORDERED
#undef IS_REAL
#undef IS_INTEGRAL
#undef IS_INTEGER
#undef IS_PRECISE
#undef IS_FLOATING
#undef IS_FRACTIONAL
#undef IS_COMPLEX

#define IS_NUMERIC 1
#define IS_ORDERED 1
#define IS_REAL 1
#define IS_INTEGRAL 1
#define IS_INTEGER 1
#define IS_PRECISE 0
#define IS_FLOATING 0
#define IS_FRACTIONAL 0
#define IS_COMPLEX 0

#define DTYPE uint8
#define NUMBER(index) ((uint8_t)call->scalars[index].integer)
#define LOWEST 0
#define HIGHEST UINT8_MAX
#define CODE GN_UINT8
#define STORAGE uint8_t
#define COMPUTE uint8_t
#define MAGNITUDE uint8_t
#define LOAD(x) (x)
#define STORE(x) ((uint8_t)(x))
#define IS_HALF 0
#include "one_dtype.h"

#define DTYPE int8
#define NUMBER(index) ((int8_t)call->scalars[index].integer)
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#define CODE GN_INT8
#define STORAGE int8_t
#define COMPUTE int8_t
#define MAGNITUDE int8_t
#define LOAD(x) (x)
#define STORE(x) ((int8_t)(x))
#define IS_HALF 0
#include "one_dtype.h"

#define DTYPE int16
#define NUMBER(index) ((int16_t)call->scalars[index].integer)
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#define CODE GN_INT16
#define STORAGE int16_t
#define COMPUTE int16_t
#define MAGNITUDE int16_t
#define LOAD(x) (x)
#define STORE(x) ((int16_t)(x))
#define IS_HALF 0
#include "one_dtype.h"

#define DTYPE int32
#define NUMBER(index) ((int32_t)call->scalars[index].integer)
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#define CODE GN_INT32
#define STORAGE int32_t
#define COMPUTE int32_t
#define MAGNITUDE int32_t
#define LOAD(x) (x)
#define STORE(x) ((int32_t)(x))
#define IS_HALF 0
#include "one_dtype.h"

#define DTYPE int64
#define NUMBER(index) ((int64_t)call->scalars[index].integer)
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#define CODE GN_INT64
#define STORAGE int64_t
#define COMPUTE int64_t
#define MAGNITUDE int64_t
#define LOAD(x) (x)
#define STORE(x) ((int64_t)(x))
#define IS_HALF 0
#include "one_dtype.h"

#undef IS_NUMERIC
#undef IS_ORDERED
#undef IS_REAL
#undef IS_INTEGRAL
#undef IS_INTEGER
#undef IS_PRECISE
#undef IS_FLOATING
#undef IS_FRACTIONAL
#undef IS_COMPLEX

#define IS_NUMERIC 1
#define IS_ORDERED 1
#define IS_REAL 1
#define IS_INTEGRAL 0
#define IS_INTEGER 0
#define IS_PRECISE 1
#define IS_FLOATING 1
#define IS_FRACTIONAL 1
#define IS_COMPLEX 0

#define DTYPE float32
#define NUMBER(index) gn_number_float32(call, index)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#define CODE GN_FLOAT32
#define STORAGE float
#define COMPUTE float
#define MAGNITUDE float
#define LOAD(x) (x)
#define STORE(x) (x)
#define IS_HALF 0
#include "one_dtype.h"

#define DTYPE float64
#define NUMBER(index) gn_number_float64(call, index)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#define CODE GN_FLOAT64
#define STORAGE double
#define COMPUTE double
#define MAGNITUDE double
#define LOAD(x) (x)
#define STORE(x) (x)
#define IS_HALF 0
#include "one_dtype.h"

#undef IS_PRECISE
#define IS_PRECISE 0

#define DTYPE float16
#define NUMBER(index) gn_number_float32(call, index)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#define CODE GN_FLOAT16
#define STORAGE uint16_t
#define COMPUTE float
#define MAGNITUDE float
#define LOAD(x) gn_from_float16(x)
#define STORE(x) gn_to_float16(x)
#define IS_HALF 1
#include "one_dtype.h"

#define DTYPE bfloat16
#define NUMBER(index) gn_number_float32(call, index)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#define CODE GN_BFLOAT16
#define STORAGE uint16_t
#define COMPUTE float
#define MAGNITUDE float
#define LOAD(x) gn_from_bfloat16(x)
#define STORE(x) gn_to_bfloat16(x)
#define IS_HALF 1
#include "one_dtype.h"

#undef IS_NUMERIC
#undef IS_ORDERED
#undef IS_REAL
#undef IS_INTEGRAL
#undef IS_INTEGER
#undef IS_PRECISE
#undef IS_FLOATING
#undef IS_FRACTIONAL
#undef IS_COMPLEX

#if GN_HAS_COMPLEX
#define IS_NUMERIC 1
#define IS_ORDERED 0
#define IS_REAL 0
#define IS_INTEGRAL 0
#define IS_INTEGER 0
#define IS_PRECISE 0
#define IS_FLOATING 0
#define IS_FRACTIONAL 1
#define IS_COMPLEX 1

#define DTYPE complex64
#define NUMBER(index) gn_number_complex64(call, index)
#define CODE GN_COMPLEX64
#define STORAGE gn_complex64
#define COMPUTE gn_complex64
#define MAGNITUDE float
#define LOAD(x) (x)
#define STORE(x) (x)
#define IS_HALF 0
#include "one_dtype.h"

#define DTYPE complex128
#define NUMBER(index) gn_number_complex128(call, index)
#define CODE GN_COMPLEX128
#define STORAGE gn_complex128
#define COMPUTE gn_complex128
#define MAGNITUDE double
#define LOAD(x) (x)
#define STORE(x) (x)
#define IS_HALF 0
#include "one_dtype.h"

#undef IS_NUMERIC
#undef IS_ORDERED
#undef IS_REAL
#undef IS_INTEGRAL
#undef IS_INTEGER
#undef IS_PRECISE
#undef IS_FLOATING
#undef IS_FRACTIONAL
#undef IS_COMPLEX
#endif

#undef NAME
#undef GN_TEMPLATE
