/* Batch and group normalization for one dtype. */

#if IS_FLOATING && !IS_HALF

static void NAME(plane_moments)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    for (int64_t plane = begin; plane < end; plane++) {
        const int64_t group = group_of(work, plane);
        const COMPUTE *x = (const COMPUTE *)work->in + plane * work->size;
        double *sum = &work->first[plane];
        double *squares = &work->second[plane];
        if (work->pass[group] == PRECISE_PASS) {
            NAME(moments)(x, work->size, work->mean[group], sum, squares);
        } else if (work->pass[group] != NO_PASS) {
            NAME(quick_moments)(x, work->size, (COMPUTE)work->mean[group], sum, squares);
        }
    }
}

/* Processes the result of a pass and sets up the next. Returns whether there is one. A group whose first guess of its
 * mean was more than a few standard deviations off gets a new guess, as in row_statistics. */
static int NAME(end_pass)(channel_norm *work) {
    const int64_t n = group_count(work);
    int left = 0;
    for (int64_t group = 0; group < work->groups; group++) {
        const double shift = work->mean[group];
        const double sum = work->mean_grad[group];
        const double squares = work->mean_product[group];
        const double distance = sum / (double)n;
        const int64_t pass = work->pass[group];
        if (pass == NO_PASS) {
            continue;
        }
        if (pass == QUICK_PASS && (CODE == GN_FLOAT64 || !(distance * distance * 4 < squares / (double)n))) {
            work->mean[group] = (double)(COMPUTE)(shift + distance);
            work->pass[group] = QUICK_AGAIN;
            left = 1;
        } else if (pass != PRECISE_PASS && !(squares < QUICK_MOST && squares > QUICK_LEAST)) {
            work->mean[group] = NAME(shift_of)((const COMPUTE *)work->in + group * work->size, work->size);
            work->pass[group] = PRECISE_PASS;
            left = 1;
        } else {
            finish_moments(shift, sum, squares, n, &work->mean[group], &work->variance[group]);
            work->pass[group] = NO_PASS;
        }
    }
    return left;
}

/* Means and variances of the channels of a batch. */
static void NAME(batch_moments)(channel_norm *work) {
    for (int64_t group = 0; group < work->groups; group++) {
        work->mean[group] = (double)NAME(guess_mean)((const COMPUTE *)work->in + group * work->size, work->size);
        work->pass[group] = QUICK_PASS;
    }
    do {
        run_planes(work, NAME(plane_moments));
        add_to_groups(work, work->first, NULL, work->mean_grad);
        add_to_groups(work, work->second, NULL, work->mean_product);
    } while (NAME(end_pass)(work));
}

/* Groups [begin, end) of planes that follow each other. */
static void NAME(run_statistics)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t n = group_count(work);
    for (int64_t group = begin; group < end; group++) {
        NAME(row_statistics)((const COMPUTE *)work->in + group * n, n, work->eps, &work->mean[group],
                             &work->rstd[group]);
    }
}

/* Mean and rstd of each group. */
static void NAME(group_statistics)(channel_norm *work, double eps) {
    const int64_t n = group_count(work);
    if (work->share > 0) {
        work->eps = eps;
        gn_parallel_for(0, work->groups, gn_grain(n), NAME(run_statistics), work);
        return;
    }
    if (n == 0) {
        for (int64_t group = 0; group < work->groups; group++) {
            work->mean[group] = 0;
            work->variance[group] = NAN;
        }
    } else if (is_matrix(work)) {
        for (int64_t group = 0; group < work->groups; group++) {
            work->mean[group] = NAME(shift_of)((const COMPUTE *)work->in + group, 1);
        }
        for (int pass = 0; pass < (CODE == GN_FLOAT64 ? 2 : 1); pass++) {
            run_columns(work, NAME(column_moments));
            for (int64_t group = 0; group < work->groups; group++) {
                finish_moments(work->mean[group], work->mean_grad[group], work->mean_product[group], n,
                               &work->mean[group], &work->variance[group]);
            }
        }
    } else {
        NAME(batch_moments)(work);
    }
    for (int64_t group = 0; group < work->groups; group++) {
        const int is_zero = work->variance[group] == 0 && eps == 0; /* with the factor 0, as in PyTorch */
        work->rstd[group] = is_zero ? 0 : 1 / sqrt(work->variance[group] + eps);
    }
}

