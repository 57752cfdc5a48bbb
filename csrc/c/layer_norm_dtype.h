/* Layer normalization for one dtype. */

#if IS_FLOATING && !IS_HALF

/* The sum, and the sum of squares, of x - shift. */
static void NAME(moments)(const COMPUTE *x, int64_t n, double shift, double *sum, double *squares) {
    if (n < LANES) {
        *sum = 0;
        *squares = 0;
        for (int64_t i = 0; i < n; i++) {
            const double difference = (double)x[i] - shift;
            *sum += difference;
            *squares += difference * difference;
        }
        return;
    }
    double sums[LANES] = {0};
    double products[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const double difference = (double)x[i + lane] - shift;
            sums[lane] += difference;
            products[lane] += difference * difference;
        }
    }
    for (int lane = 0; i < n; i++, lane++) {
        const double difference = (double)x[i] - shift;
        sums[lane] += difference;
        products[lane] += difference * difference;
    }
    *sum = lane_total(sums);
    *squares = lane_total(products);
}

/* The sums of a, and of a b, over up to BLOCK elements. */
static void NAME(block_sums)(const COMPUTE *a, const COMPUTE *b, int64_t n, double *sum, double *product) {
    COMPUTE sums[BLOCK_LANES];
    COMPUTE products[BLOCK_LANES];
    int64_t i = BLOCK_LANES;
    if (n >= BLOCK_LANES) {
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            sums[lane] = a[lane];
            products[lane] = a[lane] * b[lane];
        }
    } else {
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            sums[lane] = lane < n ? a[lane] : 0;
            products[lane] = lane < n ? a[lane] * b[lane] : 0;
        }
    }
    for (; i + BLOCK_LANES <= n; i += BLOCK_LANES) {
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            sums[lane] += a[i + lane];
            products[lane] += a[i + lane] * b[i + lane];
        }
    }
    for (int lane = 0; i < n; i++, lane++) {
        sums[lane] += a[i];
        products[lane] += a[i] * b[i];
    }
    for (int width = BLOCK_LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            sums[lane] += sums[lane + width];
            products[lane] += products[lane + width];
        }
    }
    *sum += (double)sums[0];
    *product += (double)products[0];
}

/* The sum of x - shift, and the sum of squares of that, over up to BLOCK elements. */
static void NAME(block_moments)(const COMPUTE *x, int64_t n, COMPUTE shift, double *sum, double *squares) {
    COMPUTE sums[BLOCK_LANES];
    COMPUTE products[BLOCK_LANES];
    int64_t i = BLOCK_LANES;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        const COMPUTE difference = (lane < n ? x[lane] : shift) - shift;
        sums[lane] = difference;
        products[lane] = difference * difference;
    }
    for (; i + BLOCK_LANES <= n; i += BLOCK_LANES) {
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            const COMPUTE difference = x[i + lane] - shift;
            sums[lane] += difference;
            products[lane] += difference * difference;
        }
    }
    for (int lane = 0; i < n; i++, lane++) {
        const COMPUTE difference = x[i] - shift;
        sums[lane] += difference;
        products[lane] += difference * difference;
    }
    for (int width = BLOCK_LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            sums[lane] += sums[lane + width];
            products[lane] += products[lane + width];
        }
    }
    *sum += (double)sums[0];
    *squares += (double)products[0];
}

/* The same as moments, summed in COMPUTE over a BLOCK and then in double. */
static void NAME(quick_moments)(const COMPUTE *x, int64_t n, COMPUTE shift, double *sum, double *squares) {
    double total = 0;
    double product = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        NAME(block_moments)(x + first, gn_min(BLOCK, n - first), shift, &total, &product);
    }
    *sum = total;
    *squares = product;
}

