/* The statistics of reduce.def for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE && IS_FRACTIONAL

/* The type in which elements are summed, and that of a result, which is real except for logsumexp. */
#if IS_COMPLEX
#define PRECISE gn_complex128
#define SIZE MAGNITUDE
#define TO_SIZE(x) ((MAGNITUDE)(x))
#define IS_NARROW (CODE == GN_COMPLEX64)
#define REAL_PART(x) ((double)(x).re)
#else
#define PRECISE double
#define SIZE STORAGE
#define TO_SIZE(x) STORE((COMPUTE)(x))
#define IS_NARROW (CODE != GN_FLOAT64)
#define REAL_PART(x) ((double)(x))
#endif

struct moments_reduction {
    typedef STORAGE input;
    typedef SIZE result;
    typedef moments<PRECISE> accumulator;
    static inline accumulator first(void) {
        return accumulator{0, 0, 0, 0};
    }
    template <int COUNT> static inline void fold(accumulator *total, const input *elements, double number) {
        (void)number;
        accumulator part = {0, 0, COUNT, 0};
        PRECISE sum = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            part.mean += (PRECISE)LOAD(elements[k]);
        }
        part.mean = part.mean / (double)COUNT;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const PRECISE away = (PRECISE)LOAD(elements[k]) - part.mean;
            part.squares += product_of(away, away);
            sum = sum + away;
        }
        if (!IS_NARROW) {
            correct_moments(&part, sum);
        }
        *total = both_moments(*total, part);
    }
    static inline accumulator both(accumulator a, accumulator b, double number) {
        (void)number;
        return both_moments(a, b);
    }
};

/* `number` is the correction. */
#define SPREAD(name, id, dtypes, expression)                                                   \
    struct id##_reduction : moments_reduction {                                                \
        static inline result last(accumulator total, int64_t count, double number) {               \
            const double freedom = (double)count - number;                                     \
            const double spread = total.squares / (freedom > 0 ? freedom : 0);                 \
            return TO_SIZE(expression);                                                        \
        }                                                                                      \
    };

/* Absolute values of elements; for order 2 those of both parts of a complex number, whose squares have the same sum. */
#if IS_COMPLEX
template <int COUNT> static inline void fold_elements(scaled_sum *total, const STORAGE *elements, double order) {
    double sizes[2 * COUNT];
    if (order == 2) {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            sizes[2 * k] = fabs((double)elements[k].re);
            sizes[2 * k + 1] = fabs((double)elements[k].im);
        }
        fold_sizes<IS_NARROW, 2 * COUNT>(total, sizes, order);
    } else {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            sizes[k] = cabs(elements[k]);
        }
        fold_sizes<IS_NARROW, COUNT>(total, sizes, order);
    }
}
#else
template <int COUNT> static inline void fold_elements(scaled_sum *total, const STORAGE *elements, double order) {
    double sizes[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        sizes[k] = fabs((double)LOAD(elements[k]));
    }
    fold_sizes<IS_NARROW, COUNT>(total, sizes, order);
}
#endif

/* `number` is the order. */
#define NORM(name, id, dtypes)                                                                        \
    struct id##_reduction {                                                                           \
        typedef STORAGE input;                                                                        \
        typedef SIZE result;                                                                          \
        typedef scaled_sum accumulator;                                                               \
        static inline scaled_sum first(void) {                                                        \
            return scaled_sum{-1, 0};                                                                 \
        }                                                                                             \
        template <int COUNT> static inline void fold(scaled_sum *total, const input *elements, double number) { \
            fold_elements<COUNT>(total, elements, number);                                            \
        }                                                                                             \
        static inline scaled_sum both(scaled_sum a, scaled_sum b, double number) {                    \
            return both_norms(a, b, number);                                                          \
        }                                                                                             \
        static inline result last(scaled_sum total, int64_t count, double number) {                   \
            (void)count;                                                                              \
            return TO_SIZE(last_norm(total, number));                                                 \
        }                                                                                             \
    };

/* The exponential of an element relative to the largest, and the result. */
#if IS_COMPLEX
static inline gn_complex128 power_below(STORAGE x, double largest) {
    return cexp(gn_complex128((double)x.re - powers_shift(largest), x.im));
}
static inline STORAGE log_of(powers<gn_complex128> total) {
    return (STORAGE)(clog(total.sum) + powers_shift(total.largest));
}
#else
static inline double power_below(COMPUTE x, double largest) {
    const COMPUTE below = x - (COMPUTE)powers_shift(largest);
    return (double)gn_exp_negative(below > 0 ? 0 : below); /* > 0 only for +inf, which counts as 1 */
}
static inline STORAGE log_of(powers<double> total) {
    return STORE((COMPUTE)(log(total.sum) + total.largest));
}
#endif

#define POWERS(name, id, dtypes)                                                                      \
    struct id##_reduction {                                                                           \
        typedef STORAGE input;                                                                        \
        typedef STORAGE result;                                                                       \
        typedef powers<PRECISE> accumulator;                                                          \
        static inline accumulator first(void) {                                                       \
            return accumulator{-(double)INFINITY, 0};                                                 \
        }                                                                                             \
        template <int COUNT> static inline void fold(accumulator *total, const input *elements, double number) { \
            (void)number;                                                                             \
            double largest = total->largest;                                                          \
            _Pragma("unroll")                                                                         \
            for (int k = 0; k < COUNT; k++) {                                                         \
                const double x = REAL_PART(LOAD(elements[k]));                                        \
                largest = x > largest ? x : largest;                                                  \
            }                                                                                         \
            PRECISE sum = total->sum == 0 ? 0 : powers_over(*total, largest);                         \
            _Pragma("unroll")                                                                         \
            for (int k = 0; k < COUNT; k++) {                                                         \
                sum += power_below(LOAD(elements[k]), largest);                                       \
            }                                                                                         \
            *total = accumulator{largest, sum};                                                       \
        }                                                                                             \
        static inline accumulator both(accumulator a, accumulator b, double number) {                 \
            (void)number;                                                                             \
            return both_powers(a, b);                                                                 \
        }                                                                                             \
        static inline result last(accumulator total, int64_t count, double number) {                  \
            (void)count;                                                                              \
            (void)number;                                                                             \
            return log_of(total);                                                                     \
        }                                                                                             \
    };

#define SUM(name, id, dtypes, steps, expression)
#define FOLD(name, id, dtypes, ACCUMULATOR, identity, expression, RESULT, ROUND)
#include "../reduce.def"

#endif
