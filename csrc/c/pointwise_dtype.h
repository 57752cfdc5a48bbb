/* The kernels of pointwise.def for one dtype. OF_ONE selects those of one operand, OF_TWO those of two, OF_OTHERS
 * comparisons and those of three, OF_DTYPES those dtypes for which it is not 0, so that several files can be compiled at
 * once.
 *
 * UNARY("exp", exp, FRACTIONAL, gn_exp(a)) becomes, for float32,
 *
 *     static int32_t exp_loop_float32(int64_t count, char *const *data, const int64_t *strides, const gn_call *call)
 *         { ... out[i] = gn_exp(a) ... }
 *     int32_t kernel_exp_float32(const gn_call *call, void *const *data)
 *         { return gn_for_each(call, data, exp_loop_float32); }
 *
 * and for float16 only the latter, by gn_for_each with exp_loop_float16. That loop is generated next to
 * exp_loop_float32 and computes in float: block by block if the processor converts vectors, else through buffers.
 * Operators with other kinds of loops, and those that detect faults, always use buffers (THROUGH_FLOAT). */

#if OF_DTYPES
#if IS_HALF

#define UNARY_LOOP(id, RESULT, TO_RESULT, parameter, expression)
#define UNARY_FAR_LOOP(id, far, far_expression, expression)
#define BINARY_FAR_LOOP(id, far, far_expression, expression)
#define BINARY_LOOP(id, RESULT, TO_RESULT, fault, parameter, expression)
#define BINARY_BLOCK_LOOP(id, block)
#define TERNARY_LOOP(id, parameter, expression)
#define THROUGH_FLOAT(id)                                                \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {  \
        return gn_for_each_float(call, data, id##_loop_float32);             \
    }

#else

#if CODE == GN_FLOAT32 && GN_HAS_HALF_VECTORS
/* The loop over halves, of `arity` operands, each dense or a single element; the last of two may then be a float. The
 * remainder of a row is computed as one more block. */
#define HALF_ROW(id, half, RESULT, WIDE_RESULT, TO_RESULT, FINISH, arity, parameter, has_number, expression)           \
    (int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {                                  \
        (void)call;                                                                                                    \
        parameter;                                                                                                     \
        uint16_t inputs[arity][GN_HALF_BLOCK];                                                                         \
        const uint16_t *places[arity];                                                                                 \
        int64_t steps[arity];                                                                                          \
        const int halves = has_number ? arity - 1 : arity;                                                             \
        const float number = has_number ? *(const float *)data[arity] : 0;                                             \
        (void)number;                                                                                                  \
        RESULT *out = (RESULT *)data[0];                                                                               \
        for (int k = 0; k < halves; k++) {                                                                             \
            const uint16_t first = *(const uint16_t *)data[k + 1];                                                     \
            for (int i = 0; i < GN_HALF_BLOCK; i++) {                                                                  \
                inputs[k][i] = first;                                                                                  \
            }                                                                                                          \
            steps[k] = strides[k + 1] == 0 ? 0 : GN_HALF_BLOCK;                                                        \
            places[k] = strides[k + 1] == 0 ? inputs[k] : (const uint16_t *)data[k + 1];                               \
        }                                                                                                              \
        for (int64_t left = count; left > 0; left -= GN_HALF_BLOCK) {                                                  \
            float x[arity][GN_HALF_BLOCK];                                                                             \
            WIDE_RESULT wide[GN_HALF_BLOCK];                                                                           \
            for (int k = 0; k < halves; k++) {                                                                         \
                gn_widen_block_##half(places[k], x[k]);                                                                \
                places[k] += steps[k];                                                                                 \
            }                                                                                                          \
            GN_VECTOR                                                                                                  \
            for (int i = 0; i < GN_HALF_BLOCK; i++) {                                                                  \
                const float a = x[0][i];                                                                               \
                AND_OTHERS_##arity(has_number)                                                                         \
                wide[i] = TO_RESULT(expression);                                                                       \
            }                                                                                                          \
            FINISH(wide, out);                                                                                         \
            out += GN_HALF_BLOCK;                                                                                      \
        }                                                                                                              \
        return GN_OK;                                                                                                  \
    }
/* A row of the dtypes PRECISE has no use for these loops. */
#ifdef __GNUC__
#define GN_PERHAPS_UNUSED __attribute__((unused))
#else
#define GN_PERHAPS_UNUSED
#endif
#define HALF_LOOP(id, half, CODE_OF_HALF, RESULT, WIDE_RESULT, TO_RESULT, FINISH, arity, parameter, expression)        \
    static int32_t id##_halves_##half HALF_ROW(id, half, RESULT, WIDE_RESULT, TO_RESULT, FINISH, arity, parameter, 0,  \
                                               expression)                                                             \
    WITH_NUMBER_##arity(static int32_t id##_number_##half HALF_ROW(id, half, RESULT, WIDE_RESULT, TO_RESULT, FINISH,   \
                                                                   arity, parameter, 1, expression))                   \
    GN_PERHAPS_UNUSED static int32_t id##_loop_##half(int64_t count, char *const *data, const int64_t *strides,        \
                                                      const gn_call *call) {                                           \
        gn_loop *row = id##_halves_##half;                                                                             \
        int32_t halves = arity;                                                                                        \
        WITH_NUMBER_##arity(if (call->tensors[arity].dtype == GN_FLOAT32 && strides[arity] == 0) {                     \
            row = id##_number_##half;                                                                                  \
            halves = arity - 1;                                                                                        \
        })                                                                                                             \
        if (!gn_are_halves(call, strides, sizeof(RESULT), halves, CODE_OF_HALF)) {                                     \
            return gn_row_through_float(count, data, strides, call, id##_loop_float32);                                \
        }                                                                                                              \
        return gn_row_of_blocks(count, data, strides, call, row);                                                      \
    }
