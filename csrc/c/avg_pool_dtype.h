/* Average pooling for one dtype: floats, and int64, whose averages round towards zero. */

#if (IS_FLOATING && !IS_HALF) || CODE == GN_INT64

/* Windows are summed in SUM, in which large floats do not overflow before they are divided. */
#if IS_FLOATING
#define SUM double
#define QUOTIENT(a, b) ((a) / (b))
#define COUNTED(a, b) ((a) * (b))
#else
#define SUM int64_t
#define QUOTIENT(a, b) gn_div_trunc(a, b)
/* The product of two counts, or the largest number on overflow: a quotient by either is 0. */
#define COUNTED(a, b) ((b) > 0 && (a) > INT64_MAX / (b) ? INT64_MAX : (a) * (b))
#endif

/* Where row number `row` of all planes of the output is. */
static void NAME(find_row)(const gn_pooling *work, int64_t row, int64_t *plane, int64_t *z, int64_t *y) {
    *y = row % work->along[1].out;
    *z = row / work->along[1].out % work->along[0].out;
    *plane = row / work->along[1].out / work->along[0].out;
}

/* The divisors of the windows of a row. */
static void NAME(row_divisors)(const gn_pooling *work, int64_t z, int64_t y, SUM *divisors) {
    const SUM length = COUNTED((SUM)work->along[0].length[z], (SUM)work->along[1].length[y]);
    for (int64_t x = 0; x < work->along[2].out; x++) {
        divisors[x] = work->divisor != 0 ? (SUM)work->divisor : COUNTED(length, (SUM)work->along[2].length[x]);
    }
}

/* out[x] = the sum of line[] over windows [first, past). */
static void NAME(sum_windows)(const gn_windows *windows, const SUM *line, int64_t first, int64_t past, SUM *out) {
    for (int64_t x = first; x < past; x++) {
        SUM sum = 0;
        for (int64_t i = windows->start[x]; i < windows->end[x]; i++) {
            sum += line[i];
        }
        out[x] = sum;
    }
}

#define SUM_TAPS(step, tail)                                   \
    GN_INDEPENDENT                                             \
    for (int64_t x = first; x < past; x++) {                   \
        const SUM *row = line + (x * (step) - windows->padding); \
        out[x] = 0 + row[0] + row[1] tail;                     \
    }

/* The same for windows inside the input that all have two or three elements; 0 if there is no such loop. */
static int NAME(sum_inner_windows)(const gn_windows *windows, const SUM *line, int64_t first, int64_t past,
                                   SUM *out) {
    if (windows->taps == 2 && windows->stride == 1) {
        SUM_TAPS(1, )
    } else if (windows->taps == 2 && windows->stride == 2) {
        SUM_TAPS(2, )
    } else if (windows->taps == 3 && windows->stride == 1) {
        SUM_TAPS(1, +row[2])
    } else if (windows->taps == 3 && windows->stride == 2) {
        SUM_TAPS(2, +row[2])
    } else if (windows->taps == 3 && windows->stride == 3) {
        SUM_TAPS(3, +row[2])
    } else {
        return 0;
    }
    return 1;
}
#undef SUM_TAPS

/* out[x] = the sum of line[] over window x; loops over taps, and for each tap over all windows. */
static void NAME(sum_by_taps)(const gn_windows *windows, const SUM *line, SUM *out) {
    const int64_t stride = windows->stride;
    memset(out, 0, (size_t)windows->out * sizeof(SUM));
    for (int64_t tap = 0; tap < windows->taps; tap++) {
        int64_t first;
        int64_t past;
        gn_tap_range(windows, tap, &first, &past);
        const SUM *row = line + tap - windows->padding;
        GN_INDEPENDENT
        for (int64_t x = first; x < past; x++) {
            out[x] += row[x * stride];
        }
    }
}

/* out[x] = the sum of line[] over window x. */
static void NAME(sum_all_windows)(const gn_windows *windows, const SUM *line, SUM *out) {
    int64_t first = 0;
    int64_t past = 0;
    if (windows->regular) {
        int64_t unused;
        gn_tap_range(windows, 0, &first, &unused);
        gn_tap_range(windows, windows->taps - 1, &unused, &past);
        past = gn_max(first, past);
        if (!NAME(sum_inner_windows)(windows, line, first, past, out)) {
            NAME(sum_by_taps)(windows, line, out);
            return;
        }
    }
    NAME(sum_windows)(windows, line, 0, first, out);
    NAME(sum_windows)(windows, line, past, windows->out, out);
}

#define SUM_2X2 0 + ((SUM)upper[2 * x] + (SUM)lower[2 * x]) + ((SUM)upper[2 * x + 1] + (SUM)lower[2 * x + 1])

