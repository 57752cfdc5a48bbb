/* Kernels along one dimension for one dtype. */

#if IS_FLOATING

/* The largest element of a line.  NaN is ignored here: it makes the sum of exponentials NaN. */
static COMPUTE NAME(line_max)(const COMPUTE *line, int64_t length) {
    COMPUTE lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        lanes[lane] = LOWEST;
    }
    int64_t i = 0;
    for (; i + LANES <= length; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const COMPUTE element = line[i + lane];
            lanes[lane] = element > lanes[lane] ? element : lanes[lane];
        }
    }
    for (int lane = 0; i < length; i++, lane++) {
        lanes[lane] = line[i] > lanes[lane] ? line[i] : lanes[lane];
    }
#define LARGER_OF(a, b) ((b) > (a) ? (b) : (a))
    JOIN_LANES(lanes, LARGER_OF)
#undef LARGER_OF
    return lanes[0];
}

/* The sum of up to BLOCK elements. */
static double NAME(block_sum)(const COMPUTE *block, int64_t length) {
    COMPUTE lanes[LANES];
    const int64_t started = gn_min(length, LANES);
    if (started == LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = block[lane];
        }
    } else {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = lane < started ? block[lane] : 0;
        }
    }
    int64_t i = started;
    for (; i + LANES <= length; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += block[i + lane];
        }
    }
    for (int lane = 0; i < length; i++, lane++) {
        lanes[lane] += block[i];
    }
#define SUM_OF(a, b) ((a) + (b))
    JOIN_LANES(lanes, SUM_OF)
#undef SUM_OF
    return (double)lanes[0];
}

/* _softmax, or _log_softmax, of a line whose elements are adjacent. */
static void NAME(softmax_line)(const COMPUTE *in, COMPUTE *out, int64_t length, int logarithm) {
    const COMPUTE largest = NAME(line_max)(in, length);
    COMPUTE block[BLOCK];
    double sum = 0;
    for (int64_t first = 0; first < length; first += BLOCK) {
        const int64_t count = gn_min(BLOCK, length - first);
        COMPUTE *powers = logarithm ? block : out + first;
        for (int64_t i = 0; i < count; i++) {
            powers[i] = gn_exp_negative(in[first + i] - largest);
        }
        sum += NAME(block_sum)(powers, count);
    }
    if (logarithm) {
        const COMPUTE log_sum = (COMPUTE)log(sum);
        for (int64_t i = 0; i < length; i++) {
            out[i] = (in[i] - largest) - log_sum;
        }
        return;
    }
    const COMPUTE divisor = (COMPUTE)sum;
    for (int64_t i = 0; i < length; i++) {
        out[i] /= divisor;
    }
}

/* The gradient of a line whose elements are `step` apart, from its `total`; in double if COMPUTE overflows, since the
 * result need not be as large. */
static void NAME(softmax_gradient_apart)(const COMPUTE *g, const COMPUTE *y, COMPUTE *out, int64_t length, int64_t step,
                                         int logarithm, COMPUTE found) {
    if (isfinite(found)) {
        for (int64_t i = 0; i < length * step; i += step) {
            out[i] = logarithm ? g[i] - gn_exp(y[i]) * found : y[i] * (g[i] - found);
        }
        return;
    }
    double total = 0;
    for (int64_t i = 0; i < length * step; i += step) {
        total += logarithm ? (double)g[i] : (double)g[i] * (double)y[i];
    }
    for (int64_t i = 0; i < length * step; i += step) {
        const double output = (double)y[i];
        out[i] = (COMPUTE)(logarithm ? (double)g[i] - exp(output) * total : output * ((double)g[i] - total));
    }
}

/* Their gradients: output (g - sum(g output)), or g - exp(output) sum(g). */
static void NAME(softmax_gradient_line)(const COMPUTE *g, const COMPUTE *y, COMPUTE *out, int64_t length,
                                        int logarithm) {
    COMPUTE block[BLOCK];
    double sum = 0;
    for (int64_t first = 0; first < length; first += BLOCK) {
        const int64_t count = gn_min(BLOCK, length - first);
        if (logarithm) {
            sum += NAME(block_sum)(g + first, count);
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            block[i] = g[first + i] * y[first + i];
        }
        sum += NAME(block_sum)(block, count);
    }
    const COMPUTE total = (COMPUTE)sum;
    if (!isfinite(total)) {
        NAME(softmax_gradient_apart)(g, y, out, length, 1, logarithm, total);
        return;
    }
    if (logarithm) {
        for (int64_t i = 0; i < length; i++) {
            out[i] = g[i] - gn_exp(y[i]) * total;
        }
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        out[i] = y[i] * (g[i] - total);
    }
}

