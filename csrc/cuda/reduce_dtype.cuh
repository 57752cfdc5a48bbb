/* The reductions of reduce.def that fold elements one by one, for one dtype, GN_CUDA_CODE.
 *
 * FOLD("amax", amax, ORDERED, COMPUTE, LOWEST, b > a ? b : a, STORAGE, STORE) becomes
 *
 *     struct amax_reduction {
 *         typedef float input, accumulator, result;
 *         static accumulator of(input stored);                         an element as an accumulator
 *         static accumulator both(accumulator a, accumulator b);
 *         ...                                                          and what reduction.cuh requires
 *     };
 */
#if CODE == GN_CUDA_CODE

#define REDUCTION(id, ACCUMULATOR, identity, element, expression, RESULT, rounded)                 \
    struct id##_reduction {                                                                        \
        typedef STORAGE input;                                                                     \
        typedef ACCUMULATOR accumulator;                                                           \
        typedef RESULT result;                                                                     \
        static inline accumulator first(void) {                                                    \
            return (accumulator)(identity);                                                        \
        }                                                                                          \
        static inline accumulator of(input stored) {                                               \
            const COMPUTE b = LOAD(stored);                                                        \
            return (accumulator)(element);                                                         \
        }                                                                                          \
        static inline accumulator both(accumulator a, accumulator b, double number) {              \
            (void)number;                                                                          \
            return (accumulator)(expression);                                                      \
        }                                                                                          \
        template <int COUNT> static inline void fold(accumulator *total, const input *elements, double number) { \
            _Pragma("unroll")                                                                      \
            for (int k = 0; k < COUNT; k++) {                                                      \
                *total = both(*total, of(elements[k]), number);                                    \
            }                                                                                      \
        }                                                                                          \
        static inline result last(accumulator total, int64_t count, double number) {               \
            (void)count;                                                                           \
            (void)number;                                                                          \
            return (result)(rounded);                                                              \
        }                                                                                          \
    };

/* Floats are summed in double precision; integers wrap. */
#if IS_FLOATING
#define TOTAL double
#elif IS_COMPLEX
#define TOTAL gn_complex128
#else
#define TOTAL COMPUTE
#endif
#define AS_BYTE(x) ((x) ? 1 : 0)
#define sum_ELEMENT b
#define nansum_ELEMENT (gn_isnan(b) ? 0 : b)

#define SPREAD(name, id, dtypes, expression)
#define NORM(name, id, dtypes)
#define POWERS(name, id, dtypes)

/* First pass: functions that fold an element into the identity; for any, that is b != 0. */
#define FOLD(name, id, dtypes, ACCUMULATOR, identity, expression, RESULT, ROUND)      \
    WHEN_##dtypes(static inline ACCUMULATOR element_of_##id(ACCUMULATOR a, COMPUTE b) { \
        return (ACCUMULATOR)(expression);                                             \
    })
#define SUM(name, id, dtypes, steps, expression)
#include "../reduce.def"
#undef FOLD
#undef SUM
#define FOLD(name, id, dtypes, ACCUMULATOR, identity, expression, RESULT, ROUND)                                \
    WHEN_##dtypes(REDUCTION(id, ACCUMULATOR, identity, element_of_##id((ACCUMULATOR)(identity), b), expression, \
                            RESULT, ROUND(total)))
#define SUM(name, id, dtypes, steps, expression) \
    WHEN_##dtypes(REDUCTION(id, TOTAL, 0, steps##_ELEMENT, a + b, STORAGE, STORE((COMPUTE)(expression))))
#include "../reduce.def"

#endif
