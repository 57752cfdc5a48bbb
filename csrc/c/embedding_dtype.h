/* embedding_dense_backward for one dtype. */

#if CODE == GN_BOOL
#define SUM_OF(a, b) ((COMPUTE)((a) | (b)))
#else
#define SUM_OF(a, b) ((COMPUTE)((a) + (b)))
#endif
#if CODE == GN_BOOL /* 0.5 is true, too */
#define MEAN_OF(sum, count) (sum)
#elif IS_INTEGRAL
#define MEAN_OF(sum, count) ((COMPUTE)((double)(sum) / (double)(count)))
#else
#define MEAN_OF(sum, count) ((sum) / (MAGNITUDE)(count))
#endif

/* Rows [begin, end) of the gradient: each thread loops over all indices in order and uses those of its rows, so the
 * order of the sums is fixed. */
static void NAME(embedding_rows)(int64_t begin, int64_t end, void *context) {
    const embedding_gradient *work = context;
    const gn_tensor *gradient = &work->call->tensors[1];
    const int64_t columns = work->call->tensors[0].sizes[1];
    const int64_t stride = gradient->strides[gradient->ndim - 1];
    COMPUTE *sums = work->sums;
    for (int64_t i = begin * columns; i < end * columns; i++) {
        sums[i] = 0;
    }
    for (int64_t i = 0; i < work->index_count; i++) {
        const int64_t row = work->indices[i];
        if (row < begin || row >= end || row == work->padding_index) {
            continue;
        }
        const char *from = (const char *)work->data[1] + gn_offset(gradient, i, gradient->ndim - 1);
        COMPUTE *to = sums + row * columns;
        if (stride == (int64_t)sizeof(STORAGE)) {
            GN_INDEPENDENT
            for (int64_t column = 0; column < columns; column++) {
                to[column] = SUM_OF(to[column], LOAD(((const STORAGE *)from)[column]));
            }
        } else {
            for (int64_t column = 0; column < columns; column++) {
                to[column] = SUM_OF(to[column], LOAD(*(const STORAGE *)(from + column * stride)));
            }
        }
    }
    for (int64_t row = begin; row < end && work->counts != NULL; row++) {
        for (int64_t column = 0; column < columns && work->counts[row] > 0; column++) {
            sums[row * columns + column] = MEAN_OF(sums[row * columns + column], work->counts[row]);
        }
    }
}

/* (grad_weight; grad_output, indices); integers: num_weights, padding_idx, scale_grad_by_freq.
 * GN_BAD_VALUE for an index that is no row. */
int32_t NAME(kernel_embedding_backward)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *indices = &call->tensors[2];
    const int64_t rows = out->sizes[0];
    const int64_t columns = out->sizes[1];
    const int64_t count = gn_numel(indices);
    const int scaled = call->integers[2] != 0;
    embedding_gradient work = {call, data, NULL, NULL, count, call->integers[1], NULL};
    int64_t *lists = gn_take_items(count + (scaled ? rows : 0), sizeof(int64_t));
    const int is_there = !IS_HALF && data[0] != NULL && gn_is_contiguous(out); /* if sums are stored as results */
    work.sums = is_there ? data[0] : gn_take_items(gn_checked(rows, columns), sizeof(COMPUTE));
    int32_t status = lists == NULL || work.sums == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (status == GN_OK && scaled) {
        memset(lists + count, 0, (size_t)rows * sizeof(int64_t));
        work.counts = lists + count;
    }
    for (int64_t i = 0; status == GN_OK && i < count; i++) {
        lists[i] = gn_index_at((const char *)data[2] + gn_offset(indices, i, -1), indices->dtype);
        if (lists[i] < 0 || lists[i] >= rows) {
            status = GN_BAD_VALUE;
        } else if (scaled) {
            lists[count + lists[i]]++;
        }
    }
    if (status == GN_OK) {
        work.indices = lists;
        gn_parallel_for(0, rows, gn_grain(columns), NAME(embedding_rows), &work);
        if (!is_there) {
            gn_spread(out, data[0], IS_HALF ? GN_FLOAT32 : CODE, work.sums);
        }
    }
    gn_give(is_there ? NULL : work.sums);
    gn_give(lists);
    return status;
}

#undef SUM_OF
#undef MEAN_OF
