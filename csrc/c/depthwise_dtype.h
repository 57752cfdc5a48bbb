/* Convolution with one channel per group, for one dtype: no patches; a loop over kernel elements, each applied to whole
 * rows or whole planes. */

#if IS_FLOATING && !IS_HALF

/* The row of the input that a kernel element reads for row (j0, j1) of the output; NULL in the padding. */
static const COMPUTE *NAME(meeting_row)(const geometry *of, const kernel_tap *tap, const COMPUTE *plane, int64_t j0,
                                        int64_t j1) {
    const int64_t i0 = j0 * of->stride[0] + tap->at[0];
    const int64_t i1 = j1 * of->stride[1] + tap->at[1];
    if (i0 < 0 || i0 >= of->in[0] || i1 < 0 || i1 >= of->in[1]) {
        return NULL;
    }
    return plane + (i0 * of->in[1] + i1) * of->in[2];
}

/* y = w * x + bias: tasks are features of an image. */
static void NAME(depthwise_forward)(int64_t begin, int64_t end, void *context) {
    const convolution *work = context;
    const geometry *of = &work->of;
    const int64_t width = of->out[2];
    const int64_t stride = of->stride[2];
    for (int64_t task = begin; task < end; task++) {
        const int64_t feature = task % (of->groups * of->features);
        const int64_t image = task / (of->groups * of->features);
        const COMPUTE *x =
            (const COMPUTE *)work->x + (image * of->groups + feature / of->features) * of->in_numel;
        const COMPUTE *w = (const COMPUTE *)work->w + feature * of->kernel_numel;
        const COMPUTE start = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[feature];
        for (int64_t row = 0; row < of->out[0] * of->out[1]; row++) {
            const int64_t j0 = row / of->out[1];
            const int64_t j1 = row % of->out[1];
            COMPUTE *y = (COMPUTE *)work->result + task * of->out_numel + row * width;
            for (int64_t j = 0; j < width; j++) {
                y[j] = start;
            }
            for (int64_t element = 0; element < of->kernel_numel; element++) {
                const kernel_tap *tap = &work->taps[element];
                const COMPUTE *line = NAME(meeting_row)(of, tap, x, j0, j1);
                const int64_t origin = tap->at[2];
                const int64_t low = tap->low;
                const int64_t high = tap->high;
                const COMPUTE weight = w[element];
                if (line == NULL) {
                    continue;
                }
                if (stride == 1) {
                    for (int64_t j = low; j < high; j++) {
                        y[j] += weight * line[origin + j];
                    }
                } else {
                    for (int64_t j = low; j < high; j++) {
                        y[j] += weight * line[origin + j * stride];
                    }
                }
            }
        }
    }
}

/* x = the gradient, from bias on: tasks are groups of an image. */
static void NAME(depthwise_backward_data)(int64_t begin, int64_t end, void *context) {
    const convolution *work = context;
    const geometry *of = &work->of;
    const int64_t width = of->out[2];
    const int64_t stride = of->stride[2];
    for (int64_t task = begin; task < end; task++) {
        const int64_t group = task % of->groups;
        COMPUTE *x = (COMPUTE *)work->result + task * of->in_numel;
        const COMPUTE start = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[group];
        for (int64_t i = 0; i < of->in_numel; i++) {
            x[i] = start;
        }
        for (int64_t feature = 0; feature < of->features; feature++) {
            const COMPUTE *y = (const COMPUTE *)work->y + (task * of->features + feature) * of->out_numel;
            const COMPUTE *w = (const COMPUTE *)work->w + (group * of->features + feature) * of->kernel_numel;
            for (int64_t row = 0; row < of->out[0] * of->out[1]; row++) {
                const int64_t j0 = row / of->out[1];
                const int64_t j1 = row % of->out[1];
                for (int64_t element = 0; element < of->kernel_numel; element++) {
                    const kernel_tap *tap = &work->taps[element];
                    COMPUTE *line = (COMPUTE *)NAME(meeting_row)(of, tap, x, j0, j1);
                    const int64_t origin = tap->at[2];
                    const int64_t low = tap->low;
                    const int64_t high = tap->high;
                    const COMPUTE weight = w[element];
                    const COMPUTE *gradient = y + row * width;
                    if (line == NULL) {
                        continue;
                    }
                    if (stride == 1) {
                        GN_INDEPENDENT
                        for (int64_t j = low; j < high; j++) {
                            line[origin + j] += weight * gradient[j];
                        }
                    } else {
                        for (int64_t j = low; j < high; j++) {
                            line[origin + j * stride] += weight * gradient[j];
                        }
                    }
                }
            }
        }
    }
}

