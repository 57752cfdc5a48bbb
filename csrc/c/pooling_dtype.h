/* Pooling for one dtype. */

#if IS_REAL

/* Rows [begin, end) of all output planes: the largest element of each window and its place in the plane.  The
 * first of equals wins; NaN beats all, and the last NaN wins, as in PyTorch. */
static void NAME(max_pool_rows)(int64_t begin, int64_t end, void *context) {
    const pooling *work = context;
    const window *of = &work->of;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *indices = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[2];
    const int32_t h = in->ndim - 2;
    const int32_t w = in->ndim - 1;
    for (int64_t row = begin; row < end; row++) {
        const int64_t plane = row / values->sizes[h];
        const int64_t y = row % values->sizes[h];
        const char *from = (const char *)work->data[2] + plane_offset(in, plane);
        char *value = (char *)work->data[0] + plane_offset(values, plane) + y * values->strides[h];
        char *place = (char *)work->data[1] + plane_offset(indices, plane) + y * indices->strides[h];
        int64_t top = y * of->stride[0] - of->padding[0];
        const int64_t bottom = gn_min(top + (of->size[0] - 1) * of->dilation[0] + 1, in->sizes[h]);
        while (top < 0) {
            top += of->dilation[0];
        }
        for (int64_t x = 0; x < values->sizes[w]; x++) {
            int64_t left = x * of->stride[1] - of->padding[1];
            const int64_t right = gn_min(left + (of->size[1] - 1) * of->dilation[1] + 1, in->sizes[w]);
            while (left < 0) {
                left += of->dilation[1];
            }
            COMPUTE best = LOWEST;
            int64_t best_place = top * in->sizes[w] + left;
            for (int64_t i = top; i < bottom; i += of->dilation[0]) {
                for (int64_t j = left; j < right; j += of->dilation[1]) {
                    const COMPUTE element = LOAD(*(const STORAGE *)(from + i * in->strides[h] + j * in->strides[w]));
                    if (element > best || gn_isnan(element)) {
                        best = element;
                        best_place = i * in->sizes[w] + j;
                    }
                }
            }
            *(STORAGE *)(value + x * values->strides[w]) = STORE(best);
            *(int64_t *)(place + x * indices->strides[w]) = best_place;
        }
    }
}

/* (values, indices; input). */
int32_t NAME(kernel_max_pool2d)(const gn_call *call, void *const *data) {
    const gn_tensor *values = &call->tensors[0];
    pooling work = {call, data, read_window(call->integers), GN_OK};
    if (gn_numel(values) == 0) {
        return GN_OK;
    }
    const int64_t rows = gn_numel(values) / values->sizes[values->ndim - 1];
    const int64_t steps = values->sizes[values->ndim - 1] * gn_max(1, work.of.size[0] * work.of.size[1]);
    gn_parallel(rows, gn_max(1, GN_GRAIN / steps), NAME(max_pool_rows), &work);
    return GN_OK;
}

#endif

#if IS_FLOATING

/* Planes [begin, end): each gradient goes to the element that its window had chosen. */
static void NAME(max_pool_backward_planes)(int64_t begin, int64_t end, void *context) {
    pooling *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *gradient = &work->call->tensors[1];
    const gn_tensor *indices = &work->call->tensors[3];
    const int32_t h = out->ndim - 2;
    const int32_t w = out->ndim - 1;
    const int64_t size = out->sizes[h] * out->sizes[w];
    COMPUTE *sums = gn_take(size * (int64_t)sizeof(COMPUTE));
    int32_t status = sums == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t plane = begin; sums != NULL && plane < end; plane++) {
        for (int64_t i = 0; i < size; i++) {
            sums[i] = 0;
        }
        const char *from = (const char *)work->data[1] + plane_offset(gradient, plane);
        const char *places = (const char *)work->data[3] + plane_offset(indices, plane);
        for (int64_t y = 0; y < gradient->sizes[h]; y++) {
            for (int64_t x = 0; x < gradient->sizes[w]; x++) {
                const int64_t place = *(const int64_t *)(places + y * indices->strides[h] + x * indices->strides[w]);
                if (place < 0 || place >= size) {
                    status = GN_BAD_VALUE;
                    continue;
                }
                sums[place] += LOAD(*(const STORAGE *)(from + y * gradient->strides[h] + x * gradient->strides[w]));
            }
        }
        char *to = (char *)work->data[0] + plane_offset(out, plane);
        for (int64_t i = 0; i < size; i++) {
            const int64_t y = i / out->sizes[w];
            const int64_t x = i % out->sizes[w];
            *(STORAGE *)(to + y * out->strides[h] + x * out->strides[w]) = STORE(sums[i]);
        }
    }
    gn_give(sums);
    if (status != GN_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        work->status = status;
    }
}

/* (grad_input; grad_output, self, indices). */
int32_t NAME(kernel_max_pool2d_backward)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    pooling work = {call, data, read_window(call->integers), GN_OK};
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    const int64_t size = out->sizes[out->ndim - 2] * out->sizes[out->ndim - 1];
    gn_parallel(plane_count(out), gn_max(1, GN_GRAIN / size), NAME(max_pool_backward_planes), &work);
    return work.status;
}

#endif
