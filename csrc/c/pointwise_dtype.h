/* The kernels of pointwise.def for one dtype.
 *
 * UNARY("exp", exp, FRACTIONAL, gn_exp(a)) becomes, for float32,
 *
 *     static int32_t exp_loop_float32(int64_t count, char *const *data, const int64_t *strides, const gn_call *call)
 *         { ... out[i] = gn_exp(a) ... }
 *     int32_t kernel_exp_float32(const gn_call *call, void *const *data)
 *         { return gn_walk(call, data, exp_loop_float32); }
 *
 * and for float16 only the latter, as a walk through float with exp_loop_float32. */

#if IS_HALF

#define UNARY_LOOP(id, RESULT, TO_RESULT, parameter, expression)
#define BINARY_LOOP(id, RESULT, TO_RESULT, fault, parameter, expression)
#define TERNARY_LOOP(id, parameter, expression)
#define KERNEL(id)                                                       \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {  \
        return gn_walk_float(call, data, id##_loop_float32);             \
    }
#define KERNEL_CHOICE(id, choice)                                                                              \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                        \
        return gn_walk_float(call, data,                                                                       \
                             call->integers[0] == choice ? id##_chosen_loop_float32 : id##_other_loop_float32); \
    }

#else

/* out[i] = expression of a = in[i].  `parameter` is a declaration, or nothing. */
#define UNARY_LOOP(id, RESULT, TO_RESULT, parameter, expression)                                   \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        parameter;                                                                                 \
        if (strides[0] == (int64_t)sizeof(RESULT) && strides[1] == (int64_t)sizeof(STORAGE)) {                       \
            RESULT *out = (RESULT *)data[0];                                                       \
            const STORAGE *in = (const STORAGE *)data[1];                                          \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const COMPUTE a = in[i];                                                           \
                out[i] = TO_RESULT(expression);                                                    \
            }                                                                                      \
            return GN_OK;                                                                          \
        }                                                                                          \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const COMPUTE a = *(const STORAGE *)(data[1] + i * strides[1]);                        \
            *(RESULT *)(data[0] + i * strides[0]) = TO_RESULT(expression);                         \
        }                                                                                          \
        return GN_OK;                                                                              \
    }

/* out[i] = expression of a and b; contiguous, with one operand broadcast, or any strides.  Where `fault` is
 * not 0, the call has failed. */
#define BINARY_LOOP(id, RESULT, TO_RESULT, fault, parameter, expression)                           \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        parameter;                                                                                 \
        int faults = 0;                                                                            \
        const int dense = strides[0] == (int64_t)sizeof(RESULT);                                            \
        RESULT *out = (RESULT *)data[0];                                                           \
        const STORAGE *left = (const STORAGE *)data[1];                                            \
        const STORAGE *right = (const STORAGE *)data[2];                                           \
        if (dense && strides[1] == (int64_t)sizeof(STORAGE) && strides[2] == (int64_t)sizeof(STORAGE)) {             \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const COMPUTE a = left[i];                                                         \
                const COMPUTE b = right[i];                                                        \
                faults |= (fault);                                                                 \
                out[i] = TO_RESULT(expression);                                                    \
            }                                                                                      \
        } else if (dense && strides[1] == (int64_t)sizeof(STORAGE) && strides[2] == 0) {                    \
            const COMPUTE b = *right;                                                              \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const COMPUTE a = left[i];                                                         \
                faults |= (fault);                                                                 \
                out[i] = TO_RESULT(expression);                                                    \
            }                                                                                      \
        } else if (dense && strides[1] == 0 && strides[2] == (int64_t)sizeof(STORAGE)) {                    \
            const COMPUTE a = *left;                                                               \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const COMPUTE b = right[i];                                                        \
                faults |= (fault);                                                                 \
                out[i] = TO_RESULT(expression);                                                    \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const COMPUTE a = *(const STORAGE *)(data[1] + i * strides[1]);                    \
                const COMPUTE b = *(const STORAGE *)(data[2] + i * strides[2]);                    \
                faults |= (fault);                                                                 \
                *(RESULT *)(data[0] + i * strides[0]) = TO_RESULT(expression);                     \
            }                                                                                      \
        }                                                                                          \
        return faults ? GN_BAD_VALUE : GN_OK;                                                      \
    }

/* out[i] = expression of a, b and c. */
#define TERNARY_LOOP(id, parameter, expression)                                                    \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        parameter;                                                                                 \
        const int64_t size = sizeof(STORAGE);                                                      \
        if (strides[0] == size && strides[1] == size && strides[2] == size && strides[3] == size) { \
            STORAGE *out = (STORAGE *)data[0];                                                     \
            const STORAGE *first = (const STORAGE *)data[1];                                       \
            const STORAGE *second = (const STORAGE *)data[2];                                      \
            const STORAGE *third = (const STORAGE *)data[3];                                       \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const COMPUTE a = first[i];                                                        \
                const COMPUTE b = second[i];                                                       \
                const COMPUTE c = third[i];                                                        \
                out[i] = STORE(expression);                                                        \
            }                                                                                      \
            return GN_OK;                                                                          \
        }                                                                                          \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const COMPUTE a = *(const STORAGE *)(data[1] + i * strides[1]);                        \
            const COMPUTE b = *(const STORAGE *)(data[2] + i * strides[2]);                        \
            const COMPUTE c = *(const STORAGE *)(data[3] + i * strides[3]);                        \
            *(STORAGE *)(data[0] + i * strides[0]) = STORE(expression);                            \
        }                                                                                          \
        return GN_OK;                                                                              \
    }

