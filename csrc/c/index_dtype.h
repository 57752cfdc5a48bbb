/* Indexing that computes, for one dtype. */

/* A gn_run_action: self += other. */
static void NAME(add_action)(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        STORAGE *to = (STORAGE *)(self + i * self_stride);
        *to = STORE(LOAD(*to) + LOAD(*(const STORAGE *)(other + i * other_stride)));
    }
}

int32_t NAME(kernel_index_put)(const gn_call *call, void *const *data) {
    return index_put(call, data, NAME(add_action));
}

#if IS_NUMERIC

/* Lines [begin, end) of scatter_add (out; self, index, src).  Lines never share an element of the output, and a
 * line adds in order. */
static void NAME(scatter_add_lines)(int64_t begin, int64_t end, void *context) {
    line_job *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *index = &work->call->tensors[2];
    const gn_tensor *src = &work->call->tensors[3];
    const int64_t dim = work->dim;
    const gn_tensor out_at_index = {out->dtype, index->ndim, index->sizes, out->strides};
    const gn_tensor src_at_index = {src->dtype, index->ndim, index->sizes, src->strides};
    const int64_t length = gn_length(index, dim);
    const int64_t size = gn_length(out, dim);
    for (int64_t line = begin; line < end; line++) {
        char *to = (char *)work->data[0] + (out->ndim == 0 ? 0 : gn_offset(&out_at_index, line, dim));
        const char *places = (const char *)work->data[2] + gn_offset(index, line, dim);
        const char *from = (const char *)work->data[3] + (src->ndim == 0 ? 0 : gn_offset(&src_at_index, line, dim));
        for (int64_t i = 0; i < length; i++) {
            const int64_t at = gn_index_at(places + i * gn_step(index, dim), index->dtype);
            if (at < 0 || at >= size) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
                work->status = GN_BAD_VALUE;
                return;
            }
            STORAGE *target = (STORAGE *)(to + at * gn_step(out, dim));
            *target = STORE(LOAD(*target) + LOAD(*(const STORAGE *)(from + i * gn_step(src, dim))));
        }
    }
}

/* integers: dim. */
int32_t NAME(kernel_scatter_add)(const gn_call *call, void *const *data) {
    const gn_tensor *index = &call->tensors[2];
    line_job work = {call, data, gn_wrap_dim(call->integers[0], index->ndim), GN_OK};
    if (data[0] != data[1]) {
        gn_copy(&call->tensors[0], data[0], &call->tensors[1], data[1]);
    }
    const int64_t numel = gn_numel(index);
    if (numel > 0) {
        const int64_t length = gn_length(index, work.dim);
        gn_parallel(numel / length, gn_max(1, GN_GRAIN / length), NAME(scatter_add_lines), &work);
    }
    return work.status;
}

#endif

/* (out, 0-d int64; self). */
int32_t NAME(kernel_count_nonzero)(const gn_call *call, void *const *data) {
    const gn_tensor *self = &call->tensors[1];
    const int64_t dim = self->ndim - 1;
    const int64_t numel = gn_numel(self);
    const int64_t length = gn_length(self, dim);
    const int64_t stride = gn_step(self, dim);
    int64_t count = 0;
    for (int64_t line = 0; numel > 0 && line < numel / length; line++) {
        const char *from = (const char *)data[1] + gn_offset(self, line, dim);
        for (int64_t i = 0; i < length; i++) {
            count += LOAD(*(const STORAGE *)(from + i * stride)) != 0;
        }
    }
    *(int64_t *)data[0] = count;
    return GN_OK;
}

/* (out (size, ndim) int64; self); integers: size, fill_value. */
int32_t NAME(kernel_nonzero_static)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const int64_t size = call->integers[0];
    const int64_t dim = self->ndim - 1;
    const int64_t numel = gn_numel(self);
    const int64_t length = gn_length(self, dim);
    char *to = data[0];
    int64_t found = 0;
    for (int64_t line = 0; numel > 0 && line < numel / length && found < size; line++) {
        const char *from = (const char *)data[1] + gn_offset(self, line, dim);
        for (int64_t i = 0; i < length && found < size; i++) {
            if (LOAD(*(const STORAGE *)(from + i * gn_step(self, dim))) != 0) {
                int64_t rest = line * length + i;
                for (int32_t column = self->ndim - 1; column >= 0; column--) {
                    *(int64_t *)(to + found * out->strides[0] + column * out->strides[1]) = rest % self->sizes[column];
                    rest /= self->sizes[column];
                }
                found++;
            }
        }
    }
    for (; found < size; found++) {
        for (int32_t column = 0; column < self->ndim; column++) {
            *(int64_t *)(to + found * out->strides[0] + column * out->strides[1]) = call->integers[1];
        }
    }
    return GN_OK;
}
