/* Convolution for one dtype. */

#if IS_COMPLEX
#define TOTAL gn_complex128
#elif IS_FLOATING
#define TOTAL double
#else
#define TOTAL int64_t
#endif

#if IS_NUMERIC && !IS_HALF

#if GN_HAS_GEMM && IS_PRECISE
#define OVER_PLANES(name) NAME(name)
#else
#define OVER_PLANES(name) NULL
#endif

/* Memory for patches of `rows` rows of `count` positions; if there is none, NULL, which is reported. */
static COMPUTE *NAME(take_patches)(convolution *work, int64_t rows, int64_t count) {
    COMPUTE *patches = gn_take_items(gn_checked(rows, count), sizeof(COMPUTE));
    if (patches == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
    }
    return patches;
}

/* Fills the first `count` elements of each of `channels` rows, `step` apart, with the channel's bias, or 0; the
 * bias of the first one is at place `first`. */
static void NAME(fill_with_bias)(const convolution *work, COMPUTE *row, int64_t channels, int64_t step, int64_t count,
                                 int64_t first) {
    for (int64_t channel = 0; channel < channels; channel++) {
        const COMPUTE start = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[first + channel];
        for (int64_t i = 0; i < count; i++) {
            row[channel * step + i] = start;
        }
    }
}

#if IS_FLOATING || IS_COMPLEX
/* Whether a product of 0 with each of them is 0. */
static int NAME(are_finite)(const COMPUTE *numbers, int64_t count) {
    int all = 1;
    for (int64_t i = 0; i < count; i++) {
        all &= numbers[i] - numbers[i] == 0;
    }
    return all;
}

/* Element `index` of a result as the sum of its products; stops when the sum is NaN. */
static COMPUTE NAME(sum_meetings)(const convolution *work, matrix result, int64_t index) {
    const geometry *of = &work->of;
    const int64_t channels = of->groups * of->channels;
    const int64_t features = of->groups * of->features;
    const int64_t numels[] = {of->in_numel, of->out_numel, of->kernel_numel};
    const int64_t place = index % numels[result];
    const int64_t plane = index / numels[result];
    const COMPUTE *planes_of[] = {(const COMPUTE *)work->x, (const COMPUTE *)work->y, (const COMPUTE *)work->w};
    int64_t steps[3]; /* distance to the next plane in the sum, of `count` planes */
    int64_t count;
    TOTAL sum = 0;
    if (result == THE_INPUT) {
        const int64_t group = plane / of->channels; /* of all images */
        planes_of[THE_OUTPUT] += group * of->features * of->out_numel;
        planes_of[THE_WEIGHT] += group % of->groups * of->features * of->depth + plane % of->channels * of->kernel_numel;
        steps[THE_OUTPUT] = of->out_numel;
        steps[THE_WEIGHT] = of->depth;
        count = of->features;
        sum = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[plane % channels];
    } else if (result == THE_OUTPUT) {
        planes_of[THE_INPUT] += plane / of->features * of->channels * of->in_numel;
        planes_of[THE_WEIGHT] += plane % features * of->depth;
        steps[THE_INPUT] = of->in_numel;
        steps[THE_WEIGHT] = of->kernel_numel;
        count = of->channels;
        sum = work->bias == NULL ? 0 : ((const COMPUTE *)work->bias)[plane % features];
    } else {
        const int64_t feature = plane / of->channels;
        planes_of[THE_INPUT] += (feature / of->features * of->channels + plane % of->channels) * of->in_numel;
        planes_of[THE_OUTPUT] += feature * of->out_numel;
        steps[THE_INPUT] = channels * of->in_numel;
        steps[THE_OUTPUT] = features * of->out_numel;
        count = of->batch;
    }
    const matrix left = result == THE_INPUT ? THE_OUTPUT : THE_INPUT;
    const matrix right = result == THE_WEIGHT ? THE_OUTPUT : THE_WEIGHT;
    for (int64_t number = 0; number < numels[right]; number++) {
        int64_t at[3];
        if (!find_meeting(of, result, place, number, at)) {
            continue;
        }
        for (int64_t i = 0; i < count && sum == sum; i++) {
            sum += GN_TIMES((TOTAL)planes_of[left][at[left] + i * steps[left]],
                            (TOTAL)planes_of[right][at[right] + i * steps[right]]);
        }
    }
    return (COMPUTE)sum;
}

