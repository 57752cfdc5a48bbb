/* copy_, fill_, eq and ne of the dtypes that few operators take (c/limited.h): the dtypes of the operands are read when a
 * kernel runs, so that one kernel is enough for all pairs. */
#include "kernel.cuh"

#include "../c/limited.h"

/* A number of any dtype. An integer is kept as its bits, with its sign or without; a fraction as its parts. */
#define GN_SIGNED 0
#define GN_UNSIGNED 1
#define GN_FRACTION 2
struct gn_any {
    int32_t kind;
    uint64_t integer;
    double real;
    double imag;
};

static inline gn_any gn_integer(int64_t integer) {
    return {GN_SIGNED, (uint64_t)integer, 0, 0};
}
static inline gn_any gn_fraction(double real, double imag) {
    return {GN_FRACTION, 0, real, imag};
}

static inline gn_any gn_read(const char *place, int32_t dtype) {
    switch (dtype) {
    case GN_BOOL:
    case GN_UINT8: return gn_integer(*(const uint8_t *)place);
    case GN_INT8: return gn_integer(*(const int8_t *)place);
    case GN_INT16: return gn_integer(*(const int16_t *)place);
    case GN_INT32: return gn_integer(*(const int32_t *)place);
    case GN_INT64: return gn_integer(*(const int64_t *)place);
    case GN_FLOAT16: return gn_fraction(gn_from_float16(*(const uint16_t *)place), 0);
    case GN_BFLOAT16: return gn_fraction(gn_from_bfloat16(*(const uint16_t *)place), 0);
    case GN_FLOAT32: return gn_fraction(*(const float *)place, 0);
    case GN_FLOAT64: return gn_fraction(*(const double *)place, 0);
    case GN_COMPLEX64: return gn_fraction(((const float *)place)[0], ((const float *)place)[1]);
    case GN_COMPLEX128: return gn_fraction(((const double *)place)[0], ((const double *)place)[1]);
    case GN_UINT16: return gn_integer(*(const uint16_t *)place);
    case GN_UINT32: return gn_integer(*(const uint32_t *)place);
    case GN_UINT64: return {GN_UNSIGNED, *(const uint64_t *)place, 0, 0};
    case GN_COMPLEX32:
        return gn_fraction(gn_from_float16(((const uint16_t *)place)[0]), gn_from_float16(((const uint16_t *)place)[1]));
    default: return gn_fraction(gn_from_float8(*(const uint8_t *)place, dtype), 0);
    }
}

/* The number in a register of 32 or 64 bits; a fraction beyond it becomes its least integer. */
static inline int64_t gn_in_register(const gn_any &x, int32_t bits) {
    if (x.kind != GN_FRACTION) {
        return (int64_t)x.integer;
    }
    const double limit = bits == 32 ? 0x1p31 : 0x1p63;
    return x.real >= -limit && x.real < limit ? (int64_t)x.real : bits == 32 ? INT32_MIN : INT64_MIN;
}
static inline float gn_single(const gn_any &x) {
    return x.kind == GN_FRACTION ? (float)x.real : x.kind == GN_SIGNED ? (float)(int64_t)x.integer : (float)x.integer;
}
static inline double gn_double(const gn_any &x) {
    return x.kind == GN_FRACTION ? x.real : x.kind == GN_SIGNED ? (double)(int64_t)x.integer : (double)x.integer;
}

static inline void gn_write(char *place, int32_t dtype, const gn_any &x) {
    switch (dtype) {
    case GN_BOOL: *(uint8_t *)place = x.integer != 0 || x.real != 0 || x.imag != 0; break;
    case GN_UINT8:
    case GN_INT8: *(uint8_t *)place = (uint8_t)gn_in_register(x, 32); break;
    case GN_INT16:
    case GN_UINT16: *(uint16_t *)place = (uint16_t)gn_in_register(x, 32); break;
    case GN_INT32: *(int32_t *)place = (int32_t)gn_in_register(x, 32); break;
    case GN_UINT32: *(uint32_t *)place = (uint32_t)gn_in_register(x, 64); break;
    case GN_INT64: *(int64_t *)place = gn_in_register(x, 64); break;
    case GN_UINT64: *(uint64_t *)place = x.kind == GN_FRACTION ? gn_to_uint64(x.real) : x.integer; break;
    case GN_FLOAT16: *(uint16_t *)place = gn_to_float16(gn_single(x)); break;
    case GN_BFLOAT16: *(uint16_t *)place = gn_to_bfloat16(gn_single(x)); break;
    case GN_FLOAT32: *(float *)place = gn_single(x); break;
    case GN_FLOAT64: *(double *)place = gn_double(x); break;
    case GN_COMPLEX64:
        ((float *)place)[0] = gn_single(x);
        ((float *)place)[1] = (float)x.imag;
        break;
    case GN_COMPLEX128:
        ((double *)place)[0] = gn_double(x);
        ((double *)place)[1] = x.imag;
        break;
    case GN_COMPLEX32:
        ((uint16_t *)place)[0] = gn_to_float16(gn_single(x));
        ((uint16_t *)place)[1] = gn_to_float16((float)x.imag);
        break;
    default: *(uint8_t *)place = gn_to_float8(gn_single(x), dtype); break;
    }
}

struct convert_limited {
    static constexpr int operands = 2;
    static inline void run(const gn_places &here, const gn_numbers &call) {
        gn_write(here.at[0], call.tensors[0].dtype, gn_read(here.at[1], call.tensors[1].dtype));
    }
};

struct fill_limited {
    static constexpr int operands = 1;
    static inline void run(const gn_places &here, const gn_numbers &call) {
        const int32_t dtype = call.tensors[0].dtype;
        const gn_scalar &number = call.scalars[0];
        gn_write(here.at[0], dtype,
                 dtype >= GN_FLOAT8_E4M3FN ? gn_fraction(number.real, number.imag) : gn_integer(number.integer));
    }
};

template <int IS_SAME> struct compare_limited {
    static constexpr int operands = 3;
    static inline void run(const gn_places &here, const gn_numbers &call) {
        const gn_any a = gn_read(here.at[1], call.tensors[1].dtype);
        const gn_any b = gn_read(here.at[2], call.tensors[2].dtype);
        const bool is_same = a.integer == b.integer && a.real == b.real && a.imag == b.imag;
        *(uint8_t *)here.at[0] = is_same == (bool)IS_SAME;
    }
};

template <class OPERATION, class INDEX, int DIMS>
__global__ void limited(int64_t count, gn_places places, gn_shape<DIMS> shape, gn_numbers numbers, int32_t *fault) {
    for (int64_t number = gn_thread(); number < count; number += gn_threads()) {
        gn_places here = places;
        gn_move<INDEX>(&here, shape, (INDEX)number, OPERATION::operands);
        OPERATION::run(here, numbers);
    }
}
