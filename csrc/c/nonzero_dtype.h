/* What is not 0 among elements of one dtype. */

/* Counts blocks [begin, end). */
static void NAME(count_blocks)(int64_t begin, int64_t end, void *context) {
    const nonzero *work = context;
    const gn_tensor *self = &work->call->tensors[1];
    const int32_t last = self->ndim - 1;
    const int64_t step = gn_step(self, last);
    for (int64_t block = begin; block < end; block++) {
        const int64_t stop = gn_min(work->lines, (block + 1) * work->lines_in_block);
        int64_t count = 0;
        for (int64_t line = block * work->lines_in_block; line < stop; line++) {
            const char *from = (const char *)work->data[1] + gn_offset(self, line, last);
            if (step == (int64_t)sizeof(STORAGE)) {
                int32_t found = 0;
                for (int64_t i = 0; i < gn_min(work->length, INT32_MAX); i++) {
                    found += LOAD(((const STORAGE *)from)[i]) != 0;
                }
                count += found;
                for (int64_t i = INT32_MAX; i < work->length; i++) {
                    count += LOAD(((const STORAGE *)from)[i]) != 0;
                }
            } else {
                for (int64_t i = 0; i < work->length; i++) {
                    count += LOAD(*(const STORAGE *)(from + i * step)) != 0;
                }
            }
        }
        work->counts[block] = count;
    }
}

/* (out, 0-d int64; self). */
int32_t NAME(kernel_count_nonzero)(const gn_call *call, void *const *data) {
    nonzero work = {call, data, 0, 0, 0, NULL};
    const int64_t blocks = make_blocks(&work);
    if (blocks < 0) {
        return GN_OUT_OF_MEMORY;
    }
    gn_parallel(blocks, gn_max(1, GN_GRAIN / BLOCK), NAME(count_blocks), &work);
    int64_t total = 0;
    for (int64_t block = 0; block < blocks; block++) {
        total += work.counts[block];
    }
    *(int64_t *)data[0] = total;
    gn_give(work.counts);
    return GN_OK;
}

/* Writes the indices of blocks [begin, end). */
static void NAME(write_blocks)(int64_t begin, int64_t end, void *context) {
    const nonzero *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *self = &work->call->tensors[1];
    const int32_t last = self->ndim - 1;
    const int64_t step = gn_step(self, last);
    const int64_t row = out->strides[0];
    const int64_t size = out->sizes[0];
    int64_t places[FEW];
    for (int64_t block = begin; block < end; block++) {
        const int64_t stop = gn_min(work->lines, (block + 1) * work->lines_in_block);
        int64_t at = work->counts[block];
        for (int64_t line = block * work->lines_in_block; line < stop && at < size; line++) {
            const char *from = (const char *)work->data[1] + gn_offset(self, line, last);
            for (int64_t first = 0; first < work->length && at < size; first += FEW) {
                const int64_t until = gn_min(first + FEW, work->length);
                int64_t count = 0;
                for (int64_t i = first; i < until; i++) {
                    places[count] = i;
                    count += LOAD(*(const STORAGE *)(from + i * step)) != 0;
                }
                count = gn_min(count, size - at);
                int64_t rest = line;
                for (int32_t column = last; column >= 0; column--) {
                    char *to = (char *)work->data[0] + at * row + column * out->strides[1];
                    if (column == last) {
                        for (int64_t k = 0; k < count; k++) {
                            *(int64_t *)(to + k * row) = places[k];
                        }
                    } else {
                        const int64_t place = rest % self->sizes[column];
                        rest /= self->sizes[column];
                        for (int64_t k = 0; k < count; k++) {
                            *(int64_t *)(to + k * row) = place;
                        }
                    }
                }
                at += count;
            }
        }
    }
}

/* (out (size, ndim) int64; self); integers: size, fill_value. */
int32_t NAME(kernel_nonzero_static)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    nonzero work = {call, data, 0, 0, 0, NULL};
    const int64_t blocks = make_blocks(&work);
    if (blocks < 0) {
        return GN_OUT_OF_MEMORY;
    }
    gn_parallel(blocks, gn_max(1, GN_GRAIN / BLOCK), NAME(count_blocks), &work);
    int64_t found = 0;
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t here = work.counts[block];
        work.counts[block] = found;
        found += here;
    }
    gn_parallel(blocks, gn_max(1, GN_GRAIN / BLOCK), NAME(write_blocks), &work);
    for (int64_t row = found; row < out->sizes[0]; row++) {
        for (int32_t column = 0; column < call->tensors[1].ndim; column++) {
            *(int64_t *)((char *)data[0] + row * out->strides[0] + column * out->strides[1]) = call->integers[1];
        }
    }
    gn_give(work.counts);
    return GN_OK;
}