/* Padding is multiplied as zeros, which gives NaN with infinities: if there are any, sums that are NaN are computed
 * again without the padding. */
static void NAME(leave_out_padding)(const convolution *work, matrix result) {
    const geometry *of = &work->of;
    COMPUTE *made = (COMPUTE *)work->result;
    const int64_t weights = of->groups * of->features * of->depth;
    const int64_t outputs = of->batch * of->groups * of->features * of->out_numel;
    const int64_t count = result == THE_WEIGHT   ? weights
                          : result == THE_OUTPUT ? outputs
                                                 : of->batch * of->groups * of->channels * of->in_numel;
    const COMPUTE *factor = (const COMPUTE *)(result == THE_WEIGHT ? work->y : work->w);
    const int64_t factors = result == THE_WEIGHT ? outputs : weights;
    /* over planes an input is also multiplied by the zeros between the rows of the gradient */
    const int is_alone = result != THE_WEIGHT || !is_depthwise(of);
    if (is_pointwise(of) || (is_alone && factors < count && NAME(are_finite)(factor, factors))) {
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        if (made[i] != made[i]) {
            made[i] = NAME(sum_meetings)(work, result, i);
        }
    }
}
#endif

/* y = w * x + bias: tasks are tiles of positions of a group of an image. */
static void NAME(forward_task)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const int64_t tiles = (of->out_numel + work->tile - 1) / work->tile;
    const int direct = is_pointwise(of);
    COMPUTE *patches = NULL;
    if (!direct) {
        patches = NAME(take_patches)(work, of->depth, work->tile);
        if (patches == NULL) {
            return;
        }
    }
    for (int64_t task = begin; task < end; task++) {
        const int64_t first = task % tiles * work->tile;
        const int64_t group = task / tiles % of->groups;
        const int64_t image = task / tiles / of->groups;
        const int64_t count = gn_min(work->tile, of->out_numel - first);
        const int64_t place = image * of->groups + group;
        COMPUTE *x = (COMPUTE *)work->x + place * of->channels * of->in_numel;
        COMPUTE *y = (COMPUTE *)work->result + place * of->features * of->out_numel + first;
        const COMPUTE *w = (const COMPUTE *)work->w + group * of->features * of->depth;
        NAME(fill_with_bias)(work, y, of->features, of->out_numel, count, group * of->features);
        const COMPUTE *right = x + first;
        int64_t right_row = of->in_numel;
        if (!direct) {
            NAME(walk_patches)(of, x, of->channels, first, count, patches, 0);
            right = patches;
            right_row = count;
        }
        gn_report(&work->status, NAME(gn_gemm)(of->features, count, of->depth, 1, w, of->depth, 1, right, right_row, 1,
                                               1, y, of->out_numel));
    }
    gn_give(patches);
}