/* w = the gradient: tasks are features; rows are summed in COMPUTE, images and planes in double. */
static void NAME(depthwise_backward_weight)(int64_t begin, int64_t end, void *context) {
    const convolution *work = context;
    const geometry *of = &work->of;
    const int64_t width = of->out[2];
    const int64_t stride = of->stride[2];
    for (int64_t feature = begin; feature < end; feature++) {
        COMPUTE *w = (COMPUTE *)work->result + feature * of->kernel_numel;
        for (int64_t element = 0; element < of->kernel_numel; element++) {
            const kernel_tap *tap = &work->taps[element];
            const int64_t origin = tap->at[2];
            const int64_t high = tap->high;
            double total = 0;
            for (int64_t image = 0; image < of->batch; image++) {
                const int64_t place = image * of->groups * of->features + feature;
                const COMPUTE *x =
                    (const COMPUTE *)work->x + (image * of->groups + feature / of->features) * of->in_numel;
                const COMPUTE *y = (const COMPUTE *)work->y + place * of->out_numel;
                COMPUTE lanes[DEPTHWISE_LANES] = {0};
                for (int64_t row = 0; row < of->out[0] * of->out[1]; row++) {
                    const COMPUTE *line = NAME(meeting_row)(of, tap, x, row / of->out[1], row % of->out[1]);
                    const COMPUTE *gradient = y + row * width;
                    if (line == NULL) {
                        continue;
                    }
                    int64_t j = tap->low;
                    for (; stride == 1 && j + DEPTHWISE_LANES <= high; j += DEPTHWISE_LANES) {
                        for (int lane = 0; lane < DEPTHWISE_LANES; lane++) {
                            lanes[lane] += gradient[j + lane] * line[origin + j + lane];
                        }
                    }
                    for (int lane = 0; j < high; j++, lane = (lane + 1) % DEPTHWISE_LANES) {
                        lanes[lane] += gradient[j] * line[origin + j * stride];
                    }
                }
                for (int lane = 0; lane < DEPTHWISE_LANES; lane++) {
                    total += (double)lanes[lane];
                }
            }
            w[element] = (COMPUTE)total;
        }
    }
}

#if IS_PRECISE && GN_HAS_GEMM
/* The same over whole planes.  An image is split by the remainders of its positions modulo the strides, so that the
 * inputs of one kernel element have the layout of the output: a convolution is then a sum of a few long lines, each
 * times a number. The zeros between rows serve as padding of both. */

typedef COMPUTE NAME(line) __attribute__((vector_size(GN_GEMM_BYTES), aligned(sizeof(COMPUTE)), may_alias));
/* The same in registers. */
typedef COMPUTE NAME(sums) __attribute__((vector_size(GN_GEMM_BYTES)));
#define LANES ((int64_t)(GN_GEMM_BYTES / sizeof(COMPUTE)))

/* sum + a b, rounded once if the processor can. Written lane by lane: vector types have no such operator. */
GN_INLINE NAME(sums) NAME(add_times)(NAME(sums) sum, COMPUTE a, NAME(sums) b) {
    for (int lane = 0; lane < LANES; lane++) {
        sum[lane] = GN_FMA(a, b[lane], sum[lane]);
    }
    return sum;
}
GN_INLINE NAME(sums) NAME(add_product_of)(NAME(sums) sum, NAME(sums) a, NAME(sums) b) {
    for (int lane = 0; lane < LANES; lane++) {
        sum[lane] = GN_FMA(a[lane], b[lane], sum[lane]);
    }
    return sum;
}