/* A row of windows of two by two, side by side, that lie inside the plane. */
static void NAME(avg_pool_2x2)(const COMPUTE *upper, int64_t width, int64_t count, SUM divisor, COMPUTE *to) {
    const COMPUTE *lower = upper + width;
#if IS_FLOATING
    int exponent;
    if (frexp(divisor, &exponent) == 0.5) { /* for a power of two, multiplying by its inverse gives the same bits */
        const SUM inverse = 1 / divisor;
        GN_INDEPENDENT
        for (int64_t x = 0; x < count; x++) {
            to[x] = (COMPUTE)((SUM_2X2) * inverse);
        }
        return;
    }
#endif
    for (int64_t x = 0; x < count; x++) {
        to[x] = (COMPUTE)QUOTIENT(SUM_2X2, divisor);
    }
}
#undef SUM_2X2

/* line[] = the sum of the rows of the window that starts in z and y, element by element. */
static void NAME(sum_rows)(const gn_pooling *work, const COMPUTE *from, int64_t z, int64_t y, SUM *line) {
    const gn_windows *depth = &work->along[0];
    const gn_windows *height = &work->along[1];
    const int64_t width = work->along[2].in;
    int started = 0;
    for (int64_t i = depth->start[z]; i < depth->end[z]; i++) {
        const COMPUTE *next = from + (i * height->in + height->start[y]) * width;
        int64_t left = height->end[y] - height->start[y];
        if (started || left < 1) {
            /* added below */
        } else if (left == 1) {
            for (int64_t k = 0; k < width; k++) {
                line[k] = next[k];
            }
        } else if (left == 2) {
            for (int64_t k = 0; k < width; k++) {
                line[k] = (SUM)next[k] + (SUM)next[k + width];
            }
        } else {
            for (int64_t k = 0; k < width; k++) {
                line[k] = (SUM)next[k] + (SUM)next[k + width] + (SUM)next[k + 2 * width];
            }
        }
        if (!started && left > 0) {
            started = 1;
            const int64_t taken = gn_min(left, 3);
            next += taken * width;
            left -= taken;
        }
        for (; left > 0; left--) {
            for (int64_t k = 0; k < width; k++) {
                line[k] += next[k];
            }
            next += width;
        }
    }
    if (!started) {
        memset(line, 0, (size_t)width * sizeof(SUM));
    }
}

/* line[] += share[x] over window x. */
static void NAME(spread_windows)(const gn_windows *windows, const COMPUTE *share, COMPUTE *line) {
    if (!windows->regular) {
        for (int64_t x = 0; x < windows->out; x++) {
            for (int64_t i = windows->start[x]; i < windows->end[x]; i++) {
                line[i] += share[x];
            }
        }
        return;
    }
    const int64_t stride = windows->stride;
    for (int64_t tap = 0; tap < windows->taps; tap++) {
        int64_t first;
        int64_t past;
        gn_tap_range(windows, tap, &first, &past);
        COMPUTE *row = line + tap - windows->padding;
        GN_INDEPENDENT
        for (int64_t x = first; x < past; x++) {
            row[x * stride] += share[x];
        }
    }
}