#define WITH_NUMBER_1(...)
#define WITH_NUMBER_2(...) __VA_ARGS__
#define WITH_NUMBER_3(...)
#define AND_OTHERS_1(has_number)
#define AND_OTHERS_2(has_number) const float b = has_number ? number : x[1][i];
#define AND_OTHERS_3(has_number) const float b = x[1][i], c = x[2][i];
#define FINISH_BYTES(bytes, to) memcpy(to, bytes, GN_HALF_BLOCK)
#define HALVES_STORE(id, arity, parameter, expression)                                                                \
    HALF_LOOP(id, float16, GN_FLOAT16, uint16_t, float, STORE, gn_narrow_block_float16, arity, parameter, expression) \
    HALF_LOOP(id, bfloat16, GN_BFLOAT16, uint16_t, float, STORE, gn_narrow_block_bfloat16, arity, parameter, expression)
#define HALVES_AS_BOOL(id, arity, parameter, expression) HALVES_AS_BOOL_##arity(id, arity, parameter, expression)
#define HALVES_AS_BOOL_1(id, arity, parameter, expression) /* gcc 12 fails on a sign bit among these */
#define HALVES_AS_BOOL_2(id, arity, parameter, expression)                                                            \
    HALF_LOOP(id, float16, GN_FLOAT16, uint8_t, uint8_t, AS_BOOL, FINISH_BYTES, arity, parameter, expression)         \
    HALF_LOOP(id, bfloat16, GN_BFLOAT16, uint8_t, uint8_t, AS_BOOL, FINISH_BYTES, arity, parameter, expression)
#else
#define HALVES_STORE(id, arity, parameter, expression)
#define HALVES_AS_BOOL(id, arity, parameter, expression)
#endif
#define HALVES_AS_MAGNITUDE(id, arity, parameter, expression) HALVES_STORE(id, arity, parameter, expression)
#define HALVES_AS_COMPLEX(id, arity, parameter, expression)
#define HALVES_STORE_ALONE(id, arity, parameter, expression)
#define HALVES_AS_MAGNITUDE_ALONE(id, arity, parameter, expression)

/* Operands that are not dense are copied through buffers, GN_ROW_BUFFER elements at a time, so that each expression is
 * compiled once, to vector code for all strides. */
#define DENSE(k, TYPE) (strides[k] == (int64_t)sizeof(TYPE))
/* The elements of operand k from `begin` on: in place, or gathered. */
#define FETCH(k, buffer)                                                                           \
    (DENSE(k, STORAGE) ? (const STORAGE *)data[k] + begin                                          \
                       : NAME(gather)(part, data[k] + begin * strides[k], strides[k], buffer))
/* Where results from `begin` on are written, and the function that copies them from there to the output. */
#define TARGET(RESULT, buffer) (DENSE(0, RESULT) ? (RESULT *)data[0] + begin : (buffer))
#define DELIVER(RESULT, buffer)                                                                    \
    if (!DENSE(0, RESULT)) {                                                                       \
        for (int64_t i = 0; i < part; i++) {                                                       \
            *(RESULT *)(data[0] + (begin + i) * strides[0]) = (buffer)[i];                         \
        }                                                                                          \
    }

