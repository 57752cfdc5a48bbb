/* Reducers of variances and norms for one floating or complex dtype; part of reduce_dtype.h. */

#if IS_COMPLEX
#define REAL_RESULT MAGNITUDE
#define REAL_STORE(x) ((MAGNITUDE)(x))
#define REAL_PART(x) ((double)gn_real_part(x))
#if CODE == GN_COMPLEX64
#define IMAGINARY_PART(x) ((double)cimagf(x))
#else
#define IMAGINARY_PART(x) cimag(x)
#endif
#else
#define REAL_RESULT STORAGE
#define REAL_STORE(x) STORE((COMPUTE)(x))
#define REAL_PART(x) ((double)(x))
#define IMAGINARY_PART(x) 0.0
#endif

/* Do deviations have a mean of their own, which is that of the elements' mean from a double? */
#if CODE == GN_FLOAT64 || CODE == GN_COMPLEX128
#define IS_CORRECTED 1
#else
#define IS_CORRECTED 0
#endif

/* The element at `place`. */
static inline COMPUTE NAME(element_at)(const char *place) {
    return LOAD(*(const STORAGE *)place);
}

/* Moments of at most CHUNK elements: first their mean, then the deviations from it. */
static void NAME(moments_chunk)(moments *total, const char *in, int64_t stride, int64_t count) {
    double lanes[2][LANES];
    double squares[LANES] = {0};
    moments part = {(double)count, 0, 0, 0, 0, 0};
    memset(lanes, 0, sizeof lanes);
    const int dense = stride == (int64_t)sizeof(STORAGE);
    const STORAGE *elements = (const STORAGE *)in;
    int64_t i = 0;
    for (; dense && i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[0][lane] += REAL_PART(LOAD(elements[i + lane]));
#if IS_COMPLEX
            lanes[1][lane] += IMAGINARY_PART(elements[i + lane]);
#endif
        }
    }
    for (; i < count; i++) {
        const COMPUTE x = NAME(element_at)(in + i * stride);
        lanes[0][i % LANES] += REAL_PART(x);
        lanes[1][i % LANES] += IMAGINARY_PART(x);
    }
    for (int lane = 0; lane < LANES; lane++) {
        part.mean += lanes[0][lane];
        part.imaginary_mean += lanes[1][lane];
    }
    memset(lanes, 0, sizeof lanes);
    part.mean /= part.count;
    part.imaginary_mean /= part.count;
    for (i = 0; dense && i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const double real = REAL_PART(LOAD(elements[i + lane])) - part.mean;
            squares[lane] += real * real;
#if IS_CORRECTED
            lanes[0][lane] += real;
#endif
#if IS_COMPLEX
            const double imaginary = IMAGINARY_PART(elements[i + lane]) - part.imaginary_mean;
            squares[lane] += imaginary * imaginary;
#if IS_CORRECTED
            lanes[1][lane] += imaginary;
#endif
#endif
        }
    }
    for (; i < count; i++) {
        const COMPUTE x = NAME(element_at)(in + i * stride);
        const double real = REAL_PART(x) - part.mean;
        const double imaginary = IMAGINARY_PART(x) - part.imaginary_mean;
        squares[i % LANES] += real * real + imaginary * imaginary;
        lanes[0][i % LANES] += real;
        lanes[1][i % LANES] += imaginary;
    }
    for (int lane = 0; lane < LANES; lane++) {
        part.squares += squares[lane];
        lanes[0][0] += lane > 0 ? lanes[0][lane] : 0;
        lanes[1][0] += lane > 0 ? lanes[1][lane] : 0;
    }
    if (IS_CORRECTED) {
        correct_moments(&part, lanes[0][0], lanes[1][0]);
    }
    combine_moments(total, &part, NULL);
}

