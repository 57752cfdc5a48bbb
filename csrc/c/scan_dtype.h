/* Scans of one dtype. */

#if CODE == GN_FLOAT64
#define SUM precise
#define ADD(total, x) add_precise(total, x)
#define SUM_OF(total) round_precise(total)
#elif IS_FLOATING
#define SUM double
#define ADD(total, x) ((total) + (double)(x))
#define SUM_OF(total) (total)
#elif CODE == GN_COMPLEX128
typedef struct precise_complex {
    precise real;
    precise imag;
} precise_complex;

static inline precise_complex add_precise_complex(precise_complex total, gn_complex128 value) {
    const precise_complex result = {add_precise(total.real, creal(value)), add_precise(total.imag, cimag(value))};
    return result;
}
static inline gn_complex128 round_precise_complex(precise_complex total) {
    const double parts[2] = {round_precise(total.real), round_precise(total.imag)};
    gn_complex128 rounded;
    memcpy(&rounded, parts, sizeof rounded);
    return rounded;
}
#define SUM precise_complex
#define ADD(total, x) add_precise_complex(total, x)
#define SUM_OF(total) round_precise_complex(total)
#elif IS_COMPLEX
#define SUM gn_complex128
#define ADD(total, x) ((total) + (x))
#define SUM_OF(total) (total)
#else
#define SUM COMPUTE
#define ADD(total, x) ((COMPUTE)((total) + (x)))
#define SUM_OF(total) (total)
#endif

#if IS_FLOATING
#define PRODUCT double
#elif IS_COMPLEX
#define PRODUCT gn_complex128
#else
#define PRODUCT COMPUTE
#endif
#define MULTIPLY(total, x) ((PRODUCT)GN_TIMES(total, x))
#define PRODUCT_OF(total) (total)

/* SCAN(cumsum, SUM, zero, ADD, SUM_OF) becomes kernel_cumsum_float32 and what it needs.
 * (out; self); integers: dim. */