/* out[i] = expression of a = in[i].  `parameter` is a declaration, or nothing. */
#define UNARY_LOOP(id, RESULT, TO_RESULT, parameter, expression)                                   \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        parameter;                                                                                 \
        STORAGE inputs[GN_ROW_BUFFER];                                                             \
        RESULT results[GN_ROW_BUFFER];                                                             \
        const int64_t block = DENSE(0, RESULT) && DENSE(1, STORAGE) ? count : GN_ROW_BUFFER;       \
        for (int64_t begin = 0; begin < count; begin += block) {                                   \
            const int64_t part = gn_min(block, count - begin);                                     \
            const STORAGE *in = FETCH(1, inputs);                                                  \
            RESULT *out = TARGET(RESULT, results);                                                 \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < part; i++) {                                                   \
                const COMPUTE a = LOAD(in[i]);                                                     \
                out[i] = TO_RESULT(expression);                                                    \
            }                                                                                      \
            DELIVER(RESULT, results)                                                               \
        }                                                                                          \
        return GN_OK;                                                                              \
    }                                                                                              \
    HALVES_##TO_RESULT(id, 1, parameter, expression)

/* out[i] = expression of a = in[i], but far_expression where `far` is not 0.  All elements are computed without a branch;
 * those that are far, which most blocks do not have, are put side by side and computed once more. */
#define UNARY_FAR_LOOP(id, far, far_expression, expression)                                        \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        STORAGE inputs[GN_ROW_BUFFER];                                                             \
        STORAGE results[GN_ROW_BUFFER];                                                            \
        STORAGE far_inputs[GN_ROW_BUFFER];                                                         \
        int64_t places[GN_ROW_BUFFER];                                                             \
        uint8_t are_far[GN_ROW_BUFFER];                                                            \
        for (int64_t begin = 0; begin < count; begin += GN_ROW_BUFFER) {                           \
            const int64_t part = gn_min(GN_ROW_BUFFER, count - begin);                             \
            const STORAGE *in = FETCH(1, inputs);                                                  \
            STORAGE *out = TARGET(STORAGE, results);                                               \
            int any = 0;                                                                           \
            for (int64_t i = 0; i < part; i++) {                                                   \
                const COMPUTE a = LOAD(in[i]);                                                     \
                any |= (far);                                                                      \
            }                                                                                      \
            int64_t number = 0;                                                                    \
            if (GN_UNLIKELY(any)) {                                                                \
                for (int64_t i = 0; i < part; i++) {                                               \
                    const COMPUTE a = LOAD(in[i]);                                                 \
                    are_far[i] = (far) != 0;                                                       \
                }                                                                                  \
                for (int64_t i = 0; i < part; i++) {                                               \
                    places[number] = i;                                                            \
                    far_inputs[number] = in[i];                                                    \
                    number += are_far[i];                                                          \
                }                                                                                  \
            }                                                                                      \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < part; i++) {                                                   \
                const COMPUTE a = LOAD(in[i]);                                                     \
                out[i] = STORE(expression);                                                        \
            }                                                                                      \
            for (int64_t i = 0; i < number; i++) {                                                 \
                const COMPUTE a = LOAD(far_inputs[i]);                                             \
                far_inputs[i] = STORE(far_expression);                                             \
            }                                                                                      \
            for (int64_t i = 0; i < number; i++) {                                                 \
                out[places[i]] = far_inputs[i];                                                    \
            }                                                                                      \
            DELIVER(STORAGE, results)                                                              \
        }                                                                                          \
        return GN_OK;                                                                              \
    }

/* out[i] = expression of a and b, but far_expression where `far` is not 0.  As most blocks have no such element, a
 * block is first computed without a branch, and discarded if it has one. */
