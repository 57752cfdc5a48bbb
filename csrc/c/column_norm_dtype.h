/* Batch normalization of a matrix (images, channels), whose planes are single elements, for one dtype: the inner loop
 * runs over channels. */

#if IS_FLOATING && !IS_HALF

/* The sums of differences from mean[], and of their squares, of channels [begin, end). */
static void NAME(column_moments)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t rows = work->planes / work->channels;
    const double *mean = work->mean;
    double *sums = work->mean_grad;
    double *squares = work->mean_product;
    for (int64_t channel = begin; channel < end; channel++) {
        sums[channel] = 0;
        squares[channel] = 0;
    }
    for (int64_t row = 0; row < rows; row++) {
        const COMPUTE *x = (const COMPUTE *)work->in + row * work->channels;
        GN_INDEPENDENT
        for (int64_t channel = begin; channel < end; channel++) {
            const double difference = (double)x[channel] - mean[channel];
            sums[channel] += difference;
            squares[channel] += difference * difference;
        }
    }
}

/* The sums of the gradient, and of its products with x^, of channels [begin, end), to first[] and second[]. */
static void NAME(column_gradients)(int64_t begin, int64_t end, void *context) {
    const channel_norm *work = context;
    const int64_t rows = work->planes / work->channels;
    const double *mean = work->mean;
    double *sums = work->first;
    double *products = work->second;
    for (int64_t channel = begin; channel < end; channel++) {
        sums[channel] = 0;
        products[channel] = 0;
    }
    for (int64_t row = 0; row < rows; row++) {
        const COMPUTE *x = (const COMPUTE *)work->in + row * work->channels;
        const COMPUTE *g = (const COMPUTE *)work->gradient + row * work->channels;
        GN_INDEPENDENT
        for (int64_t channel = begin; channel < end; channel++) {
            sums[channel] += (double)g[channel];
            products[channel] += (double)g[channel] * ((double)x[channel] - mean[channel]);
        }
    }
    for (int64_t channel = begin; channel < end; channel++) {
        products[channel] *= work->rstd[channel];
    }
}

/* Rows [begin, end): x^ weight + bias, or, given a gradient, the gradient of the input. */
static void NAME(column_rows)(int64_t begin, int64_t end, void *context) {
    channel_norm *work = context;
    const int64_t channels = work->channels;
    COMPUTE *high = gn_take_items(gn_checked(7, channels), sizeof(COMPUTE));
    if (high == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    COMPUTE *low = high + channels;
    COMPUTE *rstd = low + channels;
    COMPUTE *weight = rstd + channels;
    COMPUTE *bias = weight + channels;
    COMPUTE *mean_grad = bias + channels;
    COMPUTE *mean_product = mean_grad + channels;
    for (int64_t channel = 0; channel < channels; channel++) {
        NAME(split_mean)(work->mean[channel], &high[channel], &low[channel]);
        rstd[channel] = (COMPUTE)work->rstd[channel];
        weight[channel] = work->weight == NULL ? 1 : ((const COMPUTE *)work->weight)[channel];
        /* adding -0 changes nothing */
        bias[channel] = work->bias == NULL ? (COMPUTE)-0.0 : ((const COMPUTE *)work->bias)[channel];
        mean_grad[channel] = (COMPUTE)work->mean_grad[channel];
        mean_product[channel] = (COMPUTE)work->mean_product[channel];
    }
    for (int64_t row = begin; row < end; row++) {
        const COMPUTE *x = (const COMPUTE *)work->in + row * channels;
        COMPUTE *out = (COMPUTE *)work->out + row * channels;
        if (work->gradient == NULL) {
            GN_INDEPENDENT
            for (int64_t i = 0; i < channels; i++) {
                out[i] = ((x[i] - high[i]) - low[i]) * rstd[i] * weight[i] + bias[i];
            }
            continue;
        }
        const COMPUTE *g = (const COMPUTE *)work->gradient + row * channels;
        if (work->is_constant) {
            GN_INDEPENDENT
            for (int64_t i = 0; i < channels; i++) {
                out[i] = rstd[i] * (g[i] * weight[i]);
            }
            continue;
        }
        GN_INDEPENDENT
        for (int64_t i = 0; i < channels; i++) {
            out[i] = rstd[i]
                     * ((g[i] * weight[i] - mean_grad[i]) - ((x[i] - high[i]) - low[i]) * rstd[i] * mean_product[i]);
        }
    }
    gn_give(high);
}

#endif
