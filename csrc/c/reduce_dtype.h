/* The reducers of reduce.def for one dtype. */

#if IS_NUMERIC

/* Sums.  Lanes add at most LANE_LENGTH elements in COMPUTE; their sums are added to an accumulator of higher precision,
 * so that the error does not grow with the length. */
#if CODE == GN_FLOAT64
#define ACCUMULATOR compensated
#define TOTAL double
#define ADD(accumulator, value) add_compensated(accumulator, value)
#define GET(accumulator) round_compensated(accumulator)
#elif CODE == GN_COMPLEX128
typedef struct compensated_complex {
    compensated real;
    compensated imag;
} compensated_complex;

static inline void add_compensated_complex(compensated_complex *total, gn_complex128 value) {
    add_compensated(&total->real, creal(value));
    add_compensated(&total->imag, cimag(value));
}

static inline gn_complex128 round_compensated_complex(const compensated_complex *total) {
    const double parts[2] = {round_compensated(&total->real), round_compensated(&total->imag)};
    gn_complex128 rounded;
    memcpy(&rounded, parts, sizeof rounded);
    return rounded;
}
#define ACCUMULATOR compensated_complex
#define TOTAL gn_complex128
#define ADD(accumulator, value) add_compensated_complex(accumulator, value)
#define GET(accumulator) round_compensated_complex(accumulator)
#elif CODE == GN_COMPLEX64
#define ACCUMULATOR gn_complex128
#define TOTAL gn_complex128
#define ADD(accumulator, value) (void)(*(accumulator) += (value))
#define GET(accumulator) (*(accumulator))
#elif IS_FLOATING
#define ACCUMULATOR double
#define TOTAL double
#define ADD(accumulator, value) (void)(*(accumulator) += (value))
#define GET(accumulator) (*(accumulator))
#else
#define ACCUMULATOR COMPUTE
#define TOTAL COMPUTE
#define ADD(accumulator, value) (void)(*(accumulator) = (COMPUTE)(*(accumulator) + (value)))
#define GET(accumulator) (*(accumulator))
#endif

static void NAME(sum_begin)(void *accumulators, int64_t count) {
    memset(accumulators, 0, (size_t)count * sizeof(ACCUMULATOR));
}

/* The dense part of a run: whole LANES, of which each adds at most LANE_LENGTH elements. Such sums are added to lanes
 * of doubles if those are precise enough, else one by one to the accumulator. */