#define BINARY_FAR_LOOP(id, far, far_expression, expression)                                       \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        STORAGE lefts[GN_ROW_BUFFER], rights[GN_ROW_BUFFER], results[GN_ROW_BUFFER];               \
        for (int64_t begin = 0; begin < count; begin += GN_ROW_BUFFER) {                           \
            const int64_t part = gn_min(GN_ROW_BUFFER, count - begin);                             \
            const STORAGE *left = FETCH(1, lefts);                                                 \
            const STORAGE *right = FETCH(2, rights);                                               \
            int any = 0;                                                                           \
            for (int64_t i = 0; i < part; i++) {                                                   \
                const COMPUTE a = LOAD(left[i]);                                                   \
                const COMPUTE b = LOAD(right[i]);                                                  \
                any |= (far);                                                                      \
                results[i] = STORE(expression);                                                    \
            }                                                                                      \
            for (int64_t i = 0; i < part && GN_UNLIKELY(any); i++) {                               \
                const COMPUTE a = LOAD(left[i]);                                                   \
                const COMPUTE b = LOAD(right[i]);                                                  \
                results[i] = STORE(far_expression);                                                \
            }                                                                                      \
            if (DENSE(0, STORAGE)) {                                                               \
                memcpy((STORAGE *)data[0] + begin, results, (size_t)part * sizeof(STORAGE));       \
            }                                                                                      \
            DELIVER(STORAGE, results)                                                              \
        }                                                                                          \
        return GN_OK;                                                                              \
    }

/* out[i] = expression of a and b, of which one may be a single element. If `fault` is not 0, the call fails. */
#define BINARY_LOOP(id, RESULT, TO_RESULT, fault, parameter, expression)                           \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        parameter;                                                                                 \
        int faults = 0;                                                                            \
        STORAGE lefts[GN_ROW_BUFFER], rights[GN_ROW_BUFFER];                                       \
        RESULT results[GN_ROW_BUFFER];                                                             \
        const int one_left = strides[1] == 0;                                                      \
        const int one_right = strides[2] == 0 && !one_left;                                        \
        const int all_dense = DENSE(0, RESULT) && (one_left || DENSE(1, STORAGE))                  \
                              && (one_right || DENSE(2, STORAGE));                                 \
        const int64_t block = all_dense ? count : GN_ROW_BUFFER;                                   \
        for (int64_t begin = 0; begin < count; begin += block) {                                   \
            const int64_t part = gn_min(block, count - begin);                                     \
            const STORAGE *left = one_left ? (const STORAGE *)data[1] : FETCH(1, lefts);           \
            const STORAGE *right = one_right ? (const STORAGE *)data[2] : FETCH(2, rights);        \
            RESULT *out = TARGET(RESULT, results);                                                 \
            if (one_left) {                                                                        \
                const COMPUTE a = LOAD(*left);                                                     \
                GN_INDEPENDENT                                                                     \
                for (int64_t i = 0; i < part; i++) {                                               \
                    const COMPUTE b = LOAD(right[i]);                                              \
                    faults |= (fault);                                                             \
                    out[i] = TO_RESULT(expression);                                                \
                }                                                                                  \
            } else if (one_right) {                                                                \
                const COMPUTE b = LOAD(*right);                                                    \
                GN_INDEPENDENT                                                                     \
                for (int64_t i = 0; i < part; i++) {                                               \
                    const COMPUTE a = LOAD(left[i]);                                               \
                    faults |= (fault);                                                             \
                    out[i] = TO_RESULT(expression);                                                \
                }                                                                                  \
            } else {                                                                               \
                GN_INDEPENDENT                                                                     \
                for (int64_t i = 0; i < part; i++) {                                               \
                    const COMPUTE a = LOAD(left[i]);                                               \
                    const COMPUTE b = LOAD(right[i]);                                              \
                    faults |= (fault);                                                             \
                    out[i] = TO_RESULT(expression);                                                \
                }                                                                                  \
            }                                                                                      \
            DELIVER(RESULT, results)                                                               \
        }                                                                                          \
        return faults ? GN_BAD_VALUE : GN_OK;                                                      \
    }                                                                                              \
    HALVES_##TO_RESULT(id, 2, parameter, expression)