/* A row that is mostly short: whole vectors, the last of which may write some elements twice. */
GN_INLINE void NAME(copy_line)(COMPUTE *to, const COMPUTE *from, int64_t count) {
    if (count < LANES) {
        for (int64_t i = 0; i < count; i++) {
            to[i] = from[i];
        }
        return;
    }
    for (int64_t i = 0; i + LANES < count; i += LANES) {
        *(NAME(line) *)(to + i) = *(const NAME(line) *)(from + i);
    }
    *(NAME(line) *)(to + count - LANES) = *(const NAME(line) *)(from + count - LANES);
}

/* Adds the products of `taps` kernel elements, each a row below the one before it, to `rows` rows of results: each
 * vector read from the image is used for all of them. */
GN_INLINE void NAME(add_column)(const int taps, const int rows, const int vectors, const COMPUTE *at, int64_t row,
                                const COMPUTE *weights, NAME(sums) (*sums)[LINE_VECTORS]) {
    GN_UNROLL
    for (int k = 0; k < taps + rows - 1; k++) {
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            const NAME(sums) x = *(const NAME(line) *)(at + k * row + v * LANES);
            GN_UNROLL
            for (int tap = 0; tap < taps; tap++) {
                if (k >= tap && k - tap < rows) {
                    sums[k - tap][v] = NAME(add_times)(sums[k - tap][v], weights[tap], x);
                }
            }
        }
    }
}

/* `rows` rows of `vectors` vectors of results; image rows are `row` elements apart, those of `to` to_row. */
GN_INLINE void NAME(add_piece)(const int rows, const int vectors, const planes *lie, const COMPUTE *image,
                               const COMPUTE *weights, int64_t first, int64_t end, int64_t row, const COMPUTE *start, COMPUTE *to,
                               int64_t to_row) {
    NAME(sums) sums[LINE_ROWS][LINE_VECTORS];
    GN_UNROLL
    for (int k = 0; k < rows; k++) {
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            if (start != NULL) {
                sums[k][v] = (NAME(sums)){0} + *start;
            } else {
                sums[k][v] = *(const NAME(line) *)(to + k * to_row + v * LANES);
            }
        }
    }
    for (int64_t group = first, taps; group < end; group += taps) {
        const COMPUTE *at = image + lie->offsets[group];
        taps = lie->together[group];
        switch (taps) {
        case 1: NAME(add_column)(1, rows, vectors, at, row, weights + group, sums); break;
        case 2: NAME(add_column)(2, rows, vectors, at, row, weights + group, sums); break;
        case 3: NAME(add_column)(3, rows, vectors, at, row, weights + group, sums); break;
        case 4: NAME(add_column)(4, rows, vectors, at, row, weights + group, sums); break;
        case 5: NAME(add_column)(5, rows, vectors, at, row, weights + group, sums); break;
        case 6: NAME(add_column)(6, rows, vectors, at, row, weights + group, sums); break;
        default: NAME(add_column)(LINE_TAPS, rows, vectors, at, row, weights + group, sums); break;
        }
    }
    GN_UNROLL
    for (int k = 0; k < rows; k++) {
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            *(NAME(line) *)(to + k * to_row + v * LANES) = sums[k][v];
        }
    }
}

/* to = *start, or what it holds (NULL), + the products of kernel elements [first, end) with the image; weights are in
 * the order of `lie`. */