static int32_t NAME(forward)(convolution *work) {
    const geometry *of = &work->of;
    const int64_t images = of->batch * of->groups;
    if (images * of->out_numel * of->features == 0) {
        return GN_OK;
    }
#if IS_FLOATING
    if (is_depthwise(of)) {
        return run_depthwise(work, images * of->features, of->kernel_numel * of->out_numel, NAME(depthwise_forward),
                             lay_image, OVER_PLANES(lines_forward));
    }
#endif
#if IS_PRECISE
    if (of->groups == 1 && is_whole(of)) {
        COMPUTE *y = (COMPUTE *)work->result;
        for (int64_t image = 0; image < of->batch && work->bias != NULL; image++) {
            NAME(fill_with_bias)(work, y + image * of->features, of->features, 1, 1, 0);
        }
        return NAME(gn_matmul)(of->batch, of->features, of->depth, (COMPUTE *)work->x, of->depth, 1,
                               (COMPUTE *)work->w, 1, of->depth, work->bias != NULL, y, of->features);
    }
#endif
#if IS_PRECISE && GN_HAS_GEMM
    if (PACKS && is_worth_bands(of, band_rows(of))) {
        return NAME(packed_forward)(work);
    }
#endif
    const int64_t parts = gn_max(1, TASKS / images);
    work->tile = tile_positions(of->depth, of->out_numel);
    work->tile = gn_max(gn_min(64, of->out_numel), gn_min(work->tile, (of->out_numel + parts - 1) / parts));
    const int64_t tiles = (of->out_numel + work->tile - 1) / work->tile;
    const int64_t steps = of->features * gn_max(1, of->depth) * work->tile;
    gn_parallel_for(0, images * tiles, gn_grain(steps), NAME(forward_task), work);
    return work->status;
}

/* x = the gradient: w transposed by y, added back; tasks are channels of a group of an image. */
static void NAME(backward_data_task)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const int64_t blocks = (of->channels + work->tile - 1) / work->tile;
    const int64_t tile = tile_positions(work->tile * of->kernel_numel, of->out_numel);
    COMPUTE *patches = NAME(take_patches)(work, work->tile * of->kernel_numel, tile);
    if (patches == NULL) {
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        const int64_t channel = task % blocks * work->tile;
        const int64_t group = task / blocks % of->groups;
        const int64_t image = task / blocks / of->groups;
        const int64_t channels = gn_min(work->tile, of->channels - channel);
        const int64_t place = image * of->groups + group;
        const int64_t depth = channels * of->kernel_numel;
        COMPUTE *x = (COMPUTE *)work->result + (place * of->channels + channel) * of->in_numel;
        const COMPUTE *y = (const COMPUTE *)work->y + place * of->features * of->out_numel;
        const COMPUTE *w =
            (const COMPUTE *)work->w + group * of->features * of->depth + channel * of->kernel_numel;
        NAME(fill_with_bias)(work, x, channels, of->in_numel, of->in_numel, group * of->channels + channel);
        for (int64_t first = 0; first < of->out_numel; first += tile) {
            const int64_t count = gn_min(tile, of->out_numel - first);
            gn_report(&work->status, NAME(gn_gemm)(depth, count, of->features, 1, w, 1, of->depth, y + first,
                                                   of->out_numel, 1, 0, patches, count));
            NAME(walk_patches)(of, x, channels, first, count, patches, 1);
        }
    }
    gn_give(patches);
}

static int32_t NAME(backward_data)(convolution *work) {
    const geometry *of = &work->of;
    const int64_t images = of->batch * of->groups;
    if (images * of->channels * of->in_numel == 0) {
        return GN_OK;
    }
#if IS_FLOATING
    if (is_depthwise(of)) {
        return run_depthwise(work, images, of->features * of->kernel_numel * of->out_numel,
                             NAME(depthwise_backward_data), lay_gradient, OVER_PLANES(lines_backward_data));
    }
#endif
#if IS_PRECISE
    if (of->groups == 1 && is_whole(of)) { /* the rows of x are those of y w */
        COMPUTE *x = (COMPUTE *)work->result;
        for (int64_t image = 0; image < of->batch && work->bias != NULL; image++) {
            NAME(fill_with_bias)(work, x + image * of->depth, of->channels, of->in_numel, of->in_numel, 0);
        }
        return NAME(gn_matmul)(of->batch, of->depth, of->features, (COMPUTE *)work->y, of->features, 1,
                               (COMPUTE *)work->w, of->depth, 1, work->bias != NULL, x, of->depth);
    }
#endif
#if IS_PRECISE && GN_HAS_GEMM
    if (PACKS && !is_mostly_padding(of) && (is_dense(of) ? is_worth_bands(of, band_rows(of)) : has_phases(of))) {
        return NAME(packed_backward_data)(work);
    }
#endif
    work->tile = task_channels(of->channels, images);
    const int64_t blocks = (of->channels + work->tile - 1) / work->tile;
    const int64_t steps = gn_max(1, work->tile * of->kernel_numel * of->features * of->out_numel);
    gn_parallel_for(0, images * blocks, gn_grain(steps), NAME(backward_data_task), work);
    return work->status;
}