/* out = block(a, b), in double: in place where the operands are such, and the output is not one of them. */
#define ARE_APART(one, other) ((one) + part <= (other) || (other) + part <= (one))
#define BINARY_BLOCK_LOOP(id, block)                                                               \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        STORAGE firsts[GN_ROW_BUFFER], seconds[GN_ROW_BUFFER], narrow[GN_ROW_BUFFER];              \
        double lefts[GN_ROW_BUFFER], rights[GN_ROW_BUFFER], results[GN_ROW_BUFFER];                \
        for (int64_t begin = 0; begin < count; begin += GN_ROW_BUFFER) {                           \
            const int64_t part = gn_min(GN_ROW_BUFFER, count - begin);                             \
            const STORAGE *first = FETCH(1, firsts);                                               \
            const STORAGE *second = FETCH(2, seconds);                                             \
            STORAGE *out = TARGET(STORAGE, narrow);                                                \
            if (CODE == GN_FLOAT64 && ARE_APART(first, out) && ARE_APART(second, out)) {           \
                block(part, (const double *)(const void *)first, (const double *)(const void *)second,\
                      (double *)(void *)out, 1);                                                   \
            } else {                                                                               \
                for (int64_t i = 0; i < part; i++) {                                               \
                    lefts[i] = (double)first[i];                                                   \
                    rights[i] = (double)second[i];                                                 \
                }                                                                                  \
                block(part, lefts, rights, results, CODE == GN_FLOAT64);                           \
                for (int64_t i = 0; i < part; i++) {                                               \
                    out[i] = (STORAGE)results[i];                                                  \
                }                                                                                  \
            }                                                                                      \
            DELIVER(STORAGE, narrow)                                                               \
        }                                                                                          \
        return GN_OK;                                                                              \
    }

/* out[i] = expression of a, b and c. */
#define TERNARY_LOOP(id, parameter, expression)                                                    \
    static int32_t NAME(id##_loop)(int64_t count, char *const *data, const int64_t *strides,       \
                                   const gn_call *call) {                                          \
        (void)call;                                                                                \
        parameter;                                                                                 \
        STORAGE firsts[GN_ROW_BUFFER], seconds[GN_ROW_BUFFER], thirds[GN_ROW_BUFFER];              \
        STORAGE results[GN_ROW_BUFFER];                                                            \
        const int all_dense = DENSE(0, STORAGE) && DENSE(1, STORAGE) && DENSE(2, STORAGE) && DENSE(3, STORAGE); \
        const int64_t block = all_dense ? count : GN_ROW_BUFFER;                                   \
        for (int64_t begin = 0; begin < count; begin += block) {                                   \
            const int64_t part = gn_min(block, count - begin);                                     \
            const STORAGE *first = FETCH(1, firsts);                                               \
            const STORAGE *second = FETCH(2, seconds);                                             \
            const STORAGE *third = FETCH(3, thirds);                                               \
            STORAGE *out = TARGET(STORAGE, results);                                               \
            GN_INDEPENDENT                                                                         \
            for (int64_t i = 0; i < part; i++) {                                                   \
                const COMPUTE a = LOAD(first[i]);                                                  \
                const COMPUTE b = LOAD(second[i]);                                                 \
                const COMPUTE c = LOAD(third[i]);                                                  \
                out[i] = STORE(expression);                                                        \
            }                                                                                      \
            DELIVER(STORAGE, results)                                                              \
        }                                                                                          \
        return GN_OK;                                                                              \
    }                                                                                              \
    HALVES_STORE(id, 3, parameter, expression)

/* Gathers `count` elements, a stride apart, to adjacent memory. */
static const STORAGE *NAME(gather)(int64_t count, const char *from, int64_t stride, STORAGE *to) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = *(const STORAGE *)(from + i * stride);
    }
    return to;
}

#define THROUGH_FLOAT(id) KERNEL(id)

#endif

#if IS_HALF && !GN_HAS_HALF_VECTORS
#define KERNEL(id) THROUGH_FLOAT(id)
#define KERNEL_ORDER(id)                                                                                        \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                        \
        const int64_t order = call->integers[0];                                                                \
        gn_loop *loop = order == 0 ? id##_of_0_loop_float32 : order == 1 ? id##_of_1_loop_float32              \
                                                                         : id##_of_others_loop_float32;        \
        return gn_for_each_float(call, data, loop);                                                            \
    }
#define KERNEL_CHOICE(id, choice)                                                                              \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                        \
        return gn_for_each_float(call, data,                                                                       \
                             call->integers[0] == choice ? id##_chosen_loop_float32 : id##_other_loop_float32); \
    }