static void NAME(add_lines)(const planes *lie, const COMPUTE *image, const COMPUTE *weights, int64_t first, int64_t end,
                            const COMPUTE *start, COMPUTE *to) {
    const int64_t width = lie->sizes[2];
    const int64_t hop = lie->hop;
    if (lie->rows == 1) { /* one spatial dimension: no input is shared by several rows */
        for (int64_t i = 0; i < lie->columns; i += LINE_VECTORS * LANES) {
            NAME(add_piece)(1, LINE_VECTORS, lie, image + i, weights, first, end, hop * width, start, to + i, 0);
        }
        return;
    }
    for (int64_t block = 0; block < lie->rows; block += LINE_ROWS * hop) {
        for (int64_t row = block; row < gn_min(lie->rows, block + hop); row++) {
            int64_t i = 0;
            for (; i + LANES < lie->columns; i += 2 * LANES) {
                NAME(add_piece)(LINE_ROWS, 2, lie, image + row * width + i, weights, first, end, hop * width, start,
                                to + row * lie->made_row + i, hop * lie->made_row);
            }
            if (i < lie->columns) {
                NAME(add_piece)(LINE_ROWS, 1, lie, image + row * width + i, weights, first, end, hop * width, start,
                                to + row * lie->made_row + i, hop * lie->made_row);
            }
        }
    }
}

/* sums[t] = the sum of y[i] * image[offsets[t] + i], in lanes and then in double. */
GN_INLINE void NAME(multiply_lines)(const COMPUTE *image, const int64_t *offsets, const int taps, const COMPUTE *y,
                                    int64_t count, double *sums) {
    NAME(sums) lanes[LINE_SUMS];
    GN_UNROLL
    for (int tap = 0; tap < taps; tap++) {
        lanes[tap] = (NAME(sums)){0};
    }
    for (int64_t i = 0; i < count; i += LANES) {
        const NAME(sums) factor = *(const NAME(line) *)(y + i);
        GN_UNROLL
        for (int tap = 0; tap < taps; tap++) {
            lanes[tap] = NAME(add_product_of)(lanes[tap], factor, *(const NAME(line) *)(image + offsets[tap] + i));
        }
    }
    for (int tap = 0; tap < taps; tap++) {
        for (int lane = 0; lane < LANES; lane++) {
            sums[tap] += (double)lanes[tap][lane];
        }
    }
}

/* Copies an image to the layout by parts; elements that no position uses are left out. */
static void NAME(take_apart)(const geometry *of, const planes *lie, const COMPUTE *x, COMPUTE *to) {
    for (int64_t part = 0; part < lie->parts; part++) {
        int64_t first[SPATIAL], end[SPATIAL], origin[SPATIAL];
        int64_t rest = part;
        for (int i = SPATIAL - 1; i >= 0; i--) { /* i = origin + place * stride */
            origin[i] = rest % of->stride[i] - of->padding[i];
            first[i] = origin[i] >= 0 ? 0 : (of->stride[i] - 1 - origin[i]) / of->stride[i];
            const int64_t room = of->in[i] - 1 - origin[i];
            end[i] = room < 0 ? 0 : gn_min(lie->sizes[i], room / of->stride[i] + 1);
            rest /= of->stride[i];
        }
        const int64_t count = end[2] - first[2];
        for (int64_t i0 = first[0]; i0 < end[0]; i0++) {
            for (int64_t i1 = first[1]; i1 < end[1]; i1++) {
                const COMPUTE *from = x + ((origin[0] + i0 * of->stride[0]) * of->in[1] + origin[1] + i1 * of->stride[1])
                                              * of->in[2] + origin[2] + first[2] * of->stride[2];
                COMPUTE *line = to + part * lie->numel + (i0 * lie->sizes[1] + i1) * lie->sizes[2] + first[2];
                if (of->stride[2] == 1) {
                    NAME(copy_line)(line, from, count);
                } else if (of->stride[2] == 2) {
                    for (int64_t i = 0; i < count; i++) {
                        line[i] = from[2 * i];
                    }
                } else {
                    for (int64_t i = 0; i < count; i++) {
                        line[i] = from[i * of->stride[2]];
                    }
                }
            }
        }
    }
}

/* Zeros for `numel` elements, and for the rows that are computed together with the last ones. */
static COMPUTE *NAME(take_lines)(convolution *work, int64_t numel) {
    const int64_t row = gn_max(work->lie.sizes[2], work->lie.made_row);
    const int64_t slack = gn_checked(work->lie.hop, gn_checked(LINE_ROWS, row));
    const int64_t size = gn_checked(numel + slack + LINE_VECTORS * LANES, sizeof(COMPUTE));
    COMPUTE *lines = gn_take(size);
    if (lines == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
    } else {
        memset(lines, 0, (size_t)size);
    }
    return lines;
}

