/* Batch and group normalization for one dtype. */

#if IS_FLOATING && !IS_HALF

static void NAME(plane_moments)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    for (int64_t plane = begin; plane < end; plane++) {
        NAME(moments)((const COMPUTE *)work->in + plane * work->size, work->size, work->mean[group_of(work, plane)],
                      &work->first[plane], &work->second[plane]);
    }
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
        gn_parallel(work->groups, gn_max(1, GN_GRAIN / gn_max(1, n)), NAME(run_statistics), work);
        return;
    }
    for (int64_t group = 0; group < work->groups; group++) {
        const int64_t plane = work->share == 0 ? group : group * work->share;
        work->mean[group] = n == 0 ? 0 : NAME(shift_of)((const COMPUTE *)work->in + plane * work->size, work->size);
    }
    for (int pass = 0; pass < (CODE == GN_FLOAT64 ? 2 : 1); pass++) {
        if (is_matrix(work)) {
            run_columns(work, NAME(column_moments));
        } else {
            run_planes(work, NAME(plane_moments));
            add_to_groups(work, work->first, NULL, work->mean_grad);
            add_to_groups(work, work->second, NULL, work->mean_product);
        }
        for (int64_t group = 0; group < work->groups; group++) {
            double variance = NAN;
            if (n > 0) {
                finish_moments(work->mean[group], work->mean_grad[group], work->mean_product[group], n,
                               &work->mean[group], &variance);
            }
            work->rstd[group] = 1 / sqrt(variance + eps);
        }
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

/* (out, mean, rstd; input, weight or absent, bias or absent, and the running statistics where they are used);
 * the last Scalar is eps. */
static int32_t NAME(channel_norm_forward)(const gn_call *call, void *const *data, channel_norm *work, int running) {
    gn_flat flat;
    int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    work->out = flat.at[0];
    work->in = flat.at[3];
    work->weight = flat.at[4];
    work->bias = flat.at[5];
    const double eps = call->scalars[call->scalar_count - 1].real;
    status = take_sums(work);
    if (status == GN_OK) {
        if (running) {
            NAME(running_statistics)(work, flat.at[6], flat.at[7], eps);
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
    gn_give(work->mean);
    return gn_unflatten(call, data, &flat, status);
}

int32_t NAME(kernel_batch_norm)(const gn_call *call, void *const *data) {
    channel_norm work = make_batch(&call->tensors[3]);
    return NAME(channel_norm_forward)(call, data, &work, 0);
}

int32_t NAME(kernel_batch_norm_running)(const gn_call *call, void *const *data) {
    channel_norm work = make_batch(&call->tensors[3]);
    return NAME(channel_norm_forward)(call, data, &work, 1);
}

int32_t NAME(kernel_group_norm)(const gn_call *call, void *const *data) {
    channel_norm work = make_group(call->integers);
    return NAME(channel_norm_forward)(call, data, &work, 0);
}

/* The sums of a plane's gradient, and of its products with x^. */
static void NAME(plane_gradients)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t n = work->size;
    for (int64_t plane = begin; plane < end; plane++) {
        const int64_t group = group_of(work, plane);
        const COMPUTE *g = (const COMPUTE *)work->gradient + plane * n;
        const COMPUTE *x = (const COMPUTE *)work->in + plane * n;
        const double mean = work->mean[group];
        double sums[LANES] = {0};
        double products[LANES] = {0};
        int64_t i = 0;
        for (; i + LANES <= n; i += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                const double element = g[i + lane];
                sums[lane] += element;
                products[lane] += element * ((double)x[i + lane] - mean);
            }
        }
        for (int lane = 0; i < n; i++, lane++) {
            sums[lane] += g[i];
            products[lane] += (double)g[i] * ((double)x[i] - mean);
        }
        work->first[plane] = lane_total(sums);
        work->second[plane] = lane_total(products) * work->rstd[group];
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
        const COMPUTE mean_grad = (COMPUTE)work->mean_grad[group];
        const COMPUTE mean_product = (COMPUTE)work->mean_product[group];
        for (int64_t i = 0; i < n; i++) {
            out[i] = rstd * ((g[i] * weight - mean_grad) - ((x[i] - high) - low) * rstd * mean_product);
        }
    }
}

/* (grad_input, grad_weight, grad_bias, each or absent; ...), for mean and rstd in `work`.  `constant`: these do not
 * depend on the input. */
static int32_t NAME(channel_norm_backward)(channel_norm *work, const gn_flat *flat, int constant) {
    COMPUTE *for_weight = flat->at[1];
    COMPUTE *for_bias = flat->at[2];
    double *sums = gn_take(3 * work->channels * (int64_t)sizeof(double));
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
GN_HALF_KERNEL(group_norm)
GN_HALF_KERNEL(batch_norm_backward)
GN_HALF_KERNEL(group_norm_backward)

#endif
