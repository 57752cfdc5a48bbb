/* The statistics of reduce.def on one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE && IS_FLOATING

struct moments_reduction {
    typedef STORAGE input;
    typedef STORAGE result;
    typedef moments accumulator;
    static inline moments first(void) {
        return moments{0, 0, 0};
    }
    template <int COUNT> static inline void fold(moments *total, const input *elements, double number) {
        (void)number;
        moments part = {COUNT, 0, 0};
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            part.mean += (double)LOAD(elements[k]);
        }
        part.mean /= COUNT;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const double away = (double)LOAD(elements[k]) - part.mean;
            part.squares += away * away;
        }
        *total = both_moments(*total, part);
    }
    static inline moments both(moments a, moments b, double number) {
        (void)number;
        return both_moments(a, b);
    }
};

/* `number` is the correction. */
#define SPREAD(name, id, dtypes, expression)                                                   \
    struct id##_reduction : moments_reduction {                                                \
        static inline result last(moments total, int64_t count, double number) {               \
            const double freedom = (double)count - number;                                     \
            const double spread = total.squares / (freedom > 0 ? freedom : 0);                 \
            return STORE((COMPUTE)(expression));                                               \
        }                                                                                      \
    };

/* `number` is the order. */
#define NORM(name, id, dtypes)                                                                        \
    struct id##_reduction {                                                                           \
        typedef STORAGE input;                                                                        \
        typedef STORAGE result;                                                                       \
        typedef scaled_sum accumulator;                                                               \
        static inline scaled_sum first(void) {                                                        \
            return scaled_sum{-1, 0};                                                                 \
        }                                                                                             \
        template <int COUNT> static inline void fold(scaled_sum *total, const input *elements, double number) { \
            double sizes[COUNT];                                                                      \
            _Pragma("unroll")                                                                         \
            for (int k = 0; k < COUNT; k++) {                                                         \
                sizes[k] = fabs((double)LOAD(elements[k]));                                           \
            }                                                                                         \
            if (IS_NARROW && number == 2) { /* squares of these are in no danger */                   \
                double sum = total->scale < 0 ? 0 : total->sum;                                       \
                _Pragma("unroll")                                                                     \
                for (int k = 0; k < COUNT; k++) {                                                     \
                    sum += sizes[k] * sizes[k];                                                       \
                }                                                                                     \
                *total = scaled_sum{1, sum};                                                          \
            } else {                                                                                  \
                *total = both_norms(*total, norm_of<COUNT>(sizes, number), number);                   \
            }                                                                                         \
        }                                                                                             \
        static inline scaled_sum both(scaled_sum a, scaled_sum b, double number) {                    \
            return both_norms(a, b, number);                                                          \
        }                                                                                             \
        static inline result last(scaled_sum total, int64_t count, double number) {                   \
            (void)count;                                                                              \
            return STORE((COMPUTE)last_norm(total, number));                                          \
        }                                                                                             \
    };
#if CODE == GN_FLOAT64
#define IS_NARROW 0
#else
#define IS_NARROW 1
#endif

#define POWERS(name, id, dtypes)                                                                      \
    struct id##_reduction {                                                                           \
        typedef STORAGE input;                                                                        \
        typedef STORAGE result;                                                                       \
        typedef powers accumulator;                                                                   \
        static inline powers first(void) {                                                            \
            return powers{-(double)INFINITY, 0};                                                      \
        }                                                                                             \
        template <int COUNT> static inline void fold(powers *total, const input *elements, double number) { \
            (void)number;                                                                             \
            double largest = total->largest;                                                          \
            _Pragma("unroll")                                                                         \
            for (int k = 0; k < COUNT; k++) {                                                         \
                const double x = (double)LOAD(elements[k]);                                           \
                largest = x > largest ? x : largest;                                                  \
            }                                                                                         \
            double sum = total->sum == 0 ? 0 : powers_over(*total, largest);                          \
            const COMPUTE shift = (COMPUTE)powers_shift(largest);                                     \
            _Pragma("unroll")                                                                         \
            for (int k = 0; k < COUNT; k++) {                                                         \
                const COMPUTE below = LOAD(elements[k]) - shift;                                      \
                /* above 0 is an infinity alone, whose power counts as one */                         \
                sum += (double)gn_exp_negative(below > 0 ? 0 : below);                                \
            }                                                                                         \
            *total = powers{largest, sum};                                                            \
        }                                                                                             \
        static inline powers both(powers a, powers b, double number) {                                \
            (void)number;                                                                             \
            return both_powers(a, b);                                                                 \
        }                                                                                             \
        static inline result last(powers total, int64_t count, double number) {                       \
            (void)count;                                                                              \
            (void)number;                                                                             \
            return STORE((COMPUTE)(log(total.sum) + total.largest));                                  \
        }                                                                                             \
    };

#define SUM(name, id, dtypes, steps, expression)
#define FOLD(name, id, dtypes, ACCUMULATOR, identity, expression, RESULT, ROUND)
#include "../reduce.def"

#endif