/* y = w * x + bias: tasks are features of an image. */
static void NAME(lines_forward)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const planes *lie = &work->lie;
    COMPUTE *image = NAME(take_lines)(work, lie->parts * lie->numel);
    COMPUTE *made = NAME(take_lines)(work, lie->rows * lie->made_row);
    COMPUTE *weights = NAME(take_lines)(work, of->kernel_numel);
    const COMPUTE *held = NULL;
    for (int64_t task = begin; task < end && image != NULL && made != NULL && weights != NULL; task++) {
        const int64_t feature = task % (of->groups * of->features);
        const int64_t image_number = task / (of->groups * of->features);
        const COMPUTE *x =
            (const COMPUTE *)work->x + (image_number * of->groups + feature / of->features) * of->in_numel;
        const COMPUTE *w = (const COMPUTE *)work->w + feature * of->kernel_numel;
        const COMPUTE start = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[feature];
        COMPUTE *y = (COMPUTE *)work->result + task * of->out_numel;
        if (x != held) { /* features of one group share it */
            NAME(take_apart)(of, lie, x, image);
            held = x;
        }
        for (int64_t tap = 0; tap < of->kernel_numel; tap++) {
            weights[tap] = w[lie->order[tap]];
        }
        NAME(add_lines)(lie, image, weights, 0, of->kernel_numel, &start, made);
        for (int64_t j0 = 0; j0 < of->out[0]; j0++) {
            for (int64_t j1 = 0; j1 < of->out[1]; j1++) {
                NAME(copy_line)(y, made + (j0 * lie->sizes[1] + j1) * lie->made_row, of->out[2]);
                y += of->out[2];
            }
        }
    }
    gn_give(image);
    gn_give(made);
    gn_give(weights);
}

/* w = the gradient: tasks are features; planes are summed in COMPUTE, images in double. */
static void NAME(lines_backward_weight)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const planes *lie = &work->lie;
    COMPUTE *image = NAME(take_lines)(work, lie->parts * lie->numel);
    COMPUTE *gradient = NAME(take_lines)(work, lie->count);
    double *sums = gn_take_items(of->kernel_numel, sizeof(double));
    if (sums == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
    }
    for (int64_t feature = begin; feature < end && image != NULL && gradient != NULL && sums != NULL; feature++) {
        COMPUTE *w = (COMPUTE *)work->result + feature * of->kernel_numel;
        memset(sums, 0, (size_t)of->kernel_numel * sizeof(double));
        for (int64_t number = 0; number < of->batch; number++) {
            const COMPUTE *x = (const COMPUTE *)work->x + (number * of->groups + feature / of->features) * of->in_numel;
            const COMPUTE *y =
                (const COMPUTE *)work->y + (number * of->groups * of->features + feature) * of->out_numel;
            NAME(take_apart)(of, lie, x, image);
            for (int64_t j0 = 0; j0 < of->out[0]; j0++) {
                for (int64_t j1 = 0; j1 < of->out[1]; j1++) {
                    NAME(copy_line)(gradient + (j0 * lie->sizes[1] + j1) * lie->sizes[2], y, of->out[2]);
                    y += of->out[2];
                }
            }
            int64_t tap = 0;
            for (; tap + LINE_SUMS <= of->kernel_numel; tap += LINE_SUMS) {
                NAME(multiply_lines)(image, lie->offsets + tap, LINE_SUMS, gradient, lie->count, sums + tap);
            }
            for (; tap + LINE_FEW_SUMS <= of->kernel_numel; tap += LINE_FEW_SUMS) {
                NAME(multiply_lines)(image, lie->offsets + tap, LINE_FEW_SUMS, gradient, lie->count, sums + tap);
            }
            for (; tap < of->kernel_numel; tap++) {
                NAME(multiply_lines)(image, lie->offsets + tap, 1, gradient, lie->count, sums + tap);
            }
        }
        for (int64_t tap = 0; tap < of->kernel_numel; tap++) {
            w[lie->order[tap]] = (COMPUTE)sums[tap];
        }
    }
    gn_give(image);
    gn_give(gradient);
    gn_give(sums);
}