/* sums[j] += terms[j]; clears the terms. */
static void NAME(flush)(double *sums, COMPUTE *terms, int64_t width) {
    for (int64_t j = 0; j < width; j++) {
        sums[j] += (double)terms[j];
        terms[j] = 0;
    }
}

/* The same as softmax_line for `width` lines side by side, whose elements are `step` apart; a row of terms is summed
 * in COMPUTE over FLUSH_ROWS rows. */
static void NAME(softmax_tile)(const COMPUTE *in, COMPUTE *out, int64_t length, int64_t step, int64_t width,
                               int logarithm, double *sums) {
    COMPUTE largest[TILE];
    COMPUTE terms[TILE];
    for (int64_t j = 0; j < width; j++) {
        largest[j] = LOWEST;
        terms[j] = 0;
        sums[j] = 0;
    }
    for (int64_t i = 0; i < length; i++) {
        const COMPUTE *row = in + i * step;
        for (int64_t j = 0; j < width; j++) {
            const COMPUTE element = row[j];
            largest[j] = element > largest[j] ? element : largest[j];
        }
    }
    for (int64_t i = 0; i < length; i++) {
        const COMPUTE *row = in + i * step;
        COMPUTE *to = out + i * step;
        if (logarithm) {
            for (int64_t j = 0; j < width; j++) {
                terms[j] += gn_exp_negative(row[j] - largest[j]);
            }
        } else {
            for (int64_t j = 0; j < width; j++) {
                const COMPUTE power = gn_exp_negative(row[j] - largest[j]);
                to[j] = power;
                terms[j] += power;
            }
        }
        if (i % FLUSH_ROWS == FLUSH_ROWS - 1) {
            NAME(flush)(sums, terms, width);
        }
    }
    NAME(flush)(sums, terms, width);
    for (int64_t j = 0; j < width; j++) {
        terms[j] = (COMPUTE)(logarithm ? log(sums[j]) : sums[j]);
    }
    for (int64_t i = 0; i < length; i++) {
        const COMPUTE *row = in + i * step;
        COMPUTE *to = out + i * step;
        if (logarithm) {
            for (int64_t j = 0; j < width; j++) {
                to[j] = (row[j] - largest[j]) - terms[j];
            }
        } else {
            for (int64_t j = 0; j < width; j++) {
                to[j] /= terms[j];
            }
        }
    }
}

static void NAME(softmax_gradient_tile)(const COMPUTE *g, const COMPUTE *y, COMPUTE *out, int64_t length,
                                        int64_t step, int64_t width, int logarithm, double *sums) {
    COMPUTE terms[TILE];
    for (int64_t j = 0; j < width; j++) {
        terms[j] = 0;
        sums[j] = 0;
    }
    for (int64_t i = 0; i < length; i++) {
        const COMPUTE *gradient = g + i * step;
        const COMPUTE *output = y + i * step;
        for (int64_t j = 0; j < width; j++) {
            terms[j] += logarithm ? gradient[j] : gradient[j] * output[j];
        }
        if (i % FLUSH_ROWS == FLUSH_ROWS - 1) {
            NAME(flush)(sums, terms, width);
        }
    }
    NAME(flush)(sums, terms, width);
    int is_wide = 0;
    for (int64_t j = 0; j < width; j++) {
        terms[j] = (COMPUTE)sums[j];
        is_wide |= !isfinite(terms[j]);
    }
    for (int64_t j = 0; is_wide && j < width; j++) {
        NAME(softmax_gradient_apart)(g + j, y + j, out + j, length, step, logarithm, terms[j]);
    }
    if (is_wide) {
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        const COMPUTE *gradient = g + i * step;
        const COMPUTE *output = y + i * step;
        COMPUTE *to = out + i * step;
        if (logarithm) {
            for (int64_t j = 0; j < width; j++) {
                to[j] = gradient[j] - gn_exp(output[j]) * terms[j];
            }
        } else {
            for (int64_t j = 0; j < width; j++) {
                to[j] = output[j] * (gradient[j] - terms[j]);
            }
        }
    }
}

/* Elements to COMPUTE, and back. */
static void NAME(load_elements)(COMPUTE *to, const STORAGE *from, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = LOAD(from[i]);
    }
}
static void NAME(store_elements)(STORAGE *to, const COMPUTE *from, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = STORE(from[i]);
    }
}

/* Lines [begin, end), whose elements are adjacent; those of half types go through a buffer of floats, BUFFERED elements
 * at a time. */