static void NAME(moments_run)(void *accumulator, const char *in, int64_t stride, int64_t count, const gn_call *call) {
    (void)call;
    for (int64_t i = 0; i < count; i += CHUNK) {
        NAME(moments_chunk)(accumulator, in + i * stride, stride, gn_min(CHUNK, count - i));
    }
}

/* Blocks of LANE_LENGTH rows, which stay in the cache for the second pass. */
static void NAME(moments_tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows,
                               int64_t column_stride, int64_t columns, const gn_call *call) {
    double means[TILE], sums[TILE];
    double squares[TILE];
    (void)call;
#if IS_COMPLEX
    double imaginary_means[TILE], imaginary_sums[TILE];
#endif
    for (int64_t first = 0; first < rows; first += LANE_LENGTH) {
        const int64_t end = gn_min(first + LANE_LENGTH, rows);
        const double count = (double)(end - first);
        memset(means, 0, (size_t)columns * sizeof *means);
        memset(sums, 0, (size_t)columns * sizeof *sums);
        memset(squares, 0, (size_t)columns * sizeof *squares);
#if IS_COMPLEX
        memset(imaginary_means, 0, (size_t)columns * sizeof *imaginary_means);
        memset(imaginary_sums, 0, (size_t)columns * sizeof *imaginary_sums);
#endif
        for (int64_t row = first; row < end; row++) {
            const char *begin = in + row * row_stride;
            if (column_stride == (int64_t)sizeof(STORAGE)) {
                for (int64_t i = 0; i < columns; i++) {
                    means[i] += REAL_PART(LOAD(((const STORAGE *)begin)[i]));
                }
            } else {
                for (int64_t i = 0; i < columns; i++) {
                    means[i] += REAL_PART(NAME(element_at)(begin + i * column_stride));
                }
            }
#if IS_COMPLEX
            for (int64_t i = 0; i < columns; i++) {
                imaginary_means[i] += IMAGINARY_PART(NAME(element_at)(begin + i * column_stride));
            }
#endif
        }
        for (int64_t i = 0; i < columns; i++) {
            means[i] /= count;
#if IS_COMPLEX
            imaginary_means[i] /= count;
#endif
        }
        for (int64_t row = first; row < end; row++) {
            const char *begin = in + row * row_stride;
            if (column_stride == (int64_t)sizeof(STORAGE)) {
                for (int64_t i = 0; i < columns; i++) {
                    const double real = REAL_PART(LOAD(((const STORAGE *)begin)[i])) - means[i];
                    squares[i] += real * real;
#if IS_CORRECTED
                    sums[i] += real;
#endif
                }
            } else {
                for (int64_t i = 0; i < columns; i++) {
                    const double real = REAL_PART(NAME(element_at)(begin + i * column_stride)) - means[i];
                    squares[i] += real * real;
                    sums[i] += real;
                }
            }
#if IS_COMPLEX
            for (int64_t i = 0; i < columns; i++) {
                const COMPUTE x = NAME(element_at)(begin + i * column_stride);
                const double imaginary = IMAGINARY_PART(x) - imaginary_means[i];
                squares[i] += imaginary * imaginary;
                imaginary_sums[i] += imaginary;
            }
#endif
        }
        for (int64_t i = 0; i < columns; i++) {
#if IS_COMPLEX
            const double imaginary_sum = imaginary_sums[i];
            moments part = {count, means[i], imaginary_means[i], squares[i], 0, 0};
#else
            const double imaginary_sum = 0;
            moments part = {count, means[i], 0, squares[i], 0, 0};
#endif
            if (IS_CORRECTED) {
                correct_moments(&part, sums[i], imaginary_sum);
            }
            combine_moments((moments *)accumulators + i, &part, NULL);
        }
    }
}

/* Magnitudes of at most CHUNK elements; of complex numbers for order 2 those of their parts, whose squares have the
 * same sum. Returns how many. */