/* x = the gradient, from bias on: tasks are groups of an image.  Each part of x is a convolution of the gradient, with
 * stride 1, by the kernel elements that use it. */
static void NAME(lines_backward_data)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const planes *lie = &work->lie;
    COMPUTE *gradients = NAME(take_lines)(work, lie->numel * of->features);
    COMPUTE *made = NAME(take_lines)(work, lie->rows * lie->made_row);
    COMPUTE *weights = NAME(take_lines)(work, of->kernel_numel);
    const int has_memory = gradients != NULL && made != NULL && weights != NULL;
    for (int64_t task = begin; task < end && has_memory; task++) {
        const int64_t group = task % of->groups;
        COMPUTE *x = (COMPUTE *)work->result + task * of->in_numel;
        const COMPUTE start = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[group];
        const COMPUTE *w = (const COMPUTE *)work->w + group * of->features * of->kernel_numel;
        for (int64_t feature = 0; feature < of->features; feature++) {
            const COMPUTE *y = (const COMPUTE *)work->y + (task * of->features + feature) * of->out_numel;
            const int64_t first = gn_max(0, -lie->lead[2]);
            const int64_t count = gn_min(of->out[2], lie->sizes[2] - lie->lead[2]) - first;
            for (int64_t j0 = gn_max(0, -lie->lead[0]); j0 < gn_min(of->out[0], lie->sizes[0] - lie->lead[0]); j0++) {
                for (int64_t j1 = gn_max(0, -lie->lead[1]); j1 < gn_min(of->out[1], lie->sizes[1] - lie->lead[1]); j1++) {
                    const int64_t row = (j0 + lie->lead[0]) * lie->sizes[1] + j1 + lie->lead[1];
                    NAME(copy_line)(gradients + feature * lie->numel + row * lie->sizes[2] + lie->lead[2] + first,
                                    y + (j0 * of->out[1] + j1) * of->out[2] + first, count);
                }
            }
        }
        for (int64_t part = 0, tap = 0, next; part < lie->parts; part++, tap = next) {
            const int64_t rest[SPATIAL] = {part / of->stride[2] / of->stride[1], part / of->stride[2] % of->stride[1],
                                           part % of->stride[2]};
            for (next = tap; next < of->kernel_numel && lie->part_of[next] == part; next++) {
            }
            for (int64_t feature = 0; feature < of->features; feature++) {
                for (int64_t each = tap; each < next; each++) {
                    weights[each] = w[feature * of->kernel_numel + lie->order[each]];
                }
                NAME(add_lines)(lie, gradients + feature * lie->numel, weights, tap, next, feature == 0 ? &start : NULL,
                                made);
            }
            const int64_t width = (of->in[2] - rest[2] + of->stride[2] - 1) / of->stride[2];
            for (int64_t i0 = rest[0], k0 = 0; i0 < of->in[0]; i0 += of->stride[0], k0++) {
                for (int64_t i1 = rest[1], k1 = 0; i1 < of->in[1]; i1 += of->stride[1], k1++) {
                    const COMPUTE *line = made + (k0 * lie->sizes[1] + k1) * lie->made_row;
                    COMPUTE *to = x + (i0 * of->in[1] + i1) * of->in[2] + rest[2];
                    if (of->stride[2] == 1) {
                        NAME(copy_line)(to, line, width);
                    } else if (of->stride[2] == 2) {
                        for (int64_t k = 0; k < width; k++) {
                            to[2 * k] = line[k];
                        }
                    } else {
                        for (int64_t k = 0; k < width; k++) {
                            to[k * of->stride[2]] = line[k];
                        }
                    }
                }
            }
        }
    }
    gn_give(gradients);
    gn_give(made);
    gn_give(weights);
}

#undef LANES
#endif

#endif
