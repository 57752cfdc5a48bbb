/* The product of two sparse matrices, for one dtype. */

#if IS_FRACTIONAL

/* Computes chunks [begin, end) of rows. */
static void NAME(csr_csr_task)(int64_t begin, int64_t end, void *context) {
    csr_csr *of = context;
    uint64_t *set = gn_take_items(of->words, sizeof(uint64_t));
    COMPUTE *sums = gn_take_items(of->other.columns, sizeof(COMPUTE));
    if (set == NULL || sums == NULL) {
        gn_report(&of->status, GN_OUT_OF_MEMORY);
        gn_give(set);
        gn_give(sums);
        return;
    }
    memset(set, 0, (size_t)of->words * sizeof(uint64_t));
    for (int64_t i = 0; i < of->other.columns; i++) {
        sums[i] = 0;
    }
    const STORAGE *one = of->one.values;
    const STORAGE *other = of->other.values;
    STORAGE *to = of->values;
    for (int64_t row = begin * CHUNK; row < gn_min(end * CHUNK, of->one.rows); row++) {
        for (int64_t k = of->one.crow[row]; k < of->one.crow[row + 1]; k++) {
            const COMPUTE factor = LOAD(one[k]);
            const int64_t inner = of->one.col[k];
            for (int64_t i = of->other.crow[inner]; i < of->other.crow[inner + 1]; i++) {
                const int64_t column = of->other.col[i];
                sums[column] += factor * LOAD(other[i]);
                set[column / WORD_BITS] |= (uint64_t)1 << column % WORD_BITS;
            }
        }
        int64_t place = of->starts[row];
        const int64_t past = of->starts[row + 1];
        for (int64_t word = 0; word < of->words; word++) {
            for (uint64_t rest = set[word]; rest != 0; rest &= rest - 1) {
                const int64_t column = word * WORD_BITS + __builtin_ctzll(rest);
                if (place < past && place >= 0 && place < of->count) {
                    of->col[place] = column;
                    to[place] = STORE(sums[column]);
                }
                place++;
                sums[column] = 0;
            }
            set[word] = 0;
        }
        if (of->starts[row] < 0 || place != past || past > of->count) { /* starts of another product */
            gn_report(&of->status, GN_BAD_VALUE);
        }
    }
    gn_give(set);
    gn_give(sums);
}

/* (values, col; values, crow, col, other values, other crow, other col, starts); integers: columns, count. */
int32_t NAME(kernel_csr_csr_mm)(const gn_call *call, void *const *data) {
    for (int i = 0; i < 2; i++) {
        if (call->tensors[i].sizes[0] != 0 && !gn_is_contiguous(&call->tensors[i])) {
            return GN_NOT_IMPLEMENTED;
        }
    }
    csr_csr of;
    memset(&of, 0, sizeof of);
    of.values = data[0];
    of.col = data[1];
    of.count = call->tensors[0].sizes[0];
    of.other.columns = call->integers[0];
    void *owned[7] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    const gn_tensor *tensors[4] = {&call->tensors[3], &call->tensors[4], &call->tensors[6], &call->tensors[7]};
    void *indices[4] = {data[3], data[4], data[6], data[7]};
    int32_t status = read_indices(&of, tensors, indices, owned);
    of.one.values = gn_compact(&call->tensors[2], data[2], CODE, &owned[4]);
    of.other.values = gn_compact(&call->tensors[5], data[5], CODE, &owned[5]);
    of.starts = gn_compact(&call->tensors[8], data[8], GN_INT64, &owned[6]);
    if ((of.one.values == NULL && of.one.count != 0) || (of.other.values == NULL && of.other.count != 0)
        || of.starts == NULL) {
        status = GN_OUT_OF_MEMORY;
    }
    if (status == GN_OK) {
        const int64_t chunks = (of.one.rows + CHUNK - 1) / CHUNK;
        gn_parallel_for(0, chunks, 1, NAME(csr_csr_task), &of);
        status = of.status;
    }
    for (int i = 0; i < 7; i++) {
        gn_give(owned[i]);
    }
    return status;
}

#endif