static int64_t NAME(load_sizes)(double *sizes, const char *in, int64_t stride, int64_t count, double order) {
#if IS_COMPLEX
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE x = NAME(element_at)(in + i * stride);
        if (order == 2) {
            const int is_infinite = gn_isinf(x); /* even if the other part is NaN */
            sizes[2 * i] = is_infinite ? (double)INFINITY : fabs(REAL_PART(x));
            sizes[2 * i + 1] = is_infinite ? (double)INFINITY : fabs(IMAGINARY_PART(x));
        } else {
            sizes[i] = hypot(REAL_PART(x), IMAGINARY_PART(x));
        }
    }
    return order == 2 ? 2 * count : count;
#else
    (void)order;
    if (stride == (int64_t)sizeof(STORAGE)) {
        for (int64_t i = 0; i < count; i++) {
            sizes[i] = fabs((double)LOAD(((const STORAGE *)in)[i]));
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            sizes[i] = fabs((double)NAME(element_at)(in + i * stride));
        }
    }
    return count;
#endif
}

static void NAME(norm_run)(void *accumulator, const char *in, int64_t stride, int64_t count, const gn_call *call) {
    double sizes[2 * CHUNK];
    const double order = call->scalars[0].real;
#if IS_FLOATING && CODE != GN_FLOAT64
    if (order == 2 && stride == (int64_t)sizeof(STORAGE)) { /* their squares neither overflow nor underflow */
        scaled_sum *total = accumulator;
        const STORAGE *elements = (const STORAGE *)in;
        double lanes[LANES] = {0};
        int64_t i = 0;
        for (; i + LANES <= count; i += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                const double x = (double)LOAD(elements[i + lane]);
                lanes[lane] += x * x;
            }
        }
        for (; i < count; i++) {
            const double x = (double)LOAD(elements[i]);
            lanes[i % LANES] += x * x;
        }
        for (int width = LANES / 2; width > 0; width /= 2) {
            for (int lane = 0; lane < width; lane++) {
                lanes[lane] += lanes[lane + width];
            }
        }
        *total = (scaled_sum){1, (total->scale < 0 ? 0 : total->sum) + lanes[0]};
        return;
    }
#endif
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t part = gn_min(CHUNK, count - i);
        const int64_t size_count = NAME(load_sizes)(sizes, in + i * stride, stride, part, order);
        fold_sizes(accumulator, sizes, size_count, order);
    }
}

/* Blocks of rows and columns, so that each cache line is loaded once. */
static void NAME(norm_tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows,
                            int64_t column_stride, int64_t columns, const gn_call *call) {
#if IS_FLOATING && CODE != GN_FLOAT64
    if (call->scalars[0].real == 2 && column_stride == (int64_t)sizeof(STORAGE)) { /* as in norm_run */
        double sums[TILE];
        memset(sums, 0, (size_t)columns * sizeof *sums);
        for (int64_t row = 0; row < rows; row++) {
            const STORAGE *elements = (const STORAGE *)(in + row * row_stride);
            for (int64_t i = 0; i < columns; i++) {
                const double x = (double)LOAD(elements[i]);
                sums[i] += x * x;
            }
        }
        for (int64_t i = 0; i < columns; i++) {
            scaled_sum *total = (scaled_sum *)accumulators + i;
            *total = (scaled_sum){1, (total->scale < 0 ? 0 : total->sum) + sums[i]};
        }
        return;
    }
#endif
    for (int64_t row = 0; row < rows; row += CHUNK) {
        for (int64_t i = 0; i < columns; i++) {
            NAME(norm_run)((scaled_sum *)accumulators + i, in + row * row_stride + i * column_stride, row_stride,
                           gn_min(CHUNK, rows - row), call);
        }
    }
}

static void NAME(norm_finish)(const void *accumulator, char *out, int64_t count, const gn_call *call) {
    (void)count;
    *(REAL_RESULT *)out = REAL_STORE(finish_norm(accumulator, call->scalars[0].real));
}
