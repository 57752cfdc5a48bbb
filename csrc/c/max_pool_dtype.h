/* Max pooling for one dtype. */

#if IS_REAL && !IS_HALF

/* best[x], place[x] = the maximum of them and row[x * stride], whose place is base + x * stride; NaN is the greatest,
 * and the last NaN wins, as in PyTorch. */
#define TAKE_GREATER(step)                                              \
    GN_INDEPENDENT                                                      \
    for (int64_t x = first; x < past; x++) {                            \
        const COMPUTE element = row[x * (step)];                        \
        const int better = (element > best[x]) | gn_isnan(element);     \
        best[x] = better ? element : best[x];                           \
        place[x] = better ? (int32_t)(base + x * (step)) : place[x];    \
    }

static void NAME(take_greater)(const COMPUTE *row, int64_t base, int64_t stride, int64_t first, int64_t past,
                               COMPUTE *best, int32_t *place) {
    if (stride == 1) {
        TAKE_GREATER(1)
    } else if (stride == 2) {
        TAKE_GREATER(2)
    } else {
        TAKE_GREATER(stride)
    }
}
#undef TAKE_GREATER

/* One of the elements of a window, if it is greater than those before it or NaN. */
#define TAKE(value, at)                                           \
    {                                                             \
        const COMPUTE element = (value);                          \
        const int better = (element > most) | gn_isnan(element);  \
        most = better ? element : most;                           \
        where = better ? (int32_t)(at) : where;                   \
    }

/* A row of windows of two by two, side by side, that lie inside the plane; `base` is the place of the first. */
static void NAME(max_pool_2x2)(const COMPUTE *upper, int64_t width, int64_t base, int64_t count, COMPUTE *best,
                               int64_t *places) {
    const COMPUTE *lower = upper + width;
    GN_INDEPENDENT
    for (int64_t x = 0; x < count; x++) {
        COMPUTE most = upper[2 * x];
        int32_t where = 0;
        TAKE(upper[2 * x + 1], 1)
        TAKE(lower[2 * x], width)
        TAKE(lower[2 * x + 1], width + 1)
        best[x] = most;
        places[x] = base + 2 * x + where;
    }
}
#undef TAKE

/* Whether windows `y` of regular windows are what max_pool_2x2 does. */
static int NAME(is_2x2)(const gn_pooling *work, int64_t z, int64_t y) {
    const gn_windows *height = &work->along[1];
    const gn_windows *width = &work->along[2];
    return work->along[0].end[z] - work->along[0].start[z] == 1 && height->end[y] - height->start[y] == 2
           && height->dilation == 1 && width->taps == 2 && width->dilation == 1 && width->stride == 2
           && width->padding == 0 && 2 * width->out <= width->in;
}

/* One row of regular windows; loops over taps, and for each tap over all windows. `place` is scratch. */
static void NAME(max_pool_row)(const gn_pooling *work, const COMPUTE *plane, int64_t z, int64_t y, COMPUTE *best,
                               int64_t *places, int32_t *place) {
    const gn_windows *depth = &work->along[0];
    const gn_windows *height = &work->along[1];
    const gn_windows *width = &work->along[2];
    const int64_t corner = (depth->start[z] * height->in + height->start[y]) * width->in;
    for (int64_t x = 0; x < width->out; x++) {
        best[x] = LOWEST;
        place[x] = (int32_t)(corner + width->start[x]);
    }
    for (int64_t i = depth->start[z]; i < depth->end[z]; i += depth->dilation) {
        for (int64_t j = height->start[y]; j < height->end[y]; j += height->dilation) {
            for (int64_t tap = 0; tap < width->taps; tap++) {
                int64_t first;
                int64_t past;
                gn_tap_range(width, tap, &first, &past);
                const int64_t base = (i * height->in + j) * width->in + tap * width->dilation - width->padding;
                NAME(take_greater)(plane + base, base, width->stride, first, past, best, place);
            }
        }
    }
    for (int64_t x = 0; x < width->out; x++) {
        places[x] = place[x];
    }
}

/* One row of any windows, one after the other. */
static void NAME(max_pool_windows)(const gn_pooling *work, const COMPUTE *plane, int64_t z, int64_t y, COMPUTE *best,
                                   int64_t *places) {
    const gn_windows *depth = &work->along[0];
    const gn_windows *height = &work->along[1];
    const gn_windows *width = &work->along[2];
    for (int64_t x = 0; x < width->out; x++) {
        COMPUTE largest = LOWEST;
        int64_t place = (depth->start[z] * height->in + height->start[y]) * width->in + width->start[x];
        for (int64_t i = depth->start[z]; i < depth->end[z]; i += depth->dilation) {
            for (int64_t j = height->start[y]; j < height->end[y]; j += height->dilation) {
                const int64_t line = (i * height->in + j) * width->in;
                for (int64_t k = width->start[x]; k < width->end[x]; k += width->dilation) {
                    const COMPUTE element = plane[line + k];
                    if (element > largest || gn_isnan(element)) {
                        largest = element;
                        place = line + k;
                    }
                }
            }
        }
        best[x] = largest;
        places[x] = place;
    }
}