#define SCAN(id, TOTAL, INITIAL, STEP, RESULT)                                                                   \
    /* `lines` <= TOGETHER lines, each `in_step` bytes from element to element. */                               \
    static inline void NAME(id##_lines)(char *const *out, int64_t out_step, const char *const *in,               \
                                        int64_t in_step, int64_t length, int lines) {                            \
        TOTAL totals[TOGETHER];                                                                                  \
        for (int line = 0; line < lines; line++) {                                                               \
            INITIAL(totals[line]);                                                                               \
        }                                                                                                        \
        for (int64_t i = 0; i < length; i++) {                                                                   \
            for (int line = 0; line < lines; line++) {                                                           \
                totals[line] = STEP(totals[line], LOAD(*(const STORAGE *)(in[line] + i * in_step)));             \
                *(STORAGE *)(out[line] + i * out_step) = STORE((COMPUTE)RESULT(totals[line]));                   \
            }                                                                                                    \
        }                                                                                                        \
    }                                                                                                            \
    static void NAME(id##_task)(int64_t begin, int64_t end, void *context) {                                     \
        const scan *work = context;                                                                              \
        const gn_tensor *to = &work->call->tensors[0];                                                           \
        const gn_tensor *from = &work->call->tensors[1];                                                         \
        const int64_t size = sizeof(STORAGE);                                                                    \
        const int64_t in_step = gn_step(from, work->dim);                                                        \
        const int64_t out_step = gn_step(to, work->dim);                                                         \
        if (work->columns == 1) {                                                                                \
            for (int64_t line = begin; line < end; line += TOGETHER) {                                           \
                const char *in[TOGETHER];                                                                        \
                char *out[TOGETHER];                                                                             \
                const int count = (int)gn_min(TOGETHER, end - line);                                             \
                for (int k = 0; k < count; k++) {                                                                \
                    in[k] = (const char *)work->data[1] + line_offset(work, from, line + k);                     \
                    out[k] = (char *)work->data[0] + line_offset(work, to, line + k);                            \
                }                                                                                                \
                if (count == TOGETHER && in_step == size && out_step == size) {                                  \
                    NAME(id##_lines)(out, size, in, size, work->length, TOGETHER);                               \
                } else {                                                                                         \
                    NAME(id##_lines)(out, out_step, in, in_step, work->length, count);                           \
                }                                                                                                \
            }                                                                                                    \
            return;                                                                                              \
        }                                                                                                        \
        const int64_t in_side = from->strides[from->ndim - 1];                                                   \
        const int64_t out_side = to->strides[to->ndim - 1];                                                      \
        TOTAL totals[TILE];                                                                                      \
        for (int64_t task = begin; task < end; task++) {                                                         \
            const int64_t first = task % work->tiles * TILE;                                                     \
            const int64_t columns = gn_min(TILE, work->columns - first);                                         \
            const char *in = (const char *)work->data[1] + line_offset(work, from, task / work->tiles)           \
                             + first * in_side;                                                                  \
            char *out = (char *)work->data[0] + line_offset(work, to, task / work->tiles) + first * out_side;    \
            for (int64_t j = 0; j < columns; j++) {                                                              \
                INITIAL(totals[j]);                                                                              \
            }                                                                                                    \
            for (int64_t i = 0; i < work->length; i++) {                                                         \
                const char *row = in + i * in_step;                                                              \
                char *results = out + i * out_step;                                                              \
                if (in_side == size && out_side == size) {                                                       \
                    GN_INDEPENDENT                                                                               \
                    for (int64_t j = 0; j < columns; j++) {                                                      \
                        totals[j] = STEP(totals[j], LOAD(((const STORAGE *)row)[j]));                            \
                        ((STORAGE *)results)[j] = STORE((COMPUTE)RESULT(totals[j]));                             \
                    }                                                                                            \
                } else {                                                                                         \
                    for (int64_t j = 0; j < columns; j++) {                                                      \
                        totals[j] = STEP(totals[j], LOAD(*(const STORAGE *)(row + j * in_side)));                \
                        *(STORAGE *)(results + j * out_side) = STORE((COMPUTE)RESULT(totals[j]));                \
                    }                                                                                            \
                }                                                                                                \
            }                                                                                                    \
        }                                                                                                        \
    }                                                                                                            \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                          \
        scan work = {call, data, 0, 0, 0, 0};                                                                    \
        const int64_t tasks = make_scan(&work, &call->tensors[1], call->integers[0]);                            \
        const int64_t size = work.length * gn_min(TILE, work.columns);                                           \
        gn_parallel_for(0, tasks, gn_grain(size), NAME(id##_task), &work);                                       \
        return GN_OK;                                                                                            \
    }

#define ZERO(total) memset(&(total), 0, sizeof(total))
#define ONE(total) (void)((total) = 1)
SCAN(cumsum, SUM, ZERO, ADD, SUM_OF)
SCAN(cumprod, PRODUCT, ONE, MULTIPLY, PRODUCT_OF)
#if IS_FRACTIONAL
#if IS_COMPLEX
#define ADD_EXPONENTIAL(total, x) add_exponential_complex(total, x)
#else
#define ADD_EXPONENTIAL(total, x) add_exponential(total, (double)(x))
#endif
#define LOGARITHM_OF_ZERO(total) (void)((total) = -(double)INFINITY)
SCAN(logcumsumexp, PRODUCT, LOGARITHM_OF_ZERO, ADD_EXPONENTIAL, PRODUCT_OF)
#undef ADD_EXPONENTIAL
#undef LOGARITHM_OF_ZERO
#endif

#if IS_ORDERED

/* RUNNING(cummax, >=) becomes kernel_cummax_float32: the best so far, the last of equal ones; NaN wins. (values,
 * indices; self); integers: dim. */
#define RUNNING(id, better)                                                                                      \
    static void NAME(id##_task)(int64_t begin, int64_t end, void *context) {                                     \
        const scan *work = context;                                                                              \
        const gn_tensor *values = &work->call->tensors[0];                                                       \
        const gn_tensor *indices = &work->call->tensors[1];                                                      \
        const gn_tensor *self = &work->call->tensors[2];                                                         \
        const int64_t value_step = gn_step(values, work->dim);                                                   \
        const int64_t index_step = gn_step(indices, work->dim);                                                  \
        const int64_t step = gn_step(self, work->dim);                                                           \
        for (int64_t line = begin; line < end; line++) {                                                         \
            char *value_at = (char *)work->data[0] + gn_offset(values, line, work->dim);                         \
            char *index_at = (char *)work->data[1] + gn_offset(indices, line, work->dim);                        \
            const char *in = (const char *)work->data[2] + gn_offset(self, line, work->dim);                     \
            STORAGE best = *(const STORAGE *)in;                                                                 \
            COMPUTE champion = LOAD(best);                                                                       \
            int64_t place = 0;                                                                                   \
            for (int64_t i = 0; i < work->length; i++) {                                                         \
                const STORAGE stored = *(const STORAGE *)(in + i * step);                                        \
                const COMPUTE x = LOAD(stored);                                                                  \
                const int wins = gn_isnan(x) || (!gn_isnan(champion) && x better champion);                      \
                best = wins ? stored : best;                                                                     \
                champion = wins ? x : champion;                                                                  \
                place = wins ? i : place;                                                                        \
                *(STORAGE *)(value_at + i * value_step) = best;                                                  \
                *(int64_t *)(index_at + i * index_step) = place;                                                 \
            }                                                                                                    \
        }                                                                                                        \
    }                                                                                                            \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                          \
        const gn_tensor *self = &call->tensors[2];                                                               \
        scan work = {call, data, gn_wrap_dim(call->integers[0], self->ndim), 0, 1, 1};                           \
        work.length = gn_length(self, work.dim);                                                                 \
        const int64_t numel = gn_numel(self);                                                                    \
        if (numel > 0) {                                                                                         \
            gn_parallel_for(0, numel / work.length, gn_grain(work.length), NAME(id##_task), &work);              \
        }                                                                                                        \
        return GN_OK;                                                                                            \
    }
RUNNING(cummax, >=)
RUNNING(cummin, <=)
#undef RUNNING

#endif

#undef SUM
#undef ADD
#undef SUM_OF
#undef PRODUCT
#undef MULTIPLY
#undef PRODUCT_OF
#undef SCAN
#undef ZERO
#undef ONE
