/* The dtypes that few operators take: unsigned integers of 16, 32 and 64 bits, floats of 8 bits, and complex32.
 *
 * Most of their kernels are those of a dtype of the same size, which move or combine the same bits (backend.py); here is
 * what needs their numbers: conversions, fills with a float, and comparisons of floats.  Their codes are in
 * limited.h. */
#include "direct.h"
#include "for_each.h"
#include "half.h"
#include "kernel.h"
#include "limited.h"
#include "../library.h"

/* Elements that are converted at once. */
#define BLOCK 256

typedef union block {
    int32_t int32[BLOCK];
    int64_t int64[BLOCK];
    float float32[BLOCK];
    double float64[BLOCK];
    float complex64[2 * BLOCK];
} block;

static int is_fractional(int32_t dtype) {
    return (dtype >= GN_FLOAT16 && dtype < GN_UINT16) || dtype >= GN_FLOAT8_E4M3FN;
}

/* The dtype of gnomon.h through which elements of `dtype` are converted to or from `other`. */
static int32_t between(int32_t dtype, int32_t other, int is_target) {
    if (dtype < GN_UINT16) {
        return dtype;
    }
    if (dtype >= GN_FLOAT8_E4M3FN) {
        return dtype == GN_COMPLEX32 ? GN_COMPLEX64 : GN_FLOAT32;
    }
    if (dtype == GN_UINT64 && is_fractional(other)) {
        return is_target || other == GN_FLOAT64 || other == GN_COMPLEX128 ? GN_FLOAT64 : GN_FLOAT32;
    }
    return dtype == GN_UINT16 ? GN_INT32 : GN_INT64;
}

/* `count` elements of a limited dtype, widened to `wide`. */
static void widen(int64_t count, const char *from, int64_t step, int32_t dtype, block *to, int32_t wide) {
    for (int64_t i = 0; i < count; i++, from += step) {
        switch (dtype) {
        case GN_UINT16: to->int32[i] = *(const uint16_t *)from; break;
        case GN_UINT32: to->int64[i] = *(const uint32_t *)from; break;
        case GN_UINT64:
            if (wide == GN_INT64) {
                to->int64[i] = *(const int64_t *)from;
            } else if (wide == GN_FLOAT32) {
                to->float32[i] = (float)*(const uint64_t *)from;
            } else {
                to->float64[i] = (double)*(const uint64_t *)from;
            }
            break;
        case GN_COMPLEX32:
            to->complex64[2 * i] = gn_from_float16(((const uint16_t *)from)[0]);
            to->complex64[2 * i + 1] = gn_from_float16(((const uint16_t *)from)[1]);
            break;
        default: to->float32[i] = gn_from_float8(*(const uint8_t *)from, dtype); break;
        }
    }
}

/* The inverse of widen. */
static void narrow(int64_t count, const block *from, int32_t wide, char *to, int64_t step, int32_t dtype) {
    for (int64_t i = 0; i < count; i++, to += step) {
        switch (dtype) {
        case GN_UINT16: *(uint16_t *)to = (uint16_t)from->int32[i]; break;
        case GN_UINT32: *(uint32_t *)to = (uint32_t)from->int64[i]; break;
        case GN_UINT64: *(uint64_t *)to = wide == GN_INT64 ? (uint64_t)from->int64[i] : gn_to_uint64(from->float64[i]); break;
        case GN_COMPLEX32:
            ((uint16_t *)to)[0] = gn_to_float16(from->complex64[2 * i]);
            ((uint16_t *)to)[1] = gn_to_float16(from->complex64[2 * i + 1]);
            break;
        default: *(uint8_t *)to = gn_to_float8(from->float32[i], dtype); break;
        }
    }
}

/* A row of a copy of which one dtype at least is limited. */
static int32_t convert_row(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    const int32_t target = call->tensors[0].dtype;
    const int32_t source = call->tensors[1].dtype;
    const int32_t from_dtype = between(source, target, 0);
    const int32_t to_dtype = between(target, source, 1);
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        const int64_t part = gn_min(BLOCK, count - begin);
        block wide;
        block converted;
        char *from = data[1] + begin * strides[1];
        char *to = data[0] + begin * strides[0];
        int64_t from_step = strides[1];
        int64_t to_step = strides[0];
        if (source >= GN_UINT16) {
            widen(part, from, from_step, source, &wide, from_dtype);
            from = (char *)&wide;
            from_step = gn_itemsize(from_dtype);
        }
        if (target >= GN_UINT16) {
            to = (char *)&converted;
            to_step = gn_itemsize(to_dtype);
        }
        const gn_tensor in = {from_dtype, 1, &part, &from_step};
        const gn_tensor out = {to_dtype, 1, &part, &to_step};
        gn_copy(&out, to, &in, from);
        if (target >= GN_UINT16) {
            narrow(part, &converted, to_dtype, data[0] + begin * strides[0], strides[0], target);
        }
    }
    return GN_OK;
}

static int32_t copy(const gn_call *call, void *const *data) {
    return gn_for_each(call, data, convert_row);
}

static int32_t fill_row(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    if (call->tensors[0].dtype == GN_COMPLEX32) {
        const uint16_t real = gn_to_float16((float)call->scalars[0].real);
        const uint16_t imag = gn_to_float16((float)call->scalars[0].imag);
        for (int64_t i = 0; i < count; i++) {
            uint16_t *to = (uint16_t *)(data[0] + i * strides[0]);
            to[0] = real;
            to[1] = imag;
        }
        return GN_OK;
    }
    const uint8_t value = gn_to_float8((float)call->scalars[0].real, call->tensors[0].dtype);
    for (int64_t i = 0; i < count; i++) {
        *(uint8_t *)(data[0] + i * strides[0]) = value;
    }
    return GN_OK;
}

static int32_t fill(const gn_call *call, void *const *data) {
    return gn_for_each(call, data, fill_row);
}

static int is_equal(const char *a, const char *b, int32_t dtype) {
    if (dtype != GN_COMPLEX32) {
        return gn_from_float8(*(const uint8_t *)a, dtype) == gn_from_float8(*(const uint8_t *)b, dtype);
    }
    const uint16_t *left = (const uint16_t *)a;
    const uint16_t *right = (const uint16_t *)b;
    return gn_from_float16(left[0]) == gn_from_float16(right[0]) && gn_from_float16(left[1]) == gn_from_float16(right[1]);
}

static int32_t equal_row(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    const int32_t dtype = call->tensors[1].dtype;
    for (int64_t i = 0; i < count; i++) {
        *(uint8_t *)(data[0] + i * strides[0]) =
            (uint8_t)is_equal(data[1] + i * strides[1], data[2] + i * strides[2], dtype);
    }
    return GN_OK;
}

static int32_t equal(const gn_call *call, void *const *data) {
    return gn_for_each(call, data, equal_row);
}

static int32_t different_row(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    equal_row(count, data, strides, call);
    for (int64_t i = 0; i < count; i++) {
        *(uint8_t *)(data[0] + i * strides[0]) ^= 1;
    }
    return GN_OK;
}

static int32_t different(const gn_call *call, void *const *data) {
    return gn_for_each(call, data, different_row);
}

gn_kernel *gn_limited_kernel(int32_t which) {
    static gn_kernel *const kernels[] = {
        [GN_LIMITED_COPY] = copy,
        [GN_LIMITED_FILL] = fill,
        [GN_LIMITED_EQUAL] = equal,
        [GN_LIMITED_DIFFERENT] = different,
    };
    return kernels[which];
}
