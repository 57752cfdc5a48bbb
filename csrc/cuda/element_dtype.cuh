/* The definitions of element.cuh for one dtype. */
#if CODE == GN_CUDA_CODE

typedef STORAGE gn_element;
typedef COMPUTE gn_computed;
/* The wider type in which elements are combined. Integers wrap when they are converted back. */
#if IS_FLOATING
typedef double gn_precise;
#define GN_IS_FLOATING 1
#define GN_LOWEST_PRECISE (-INFINITY)
#define GN_HIGHEST_PRECISE INFINITY
#elif IS_COMPLEX
typedef gn_complex128 gn_precise;
#define GN_IS_FLOATING 0
#else
typedef int64_t gn_precise;
#define GN_IS_FLOATING 0
#define GN_LOWEST_PRECISE INT64_MIN
#define GN_HIGHEST_PRECISE INT64_MAX
#endif
#if IS_COMPLEX
#define GN_IS_COMPLEX 1
#else
#define GN_IS_COMPLEX 0
#endif
#if CODE == GN_BOOL
#define GN_IS_BOOL 1
#else
#define GN_IS_BOOL 0
#endif

static inline gn_computed gn_load(gn_element stored) {
    return LOAD(stored);
}
static inline gn_element gn_store(gn_computed x) {
    return STORE(x);
}
static inline gn_element gn_rounded(gn_precise x) {
#if CODE == GN_BOOL
    return x != 0;
#else
    return STORE((gn_computed)x);
#endif
}

/* The Scalar argument of a call. For bool, 0.5 and NaN are true, but would become 0 as integers. */
static inline gn_element gn_given_number(const gn_numbers *call) {
#if CODE == GN_BOOL
    return call->scalars[0].real != 0 || call->scalars[0].imag != 0;
#else
    return STORE(NUMBER(0));
#endif
}

/* Converts an element of any dtype as copy_ does. */
#include "../c/convert_dtype.h"
static inline gn_element gn_convert(const char *place, int32_t dtype) {
    switch (dtype) {
    case GN_BOOL: return FROM_INTEGER(*(const uint8_t *)place != 0);
    case GN_UINT8: return FROM_INTEGER(*(const uint8_t *)place);
    case GN_INT8: return FROM_INTEGER(*(const int8_t *)place);
    case GN_INT16: return FROM_INTEGER(*(const int16_t *)place);
    case GN_INT32: return FROM_INTEGER(*(const int32_t *)place);
    case GN_INT64: return FROM_INTEGER(*(const int64_t *)place);
    case GN_FLOAT16: return FROM_FLOAT32(gn_from_float16(*(const uint16_t *)place));
    case GN_BFLOAT16: return FROM_FLOAT32(gn_from_bfloat16(*(const uint16_t *)place));
    case GN_FLOAT32: return FROM_FLOAT32(*(const float *)place);
    case GN_COMPLEX64: return FROM_COMPLEX64(*(const gn_complex64 *)place);
    case GN_COMPLEX128: return FROM_COMPLEX128(*(const gn_complex128 *)place);
    default: return FROM_FLOAT64(*(const double *)place);
    }
}
#undef FROM_INTEGER
#undef FROM_FLOAT32
#undef FROM_FLOAT64
#undef FROM_COMPLEX64
#undef FROM_COMPLEX128

/* Whether this dtype can represent an element of another dtype (for a complex element, its real part). If not, the
 * reference's check_number_fits raises an error. */
static inline bool gn_fits(const char *place, int32_t dtype) {
#if CODE == GN_BOOL || IS_COMPLEX
    (void)place;
    (void)dtype;
    return true;
#else
    const bool is_whole = dtype <= GN_INT64;
    double real = 0;
    int64_t integer = 0;
    switch (dtype) {
    case GN_BOOL: integer = *(const uint8_t *)place != 0; break;
    case GN_UINT8: integer = *(const uint8_t *)place; break;
    case GN_INT8: integer = *(const int8_t *)place; break;
    case GN_INT16: integer = *(const int16_t *)place; break;
    case GN_INT32: integer = *(const int32_t *)place; break;
    case GN_INT64: integer = *(const int64_t *)place; break;
    case GN_FLOAT16: real = gn_from_float16(*(const uint16_t *)place); break;
    case GN_BFLOAT16: real = gn_from_bfloat16(*(const uint16_t *)place); break;
    case GN_FLOAT32:
    case GN_COMPLEX64: real = *(const float *)place; break;
    default: real = *(const double *)place; break;
    }
#if IS_FLOATING
    real = is_whole ? (double)integer : real;
    const double kept = (double)LOAD(STORE((COMPUTE)real));
    return !(real - real == 0 && !(kept - kept == 0)); /* a finite number must not become infinite */
#else
    const int64_t most = HIGHEST;
    const int64_t least = LOWEST < 0 ? (int64_t)LOWEST : is_whole ? -most : 0;
    if (!is_whole) {
        return real >= (double)least && (CODE == GN_INT64 ? real < 0x1p63 : real <= (double)most);
    }
    return integer >= least && integer <= most;
#endif
#endif
}

#if !IS_COMPLEX
/* A sort key of gn_key_bits bits: unsigned comparison of keys orders elements, with NaN last and -0.0 equal to 0.0. */
constexpr int32_t gn_key_bits = 8 * sizeof(STORAGE);
constexpr uint64_t gn_key_mask = ~(uint64_t)0 >> (64 - gn_key_bits);
static inline uint64_t gn_key_of(gn_element stored) {
    const uint64_t sign = (uint64_t)1 << (gn_key_bits - 1);
#if CODE == GN_BOOL || CODE == GN_UINT8
    (void)sign;
    return LOAD(stored);
#elif IS_FLOATING
    const uint64_t bits = gn_word<sizeof(STORAGE)>::of(&stored);
    const uint64_t magnitude = bits & (sign - 1);
    const gn_computed x = LOAD(stored);
    if (gn_isnan(x)) {
        return gn_key_mask;
    }
    return magnitude == 0 ? sign : bits & sign ? bits ^ gn_key_mask : bits | sign;
#else
    return ((uint64_t)stored & gn_key_mask) ^ sign;
#endif
}
#endif

#endif
