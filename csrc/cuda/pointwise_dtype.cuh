/* The operations of pointwise.def for one dtype, GN_CUDA_CODE.
 *
 * UNARY("exp", exp, FRACTIONAL, gn_exp(a)) becomes
 *
 *     struct exp_operation {
 *         static constexpr int inputs = 1;
 *         typedef float input;
 *         typedef float result;
 *         static result of(const gn_numbers *call, const input *given, int *faults) { ... gn_exp(a) ... }
 *     };
 */
#if CODE == GN_CUDA_CODE

#define OPERATION(id, COUNT, RESULT, TO_RESULT, parameters, fault, expression)                        \
    struct id##_operation {                                                                           \
        static constexpr int inputs = COUNT;                                                          \
        typedef STORAGE input;                                                                        \
        typedef RESULT result;                                                                        \
        static inline result of(const gn_numbers *call, const input *given, int *faults) {            \
            (void)call;                                                                               \
            parameters;                                                                               \
            ELEMENTS_##COUNT;                                                                         \
            *faults |= (fault);                                                                       \
            return (result)TO_RESULT(expression);                                                     \
        }                                                                                             \
    };
#define ELEMENTS_1 const COMPUTE a = LOAD(given[0])
#define ELEMENTS_2 const COMPUTE a = LOAD(given[0]), b = LOAD(given[1])
#define ELEMENTS_3 const COMPUTE a = LOAD(given[0]), b = LOAD(given[1]), c = LOAD(given[2])
#define AS_BOOL(x) ((x) ? 1 : 0)
#define AS_COMPLEX(x) (x)
#if CODE == GN_FLOAT32
#define COMPLEX_OF_REAL gn_complex64
#else
#define COMPLEX_OF_REAL gn_complex128
#endif
#if IS_HALF
#define SIZE STORAGE
#define TO_SIZE STORE
#else
#define SIZE MAGNITUDE
#define TO_SIZE(x) (x)
#endif

#define UNARY(name, id, dtypes, expression) WHEN_##dtypes(OPERATION(id, 1, STORAGE, STORE, NO_PARAMETER, 0, expression))
#define UNARY_NUMBER(name, id, dtypes, parameter, expression) \
    WHEN_##dtypes(OPERATION(id, 1, STORAGE, STORE, FIRST_NUMBER(parameter), 0, expression))
#define UNARY_WITH(name, id, dtypes, parameters, expression) \
    WHEN_##dtypes(OPERATION(id, 1, STORAGE, STORE, parameters, 0, expression))
#define UNARY_ORDER(name, id, dtypes, of_0, of_1, parameters, expression) \
    UNARY_WITH(name, id, dtypes, parameters; INTEGER_ARGUMENT(order, 0),                  \
               order == 0 ? (of_0) : order == 1 ? (of_1) : (expression))
#define UNARY_CHOICE(name, id, dtypes, parameter, choice, expression) \
    WHEN_##dtypes(OPERATION(id, 1, STORAGE, STORE, INTEGER_ARGUMENT(parameter, 0), 0, expression))
#define UNARY_FAR(name, id, dtypes, far, far_expression, expression) \
    WHEN_##dtypes(OPERATION(id, 1, STORAGE, STORE, NO_PARAMETER, 0, (far) ? (far_expression) : (expression)))
#define UNARY_MAGNITUDE(name, id, dtypes, expression) \
    WHEN_##dtypes(OPERATION(id, 1, SIZE, TO_SIZE, NO_PARAMETER, 0, expression))
#define PREDICATE(name, id, dtypes, expression) \
    WHEN_##dtypes(OPERATION(id, 1, uint8_t, AS_BOOL, NO_PARAMETER, 0, expression))
#define BITS(kind, name, id, dtypes, expression, of_bits) kind(name, id, dtypes, expression)
#define BINARY(name, id, dtypes, expression) \
    WHEN_##dtypes(OPERATION(id, 2, STORAGE, STORE, NO_PARAMETER, 0, expression))
#define BINARY_NUMBER(name, id, dtypes, parameter, expression) \
    WHEN_##dtypes(OPERATION(id, 2, STORAGE, STORE, FIRST_NUMBER(parameter), 0, expression))
#define BINARY_CHOICE(name, id, dtypes, parameter, choice, expression) \
    WHEN_##dtypes(OPERATION(id, 2, STORAGE, STORE, INTEGER_ARGUMENT(parameter, 0), 0, expression))
#define BINARY_WITH(name, id, dtypes, parameters, expression) \
    WHEN_##dtypes(OPERATION(id, 2, STORAGE, STORE, parameters, 0, expression))