static void NAME(running_statistics)(channel_norm *work, const COMPUTE *mean, const COMPUTE *variance, double eps) {
    for (int64_t group = 0; group < work->groups; group++) {
        work->mean[group] = (double)mean[group];
        work->rstd[group] = 1 / sqrt((double)variance[group] + eps);
    }
}

static void NAME(normalize_planes)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t n = work->size;
    for (int64_t plane = begin; plane < end; plane++) {
        const int64_t group = group_of(work, plane);
        const int64_t channel = plane % work->channels;
        const COMPUTE *x = (const COMPUTE *)work->in + plane * n;
        COMPUTE *out = (COMPUTE *)work->out + plane * n;
        COMPUTE high;
        COMPUTE low;
        NAME(split_mean)(work->mean[group], &high, &low);
        const COMPUTE rstd = (COMPUTE)work->rstd[group];
        const COMPUTE weight = work->weight == NULL ? 1 : ((const COMPUTE *)work->weight)[channel];
        if (work->bias == NULL) {
            for (int64_t i = 0; i < n; i++) {
                out[i] = ((x[i] - high) - low) * rstd * weight;
            }
            continue;
        }
        const COMPUTE bias = ((const COMPUTE *)work->bias)[channel];
        for (int64_t i = 0; i < n; i++) {
            out[i] = ((x[i] - high) - low) * rstd * weight + bias;
        }
    }
}

/* Moves running statistics towards those of a batch, the variance as the unbiased one. */
static void NAME(move_running)(const channel_norm *work, COMPUTE *mean, COMPUTE *variance, double momentum) {
    const double n = (double)group_count(work);
    for (int64_t group = 0; group < work->groups; group++) {
        const double unbiased = work->variance[group] * n / (n - 1);
        mean[group] = (COMPUTE)((double)mean[group] * (1 - momentum) + work->mean[group] * momentum);
        variance[group] = (COMPUTE)((double)variance[group] * (1 - momentum) + unbiased * momentum);
    }
}

/* Where a kernel gets the statistics: computed, given, or computed and used to update the given ones. */
#define OWN_STATISTICS 0
#define GIVEN_STATISTICS 1
#define MOVED_STATISTICS 2

/* (out, mean, rstd; input, weight or absent, bias or absent), with the running statistics at `running`, which shifts
 * the arguments after it; the last Scalar is eps. */
static int32_t NAME(channel_norm_forward)(const gn_call *call, void *const *data, channel_norm *work, int statistics,
                                          int running) {
    gn_call flattened = *call;
    gn_flat flat;
    flattened.output_count = 3; /* running statistics are read as well */
    const int32_t status_of_flat = gn_flatten(&flattened, data, CODE, &flat);
    if (status_of_flat != GN_OK) {
        return status_of_flat;
    }
    const int input = running == 3 ? 5 : 3;
    work->out = flat.at[0];
    work->in = flat.at[input];
    work->weight = flat.at[input + 1];
    work->bias = flat.at[input + 2];
    const double eps = call->scalars[call->scalar_count - 1].real;
    int32_t status = take_sums(work);
    if (status == GN_OK) {
        if (statistics == GIVEN_STATISTICS) {
            NAME(running_statistics)(work, flat.at[running], flat.at[running + 1], eps);
        } else {
            NAME(group_statistics)(work, eps);
            for (int64_t group = 0; group < work->groups; group++) {
                ((COMPUTE *)flat.at[1])[group] = (COMPUTE)work->mean[group];
                ((COMPUTE *)flat.at[2])[group] = (COMPUTE)work->rstd[group];
            }
        }
        if (is_matrix(work)) {
            run_rows(work, NAME(column_rows));
        } else {
            run_planes(work, NAME(normalize_planes));
        }
        status = work->status;
    }
    if (status == GN_OK && statistics == MOVED_STATISTICS) {
        NAME(move_running)(work, flat.at[running], flat.at[running + 1], call->scalars[0].real);
        for (int k = running; k < running + 2; k++) {
            if (flat.owned[k] != NULL) {
                gn_spread(&call->tensors[k], data[k], CODE, flat.owned[k]);
            }
        }
    }
    gn_give(work->mean);
    return gn_unflatten(&flattened, data, &flat, status);
}

int32_t NAME(kernel_batch_norm)(const gn_call *call, void *const *data) {
    channel_norm work = make_batch(&call->tensors[3]);
    return NAME(channel_norm_forward)(call, data, &work, OWN_STATISTICS, 6);
}

