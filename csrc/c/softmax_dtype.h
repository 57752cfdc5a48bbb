/* Kernels along one dimension for one dtype. */

#if IS_FLOATING

/* A line as COMPUTE. */
static void NAME(load_line)(COMPUTE *line, const char *in, int64_t stride, int64_t length) {
    if (stride == (int64_t)sizeof(STORAGE)) {
        const STORAGE *elements = (const STORAGE *)in;
        for (int64_t i = 0; i < length; i++) {
            line[i] = LOAD(elements[i]);
        }
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        line[i] = LOAD(*(const STORAGE *)(in + i * stride));
    }
}

/* A line back into an output of this dtype, or of float32 (half_to_float). */
static void NAME(store_line)(const COMPUTE *line, char *out, int64_t stride, int64_t length, int32_t dtype) {
    if (dtype != CODE) {
        for (int64_t i = 0; i < length; i++) {
            *(float *)(out + i * stride) = (float)line[i];
        }
        return;
    }
    if (stride == (int64_t)sizeof(STORAGE)) {
        STORAGE *elements = (STORAGE *)out;
        for (int64_t i = 0; i < length; i++) {
            elements[i] = STORE(line[i]);
        }
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        *(STORAGE *)(out + i * stride) = STORE(line[i]);
    }
}

/* The largest element of a line; NaN is one. */
static COMPUTE NAME(line_max)(const COMPUTE *line, int64_t length) {
    COMPUTE lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        lanes[lane] = LOWEST;
    }
    int64_t i = 0;
    for (; i + LANES <= length; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const COMPUTE element = line[i + lane];
            lanes[lane] = (element > lanes[lane]) | (element != element) ? element : lanes[lane];
        }
    }
    for (int lane = 0; i < length; i++, lane++) {
        lanes[lane] = (line[i] > lanes[lane]) | (line[i] != line[i]) ? line[i] : lanes[lane];
    }
    COMPUTE largest = LOWEST;
    for (int lane = 0; lane < LANES; lane++) {
        largest = (lanes[lane] > largest) | (lanes[lane] != lanes[lane]) ? lanes[lane] : largest;
    }
    return largest;
}

static double NAME(line_sum)(const COMPUTE *line, int64_t length) {
    double lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= length; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += line[i + lane];
        }
    }
    for (int lane = 0; i < length; i++, lane++) {
        lanes[lane] += line[i];
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return lanes[0];
}

/* Lines [begin, end) of _softmax, or of _log_softmax. */
static void NAME(softmax_lines)(int64_t begin, int64_t end, lines *work, int logarithm) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *in = &work->call->tensors[1];
    const int64_t length = work->length;
    COMPUTE *line = gn_take(2 * length * (int64_t)sizeof(COMPUTE));
    if (line == NULL) {
        report_memory(work);
        return;
    }
    COMPUTE *powers = line + length;
    for (int64_t i = begin; i < end; i++) {
        NAME(load_line)(line, (const char *)work->data[1] + gn_offset(in, i, work->dim), gn_step(in, work->dim),
                        length);
        const COMPUTE largest = NAME(line_max)(line, length);
        for (int64_t j = 0; j < length; j++) {
            line[j] -= largest;
        }
        for (int64_t j = 0; j < length; j++) {
            powers[j] = gn_exp(line[j]);
        }
        const double sum = NAME(line_sum)(powers, length);
        if (logarithm) {
            const COMPUTE log_sum = (COMPUTE)log(sum);
            for (int64_t j = 0; j < length; j++) {
                powers[j] = line[j] - log_sum;
            }
        } else {
            const COMPUTE divisor = (COMPUTE)sum;
            for (int64_t j = 0; j < length; j++) {
                powers[j] /= divisor;
            }
        }
        NAME(store_line)(powers, (char *)work->data[0] + gn_offset(out, i, work->dim), gn_step(out, work->dim), length,
                         out->dtype);
    }
    gn_give(line);
}

static void NAME(softmax_task)(int64_t begin, int64_t end, void *context) {
    NAME(softmax_lines)(begin, end, context, 0);
}

static void NAME(log_softmax_task)(int64_t begin, int64_t end, void *context) {
    NAME(softmax_lines)(begin, end, context, 1);
}

int32_t NAME(kernel_softmax)(const gn_call *call, void *const *data) {
    return run_lines(call, data, 1, call->integers[0], NAME(softmax_task));
}

int32_t NAME(kernel_log_softmax)(const gn_call *call, void *const *data) {
    return run_lines(call, data, 1, call->integers[0], NAME(log_softmax_task));
}

/* Lines [begin, end) of the gradients: output (g - sum(g output)), or g - exp(output) sum(g). */
static void NAME(softmax_backward_lines)(int64_t begin, int64_t end, lines *work, int logarithm) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *gradient = &work->call->tensors[1];
    const gn_tensor *output = &work->call->tensors[2];
    const int64_t length = work->length;
    COMPUTE *g = gn_take(3 * length * (int64_t)sizeof(COMPUTE));
    if (g == NULL) {
        report_memory(work);
        return;
    }
    COMPUTE *y = g + length;
    COMPUTE *product = y + length;
    for (int64_t i = begin; i < end; i++) {
        NAME(load_line)(g, (const char *)work->data[1] + gn_offset(gradient, i, work->dim),
                        gn_step(gradient, work->dim), length);
        NAME(load_line)(y, (const char *)work->data[2] + gn_offset(output, i, work->dim), gn_step(output, work->dim),
                        length);
        if (logarithm) {
            const COMPUTE sum = (COMPUTE)NAME(line_sum)(g, length);
            for (int64_t j = 0; j < length; j++) {
                product[j] = g[j] - gn_exp(y[j]) * sum;
            }
        } else {
            for (int64_t j = 0; j < length; j++) {
                product[j] = g[j] * y[j];
            }
            const COMPUTE sum = (COMPUTE)NAME(line_sum)(product, length);
            for (int64_t j = 0; j < length; j++) {
                product[j] = y[j] * (g[j] - sum);
            }
        }
        NAME(store_line)(product, (char *)work->data[0] + gn_offset(out, i, work->dim), gn_step(out, work->dim), length,
                         out->dtype);
    }
    gn_give(g);
}

static void NAME(softmax_backward_task)(int64_t begin, int64_t end, void *context) {
    NAME(softmax_backward_lines)(begin, end, context, 0);
}

static void NAME(log_softmax_backward_task)(int64_t begin, int64_t end, void *context) {
    NAME(softmax_backward_lines)(begin, end, context, 1);
}

int32_t NAME(kernel_softmax_backward)(const gn_call *call, void *const *data) {
    if (call->tensors[0].dtype != CODE) { /* half_to_float's gradient */
        return GN_NOT_IMPLEMENTED;
    }
    return run_lines(call, data, 1, call->integers[0], NAME(softmax_backward_task));
}

int32_t NAME(kernel_log_softmax_backward)(const gn_call *call, void *const *data) {
    if (call->tensors[0].dtype != CODE) {
        return GN_NOT_IMPLEMENTED;
    }
    return run_lines(call, data, 1, call->integers[0], NAME(log_softmax_backward_task));
}

#endif
