/* The reducer of sums of exponentials for one floating or complex dtype; part of reduce_dtype.h. */

#if IS_COMPLEX

static void NAME(powers_run)(void *accumulator, const char *in, int64_t stride, int64_t count, const gn_call *call) {
    powers part = {-(double)INFINITY, 0, 0};
    for (int64_t i = 0; i < count; i++) {
        const double real = REAL_PART(NAME(element_at)(in + i * stride));
        part.largest = real > part.largest ? real : part.largest;
    }
    const double shift = powers_shift(part.largest);
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE x = NAME(element_at)(in + i * stride);
        const gn_complex128 power = cexp(gn_complex_of_float64(REAL_PART(x) - shift, IMAGINARY_PART(x)));
        part.sum += creal(power);
        part.imaginary += cimag(power);
    }
    combine_powers(accumulator, &part, call);
}

static void NAME(powers_tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows,
                              int64_t column_stride, int64_t columns, const gn_call *call) {
    for (int64_t i = 0; i < columns; i++) {
        NAME(powers_run)((powers *)accumulators + i, in + i * column_stride, row_stride, rows, call);
    }
}

static void NAME(logsumexp_finish)(const void *accumulator, char *out, int64_t count, const gn_call *call) {
    const powers *total = accumulator;
    const gn_complex128 result = clog(gn_complex_of_float64(total->sum, total->imaginary));
    (void)count;
    (void)call;
    *(STORAGE *)out = (STORAGE)(result + powers_shift(total->largest));
}

#else

/* e^(x - shift) for x up to shift; 1 for a larger x, such as an infinity with the shift 0. */
static inline COMPUTE NAME(power_below)(COMPUTE x, COMPUTE shift) {
    const COMPUTE below = x - shift;
    return gn_exp_negative(below > 0 ? 0 : below);
}

/* At most CHUNK elements: first the largest, then the exponentials, in LANES sums of LANE_LENGTH each. */
static void NAME(powers_chunk)(powers *total, const char *in, int64_t stride, int64_t count) {
    COMPUTE elements[CHUNK];
    COMPUTE lanes[LANES];
    const STORAGE *dense = (const STORAGE *)in;
    if (stride == (int64_t)sizeof(STORAGE)) {
        for (int64_t i = 0; i < count; i++) {
            elements[i] = LOAD(dense[i]);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            elements[i] = NAME(element_at)(in + i * stride);
        }
    }
    for (int lane = 0; lane < LANES; lane++) {
        lanes[lane] = -(COMPUTE)INFINITY;
    }
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = elements[i + lane] > lanes[lane] ? elements[i + lane] : lanes[lane];
        }
    }
    for (; i < count; i++) {
        lanes[i % LANES] = elements[i] > lanes[i % LANES] ? elements[i] : lanes[i % LANES];
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] = lanes[lane + width] > lanes[lane] ? lanes[lane + width] : lanes[lane];
        }
    }
    const COMPUTE largest = lanes[0];
    const COMPUTE shift = (COMPUTE)powers_shift((double)largest);
    memset(lanes, 0, sizeof lanes);
    for (i = 0; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += NAME(power_below)(elements[i + lane], shift);
        }
    }
    for (; i < count; i++) {
        lanes[i % LANES] += NAME(power_below)(elements[i], shift);
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    const powers part = {(double)largest, (double)lanes[0], 0};
    combine_powers(total, &part, NULL);
}

static void NAME(powers_run)(void *accumulator, const char *in, int64_t stride, int64_t count, const gn_call *call) {
    (void)call;
    for (int64_t i = 0; i < count; i += CHUNK) {
        NAME(powers_chunk)(accumulator, in + i * stride, stride, gn_min(CHUNK, count - i));
    }
}

/* Blocks of LANE_LENGTH rows, which stay in the cache for the second pass. */
static void NAME(powers_tile)(void *accumulators, const char *in, int64_t row_stride, int64_t rows,
                              int64_t column_stride, int64_t columns, const gn_call *call) {
    COMPUTE largest[TILE];
    COMPUTE shifts[TILE];
    COMPUTE sums[TILE];
    (void)call;
    const int dense = column_stride == (int64_t)sizeof(STORAGE);
    for (int64_t first = 0; first < rows; first += LANE_LENGTH) {
        const int64_t end = gn_min(first + LANE_LENGTH, rows);
        for (int64_t i = 0; i < columns; i++) {
            largest[i] = -(COMPUTE)INFINITY;
            sums[i] = 0;
        }
        for (int64_t row = first; row < end; row++) {
            const char *begin = in + row * row_stride;
            if (dense) {
                for (int64_t i = 0; i < columns; i++) {
                    const COMPUTE x = LOAD(((const STORAGE *)begin)[i]);
                    largest[i] = x > largest[i] ? x : largest[i];
                }
            } else {
                for (int64_t i = 0; i < columns; i++) {
                    const COMPUTE x = NAME(element_at)(begin + i * column_stride);
                    largest[i] = x > largest[i] ? x : largest[i];
                }
            }
        }
        for (int64_t i = 0; i < columns; i++) {
            shifts[i] = (COMPUTE)powers_shift((double)largest[i]);
        }
        for (int64_t row = first; row < end; row++) {
            const char *begin = in + row * row_stride;
            if (dense) {
                for (int64_t i = 0; i < columns; i++) {
                    sums[i] += NAME(power_below)(LOAD(((const STORAGE *)begin)[i]), shifts[i]);
                }
            } else {
                for (int64_t i = 0; i < columns; i++) {
                    sums[i] += NAME(power_below)(NAME(element_at)(begin + i * column_stride), shifts[i]);
                }
            }
        }
        for (int64_t i = 0; i < columns; i++) {
            const powers part = {(double)largest[i], (double)sums[i], 0};
            combine_powers((powers *)accumulators + i, &part, NULL);
        }
    }
}

static void NAME(logsumexp_finish)(const void *accumulator, char *out, int64_t count, const gn_call *call) {
    const powers *total = accumulator;
    (void)count;
    (void)call;
    *(STORAGE *)out = STORE((COMPUTE)(log(total->sum) + total->largest));
}

#endif