/* (...; input, weight, bias, running_mean, running_var) */
int32_t NAME(kernel_batch_norm_running)(const gn_call *call, void *const *data) {
    channel_norm work = make_batch(&call->tensors[3]);
    return NAME(channel_norm_forward)(call, data, &work, GIVEN_STATISTICS, 6);
}

/* (out, mean, rstd, running_mean, running_var; input, weight, bias); integers: training; scalars: momentum, eps. */
int32_t NAME(kernel_batch_norm_moving)(const gn_call *call, void *const *data) {
    channel_norm work = make_batch(&call->tensors[5]);
    const int statistics = call->integers[0] != 0 ? MOVED_STATISTICS : GIVEN_STATISTICS;
    return NAME(channel_norm_forward)(call, data, &work, statistics, 3);
}

int32_t NAME(kernel_group_norm)(const gn_call *call, void *const *data) {
    channel_norm work = make_group(call->integers);
    return NAME(channel_norm_forward)(call, data, &work, OWN_STATISTICS, 6);
}

/* The sums of gradients, and of their products with x^ (the normalized input), over up to BLOCK elements. */
static void NAME(block_gradients)(const COMPUTE *g, const COMPUTE *x, int64_t n, COMPUTE high, COMPUTE low,
                                  COMPUTE rstd, double *sum, double *product) {
    COMPUTE sums[BLOCK_LANES] = {0};
    COMPUTE products[BLOCK_LANES] = {0};
    int64_t i = 0;
    for (; i + BLOCK_LANES <= n; i += BLOCK_LANES) {
        for (int lane = 0; lane < BLOCK_LANES; lane++) {
            sums[lane] += g[i + lane];
            products[lane] += g[i + lane] * (((x[i + lane] - high) - low) * rstd);
        }
    }
    for (int lane = 0; i < n; i++, lane++) {
        sums[lane] += g[i];
        products[lane] += g[i] * (((x[i] - high) - low) * rstd);
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

/* The sums of a plane's gradient, and of its products with x^. */
static void NAME(plane_gradients)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t n = work->size;
    for (int64_t plane = begin; plane < end; plane++) {
        const int64_t group = group_of(work, plane);
        const COMPUTE *g = (const COMPUTE *)work->gradient + plane * n;
        const COMPUTE *x = (const COMPUTE *)work->in + plane * n;
        COMPUTE high;
        COMPUTE low;
        NAME(split_mean)(work->mean[group], &high, &low);
        const COMPUTE rstd = (COMPUTE)work->rstd[group];
        double sum = 0;
        double product = 0;
        for (int64_t first = 0; first < n; first += BLOCK) {
            NAME(block_gradients)(g + first, x + first, gn_min(BLOCK, n - first), high, low, rstd, &sum, &product);
        }
        work->first[plane] = sum;
        work->second[plane] = product;
    }
}

/* rstd (g w - mean(g w) - x^ mean(g w x^)). */
static void NAME(gradient_planes)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t n = work->size;
    for (int64_t plane = begin; plane < end; plane++) {
        const int64_t group = group_of(work, plane);
        const COMPUTE *g = (const COMPUTE *)work->gradient + plane * n;
        const COMPUTE *x = (const COMPUTE *)work->in + plane * n;
        COMPUTE *out = (COMPUTE *)work->out + plane * n;
        COMPUTE high;
        COMPUTE low;
        NAME(split_mean)(work->mean[group], &high, &low);
        const COMPUTE rstd = (COMPUTE)work->rstd[group];
        const COMPUTE weight = work->weight == NULL ? 1 : ((const COMPUTE *)work->weight)[plane % work->channels];
        if (work->is_constant) { /* no product with an input that may be infinite */
            for (int64_t i = 0; i < n; i++) {
                out[i] = rstd * (g[i] * weight);
            }
            continue;
        }
        const COMPUTE mean_grad = (COMPUTE)work->mean_grad[group];
        const COMPUTE mean_product = (COMPUTE)work->mean_product[group];
        for (int64_t i = 0; i < n; i++) {
            out[i] = rstd * ((g[i] * weight - mean_grad) - ((x[i] - high) - low) * rstd * mean_product);
        }
    }
}

/* (grad_input, grad_weight, grad_bias, each or absent; ...), with mean and rstd in `work`. `constant`: these do not
 * depend on the input. */