/* A guess of the mean of a row: the mean of GUESSED of its elements, or of all; not finite if one of them is not. */
static COMPUTE NAME(guess_mean)(const COMPUTE *x, int64_t n) {
    COMPUTE lanes[LANES] = {0};
    const int64_t count = n < GUESSED ? n : GUESSED;
    if (n < GUESSED) {
        for (int64_t i = 0; i < n; i++) {
            lanes[i % LANES] += x[i] / GUESSED;
        }
    } else {
        const int64_t step = n / (GUESSED / LANES);
        for (int64_t part = 0; part < GUESSED / LANES; part++) {
            for (int lane = 0; lane < LANES; lane++) {
                lanes[lane] += x[part * step + lane] / GUESSED;
            }
        }
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return lanes[0] * (COMPUTE)((double)GUESSED / (double)count);
}

/* The first element, which is subtracted from all; 0 if there is none. */
static double NAME(shift_of)(const COMPUTE *x, int64_t n) {
    return n > 0 && x[0] - x[0] == 0 ? (double)x[0] : 0;
}

static void NAME(row_statistics)(const COMPUTE *x, int64_t n, double eps, double *mean, double *rstd) {
    if (n == 0) {
        *mean = 0;
        *rstd = NAN;
        return;
    }
    double shift = (double)NAME(guess_mean)(x, n);
    double sum;
    double squares;
    double variance;
    NAME(quick_moments)(x, n, (COMPUTE)shift, &sum, &squares);
    /* repeat if the guess was more than a few standard deviations from the mean: compare sum / n with squares / n */
    if (CODE == GN_FLOAT64 || !(sum * sum * 4 < squares * (double)n)) {
        shift = (double)(COMPUTE)(shift + sum / (double)n);
        NAME(quick_moments)(x, n, (COMPUTE)shift, &sum, &squares);
    }
    if (!(squares < QUICK_MOST && squares > QUICK_LEAST)) {
        /* too large or too small for squares in COMPUTE, or not finite */
        shift = NAME(shift_of)(x, n);
        NAME(moments)(x, n, shift, &sum, &squares);
    }
    finish_moments(shift, sum, squares, n, mean, &variance);
    *rstd = 1 / sqrt(variance + eps);
}

/* A mean in two parts, so that a large mean loses no precision. */
static void NAME(split_mean)(double mean, COMPUTE *high, COMPUTE *low) {
    *high = (COMPUTE)mean;
    *low = mean - mean == 0 ? (COMPUTE)(mean - (double)*high) : 0;
}

static void NAME(layer_norm_rows)(int64_t begin, int64_t end, void *context) {
    const layer_norm *work = context;
    const int64_t n = work->size;
    const COMPUTE *weight = work->weight;
    const COMPUTE *bias = work->bias;
    for (int64_t row = begin; row < end; row++) {
        const COMPUTE *x = (const COMPUTE *)work->in + row * n;
        COMPUTE *out = (COMPUTE *)work->out + row * n;
        double mean;
        double rstd;
        NAME(row_statistics)(x, n, work->eps, &mean, &rstd);
        ((COMPUTE *)work->out_mean)[row] = (COMPUTE)mean;
        ((COMPUTE *)work->out_rstd)[row] = (COMPUTE)rstd;
        COMPUTE high;
        COMPUTE low;
        NAME(split_mean)(mean, &high, &low);
        const COMPUTE scale = (COMPUTE)rstd;
        if (weight != NULL && bias != NULL) {
            for (int64_t i = 0; i < n; i++) {
                out[i] = ((x[i] - high) - low) * scale * weight[i] + bias[i];
            }
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            out[i] = ((x[i] - high) - low) * scale;
        }
        for (int64_t i = 0; i < n && weight != NULL; i++) {
            out[i] *= weight[i];
        }
        for (int64_t i = 0; i < n && bias != NULL; i++) {
            out[i] += bias[i];
        }
    }
}

/* Rows and their size; a row is the last integers[0] dimensions. */
static layer_norm NAME(make_layer)(const gn_call *call, const gn_tensor *in) {
    layer_norm work;
    memset(&work, 0, sizeof work);
    work.rows = 1;
    work.size = 1;
    for (int32_t dim = 0; dim < in->ndim; dim++) {
        if (dim < in->ndim - call->integers[0]) {
            work.rows *= in->sizes[dim];
        } else {
            work.size *= in->sizes[dim];
        }
    }
    return work;
}

/* (out, mean, rstd; input, weight or absent, bias or absent); integers: normalized_shape; scalars: eps. */
int32_t NAME(kernel_layer_norm)(const gn_call *call, void *const *data) {
    layer_norm work = NAME(make_layer)(call, &call->tensors[3]);
    gn_flat flat;
    const int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    work.out = flat.at[0];
    work.out_mean = flat.at[1];
    work.out_rstd = flat.at[2];
    work.in = flat.at[3];
    work.weight = flat.at[4];
    work.bias = flat.at[5];
    work.eps = call->scalars[0].real;
    gn_parallel_for(0, work.rows, gn_grain(work.size), NAME(layer_norm_rows), &work);
    return gn_unflatten(call, data, &flat, work.status);
}

/* Divides rows by the root of the mean of their squares. */
static void NAME(rms_norm_rows)(int64_t begin, int64_t end, void *context) {
    const layer_norm *work = context;
    const int64_t n = work->size;
    const COMPUTE *weight = work->weight;
    for (int64_t row = begin; row < end; row++) {
        const COMPUTE *x = (const COMPUTE *)work->in + row * n;
        COMPUTE *out = (COMPUTE *)work->out + row * n;
        double sum;
        double squares;
        NAME(quick_moments)(x, n, 0, &sum, &squares);
        if (!(squares < QUICK_MOST && squares > QUICK_LEAST)) {
            NAME(moments)(x, n, 0, &sum, &squares);
        }
        const double rstd = 1 / sqrt(squares / (double)n + work->eps);
        const COMPUTE scale = (COMPUTE)rstd;
        ((COMPUTE *)work->out_rstd)[row] = scale;
        if (weight == NULL) {
            for (int64_t i = 0; i < n; i++) {
                out[i] = x[i] * scale;
            }
        } else {
            for (int64_t i = 0; i < n; i++) {
                out[i] = x[i] * scale * weight[i];
            }
        }
    }
}

/* (out, rstd; input, weight or absent); integers: normalized_shape; scalars: eps, or that of the dtype. */
int32_t NAME(kernel_rms_norm)(const gn_call *call, void *const *data) {
    layer_norm work = NAME(make_layer)(call, &call->tensors[2]);
    gn_flat flat;
    const int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    work.out = flat.at[0];
    work.out_rstd = flat.at[1];
    work.in = flat.at[2];
    work.weight = flat.at[3];
    work.eps = call->scalars[0].real;
    if (call->scalars[0].integer == GN_NO_INTEGER) {
        work.eps = CODE == GN_FLOAT64 ? 0x1p-52 : 0x1p-23;
    }
    gn_parallel_for(0, work.rows, gn_grain(work.size), NAME(rms_norm_rows), &work);
    return gn_unflatten(call, data, &flat, work.status);
}

/* The sums of g w, and of g w x^, where x^ = (x - mean) rstd; both factors are stored in lines. */
static void NAME(gradient_sums)(const COMPUTE *g, const COMPUTE *x, const COMPUTE *w, int64_t n, COMPUTE mean,
                                COMPUTE rstd, COMPUTE *scaled, COMPUTE *normalized, double *sum, double *product) {
    *sum = 0;
    *product = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t past = gn_min(first + BLOCK, n);
        if (w == NULL) {
            GN_INDEPENDENT
            for (int64_t i = first; i < past; i++) {
                normalized[i] = (x[i] - mean) * rstd;
                scaled[i] = g[i];
            }
        } else {
            GN_INDEPENDENT
            for (int64_t i = first; i < past; i++) {
                normalized[i] = (x[i] - mean) * rstd;
                scaled[i] = g[i] * w[i];
            }
        }
        NAME(block_sums)(scaled + first, normalized + first, past - first, sum, product);
    }
}