/* w = the gradient: y by the patches, transposed, over all images; tasks are channels of a group. */
static void NAME(backward_weight_task)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const int64_t blocks = (of->channels + work->tile - 1) / work->tile;
    const int64_t tile = tile_positions(work->tile * of->kernel_numel, of->out_numel);
    COMPUTE *patches = NAME(take_patches)(work, work->tile * of->kernel_numel, tile);
    if (patches == NULL) {
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        const int64_t channel = task % blocks * work->tile;
        const int64_t group = task / blocks;
        const int64_t channels = gn_min(work->tile, of->channels - channel);
        const int64_t depth = channels * of->kernel_numel;
        COMPUTE *w = (COMPUTE *)work->result + group * of->features * of->depth + channel * of->kernel_numel;
        for (int64_t feature = 0; feature < of->features; feature++) {
            memset(w + feature * of->depth, 0, (size_t)depth * sizeof(COMPUTE));
        }
        for (int64_t image = 0; image < of->batch; image++) {
            const int64_t place = image * of->groups + group;
            COMPUTE *x = (COMPUTE *)work->x + (place * of->channels + channel) * of->in_numel;
            const COMPUTE *y = (const COMPUTE *)work->y + place * of->features * of->out_numel;
            for (int64_t first = 0; first < of->out_numel; first += tile) {
                const int64_t count = gn_min(tile, of->out_numel - first);
                NAME(walk_patches)(of, x, channels, first, count, patches, 0);
                gn_report(&work->status, NAME(gn_gemm)(of->features, depth, count, 1, y + first, of->out_numel, 1,
                                                       patches, 1, count, 1, w, of->depth));
            }
        }
    }
    gn_give(patches);
}

static int32_t NAME(backward_weight)(convolution *work) {
    const geometry *of = &work->of;
    const int64_t numel = of->groups * of->features * of->depth;
    if (numel == 0) {
        return GN_OK;
    }
    if (of->batch * of->out_numel == 0) { /* no positions, so there are no rows */
        memset(work->result, 0, (size_t)numel * sizeof(COMPUTE));
        return GN_OK;
    }
#if IS_FLOATING
    if (is_depthwise(of)) {
        return run_depthwise(work, of->groups * of->features, of->batch * of->kernel_numel * of->out_numel,
                             NAME(depthwise_backward_weight), lay_image, OVER_PLANES(lines_backward_weight));
    }
#endif
#if IS_PRECISE
    if (of->groups == 1 && is_whole(of)) {
        return NAME(gn_matmul)(of->features, of->depth, of->batch, (COMPUTE *)work->y, 1, of->features,
                               (COMPUTE *)work->x, of->depth, 1, 0, (COMPUTE *)work->result, of->depth);
    }
#endif
#if IS_PRECISE && GN_HAS_GEMM
    if (PACKS && is_worth_bands(of, band_rows(of))) {
        return NAME(packed_backward_weight)(work);
    }
#endif
    work->tile = task_channels(of->channels, of->groups);
    const int64_t blocks = (of->channels + work->tile - 1) / work->tile;
    const int64_t steps = gn_max(1, work->tile * of->kernel_numel * of->features * of->out_numel * of->batch);
    gn_parallel_for(0, of->groups * blocks, gn_grain(steps), NAME(backward_weight_task), work);
    return work->status;
}