static void NAME(max_pool_rows)(int64_t begin, int64_t end, void *context) {
    gn_pooling *work = context;
    const int64_t height = work->along[1].out;
    const int64_t width = work->along[2].out;
    const int regular = work->along[2].regular && work->in_numel <= INT32_MAX / 2;
    int32_t *scratch = regular ? gn_take_items(width, sizeof(int32_t)) : NULL;
    if (regular && scratch == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t row = begin; row < end; row++) {
        const int64_t y = row % height;
        const int64_t z = row / height % work->along[0].out;
        const COMPUTE *plane = (const COMPUTE *)work->in + row / height / work->along[0].out * work->in_numel;
        COMPUTE *best = (COMPUTE *)work->out + row * width;
        int64_t *places = work->out_places + row * width;
        if (regular && NAME(is_2x2)(work, z, y)) {
            const int64_t columns = work->along[2].in;
            const int64_t corner = (work->along[0].start[z] * work->along[1].in + work->along[1].start[y]) * columns;
            NAME(max_pool_2x2)(plane + corner, columns, corner, width, best, places);
        } else if (regular) {
            NAME(max_pool_row)(work, plane, z, y, best, places, scratch);
        } else {
            NAME(max_pool_windows)(work, plane, z, y, best, places);
        }
    }
    gn_give(scratch);
}

/* (values, indices; input). */
static int32_t NAME(max_pool)(const gn_call *call, void *const *data, int64_t spatial, int adaptive) {
    const gn_tensor *values = &call->tensors[0];
    if (gn_numel(values) == 0) {
        return GN_OK;
    }
    const int64_t *cursor = call->integers;
    gn_pooling work;
    int32_t status = gn_make_pooling(&work, spatial, &call->tensors[2], values, adaptive ? NULL : &cursor, 1,
                                     GN_COUNT_ELEMENTS);
    gn_flat flat;
    if (status == GN_OK) {
        status = gn_flatten(call, data, CODE, &flat);
    }
    if (status == GN_OK) {
        work.in = flat.at[2];
        work.out = flat.at[0];
        work.out_places = flat.at[1];
        run_rows(&work, NAME(max_pool_rows));
        status = gn_unflatten(call, data, &flat, work.status);
    }
    gn_give_pooling(&work);
    return status;
}

int32_t NAME(kernel_max_pool2d)(const gn_call *call, void *const *data) {
    return NAME(max_pool)(call, data, 2, 0);
}

int32_t NAME(kernel_max_pool3d)(const gn_call *call, void *const *data) {
    return NAME(max_pool)(call, data, 3, 0);
}

#endif

#if IS_FLOATING && !IS_HALF

int32_t NAME(kernel_adaptive_max_pool2d)(const gn_call *call, void *const *data) {
    return NAME(max_pool)(call, data, 2, 1);
}

int32_t NAME(kernel_adaptive_max_pool3d)(const gn_call *call, void *const *data) {
    return NAME(max_pool)(call, data, 3, 1);
}

/* Planes [begin, end): adds each gradient to the element that was its window's maximum. */
static void NAME(max_pool_backward_planes)(int64_t begin, int64_t end, void *context) {
    gn_pooling *work = context;
    for (int64_t plane = begin; plane < end; plane++) {
        const COMPUTE *gradient = (const COMPUTE *)work->in + plane * work->in_numel;
        const int64_t *places = work->places + plane * work->in_numel;
        COMPUTE *sums = (COMPUTE *)work->out + plane * work->out_numel;
        memset(sums, 0, (size_t)work->out_numel * sizeof(COMPUTE));
        for (int64_t i = 0; i < work->in_numel; i++) {
            if (GN_UNLIKELY(places[i] < 0 || places[i] >= work->out_numel)) {
                gn_report(&work->status, GN_BAD_VALUE);
                break;
            }
            sums[places[i]] += gradient[i];
        }
    }
}

/* (grad_input; grad_output, self, indices): self is not read. */
static int32_t NAME(max_pool_backward)(const gn_call *call, void *const *data, int32_t spatial) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor used[] = {call->tensors[0], call->tensors[1], call->tensors[3]};
    void *const memory[] = {data[0], data[1], data[3]};
    gn_call reduced = *call;
    reduced.tensors = used;
    reduced.tensor_count = 3;
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    if (!gn_same_planes(out, &used[1], spatial)) {
        return GN_NOT_IMPLEMENTED;
    }
    gn_flat flat;
    int32_t status = gn_flatten(&reduced, memory, CODE, &flat);
    if (status != GN_OK) {
        return status;
    }
    gn_pooling work;
    memset(&work, 0, sizeof work);
    work.planes = 1;
    work.in_numel = 1;
    work.out_numel = 1;
    for (int32_t dim = 0; dim < out->ndim; dim++) {
        if (dim < out->ndim - spatial) {
            work.planes *= out->sizes[dim];
        } else {
            work.in_numel *= used[1].sizes[dim];
            work.out_numel *= out->sizes[dim];
        }
    }
    work.in = flat.at[1];
    work.places = flat.at[2];
    work.out = flat.at[0];
    gn_parallel_for(0, work.planes, gn_grain(work.in_numel + work.out_numel),
                    NAME(max_pool_backward_planes), &work);
    return gn_unflatten(&reduced, memory, &flat, work.status);
}

int32_t NAME(kernel_max_pool2d_backward)(const gn_call *call, void *const *data) {
    return NAME(max_pool_backward)(call, data, 2);
}

int32_t NAME(kernel_max_pool3d_backward)(const gn_call *call, void *const *data) {
    return NAME(max_pool_backward)(call, data, 3);
}

#endif

#if IS_HALF

GN_HALF_KERNEL(max_pool2d)
GN_HALF_KERNEL(max_pool3d)
GN_HALF_KERNEL(adaptive_max_pool2d)
GN_HALF_KERNEL(adaptive_max_pool3d)
GN_HALF_KERNEL(max_pool2d_backward)
GN_HALF_KERNEL(max_pool3d_backward)

#endif
