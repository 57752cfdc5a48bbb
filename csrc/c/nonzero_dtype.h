/* Nonzero elements of one dtype. */

/* ones[i] = whether the i-th of `count` elements is not 0. */
static void NAME(mark)(const char *from, int64_t step, int64_t count, uint8_t *ones) {
    if (step == (int64_t)sizeof(STORAGE)) {
        const STORAGE *elements = (const STORAGE *)from;
        for (int64_t i = 0; i < count; i++) {
            ones[i] = LOAD(elements[i]) != 0;
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            ones[i] = LOAD(*(const STORAGE *)(from + i * step)) != 0;
        }
    }
}

/* The same for elements [at, at + count) of the tensor, in row-major order. */
static void NAME(mark_part)(const nonzero *work, int64_t at, int64_t count, uint8_t *ones) {
    if (work->even >= 0) {
        NAME(mark)(work->from + at * work->even, work->even, count, ones);
        return;
    }
    const gn_tensor *self = work->self;
    const int32_t last = self->ndim - 1;
    const int64_t length = self->sizes[last];
    int64_t line = at / length;
    int64_t first = at % length;
    for (int64_t done = 0, part; done < count; done += part) {
        part = gn_min(count - done, length - first);
        NAME(mark)(work->from + gn_offset(self, line, last) + first * self->strides[last], self->strides[last], part,
                   ones + done);
        line++;
        first = 0;
    }
}

/* Counts blocks [begin, end). */
static void NAME(count_blocks)(int64_t begin, int64_t end, void *context) {
    const nonzero *work = context;
    uint8_t ones[FEW];
    for (int64_t block = begin; block < end; block++) {
        const int64_t stop = gn_min(work->numel, (block + 1) * BLOCK);
        int64_t count = 0;
        for (int64_t at = block * BLOCK, part; at < stop; at += part) {
            part = gn_min(FEW, stop - at);
            NAME(mark_part)(work, at, part, ones);
            count += count_ones(ones, part);
        }
        work->counts[block] = count;
    }
}

/* (out, 0-d int64; self). */
int32_t NAME(kernel_count_nonzero)(const gn_call *call, void *const *data) {
    nonzero work = {call, data, &call->tensors[1], data[1], -1, 0, NULL};
    const int64_t blocks = make_blocks(&work);
    if (blocks < 0) {
        return GN_OUT_OF_MEMORY;
    }
    gn_parallel_for(0, blocks, 1, NAME(count_blocks), &work);
    *(int64_t *)data[0] = sum_before(work.counts, blocks);
    gn_give(work.counts);
    return GN_OK;
}

/* Writes the indices of blocks [begin, end). */
static void NAME(write_blocks)(int64_t begin, int64_t end, void *context) {
    const nonzero *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const int64_t size = out->sizes[0];
    uint8_t ones[FEW];
    uint16_t places[FEW];
    for (int64_t block = begin; block < end; block++) {
        const int64_t stop = gn_min(work->numel, (block + 1) * BLOCK);
        int64_t put = work->counts[block];
        for (int64_t at = block * BLOCK, part; at < stop && put < size; at += part) {
            part = gn_min(FEW, stop - at);
            NAME(mark_part)(work, at, part, ones);
            const int64_t count = gn_min(find_ones(ones, part, places), size - put);
            write_indices(work->self, out, (char *)work->data[0] + put * out->strides[0], at, places, count);
            put += count;
        }
    }
}

/* (out (size, ndim) int64; self); integers: size, fill_value. */
int32_t NAME(kernel_nonzero_static)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    nonzero work = {call, data, &call->tensors[1], data[1], -1, 0, NULL};
    const int64_t blocks = make_blocks(&work);
    if (blocks < 0) {
        return GN_OUT_OF_MEMORY;
    }
    gn_parallel_for(0, blocks, 1, NAME(count_blocks), &work);
    const int64_t found = sum_before(work.counts, blocks);
    gn_parallel_for(0, blocks, 1, NAME(write_blocks), &work);
    for (int64_t row = found; row < out->sizes[0]; row++) {
        for (int32_t column = 0; column < call->tensors[1].ndim; column++) {
            *(int64_t *)((char *)data[0] + row * out->strides[0] + column * out->strides[1]) = call->integers[1];
        }
    }
    gn_give(work.counts);
    return GN_OK;
}