#undef OVER_PLANES

#endif

#if IS_NUMERIC

#if IS_HALF
#define FUNCTION(name) name##_float32
#define COMPUTE_CODE GN_FLOAT32
#else
#define FUNCTION(name) NAME(name)
#define COMPUTE_CODE CODE
#endif

/* Runs one of the three products into tensors[output]; x, y, w are the operands; the one computed is NULL. */
static int32_t NAME(run_convolution)(const gn_call *call, void *const *data, int32_t output, convolution *work,
                                     matrix result, int32_t (*product)(convolution *)) {
    const gn_tensor *tensor = &call->tensors[output];
    if (gn_numel(tensor) == 0) {
        return GN_OK;
    }
    const int direct = !IS_HALF && gn_is_contiguous(tensor);
    work->result = direct ? data[output] : gn_take_items(gn_numel(tensor), sizeof(COMPUTE));
    if (work->result == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    work->status = GN_OK;
    const int32_t status = product(work);
#if IS_FLOATING || IS_COMPLEX
    if (status == GN_OK) {
        FUNCTION(leave_out_padding)(work, result);
    }
#endif
    if (!direct) {
        if (status == GN_OK) {
            gn_spread(tensor, data[output], COMPUTE_CODE, work->result);
        }
        gn_give(work->result);
    }
    return status;
}

#if IS_PRECISE

/* The three products of matrices with `positions` rows of pixels: x (positions, channels), y (positions, features) and
 * w (features, channels) with the strides of its tensor. */
typedef struct NAME(pixels) {
    int64_t positions, channels, features;
    COMPUTE *x, *w, *y;
    int64_t w_row, w_column;
} NAME(pixels);

static NAME(pixels) NAME(pixels_of)(const gn_tensor *x, void *const *data, const gn_tensor *w) {
    NAME(pixels) of;
    of.channels = w->sizes[1];
    of.features = w->sizes[0];
    of.positions = of.channels == 0 ? 0 : gn_numel(x) / of.channels;
    of.x = data[0];
    of.w = data[1];
    of.y = data[2];
    of.w_row = w->strides[0] / (int64_t)sizeof(COMPUTE);
    of.w_column = w->strides[1] / (int64_t)sizeof(COMPUTE);
    return of;
}

/* y = x w, plus the bias. */
static int32_t NAME(forward_pixels)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *bias = &call->tensors[3];
    void *const parts[] = {data[1], data[2], data[0]};
    const NAME(pixels) of = NAME(pixels_of)(&call->tensors[1], parts, &call->tensors[2]);
    const int adds = bias->dtype != GN_NO_DTYPE;
    if (adds) {
        int64_t strides[SPATIAL + 2] = {0};
        strides[1] = bias->strides[0];
        const gn_tensor spread = {bias->dtype, out->ndim, out->sizes, strides};
        gn_copy(out, data[0], &spread, data[3]);
    }
    return NAME(gn_matmul)(of.positions, of.features, of.channels, of.x, of.channels, 1, of.w, of.w_column, of.w_row,
                           adds, of.y, of.features);
}