#else
#define KERNEL_ORDER(id)                                                                                        \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                        \
        const int64_t order = call->integers[0];                                                                \
        gn_loop *loop = order == 0 ? NAME(id##_of_0_loop) : order == 1 ? NAME(id##_of_1_loop)                  \
                                                                       : NAME(id##_of_others_loop);            \
        return gn_for_each(call, data, loop);                                                                  \
    }
#define KERNEL(id)                                                       \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {  \
        return gn_for_each(call, data, NAME(id##_loop));                     \
    }
#define KERNEL_CHOICE(id, choice)                                                                              \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                        \
        return gn_for_each(call, data, call->integers[0] == choice ? NAME(id##_chosen_loop) : NAME(id##_other_loop)); \
    }
#endif

#if CODE == GN_FLOAT32
#define COMPLEX_OF_REAL gn_complex64
#else
#define COMPLEX_OF_REAL gn_complex128
#endif
#define AS_BOOL(x) ((uint8_t)((x) ? 1 : 0))
#define AS_MAGNITUDE(x) ((MAGNITUDE)(x))
#define STORE_ALONE(x) STORE(x) /* without a loop over halves */
#define AS_MAGNITUDE_ALONE(x) AS_MAGNITUDE(x)
#define AS_COMPLEX(x) (x)

#define UNARY(name, id, dtypes, expression) \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, STORAGE, STORE, NO_PARAMETER, expression) KERNEL(id)))
#define UNARY_NUMBER(name, id, dtypes, parameter, expression) \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, STORAGE, STORE, FIRST_NUMBER(parameter), expression) KERNEL(id)))
#define UNARY_WITH(name, id, dtypes, parameters, expression) \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, STORAGE, STORE, parameters, expression) KERNEL(id)))
/* A loop for each of the three expressions. */
#define UNARY_ORDER(name, id, dtypes, of_0, of_1, parameters, expression)                   \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id##_of_0, STORAGE, STORE, NO_PARAMETER, of_0)         \
                      UNARY_LOOP(id##_of_1, STORAGE, STORE, NO_PARAMETER, of_1)            \
                      UNARY_LOOP(id##_of_others, STORAGE, STORE, parameters, expression)   \
                          KERNEL_ORDER(id)))
#define UNARY_FAR(name, id, dtypes, far, far_expression, expression) \
    OF_ONE(WHEN_##dtypes(UNARY_FAR_LOOP(id, far, far_expression, expression) THROUGH_FLOAT(id)))
/* A loop for either choice, since one that tests it at each element does not vectorise. */
#define UNARY_CHOICE(name, id, dtypes, parameter, choice, expression)                       \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id##_chosen, STORAGE, STORE, CONSTANT(parameter, choice), expression) \
                      UNARY_LOOP(id##_other, STORAGE, STORE, CONSTANT(parameter, 0), expression) \
                          KERNEL_CHOICE(id, choice)))
#define UNARY_MAGNITUDE(name, id, dtypes, expression) \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, MAGNITUDE, AS_MAGNITUDE, NO_PARAMETER, expression) KERNEL(id)))
#define PREDICATE(name, id, dtypes, expression) \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, uint8_t, AS_BOOL, NO_PARAMETER, expression) THROUGH_FLOAT(id)))
/* Operators on halves that change only bits run as int16. */
#if IS_HALF
#define BITS_LOOP(id)                                                    \
    int32_t kernel_##id##_bits(const gn_call *call, void *const *data);  \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) { return kernel_##id##_bits(call, data); }
#define BITS_UNARY(id, dtypes, expression, of_bits) OF_ONE(BITS_LOOP(id))
#define BITS_UNARY_MAGNITUDE(id, dtypes, expression, of_bits) OF_ONE(BITS_LOOP(id))
#define BITS_BINARY(id, dtypes, expression, of_bits) OF_TWO(BITS_LOOP(id))
#else
#if CODE == GN_INT16
#define BITS_LOOP(id, loop)                                                 \
    loop int32_t kernel_##id##_bits(const gn_call *call, void *const *data) { \
        return gn_for_each(call, data, id##_bits_loop_int16);                   \
    }
#else
#define BITS_LOOP(id, loop)
#endif
#define BITS_UNARY(id, dtypes, expression, of_bits)                                                 \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, STORAGE, STORE_ALONE, NO_PARAMETER, expression) KERNEL(id)) \
               BITS_LOOP(id, UNARY_LOOP(id##_bits, STORAGE, STORE, NO_PARAMETER, of_bits)))
#define BITS_UNARY_MAGNITUDE(id, dtypes, expression, of_bits)                                                   \
    OF_ONE(WHEN_##dtypes(UNARY_LOOP(id, MAGNITUDE, AS_MAGNITUDE_ALONE, NO_PARAMETER, expression) KERNEL(id)) \
               BITS_LOOP(id, UNARY_LOOP(id##_bits, STORAGE, STORE, NO_PARAMETER, of_bits)))
#define BITS_BINARY(id, dtypes, expression, of_bits)                                                     \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE_ALONE, 0, NO_PARAMETER, expression) KERNEL(id)) \
               BITS_LOOP(id, BINARY_LOOP(id##_bits, STORAGE, STORE, 0, NO_PARAMETER, of_bits)))
#endif
#define BITS(kind, name, id, dtypes, expression, of_bits) BITS_##kind(id, dtypes, expression, of_bits)
#define BINARY(name, id, dtypes, expression) \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE, 0, NO_PARAMETER, expression) KERNEL(id)))
#define BINARY_NUMBER(name, id, dtypes, parameter, expression) \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE, 0, FIRST_NUMBER(parameter), expression) KERNEL(id)))
#define BINARY_CHOICE(name, id, dtypes, parameter, choice, expression)                      \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id##_chosen, STORAGE, STORE, 0, CONSTANT(parameter, choice), expression) \
                      BINARY_LOOP(id##_other, STORAGE, STORE, 0, CONSTANT(parameter, 0), expression) \
                          KERNEL_CHOICE(id, choice)))
#define BINARY_WITH(name, id, dtypes, parameters, expression) \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE, 0, parameters, expression) KERNEL(id)))
#define BINARY_BLOCK(name, id, dtypes, block, expression) OF_TWO(WHEN_##dtypes(BINARY_BLOCK_LOOP(id, block) THROUGH_FLOAT(id)))
#define BINARY_COMPLEX(name, id, dtypes, expression) \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id, COMPLEX_OF_REAL, AS_COMPLEX, 0, NO_PARAMETER, expression) KERNEL(id)))
#define COMPARISON(name, id, dtypes, expression) \
    OF_OTHERS(WHEN_##dtypes(BINARY_LOOP(id, uint8_t, AS_BOOL, 0, NO_PARAMETER, expression) KERNEL(id)))
#define CHECKED(name, id, dtypes, fault, expression) \
    OF_TWO(WHEN_##dtypes(BINARY_LOOP(id, STORAGE, STORE_ALONE, fault, NO_PARAMETER, expression) THROUGH_FLOAT(id)))
#define DIVISION(name, id, dtypes, expression) CHECKED(name, id, dtypes, gn_zero_divisor(b), expression)
#if IS_FLOATING
#define DIVISION_FAR(name, id, dtypes, far, far_expression, expression) \
    OF_TWO(WHEN_##dtypes(BINARY_FAR_LOOP(id, far, far_expression, expression) THROUGH_FLOAT(id)))
#else
#define DIVISION_FAR(name, id, dtypes, far, far_expression, expression) DIVISION(name, id, dtypes, far_expression)
#endif
#define TERNARY(name, id, dtypes, expression) \
    OF_OTHERS(WHEN_##dtypes(TERNARY_LOOP(id, NO_PARAMETER, expression) KERNEL(id)))
#define TERNARY_NUMBER(name, id, dtypes, parameter, expression) \
    OF_OTHERS(WHEN_##dtypes(TERNARY_LOOP(id, FIRST_NUMBER(parameter), expression) KERNEL(id)))

/* The same as in pointwise_words.h, by two selects: a bound that is NaN makes the sum NaN, and -0.0 leaves it as it is. */
#undef RAISED
#undef CLAMPED
#define RAISED (a < low ? low : a)
#define CLAMPED ((RAISED > high ? high : RAISED) + (low != low || high != high ? low + high : -(COMPUTE)0))

#include "../pointwise.def"

/* clamp: the call's Scalars are the bounds; an absent one is NaN and GN_NO_INTEGER. */
OF_ONE(WHEN_REAL(UNARY_LOOP(clamp, STORAGE, STORE, FIRST_BOUNDS, CLAMPED) KERNEL(clamp)))

/* pow.Tensor_Scalar: common exponents have separate formulas and loops, as in PyTorch; these vectorise, while a loop
 * that tests the exponent does not. */
#if IS_COMPLEX
OF_ONE(UNARY_LOOP(pow_number, STORAGE, STORE, FIRST_NUMBER(exponent), NAME(gn_pow_number)(a, exponent)))
#elif !IS_HALF
OF_ONE(UNARY_LOOP(pow_second, STORAGE, STORE, NO_PARAMETER, (COMPUTE)(a * a)))
OF_ONE(UNARY_LOOP(pow_third, STORAGE, STORE, NO_PARAMETER, (COMPUTE)((COMPUTE)(a * a) * a)))
OF_ONE(WHEN_FLOATING(UNARY_LOOP(pow_minus_second, STORAGE, STORE, NO_PARAMETER, 1 / (a * a))))
OF_ONE(UNARY_LOOP(pow_other, STORAGE, STORE, FIRST_NUMBER(exponent), gn_pow(a, exponent)))
#endif
#if !IS_COMPLEX && (!IS_HALF || GN_HAS_HALF_VECTORS)
OF_ONE(static gn_loop *NAME(pow_loop_of)(COMPUTE exponent) {
    if (exponent == 2) {
        return NAME(pow_second_loop);
    }
    if (exponent == 3) {
        return NAME(pow_third_loop);
    }
    WHEN_FLOATING(if (exponent == (COMPUTE)0.5) { return NAME(sqrt_loop); }
                  if (exponent == (COMPUTE)-0.5) { return NAME(rsqrt_loop); }
                  if (exponent == -1) { return NAME(reciprocal_loop); }
                  if (exponent == -2) { return NAME(pow_minus_second_loop); })
    return NAME(pow_other_loop);
})
#endif
#if !IS_COMPLEX && !IS_HALF
OF_ONE(static int32_t NAME(pow_number_loop)(int64_t count, char *const *data, const int64_t *strides,
                                     const gn_call *call) {
    return NAME(pow_loop_of)(NUMBER(0))(count, data, strides, call);
})
#endif
#if IS_HALF /* the exponent is a number of the dtype, too */
#if GN_HAS_HALF_VECTORS
#define WALK_POWER(call, data, exponent) gn_for_each(call, data, NAME(pow_loop_of)(exponent))
#else
#define WALK_POWER(call, data, exponent) gn_for_each_float(call, data, pow_number_loop_float32)
#endif
OF_ONE(int32_t NAME(kernel_pow_number)(const gn_call *call, void *const *data) {
    gn_scalar exponent = call->scalars[0];
    exponent.real = LOAD(STORE((float)exponent.real));
    gn_call rounded = *call;
    rounded.scalars = &exponent;
    return WALK_POWER(&rounded, data, (float)exponent.real);
})
#undef WALK_POWER
#else
OF_ONE(KERNEL(pow_number))
#endif

#undef UNARY_LOOP
#undef UNARY_FAR_LOOP
#undef BINARY_FAR_LOOP
#undef BINARY_LOOP
#undef BINARY_BLOCK_LOOP
#undef ARE_APART
#undef TERNARY_LOOP
#undef DENSE
#undef FETCH
#undef TARGET
#undef DELIVER
#undef KERNEL
#undef THROUGH_FLOAT
#undef HALF_ROW
#undef HALF_LOOP
#undef GN_PERHAPS_UNUSED
#undef WITH_NUMBER_1
#undef WITH_NUMBER_2
#undef WITH_NUMBER_3
#undef AND_OTHERS_1
#undef AND_OTHERS_2
#undef AND_OTHERS_3
#undef FINISH_BYTES
#undef HALVES_STORE
#undef HALVES_AS_BOOL
#undef HALVES_AS_BOOL_1
#undef HALVES_AS_BOOL_2
#undef HALVES_AS_MAGNITUDE
#undef HALVES_AS_COMPLEX
#undef HALVES_STORE_ALONE
#undef HALVES_AS_MAGNITUDE_ALONE
#undef KERNEL_CHOICE
#undef KERNEL_ORDER
#undef COMPLEX_OF_REAL
#undef AS_BOOL
#undef AS_MAGNITUDE
#undef AS_COMPLEX
#undef STORE_ALONE
#undef AS_MAGNITUDE_ALONE
#undef BITS
#undef BITS_LOOP
#undef BITS_UNARY
#undef BITS_UNARY_MAGNITUDE
#undef BITS_BINARY
#undef UNARY
#undef UNARY_NUMBER
#undef UNARY_CHOICE
#undef UNARY_WITH
#undef UNARY_ORDER
#undef UNARY_FAR
#undef UNARY_MAGNITUDE
#undef PREDICATE
#undef BINARY
#undef BINARY_NUMBER
#undef BINARY_CHOICE
#undef BINARY_WITH
#undef BINARY_BLOCK
#undef BINARY_COMPLEX
#undef COMPARISON
#undef CHECKED
#undef DIVISION
#undef DIVISION_FAR
#undef TERNARY
#undef TERNARY_NUMBER
#endif
