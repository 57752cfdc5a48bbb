/* copy_ into one dtype from any, fill_ and arange of one dtype. */

#include "convert_dtype.h"

/* CONVERT(int8, int8_t, x, FROM_INTEGER) becomes, for float32, the gn_loop convert_int8_float32. */
#define CONVERT(source, SOURCE, value, FROM)                                                          \
    CONVERT_ROWS(source, SOURCE, value, FROM, for (int64_t i = 0; i < count; i++) {                   \
        const SOURCE x = in[i];                                                                       \
        out[i] = FROM(value);                                                                         \
    })
/* The same with a function that converts a row of dense elements. */
#define CONVERT_ROWS(source, SOURCE, value, FROM, dense)                                              \
    static int32_t NAME(convert_##source)(int64_t count, char *const *data, const int64_t *strides,   \
                                          const gn_call *call) {                                      \
        (void)call;                                                                                   \
        if (strides[0] == (int64_t)sizeof(STORAGE) && strides[1] == (int64_t)sizeof(SOURCE)) {        \
            STORAGE *out = (STORAGE *)data[0];                                                        \
            const SOURCE *in = (const SOURCE *)data[1];                                               \
            dense;                                                                                    \
            return GN_OK;                                                                             \
        }                                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                         \
            const SOURCE x = *(const SOURCE *)(data[1] + i * strides[1]);                             \
            *(STORAGE *)(data[0] + i * strides[0]) = FROM(value);                                     \
        }                                                                                             \
        return GN_OK;                                                                                 \
    }
CONVERT(bool, uint8_t, x != 0, FROM_INTEGER)
CONVERT(uint8, uint8_t, x, FROM_INTEGER)
CONVERT(int8, int8_t, x, FROM_INTEGER)
CONVERT(int16, int16_t, x, FROM_INTEGER)
CONVERT(int32, int32_t, x, FROM_INTEGER)
CONVERT(int64, int64_t, x, FROM_INTEGER)
#if CODE == GN_FLOAT32
CONVERT_ROWS(float16, uint16_t, gn_from_float16(x), FROM_FLOAT32, gn_widen_row_float16(in, count, out))
CONVERT_ROWS(bfloat16, uint16_t, gn_from_bfloat16(x), FROM_FLOAT32, gn_widen_row_bfloat16(in, count, out))
#else
CONVERT(float16, uint16_t, gn_from_float16(x), FROM_FLOAT32)
CONVERT(bfloat16, uint16_t, gn_from_bfloat16(x), FROM_FLOAT32)
#endif
#if IS_HALF
CONVERT_ROWS(float32, float, x, FROM_FLOAT32, NAME(gn_narrow_row)(in, count, out))
#else
CONVERT(float32, float, x, FROM_FLOAT32)
#endif
CONVERT(float64, double, x, FROM_FLOAT64)
#if GN_HAS_COMPLEX
CONVERT(complex64, gn_complex64, x, FROM_COMPLEX64)
CONVERT(complex128, gn_complex128, x, FROM_COMPLEX128)
#endif

int32_t NAME(kernel_copy)(const gn_call *call, void *const *data) {
    static gn_loop *const loops[GN_DTYPE_COUNT] = {
        NAME(convert_bool),    NAME(convert_uint8),    NAME(convert_int8),    NAME(convert_int16),
        NAME(convert_int32),   NAME(convert_int64),    NAME(convert_float16), NAME(convert_bfloat16),
        NAME(convert_float32), NAME(convert_float64),
#if GN_HAS_COMPLEX
        NAME(convert_complex64), NAME(convert_complex128),
#endif
    };
    const int32_t source = call->tensors[1].dtype;
    if (source == CODE) {
        return move(call, data);
    }
    return gn_for_each(call, data, loops[source]);
}

static int32_t NAME(fill_loop)(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
#if CODE == GN_BOOL
    /* 0.5 and NaN are true; as integers they would not be */
    const STORAGE value = call->scalars[0].real != 0 || call->scalars[0].imag != 0;
#else
    const STORAGE value = STORE(NUMBER(0));
#endif
    if (strides[0] == (int64_t)sizeof(STORAGE)) {
        STORAGE *out = (STORAGE *)data[0];
        for (int64_t i = 0; i < count; i++) {
            out[i] = value;
        }
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        *(STORAGE *)(data[0] + i * strides[0]) = value;
    }
    return GN_OK;
}

int32_t NAME(kernel_fill)(const gn_call *call, void *const *data) {
    return gn_for_each(call, data, NAME(fill_loop));
}

#if CODE != GN_BOOL && (IS_INTEGRAL || IS_FLOATING)
/* (out); scalars: start, end, step.  Element i is start + i * step, computed by itself: of an integer dtype in integers
 * that wrap, else in double. */
int32_t NAME(kernel_arange)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_scalar start = call->scalars[0];
    const gn_scalar step = call->scalars[2];
    for (int64_t i = 0; i < out->sizes[0]; i++) {
        STORAGE *at = (STORAGE *)((char *)data[0] + i * out->strides[0]);
#if IS_INTEGRAL
        *at = (STORAGE)((uint64_t)start.integer + (uint64_t)i * (uint64_t)step.integer);
#else
        *at = FROM_FLOAT64(start.real + (double)i * step.real);
#endif
    }
    return GN_OK;
}
#endif

#undef CONVERT
#undef CONVERT_ROWS
#undef FROM_INTEGER
#undef FROM_FLOAT32
#undef FROM_FLOAT64
#undef FROM_COMPLEX64
#undef FROM_COMPLEX128