#define KERNEL(id)                                                       \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {  \
        return gn_walk(call, data, NAME(id##_loop));                     \
    }
#define KERNEL_CHOICE(id, choice)                                                                              \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                        \
        return gn_walk(call, data, call->integers[0] == choice ? NAME(id##_chosen_loop) : NAME(id##_other_loop)); \
    }

#endif

#define AS_BOOL(x) ((uint8_t)((x) ? 1 : 0))
#define AS_MAGNITUDE(x) ((MAGNITUDE)(x))
#define FIRST_NUMBER(parameter) const COMPUTE parameter = NUMBER(0)
#define CONSTANT(parameter, value) const int64_t parameter = value
#define NO_PARAMETER (void)0

#define UNARY(name, id, dtypes, expression) \
    WHEN_##dtypes(UNARY_LOOP(id, STORAGE, STORE, NO_PARAMETER, expression) KERNEL(id))
#define UNARY_NUMBER(name, id, dtypes, parameter, expression) \
    WHEN_##dtypes(UNARY_LOOP(id, STORAGE, STORE, FIRST_NUMBER(parameter), expression) KERNEL(id))
/* A loop for either choice, since one that tests it at each element does not vectorise. */
#define UNARY_CHOICE(name, id, dtypes, parameter, choice, expression)                       \
    WHEN_##dtypes(UNARY_LOOP(id##_chosen, STORAGE, STORE, CONSTANT(parameter, choice), expression) \
                      UNARY_LOOP(id##_other, STORAGE, STORE, CONSTANT(parameter, 0), expression) \
                          KERNEL_CHOICE(id, choice))
#define UNARY_MAGNITUDE(name, id, dtypes, expression) \
    WHEN_##dtypes(UNARY_LOOP(id, MAGNITUDE, AS_MAGNITUDE, NO_PARAMETER, expression) KERNEL(id))
#define PREDICATE(name, id, dtypes, expression) \
    WHEN_##dtypes(UNARY_LOOP(id, uint8_t, AS_BOOL, NO_PARAMETER, expression) KERNEL(id))
#define BINARY(name, id, dtypes, expression) \
    WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE, 0, NO_PARAMETER, expression) KERNEL(id))
#define BINARY_NUMBER(name, id, dtypes, parameter, expression) \
    WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE, 0, FIRST_NUMBER(parameter), expression) KERNEL(id))
#define BINARY_CHOICE(name, id, dtypes, parameter, choice, expression)                      \
    WHEN_##dtypes(BINARY_LOOP(id##_chosen, STORAGE, STORE, 0, CONSTANT(parameter, choice), expression) \
                      BINARY_LOOP(id##_other, STORAGE, STORE, 0, CONSTANT(parameter, 0), expression) \
                          KERNEL_CHOICE(id, choice))
#define COMPARISON(name, id, dtypes, expression) \
    WHEN_##dtypes(BINARY_LOOP(id, uint8_t, AS_BOOL, 0, NO_PARAMETER, expression) KERNEL(id))
#define DIVISION(name, id, dtypes, expression) \
    WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE, gn_zero_divisor(b), NO_PARAMETER, expression) KERNEL(id))
#define TERNARY_NUMBER(name, id, dtypes, parameter, expression) \
    WHEN_##dtypes(TERNARY_LOOP(id, FIRST_NUMBER(parameter), expression) KERNEL(id))

#include "../pointwise.def"

/* clamp: the call's Scalars are the bounds; an absent one is NaN and GN_NO_INTEGER. */
#define FIRST_BOUNDS                                                                    \
    const gn_scalar *bounds = call->scalars;                                            \
    const int no_low = isnan(bounds[0].real) && bounds[0].integer == GN_NO_INTEGER;     \
    const int no_high = isnan(bounds[1].real) && bounds[1].integer == GN_NO_INTEGER;    \
    const COMPUTE low = no_low ? LOWEST : NUMBER(0);                                    \
    const COMPUTE high = no_high ? HIGHEST : NUMBER(1)
/* An element that is NaN stays it, and a bound that is NaN makes all elements so. */
#define RAISED (a >= low || gn_isnan(a) ? a : low)
#define CLAMPED (RAISED <= high || gn_isnan(RAISED) ? RAISED : high)
WHEN_REAL(UNARY_LOOP(clamp, STORAGE, STORE, FIRST_BOUNDS, CLAMPED) KERNEL(clamp))

#undef UNARY_LOOP
#undef BINARY_LOOP
#undef TERNARY_LOOP
#undef KERNEL
#undef KERNEL_CHOICE
#undef AS_BOOL
#undef AS_MAGNITUDE
#undef FIRST_NUMBER
#undef CONSTANT
#undef NO_PARAMETER
#undef FIRST_BOUNDS
#undef RAISED
#undef CLAMPED
#undef UNARY
#undef UNARY_NUMBER
#undef UNARY_CHOICE
#undef UNARY_MAGNITUDE
#undef PREDICATE
#undef BINARY
#undef BINARY_NUMBER
#undef BINARY_CHOICE
#undef COMPARISON
#undef DIVISION
#undef TERNARY_NUMBER