/* The gradients of forward_pixels, each or absent. */
static int32_t NAME(backward_pixels)(const gn_call *call, void *const *data) {
    const gn_tensor *to_weight = &call->tensors[1];
    const gn_tensor *to_bias = &call->tensors[2];
    void *const parts[] = {data[4], data[5], data[3]};
    const NAME(pixels) of = NAME(pixels_of)(&call->tensors[4], parts, &call->tensors[5]);
    int32_t status = GN_OK;
    if (call->tensors[0].dtype != GN_NO_DTYPE) {
        status = NAME(gn_matmul)(of.positions, of.channels, of.features, of.y, of.features, 1, of.w, of.w_row,
                                 of.w_column, 0, data[0], of.channels);
    }
    if (status == GN_OK && to_weight->dtype != GN_NO_DTYPE) {
        status = NAME(gn_matmul)(of.features, of.channels, of.positions, of.y, 1, of.features, of.x, of.channels, 1, 0,
                                 data[1], of.channels);
    }
    if (status == GN_OK && to_bias->dtype != GN_NO_DTYPE) {
        TOTAL *sums = gn_take_items(of.features, sizeof(TOTAL));
        if (sums == NULL) {
            return GN_OUT_OF_MEMORY;
        }
        memset(sums, 0, (size_t)of.features * sizeof(TOTAL));
        for (int64_t position = 0; position < of.positions; position++) {
            for (int64_t feature = 0; feature < of.features; feature++) {
                sums[feature] += of.y[position * of.features + feature];
            }
        }
        for (int64_t feature = 0; feature < of.features; feature++) {
            *(STORAGE *)((char *)data[2] + feature * to_bias->strides[0]) = (STORAGE)sums[feature];
        }
        gn_give(sums);
    }
    return status;
}

/* Whether the gradients of backward_pixels lie as its products write them. */
static int NAME(takes_pixels)(const gn_call *call) {
    const gn_tensor *to_input = &call->tensors[0];
    const gn_tensor *to_weight = &call->tensors[1];
    return (to_input->dtype == GN_NO_DTYPE || is_channels_last(to_input))
           && (to_weight->dtype == GN_NO_DTYPE || gn_is_contiguous(to_weight));
}

#endif

/* (out; input, weight, bias or absent). */
int32_t NAME(kernel_convolution)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *input = &call->tensors[1];
    const gn_tensor *weight = &call->tensors[2];
    const gn_tensor *bias = &call->tensors[3];
    if (input->ndim < 3 || input->ndim > SPATIAL + 2) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t *cursor = call->integers;
    const arguments given = read_arguments(&cursor, input->ndim - 2);
#if IS_PRECISE
    if (is_product_of_pixels(&given, input, weight, out)) {
        return NAME(forward_pixels)(call, data);
    }
#endif
    convolution work;
    memset(&work, 0, sizeof work);
    void *owned[3] = {NULL, NULL, NULL};
    const char *from = gn_compact(input, data[1], COMPUTE_CODE, &owned[0]);
    work.w = gn_compact(weight, data[2], COMPUTE_CODE, &owned[1]);
    int32_t status = from == NULL || work.w == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (status == GN_OK && bias->dtype != GN_NO_DTYPE) {
        work.bias = gn_compact(bias, data[3], COMPUTE_CODE, &owned[2]);
        status = work.bias == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    }
    if (status == GN_OK && given.transposed) {
        work.of = make_geometry(&given, out, weight, input);
        work.y = from;
        status = NAME(run_convolution)(call, data, 0, &work, THE_INPUT, FUNCTION(backward_data));
    } else if (status == GN_OK) {
        work.of = make_geometry(&given, input, weight, out);
        work.x = from;
        status = NAME(run_convolution)(call, data, 0, &work, THE_OUTPUT, FUNCTION(forward));
    }
    for (int i = 0; i < 3; i++) {
        gn_give(owned[i]);
    }
    return status;
}

/* The sum of the gradient over images and positions, for each feature. */
static void NAME(backward_bias)(const COMPUTE *gradient, const gn_tensor *tensor, const gn_tensor *out, char *to) {
    const int64_t batch = tensor->sizes[0];
    const int64_t features = tensor->sizes[1];
    const int64_t positions = batch * features == 0 ? 0 : gn_numel(tensor) / batch / features;
    for (int64_t feature = 0; feature < features; feature++) {
        TOTAL sum = 0;
        for (int64_t image = 0; image < batch; image++) {
            const COMPUTE *line = gradient + (image * features + feature) * positions;
            TOTAL lanes[8] = {0};
            int64_t i = 0;
            for (; i + 8 <= positions; i += 8) {
                for (int lane = 0; lane < 8; lane++) {
                    lanes[lane] += line[i + lane];
                }
            }
            for (int lane = 0; i < positions; i++, lane++) {
                lanes[lane] += line[i];
            }
            sum += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        }
        *(STORAGE *)(to + feature * out->strides[0]) = STORE((COMPUTE)sum);
    }
}