static void NAME(softmax_lines)(int64_t begin, int64_t end, softmax *work) {
    const int64_t length = work->length;
    const int64_t together = IS_HALF ? gn_max(1, BUFFERED / length) : 1;
    const int has_gradient = work->gradient != NULL;
    COMPUTE *buffer = NULL;
    if (IS_HALF) {
        buffer = gn_take_items(gn_checked((has_gradient ? 2 : 1) * length, together), sizeof(COMPUTE));
        if (buffer == NULL) {
            gn_report(&work->status, GN_OUT_OF_MEMORY);
            return;
        }
    }
    for (int64_t line = begin; line < end; line += together) {
        const int64_t first = line * length;
        const int64_t count = gn_min(together, end - line) * length;
        COMPUTE *to = (COMPUTE *)((STORAGE *)work->out + first);
        const COMPUTE *x = (const COMPUTE *)((const STORAGE *)work->in + first);
        const COMPUTE *g = has_gradient ? (const COMPUTE *)((const STORAGE *)work->gradient + first) : NULL;
        if (IS_HALF) {
            NAME(load_elements)(buffer, (const STORAGE *)work->in + first, count);
            to = work->wide ? (COMPUTE *)work->out + first : buffer;
            x = buffer;
            if (has_gradient) {
                NAME(load_elements)(buffer + count, (const STORAGE *)work->gradient + first, count);
                g = buffer + count;
            }
        }
        for (int64_t i = 0; i < count; i += length) {
            if (has_gradient) {
                NAME(softmax_gradient_line)(g + i, x + i, to + i, length, work->logarithm);
            } else {
                NAME(softmax_line)(x + i, to + i, length, work->logarithm);
            }
        }
        if (IS_HALF && !work->wide) {
            NAME(store_elements)((STORAGE *)work->out + first, buffer, count);
        }
    }
    gn_give(buffer);
}

/* Tiles [begin, end) of the lines; half types go through a buffer of floats. */
static void NAME(softmax_tiles)(int64_t begin, int64_t end, void *context) {
    softmax *work = context;
    const int64_t length = work->length;
    const int64_t inner = work->inner;
    if (inner == 1) {
        NAME(softmax_lines)(begin, end, work);
        return;
    }
    const int64_t tiles = (inner + work->tile - 1) / work->tile;
    COMPUTE *buffer = NULL;
    if (IS_HALF) {
        buffer = gn_take_items(gn_checked((work->gradient == NULL ? 1 : 2) * length, work->tile), sizeof(COMPUTE));
        if (buffer == NULL) {
            gn_report(&work->status, GN_OUT_OF_MEMORY);
            return;
        }
    }
    for (int64_t task = begin; task < end; task++) {
        const int64_t column = task % tiles * work->tile;
        const int64_t width = gn_min(work->tile, inner - column);
        const int64_t first = task / tiles * length * inner + column;
        const STORAGE *in = (const STORAGE *)work->in + first;
        const STORAGE *gradient = work->gradient == NULL ? NULL : (const STORAGE *)work->gradient + first;
        STORAGE *out = (STORAGE *)work->out + first;
        /* the buffers for computing */
        COMPUTE *to = (COMPUTE *)out;
        const COMPUTE *x = (const COMPUTE *)in;
        const COMPUTE *g = (const COMPUTE *)gradient;
        const int64_t step = IS_HALF ? width : inner;
        double sums[TILE];
        if (IS_HALF) {
            for (int64_t i = 0; i < length; i++) {
                NAME(load_elements)(buffer + i * width, in + i * inner, width);
                if (gradient != NULL) {
                    NAME(load_elements)(buffer + (length + i) * width, gradient + i * inner, width);
                }
            }
            to = buffer;
            x = buffer;
            g = gradient == NULL ? NULL : buffer + length * width;
        }
        if (g == NULL) {
            NAME(softmax_tile)(x, to, length, step, width, work->logarithm, sums);
        } else {
            NAME(softmax_gradient_tile)(g, x, to, length, step, width, work->logarithm, sums);
        }
        for (int64_t i = 0; i < length && IS_HALF; i++) {
            if (work->wide) {
                memcpy((float *)work->out + first + i * inner, buffer + i * width, (size_t)width * sizeof(COMPUTE));
            } else {
                NAME(store_elements)(out + i * inner, buffer + i * width, width);
            }
        }
    }
    gn_give(buffer);
}

/* (out; self), or (grad_input; grad_output, output); integers: dim. */
int32_t NAME(kernel_softmax)(const gn_call *call, void *const *data) {
    return run_softmax(call, data, 0, 0, NAME(softmax_tiles));
}

int32_t NAME(kernel_log_softmax)(const gn_call *call, void *const *data) {
    return run_softmax(call, data, 1, 0, NAME(softmax_tiles));
}

int32_t NAME(kernel_softmax_backward)(const gn_call *call, void *const *data) {
    return run_softmax(call, data, 0, 1, NAME(softmax_tiles));
}

int32_t NAME(kernel_log_softmax_backward)(const gn_call *call, void *const *data) {
    return run_softmax(call, data, 1, 1, NAME(softmax_tiles));
}

#endif
