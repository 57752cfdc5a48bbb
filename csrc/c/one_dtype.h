/* Includes GN_TEMPLATE for the dtype that each_dtype.h has defined, and undefines that dtype's macros. */

#include GN_TEMPLATE

#undef DTYPE
#undef CODE
#undef STORAGE
#undef COMPUTE
#undef MAGNITUDE
#undef LOAD
#undef STORE
#undef IS_HALF
#undef NUMBER
#undef LOWEST
#undef HIGHEST