#define BINARY_BLOCK(name, id, dtypes, block, expression) BINARY(name, id, dtypes, expression)
#define BINARY_COMPLEX(name, id, dtypes, expression) \
    WHEN_##dtypes(OPERATION(id, 2, COMPLEX_OF_REAL, AS_COMPLEX, NO_PARAMETER, 0, expression))
#define COMPARISON(name, id, dtypes, expression) \
    WHEN_##dtypes(OPERATION(id, 2, uint8_t, AS_BOOL, NO_PARAMETER, 0, expression))
#define CHECKED(name, id, dtypes, fault, expression) \
    WHEN_##dtypes(OPERATION(id, 2, STORAGE, STORE, NO_PARAMETER, fault, expression))
#define DIVISION(name, id, dtypes, expression) CHECKED(name, id, dtypes, gn_zero_divisor(b), expression)
#define DIVISION_FAR(name, id, dtypes, far, far_expression, expression) DIVISION(name, id, dtypes, far_expression)
#define TERNARY(name, id, dtypes, expression) \
    WHEN_##dtypes(OPERATION(id, 3, STORAGE, STORE, NO_PARAMETER, 0, expression))
#define TERNARY_NUMBER(name, id, dtypes, parameter, expression) \
    WHEN_##dtypes(OPERATION(id, 3, STORAGE, STORE, FIRST_NUMBER(parameter), 0, expression))

#include "../pointwise.def"

/* clamp and pow.Tensor_Scalar, which are defined in rows.def. */
WHEN_REAL(OPERATION(clamp, 1, STORAGE, STORE, FIRST_BOUNDS, 0, CLAMPED))
#if IS_FLOATING
static inline COMPUTE gn_power(COMPUTE a, COMPUTE exponent) {
    if (exponent == 2) {
        return a * a;
    }
    if (exponent == 3) {
        return a * a * a;
    }
    if (exponent == (COMPUTE)0.5) {
        return gn_sqrt(a);
    }
    if (exponent == (COMPUTE)-0.5) {
        return 1 / gn_sqrt(a);
    }
    if (exponent == -1) {
        return 1 / a;
    }
    return exponent == -2 ? 1 / (a * a) : gn_pow(a, exponent);
}
#elif IS_COMPLEX
#define gn_power NAME(gn_pow_number)
#else
#define gn_power gn_pow
#endif
OPERATION(pow_number, 1, STORAGE, STORE, FIRST_NUMBER(exponent), 0, gn_power(a, exponent))

/* copy_ from each dtype. */
#include "../c/convert_dtype.h"

#define COPY(source, SOURCE, value, FROM) CONVERSION(copy_##source, SOURCE, STORAGE, FROM(value))
#define CONVERSION(id, SOURCE, RESULT, expression)                                                    \
    struct id##_operation {                                                                           \
        static constexpr int inputs = 1;                                                              \
        typedef SOURCE input;                                                                         \
        typedef RESULT result;                                                                        \
        static inline result of(const gn_numbers *call, const input *given, int *faults) {            \
            (void)call;                                                                               \
            (void)faults;                                                                             \
            const SOURCE x = given[0];                                                                \
            return expression;                                                                        \
        }                                                                                             \
    };
COPY(bool, uint8_t, x != 0, FROM_INTEGER)
COPY(uint8, uint8_t, x, FROM_INTEGER)
COPY(int8, int8_t, x, FROM_INTEGER)
COPY(int16, int16_t, x, FROM_INTEGER)
COPY(int32, int32_t, x, FROM_INTEGER)
COPY(int64, int64_t, x, FROM_INTEGER)
COPY(float16, uint16_t, gn_from_float16(x), FROM_FLOAT32)
COPY(bfloat16, uint16_t, gn_from_bfloat16(x), FROM_FLOAT32)
COPY(float32, float, x, FROM_FLOAT32)
COPY(float64, double, x, FROM_FLOAT64)
COPY(complex64, gn_complex64, x, FROM_COMPLEX64)
COPY(complex128, gn_complex128, x, FROM_COMPLEX128)

/* fill_: 0.5 and NaN are true, but would become 0 as integers. */
#if CODE == GN_BOOL
#define FILLING (call->scalars[0].real != 0 || call->scalars[0].imag != 0)
#else
#define FILLING NUMBER(0)
#endif
struct fill_operation {
    static constexpr int inputs = 0;
    typedef STORAGE input;
    typedef STORAGE result;
    static inline result of(const gn_numbers *call, const input *given, int *faults) {
        (void)given;
        (void)faults;
        return STORE(FILLING);
    }
};

#endif