static int32_t NAME(channel_norm_backward)(channel_norm *work, const gn_flat *flat, int constant) {
    work->is_constant = constant;
    COMPUTE *for_weight = flat->at[1];
    COMPUTE *for_bias = flat->at[2];
    double *sums = gn_take_items(gn_checked(3, work->channels), sizeof(double));
    if (sums == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    double *products = sums + work->channels;
    double *weights = products + work->channels;
    memset(sums, 0, (size_t)work->channels * 2 * sizeof(double));
    if (is_matrix(work)) {
        run_columns(work, NAME(column_gradients));
        memcpy(sums, work->first, (size_t)work->channels * sizeof(double));
        memcpy(products, work->second, (size_t)work->channels * sizeof(double));
    } else {
        run_planes(work, NAME(plane_gradients));
        for (int64_t plane = 0; plane < work->planes; plane++) {
            sums[plane % work->channels] += work->first[plane];
            products[plane % work->channels] += work->second[plane];
        }
    }
    for (int64_t channel = 0; channel < work->channels; channel++) {
        weights[channel] = work->weight == NULL ? 1 : (double)((const COMPUTE *)work->weight)[channel];
        if (for_weight != NULL) {
            for_weight[channel] = (COMPUTE)products[channel];
        }
        if (for_bias != NULL) {
            for_bias[channel] = (COMPUTE)sums[channel];
        }
    }
    if (work->out != NULL) {
        const double count = (double)group_count(work);
        if (work->share > 0) {
            add_to_groups(work, work->first, weights, work->mean_grad);
            add_to_groups(work, work->second, weights, work->mean_product);
        }
        for (int64_t group = 0; group < work->groups; group++) {
            if (work->share == 0) {
                work->mean_grad[group] = weights[group] * sums[group];
                work->mean_product[group] = weights[group] * products[group];
            }
            work->mean_grad[group] = constant ? 0 : work->mean_grad[group] / count;
            work->mean_product[group] = constant ? 0 : work->mean_product[group] / count;
        }
        if (is_matrix(work)) {
            run_rows(work, NAME(column_rows));
        } else {
            run_planes(work, NAME(gradient_planes));
        }
    }
    gn_give(sums);
    return work->status;
}

/* (...; grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, the last five or absent);
 * integers: train, output_mask; scalars: eps. */
int32_t NAME(kernel_batch_norm_backward)(const gn_call *call, void *const *data) {
    const int train = call->integers[0] != 0;
    channel_norm work = make_batch(&call->tensors[4]);
    const gn_tensor *statistics = &call->tensors[train ? 8 : 6];
    if (gn_numel(&statistics[0]) < work.groups || gn_numel(&statistics[1]) < work.groups) {
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
    work.weight = flat.at[5];
    status = take_sums(&work);
    if (status == GN_OK) {
        if (train) {
            for (int64_t group = 0; group < work.groups; group++) {
                work.mean[group] = (double)((const COMPUTE *)flat.at[8])[group];
                work.rstd[group] = (double)((const COMPUTE *)flat.at[9])[group];
            }
        } else {
            NAME(running_statistics)(&work, flat.at[6], flat.at[7], call->scalars[0].real);
        }
        status = NAME(channel_norm_backward)(&work, &flat, !train);
    }
    gn_give(work.mean);
    return gn_unflatten(call, data, &flat, status);
}

/* (...; grad_out, input, mean, rstd, weight or absent); integers: N, C, HxW, group, output_mask. */
int32_t NAME(kernel_group_norm_backward)(const gn_call *call, void *const *data) {
    channel_norm work = make_group(call->integers);
    gn_flat flat;
    int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    work.out = flat.at[0];
    work.gradient = flat.at[3];
    work.in = flat.at[4];
    work.weight = flat.at[7];
    status = take_sums(&work);
    if (status == GN_OK) {
        for (int64_t group = 0; group < work.groups; group++) {
            work.mean[group] = (double)((const COMPUTE *)flat.at[5])[group];
            work.rstd[group] = (double)((const COMPUTE *)flat.at[6])[group];
        }
        status = NAME(channel_norm_backward)(&work, &flat, 0);
    }
    gn_give(work.mean);
    return gn_unflatten(call, data, &flat, status);
}

#endif

#if IS_HALF

GN_HALF_KERNEL(batch_norm)
GN_HALF_KERNEL(batch_norm_running)
GN_HALF_KERNEL(batch_norm_moving)
GN_HALF_KERNEL(group_norm)
GN_HALF_KERNEL(batch_norm_backward)
GN_HALF_KERNEL(group_norm_backward)

#endif