/* The gradients of blocks [begin, end) of rows. */
static void NAME(layer_norm_blocks)(int64_t begin, int64_t end, void *context) {
    layer_norm *work = context;
    const int64_t n = work->size;
    COMPUTE *normalized = gn_take_items(gn_checked(4, n), sizeof(COMPUTE));
    if (normalized == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    COMPUTE *scaled = normalized + n;
    COMPUTE *for_weight = scaled + n;
    COMPUTE *for_bias = for_weight + n;
    for (int64_t block = begin; block < end; block++) {
        double *partial = work->partials + block * 2 * n;
        memset(partial, 0, (size_t)n * 2 * sizeof(double));
        memset(for_weight, 0, (size_t)n * 2 * sizeof(COMPUTE));
        const int64_t first = block * work->block;
        const int64_t past = gn_min(first + work->block, work->rows);
        for (int64_t row = first; row < past; row++) {
            const COMPUTE *g = (const COMPUTE *)work->gradient + row * n;
            const COMPUTE *x = (const COMPUTE *)work->in + row * n;
            const COMPUTE rstd = ((const COMPUTE *)work->rstd)[row];
            double sum;
            double product;
            const COMPUTE mean = work->mean == NULL ? 0 : ((const COMPUTE *)work->mean)[row];
            NAME(gradient_sums)(g, x, work->weight, n, mean, rstd, scaled, normalized, &sum, &product);
            const COMPUTE mean_grad = work->mean == NULL ? 0 : (COMPUTE)(sum / (double)n);
            const COMPUTE mean_product = (COMPUTE)(product / (double)n);
            COMPUTE *out = (COMPUTE *)work->out + row * n;
            if (work->out != NULL) {
                GN_INDEPENDENT
                for (int64_t i = 0; i < n; i++) {
                    out[i] = rstd * ((scaled[i] - mean_grad) - normalized[i] * mean_product);
                    for_weight[i] += g[i] * normalized[i];
                    for_bias[i] += g[i];
                }
            } else {
                GN_INDEPENDENT
                for (int64_t i = 0; i < n; i++) {
                    for_weight[i] += g[i] * normalized[i];
                    for_bias[i] += g[i];
                }
            }
            if (row + 1 == past || (row - first) % FLUSH_ROWS == FLUSH_ROWS - 1) {
                for (int64_t i = 0; i < 2 * n; i++) {
                    partial[i] += for_weight[i];
                    for_weight[i] = 0;
                }
            }
        }
    }
    gn_give(normalized);
}

/* The gradients; those of weight and bias if not NULL. Without `mean`, no mean was subtracted. */
static void NAME(layer_gradients)(layer_norm *work, COMPUTE *for_weight, COMPUTE *for_bias) {
    const int64_t n = work->size;
    const int64_t tasks = gn_max(1, gn_min(gn_min(GRADIENT_TASKS, work->rows), GRADIENT_ELEMENTS / gn_max(1, n)));
    work->block = gn_max(1, (work->rows + tasks - 1) / tasks);
    const int64_t blocks = (work->rows + work->block - 1) / work->block;
    work->partials = gn_take_items(gn_checked(2, gn_checked(n, blocks)), sizeof(double));
    work->status = work->partials == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (work->status == GN_OK) {
        gn_parallel_for(0, blocks, gn_grain(n * work->block), NAME(layer_norm_blocks), work);
    }
    for (int which = 0; which < 2 && work->status == GN_OK; which++) {
        COMPUTE *out = which == 0 ? for_weight : for_bias;
        for (int64_t i = 0; i < n && out != NULL; i++) {
            double sum = 0;
            for (int64_t block = 0; block < blocks; block++) {
                sum += work->partials[(2 * block + which) * n + i];
            }
            out[i] = (COMPUTE)sum;
        }
    }
    gn_give(work->partials);
}

/* (grad_input, grad_weight, grad_bias, each or absent; grad_out, input, mean, rstd, weight or absent, bias or absent);
 * integers: normalized_shape, output_mask. */
int32_t NAME(kernel_layer_norm_backward)(const gn_call *call, void *const *data) {
    layer_norm work = NAME(make_layer)(call, &call->tensors[4]);
    if (gn_numel(&call->tensors[5]) < work.rows || gn_numel(&call->tensors[6]) < work.rows) {
        return GN_NOT_IMPLEMENTED;
    }
    gn_flat flat;
    int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    work.out = flat.at[0];
    work.gradient = flat.at[3];
    work.in = flat.at[4];
    work.mean = flat.at[5];
    work.rstd = flat.at[6];
    work.weight = flat.at[7];
    NAME(layer_gradients)(&work, flat.at[1], flat.at[2]);
    return gn_unflatten(call, data, &flat, work.status);
}

/* (grad_input, grad_weight, each or absent; grad_out, input, rstd, weight or absent); integers: normalized_shape,
 * output_mask. */
int32_t NAME(kernel_rms_norm_backward)(const gn_call *call, void *const *data) {
    layer_norm work = NAME(make_layer)(call, &call->tensors[3]);
    gn_flat flat;
    const int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    work.out = flat.at[0];
    work.gradient = flat.at[2];
    work.in = flat.at[3];
    work.rstd = flat.at[4];
    work.weight = flat.at[5];
    NAME(layer_gradients)(&work, flat.at[1], NULL);
    return gn_unflatten(call, data, &flat, work.status);
}

#endif

#if IS_HALF

GN_HALF_KERNEL(layer_norm)
GN_HALF_KERNEL(layer_norm_backward)
GN_HALF_KERNEL(rms_norm)
GN_HALF_KERNEL(rms_norm_backward)

#endif