#define ADD_LANES(id)                                                                                   \
    COMPUTE lanes[LANES] = {0};                                                                         \
    const int64_t end = gn_min(i + LANES * LANE_LENGTH, count - LANES + 1);                             \
    for (; i < end; i += LANES) {                                                                       \
        for (int lane = 0; lane < LANES; lane++) {                                                      \
            lanes[lane] = (COMPUTE)(lanes[lane] + NAME(id##_element)(elements[i + lane]));              \
        }                                                                                               \
    }
/* Sums the lanes into the first one; widths are compile-time constants. */
#define ADD_HALF(TYPE, sums, width)                                                                     \
    for (int lane = 0; lane < (width); lane++) {                                                        \
        sums[lane] = (TYPE)(sums[lane] + sums[lane + (width)]);                                         \
    }
#define ADD_HALVES(TYPE, sums)                                                                          \
    ADD_HALF(TYPE, sums, LANES / 2)                                                                     \
    ADD_HALF(TYPE, sums, LANES / 4)                                                                     \
    ADD_HALF(TYPE, sums, LANES / 8)                                                                     \
    ADD_HALF(TYPE, sums, LANES / 16)                                                                    \
    ADD_HALF(TYPE, sums, LANES / 32)
#if IS_FLOATING && CODE != GN_FLOAT64
#define ADD_MANY(id)                                                                                    \
    if (count >= 2 * LANES * LANE_LENGTH) {                                                             \
        double totals[LANES] = {0};                                                                     \
        while (i + LANES <= count) {                                                                    \
            ADD_LANES(id)                                                                               \
            for (int lane = 0; lane < LANES; lane++) {                                                  \
                totals[lane] += lanes[lane];                                                            \
            }                                                                                           \
        }                                                                                               \
        ADD_HALVES(double, totals)                                                                      \
        ADD((ACCUMULATOR *)accumulator, totals[0]);                                                     \
    }
#else
#define ADD_MANY(id)
#endif

/* SUM_STEPS(sum, x) becomes sum_run_float32 and sum_tile_float32, which add `element` of each x. */
#define SUM_STEPS(id, element)                                                                          \
    static inline COMPUTE NAME(id##_element)(STORAGE stored) {                                          \
        const COMPUTE x = LOAD(stored);                                                                 \
        return element;                                                                                 \
    }                                                                                                   \
    static void NAME(id##_run)(void *accumulator, const char *in, int64_t stride, int64_t count,        \
                               const gn_call *call) {                                                   \
        int64_t i = 0;                                                                                  \
        (void)call;                                                                                     \
        if (stride == (int64_t)sizeof(STORAGE) && count >= LANES) {                                     \
            const STORAGE *elements = (const STORAGE *)in;                                              \
            ADD_MANY(id)                                                                                \
            while (i + LANES <= count) {                                                                \
                ADD_LANES(id)                                                                           \
                ADD_HALVES(COMPUTE, lanes)                                                              \
                ADD((ACCUMULATOR *)accumulator, lanes[0]);                                              \
            }                                                                                           \
        }                                                                                               \
        while (i < count) {                                                                             \
            COMPUTE lane = 0;                                                                           \
            const int64_t end = gn_min(i + LANE_LENGTH, count);                                         \
            for (; i < end; i++) {                                                                      \
                lane = (COMPUTE)(lane + NAME(id##_element)(*(const STORAGE *)(in + i * stride)));       \
            }                                                                                           \
            ADD((ACCUMULATOR *)accumulator, lane);                                                      \
        }                                                                                               \
    }                                                                                                   \
    static void NAME(id##_tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows,   \
                                int64_t column_stride, int64_t columns, const gn_call *call) {          \
        ACCUMULATOR *sums = accumulators;                                                               \
        (void)call;                                                                                     \
        for (int64_t first = 0; first < rows; first += LANE_LENGTH) {                                   \
            COMPUTE lanes[TILE];                                                                        \
            const int64_t end = gn_min(first + LANE_LENGTH, rows);                                      \
            memset(lanes, 0, (size_t)columns * sizeof(COMPUTE));                                        \
            int64_t row = first;                                                                        \
            if (column_stride == (int64_t)sizeof(STORAGE)) {                                            \
                /* Four rows at a time, so that the lanes are loaded and stored a quarter as often. */  \
                for (; row + 4 <= end; row += 4) {                                                      \
                    const STORAGE *a = (const STORAGE *)(in + row * row_stride);                        \
                    const STORAGE *b = (const STORAGE *)(in + (row + 1) * row_stride);                  \
                    const STORAGE *c = (const STORAGE *)(in + (row + 2) * row_stride);                  \
                    const STORAGE *d = (const STORAGE *)(in + (row + 3) * row_stride);                  \
                    for (int64_t i = 0; i < columns; i++) {                                             \
                        const COMPUTE left = (COMPUTE)(NAME(id##_element)(a[i]) + NAME(id##_element)(b[i]));  \
                        const COMPUTE right = (COMPUTE)(NAME(id##_element)(c[i]) + NAME(id##_element)(d[i])); \
                        lanes[i] = (COMPUTE)(lanes[i] + (COMPUTE)(left + right));                       \
                    }                                                                                   \
                }                                                                                       \
            }                                                                                           \
            for (; row < end; row++) {                                                                  \
                const char *begin = in + row * row_stride;                                              \
                for (int64_t i = 0; i < columns; i++) {                                                 \
                    const STORAGE stored = *(const STORAGE *)(begin + i * column_stride);               \
                    lanes[i] = (COMPUTE)(lanes[i] + NAME(id##_element)(stored));                        \
                }                                                                                       \
            }                                                                                           \
            for (int64_t i = 0; i < columns; i++) {                                                     \
                ADD(&sums[i], lanes[i]);                                                                \
            }                                                                                           \
        }                                                                                               \
    }
SUM_STEPS(sum, x)
#if !IS_COMPLEX
SUM_STEPS(nansum, gn_isnan(x) ? 0 : x)
#endif
#undef SUM_STEPS
#undef ADD_MANY
#undef ADD_LANES
#undef ADD_HALVES
#undef ADD_HALF

static void NAME(sum_combine)(void *accumulators, const void *others, int64_t count, const gn_call *call) {
    ACCUMULATOR *totals = accumulators;
    const ACCUMULATOR *parts = others;
    (void)call;
    for (int64_t i = 0; i < count; i++) {
#if CODE == GN_FLOAT64
        add_compensated(&totals[i], parts[i].sum);
        add_compensated(&totals[i], parts[i].error);
#elif CODE == GN_COMPLEX128
        add_compensated(&totals[i].real, parts[i].real.sum);
        add_compensated(&totals[i].real, parts[i].real.error);
        add_compensated(&totals[i].imag, parts[i].imag.sum);
        add_compensated(&totals[i].imag, parts[i].imag.error);
#else
        ADD(&totals[i], parts[i]);
#endif
    }
}

#endif

/* SUM("mean.dim", mean, FRACTIONAL, sum, ...) becomes mean_finish_float32 and kernel_mean_float32. */
#define SUM(name, id, dtypes, steps, expression) WHEN_##dtypes(SUM_KERNEL(id, steps, expression))
#define SUM_KERNEL(id, steps, expression)                                                               \
    static void NAME(id##_finish)(const void *accumulator, char *out, int64_t count, const gn_call *call) { \
        const TOTAL total = GET((const ACCUMULATOR *)accumulator);                                      \
        (void)count;                                                                                    \
        (void)call;                                                                                     \
        *(STORAGE *)out = STORE((COMPUTE)(expression));                                                 \
    }                                                                                                   \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                 \
        static const reducer of = {sizeof(ACCUMULATOR),      NAME(sum_begin),   NAME(steps##_run),      \
                                   NAME(steps##_tile),       NAME(sum_combine), NAME(id##_finish), 1};  \
        return reduce(call, data, &of);                                                                 \
    }

/* Combines lanes' results pairwise: one after the other, each would wait for the one before. */
#define JOIN_HALF(id, width)                                                                            \
    for (int lane = 0; lane < (width); lane++) {                                                        \
        lanes[lane] = NAME(id##_join)(lanes[lane], lanes[lane + (width)]);                              \
    }
/* FOLD("amax", amax, ...) becomes amax_begin_float32 and so on, and kernel_amax_float32. */
#define FOLD(name, id, dtypes, TYPE, identity, expression, RESULT, ROUND) \
    WHEN_##dtypes(FOLD_KERNEL(id, TYPE, identity, expression, RESULT, ROUND))
#define FOLD_KERNEL(id, TYPE, identity, expression, RESULT, ROUND)                                      \
    static inline TYPE NAME(id##_step)(TYPE a, COMPUTE b) {                                             \
        return (TYPE)(expression);                                                                      \
    }                                                                                                   \
    static inline TYPE NAME(id##_join)(TYPE a, TYPE b) {                                                \
        return (TYPE)(expression);                                                                      \
    }                                                                                                   \
    static void NAME(id##_begin)(void *accumulators, int64_t count) {                                   \
        for (int64_t i = 0; i < count; i++) {                                                           \
            ((TYPE *)accumulators)[i] = identity;                                                       \
        }                                                                                               \
    }                                                                                                   \
    static void NAME(id##_run)(void *accumulator, const char *in, int64_t stride, int64_t count,        \
                               const gn_call *call) {                                                   \
        TYPE result = *(TYPE *)accumulator;                                                             \
        (void)call;                                                                                     \
        int64_t i = 0;                                                                                  \
        if (stride == (int64_t)sizeof(STORAGE) && count >= LANES) {                                     \
            const STORAGE *elements = (const STORAGE *)in;                                              \
            TYPE lanes[LANES];                                                                          \
            NAME(id##_begin)(lanes, LANES);                                                             \
            for (; i + LANES <= count; i += LANES) {                                                    \
                for (int lane = 0; lane < LANES; lane++) {                                              \
                    lanes[lane] = NAME(id##_step)(lanes[lane], LOAD(elements[i + lane]));               \
                }                                                                                       \
            }                                                                                           \
            JOIN_HALF(id, LANES / 2)                                                                    \
            JOIN_HALF(id, LANES / 4)                                                                    \
            JOIN_HALF(id, LANES / 8)                                                                    \
            JOIN_HALF(id, LANES / 16)                                                                   \
            JOIN_HALF(id, LANES / 32)                                                                   \
            result = NAME(id##_join)(result, lanes[0]);                                                 \
        }                                                                                               \
        for (; i < count; i++) {                                                                        \
            result = NAME(id##_step)(result, LOAD(*(const STORAGE *)(in + i * stride)));                \
        }                                                                                               \
        *(TYPE *)accumulator = result;                                                                  \
    }                                                                                                   \
    static void NAME(id##_tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows,   \
                                int64_t column_stride, int64_t columns, const gn_call *call) {          \
        TYPE lanes[TILE];                                                                               \
        (void)call;                                                                                     \
        memcpy(lanes, accumulators, (size_t)columns * sizeof(TYPE));                                    \
        for (int64_t row = 0; row < rows; row++) {                                                      \
            const char *begin = in + row * row_stride;                                                  \
            if (column_stride == (int64_t)sizeof(STORAGE)) {                                            \
                const STORAGE *elements = (const STORAGE *)begin;                                       \
                for (int64_t i = 0; i < columns; i++) {                                                 \
                    lanes[i] = NAME(id##_step)(lanes[i], LOAD(elements[i]));                            \
                }                                                                                       \
            } else {                                                                                    \
                for (int64_t i = 0; i < columns; i++) {                                                 \
                    const STORAGE element = *(const STORAGE *)(begin + i * column_stride);              \
                    lanes[i] = NAME(id##_step)(lanes[i], LOAD(element));                                \
                }                                                                                       \
            }                                                                                           \
        }                                                                                               \
        memcpy(accumulators, lanes, (size_t)columns * sizeof(TYPE));                                    \
    }                                                                                                   \
    static void NAME(id##_combine)(void *accumulators, const void *others, int64_t count, const gn_call *call) { \
        TYPE *results = accumulators;                                                                   \
        const TYPE *parts = others;                                                                     \
        (void)call;                                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                           \
            results[i] = NAME(id##_join)(results[i], parts[i]);                                         \
        }                                                                                               \
    }                                                                                                   \
    static void NAME(id##_finish)(const void *accumulator, char *out, int64_t count, const gn_call *call) { \
        (void)count;                                                                                    \
        (void)call;                                                                                     \
        *(RESULT *)out = ROUND(*(const TYPE *)accumulator);                                             \
    }                                                                                                   \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                 \
        static const reducer of = {sizeof(TYPE),    NAME(id##_begin),   NAME(id##_run),                 \
                                   NAME(id##_tile), NAME(id##_combine), NAME(id##_finish), 1};          \
        return reduce(call, data, &of);                                                                 \
    }

/* SPREAD("std.correction", std, FRACTIONAL, sqrt(spread)) becomes std_finish_float32 and kernel_std_float32. */
#define SPREAD(name, id, dtypes, expression) WHEN_##dtypes(SPREAD_KERNEL(id, expression))
#define SPREAD_KERNEL(id, expression)                                                                   \
    static void NAME(id##_finish)(const void *accumulator, char *out, int64_t count, const gn_call *call) { \
        const double spread = spread_of(accumulator, call);                                             \
        (void)count;                                                                                    \
        *(REAL_RESULT *)out = REAL_STORE(expression);                                                   \
    }                                                                                                   \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                 \
        static const reducer of = {sizeof(moments),    begin_moments,   NAME(moments_run),              \
                                   NAME(moments_tile), combine_each_moments, NAME(id##_finish), 1};          \
        return reduce(call, data, &of);                                                                 \
    }

/* NORM("linalg_vector_norm", norm, FRACTIONAL) becomes kernel_norm_float32. */
#define NORM(name, id, dtypes) WHEN_##dtypes(NORM_KERNEL(id))
#define NORM_KERNEL(id)                                                                                 \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                 \
        static const reducer of = {sizeof(scaled_sum), begin_norm,   NAME(norm_run),                    \
                                   NAME(norm_tile),    combine_each_norm, NAME(norm_finish), 1};             \
        return reduce(call, data, &of);                                                                 \
    }

/* POWERS("logsumexp", logsumexp, FRACTIONAL) becomes kernel_logsumexp_float32. */
#define POWERS(name, id, dtypes) WHEN_##dtypes(POWERS_KERNEL(id))
#define POWERS_KERNEL(id)                                                                               \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                 \
        static const reducer of = {sizeof(powers),    begin_powers,   NAME(powers_run),                 \
                                   NAME(powers_tile), combine_each_powers, NAME(id##_finish), !IS_COMPLEX};  \
        return reduce(call, data, &of);                                                                 \
    }

#if IS_FRACTIONAL
#include "statistics_dtype.h"
#include "exponentials_dtype.h"
#endif

#include "../reduce.def"

#undef SUM
#undef SUM_KERNEL
#undef FOLD
#undef FOLD_KERNEL
#undef JOIN_HALF
#undef SPREAD
#undef SPREAD_KERNEL
#undef NORM
#undef NORM_KERNEL
#undef POWERS
#undef POWERS_KERNEL
#undef REAL_RESULT
#undef REAL_STORE
#undef REAL_PART
#undef IS_CORRECTED
#undef IMAGINARY_PART
#undef ACCUMULATOR
#undef TOTAL
#undef ADD
#undef GET