static void NAME(avg_pool_rows)(int64_t begin, int64_t end, void *context) {
    gn_pooling *work = context;
    const gn_windows *depth = &work->along[0];
    const gn_windows *height = &work->along[1];
    const gn_windows *width = &work->along[2];
    SUM *line = gn_take_items(width->in + gn_checked(2, width->out), sizeof(SUM));
    if (line == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    SUM *divisors = line + width->in;
    SUM *sums = divisors + width->out;
    SUM known = -1; /* the elements in a plane's windows that the divisors are for */
    int64_t plane;
    int64_t z;
    int64_t y;
    NAME(find_row)(work, begin, &plane, &z, &y);
    for (int64_t row = begin; row < end; row++) {
        const COMPUTE *from = (const COMPUTE *)work->in + plane * work->in_numel;
        COMPUTE *to = (COMPUTE *)work->out + row * width->out;
        const SUM length = COUNTED((SUM)depth->length[z], (SUM)height->length[y]);
        if (known < 0 || length != known) {
            NAME(row_divisors)(work, z, y, divisors);
            known = length;
        }
        if (width->regular && NAME(is_2x2)(work, z, y) && divisors[0] != 0) {
            const COMPUTE *upper = from + (depth->start[z] * height->in + height->start[y]) * width->in;
            NAME(avg_pool_2x2)(upper, width->in, width->out, divisors[0], to);
        } else {
            NAME(sum_rows)(work, from, z, y, line);
            NAME(sum_all_windows)(width, line, sums);
            for (int64_t x = 0; x < width->out; x++) {
                to[x] = divisors[x] == 0 ? 0 : (COMPUTE)QUOTIENT(sums[x], divisors[x]);
            }
        }
        if (++y == height->out) { /* divisions would take as long as a short row */
            y = 0;
            z++;
            plane += z == depth->out;
            z = z == depth->out ? 0 : z;
        }
    }
    gn_give(line);
}

/* The tensors of a call, and its windows. */
static int32_t NAME(avg_pool)(const gn_call *call, void *const *data, int64_t spatial, int adaptive, int backward,
                              gn_task *task) {
    /* (grad_input; grad_output, self) goes from the output's side to the input's; self is not read */
    gn_call reduced = *call;
    reduced.tensor_count = 2;
    const gn_tensor *in = &call->tensors[backward ? 0 : 1];
    const gn_tensor *out = &call->tensors[backward ? 1 : 0];
    if (gn_numel(&call->tensors[0]) == 0) {
        return GN_OK;
    }
    if (!gn_same_planes(in, out, spatial)) {
        return GN_NOT_IMPLEMENTED;
    }
    gn_counting counting = GN_COUNT_ELEMENTS;
    int64_t divisor = 0;
    if (!adaptive) {
        const int64_t *rest = call->integers;
        for (int list = 0; list < 3; list++) {
            rest += 1 + *rest;
        }
        counting = rest[1] ? GN_COUNT_PADDING : GN_COUNT_ELEMENTS;
        divisor = rest[2] == GN_NO_INTEGER ? 0 : rest[2];
    }
    const int64_t *cursor = call->integers;
    gn_pooling work;
    int32_t status = gn_make_pooling(&work, spatial, in, out, adaptive ? NULL : &cursor, 0, counting);
    gn_flat flat;
    if (status == GN_OK) {
        status = gn_flatten(&reduced, data, IS_FLOATING ? CODE : GN_NO_DTYPE, &flat);
    }
    if (status == GN_OK) {
        work.divisor = divisor;
        work.in = flat.at[1];
        work.out = flat.at[0];
        if (backward) {
            run_planes(&work, task);
        } else {
            run_rows(&work, task);
        }
        status = gn_unflatten(&reduced, data, &flat, work.status);
    }
    gn_give_pooling(&work);
    return status;
}

/* Planes [begin, end): adds each gradient, divided as in the forward, to all elements of its window. */
static void NAME(avg_pool_backward_planes)(int64_t begin, int64_t end, void *context) {
    gn_pooling *work = context;
    const gn_windows *depth = &work->along[0];
    const gn_windows *height = &work->along[1];
    const gn_windows *width = &work->along[2];
    SUM *divisors =
        gn_take(gn_checked(width->out, sizeof(SUM)) + gn_checked(width->in + width->out, sizeof(COMPUTE)));
    if (divisors == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    COMPUTE *line = (COMPUTE *)(divisors + width->out);
    COMPUTE *share = line + width->in;
    for (int64_t plane = begin; plane < end; plane++) {
        const COMPUTE *gradient = (const COMPUTE *)work->in + plane * work->out_numel;
        COMPUTE *to = (COMPUTE *)work->out + plane * work->in_numel;
        memset(to, 0, (size_t)work->in_numel * sizeof(COMPUTE));
        for (int64_t row = 0; row < depth->out * height->out; row++) {
            const int64_t z = row / height->out;
            const int64_t y = row % height->out;
            NAME(row_divisors)(work, z, y, divisors);
            for (int64_t x = 0; x < width->out; x++) {
                share[x] =
                    divisors[x] == 0 ? 0 : (COMPUTE)QUOTIENT(gradient[row * width->out + x], divisors[x]);
            }
            memset(line, 0, (size_t)width->in * sizeof(COMPUTE));
            NAME(spread_windows)(width, share, line);
            for (int64_t i = depth->start[z]; i < depth->end[z]; i++) {
                for (int64_t j = height->start[y]; j < height->end[y]; j++) {
                    COMPUTE *next = to + (i * height->in + j) * width->in;
                    for (int64_t k = 0; k < width->in; k++) {
                        next[k] += line[k];
                    }
                }
            }
        }
    }
    gn_give(divisors);
}

#define AVERAGE(id, spatial, adaptive)                                                                     \
    int32_t NAME(kernel_##id)(const gn_call *call, void *const *data) {                                    \
        return NAME(avg_pool)(call, data, spatial, adaptive, 0, NAME(avg_pool_rows));                      \
    }                                                                                                      \
    int32_t NAME(kernel_##id##_backward)(const gn_call *call, void *const *data) {                         \
        return NAME(avg_pool)(call, data, spatial, adaptive, 1, NAME(avg_pool_backward_planes));           \
    }

AVERAGE(avg_pool2d, 2, 0)
AVERAGE(avg_pool3d, 3, 0)
#if IS_FLOATING
AVERAGE(adaptive_avg_pool2d, 2, 1)
AVERAGE(adaptive_avg_pool3d, 3, 1)
#endif
#undef AVERAGE
#undef QUOTIENT
#undef COUNTED
#undef SUM

#endif

#if IS_HALF

GN_HALF_KERNEL(adaptive_avg_pool2d)
GN_HALF_KERNEL(adaptive_avg_pool3d)
GN_HALF_KERNEL(adaptive_avg_pool2d_backward)
GN_HALF_KERNEL(adaptive_avg_pool3d_backward)

#endif
