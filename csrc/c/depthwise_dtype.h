/* Convolution with one channel a group, for one dtype: no patches, a kernel element after the other over whole rows. */

#if IS_FLOATING && !IS_HALF

/* Where a kernel element meets row (j0, j1) of the output: the row of the input, NULL in the padding. */
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

#endif