/* The factor of a gradient of complex numbers: conjugates, in memory that *owned refers to. NULL when memory is
 * exhausted. */
static const char *NAME(conjugates)(const gn_tensor *tensor, const char *compact, void **owned) {
#if IS_COMPLEX
    const int64_t count = gn_numel(tensor);
    if (*owned == NULL) {
        *owned = gn_take_items(count, sizeof(COMPUTE));
    }
    MAGNITUDE *to = *owned;
    if (to == NULL || compact == NULL) {
        return NULL;
    }
    memmove(to, compact, (size_t)count * sizeof(COMPUTE));
    for (int64_t i = 0; i < count; i++) {
        to[2 * i + 1] = -to[2 * i + 1];
    }
    return *owned;
#else
    (void)tensor;
    (void)owned;
    return compact;
#endif
}

/* (grad_input, grad_weight, grad_bias, each or absent; grad_output, input, weight). */
int32_t NAME(kernel_convolution_backward)(const gn_call *call, void *const *data) {
    const gn_tensor *gradient = &call->tensors[3];
    const gn_tensor *input = &call->tensors[4];
    const gn_tensor *weight = &call->tensors[5];
    if (input->ndim < 3 || input->ndim > SPATIAL + 2) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t *cursor = call->integers;
    if (*cursor == GN_NO_INTEGER) {
        cursor++;
    } else {
        cursor += *cursor + 1; /* bias_sizes */
    }
    const arguments given = read_arguments(&cursor, input->ndim - 2);
#if IS_PRECISE
    if (is_product_of_pixels(&given, input, weight, gradient) && NAME(takes_pixels)(call)) {
        return NAME(backward_pixels)(call, data);
    }
#endif
    convolution work;
    memset(&work, 0, sizeof work);
    void *owned[3] = {NULL, NULL, NULL};
    const char *dy = gn_compact(gradient, data[3], COMPUTE_CODE, &owned[0]);
    const char *x = gn_compact(input, data[4], COMPUTE_CODE, &owned[1]);
    work.w = gn_compact(weight, data[5], COMPUTE_CODE, &owned[2]);
    x = NAME(conjugates)(input, x, &owned[1]);
    work.w = NAME(conjugates)(weight, work.w, &owned[2]);
    int32_t status = dy == NULL || x == NULL || work.w == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (given.transposed) {
        work.of = make_geometry(&given, gradient, weight, input);
        work.x = dy;
        work.y = x;
    } else {
        work.of = make_geometry(&given, input, weight, gradient);
        work.x = x;
        work.y = dy;
    }
    if (status == GN_OK && call->tensors[0].dtype != GN_NO_DTYPE) {
        status = given.transposed
                     ? NAME(run_convolution)(call, data, 0, &work, THE_OUTPUT, FUNCTION(forward))
                     : NAME(run_convolution)(call, data, 0, &work, THE_INPUT, FUNCTION(backward_data));
    }
    if (status == GN_OK && call->tensors[1].dtype != GN_NO_DTYPE) {
        status = NAME(run_convolution)(call, data, 1, &work, THE_WEIGHT, FUNCTION(backward_weight));
    }
    if (status == GN_OK && call->tensors[2].dtype != GN_NO_DTYPE) {
        NAME(backward_bias)((const COMPUTE *)dy, gradient, &call->tensors[2], data[2]);
    }
    for (int i = 0; i < 3; i++) {
        gn_give(owned[i]);
    }
    return status;
}

#undef FUNCTION
#undef COMPUTE_CODE
#undef TOTAL

#endif
