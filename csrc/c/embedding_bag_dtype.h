/* Embedding bags for one dtype. */

#if IS_FLOATING

/* Bags [begin, end). */
static void NAME(bag_task)(int64_t begin, int64_t end, void *context) {
    bags *work = context;
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *chosen = &work->call->tensors[3];
    const gn_tensor *weight = &work->call->tensors[4];
    const gn_tensor *scales = &work->call->tensors[7];
    const int64_t width = work->width;
    const int64_t step = weight->strides[1];
    COMPUTE *sums = gn_take_items(width, sizeof(COMPUTE));
    if (sums == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t bag = begin; bag < end; bag++) {
        const int64_t first = work->of.start[bag];
        const int64_t past = work->of.start[bag + 1];
        for (int64_t column = 0; column < width; column++) {
            sums[column] = 0;
        }
        for (int64_t k = first; k < past; k++) {
            const int64_t position = work->of.order[k];
            const int64_t row = work->rows[position];
            const char *from = (const char *)work->data[4] + row * weight->strides[0];
            if (work->mode == MODE_MAX) {
                for (int64_t column = 0; column < width; column++) {
                    const COMPUTE element = LOAD(*(const STORAGE *)(from + column * step));
                    if (k == first || element > sums[column]) {
                        sums[column] = element;
                        set_entry(chosen, work->data[3], bag * width + column, row);
                    }
                }
                continue;
            }
            COMPUTE scale = 1;
            if (scales->dtype != GN_NO_DTYPE) {
                scale = LOAD(*(const STORAGE *)((const char *)work->data[7] + position * scales->strides[0]));
            }
            if (step == (int64_t)sizeof(STORAGE)) {
                const STORAGE *elements = (const STORAGE *)from;
                for (int64_t column = 0; column < width; column++) {
                    sums[column] += LOAD(elements[column]) * scale;
                }
            } else {
                for (int64_t column = 0; column < width; column++) {
                    sums[column] += LOAD(*(const STORAGE *)(from + column * step)) * scale;
                }
            }
        }
        const COMPUTE divisor = work->mode == MODE_MEAN && past > first ? (COMPUTE)(past - first) : 1;
        char *to = (char *)work->data[0] + bag * out->strides[0];
        for (int64_t column = 0; column < width; column++) {
            *(STORAGE *)(to + column * out->strides[1]) = STORE(sums[column] / divisor);
        }
        for (int64_t column = 0; column < width && work->mode == MODE_MAX && past == first; column++) {
            set_entry(chosen, work->data[3], bag * width + column, 0);
        }
    }
    gn_give(sums);
}

/* The sums of a bag, positions [first, past), in `count` adjacent columns from `column` on. `count` is a constant where
 * this is called, so that the sums stay in registers. */
GN_INLINE void NAME(sum_columns)(bags *work, int64_t bag, int64_t first, int64_t past, int64_t column, int64_t count) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *weight = &work->call->tensors[4];
    const gn_tensor *scales = &work->call->tensors[7];
    const STORAGE one = STORE((COMPUTE)1);
    const int has_scales = scales->dtype != GN_NO_DTYPE;
    const char *scale = has_scales ? work->data[7] : (const char *)&one;
    const int64_t scale_step = has_scales ? scales->strides[0] : 0;
    const vector rows = *work->indices;
    COMPUTE sums[COLUMNS] = {0};
    for (int64_t k = first; k < past; k++) {
        const char *at = rows.data + k * rows.step;
        const int64_t row = rows.dtype == GN_INT64 ? *(const int64_t *)at : *(const int32_t *)at;
        if (row < 0 || row >= weight->sizes[0]) {
            gn_report(&work->status, GN_BAD_VALUE);
            return;
        }
        const COMPUTE factor = LOAD(*(const STORAGE *)(scale + k * scale_step));
        const STORAGE *from = (const STORAGE *)((const char *)work->data[4] + row * weight->strides[0]) + column;
        for (int64_t i = 0; i < count; i++) {
            sums[i] += LOAD(from[i]) * factor;
        }
    }
    char *to = (char *)work->data[0] + bag * out->strides[0] + column * out->strides[1];
    for (int64_t i = 0; i < count; i++) {
        *(STORAGE *)(to + i * out->strides[1]) = STORE(sums[i]);
    }
}

/* Bags [begin, end) of sums, of a table with adjacent columns: the positions of a bag follow each other, so there are
 * no lists. */
static void NAME(sum_task)(int64_t begin, int64_t end, void *context) {
    bags *work = context;
    for (int64_t bag = begin; bag < end; bag++) {
        const int64_t first = entry(work->offsets, bag);
        const int is_last = bag + 1 == work->call->tensors[0].sizes[0];
        const int64_t past = is_last ? work->indices->count : entry(work->offsets, bag + 1);
        int64_t column = 0;
        for (; column + COLUMNS <= work->width; column += COLUMNS) {
            NAME(sum_columns)(work, bag, first, past, column, COLUMNS);
        }
        for (; column + 4 <= work->width; column += 4) {
            NAME(sum_columns)(work, bag, first, past, column, 4);
        }
        for (; column < work->width; column++) {
            NAME(sum_columns)(work, bag, first, past, column, 1);
        }
    }
}

/* (out, offset2bag, bag_size, maximum_indices; weight, indices, offsets, per_sample_weights or absent); integers:
 * scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx.  GN_BAD_VALUE for an index that is no row and
 * for offsets that do not fit. */
int32_t NAME(kernel_embedding_bag)(const gn_call *call, void *const *data) {
    const gn_tensor *weight = &call->tensors[4];
    const vector indices = vector_of(&call->tensors[5], data[5]);
    const vector offsets = vector_of(&call->tensors[6], data[6]);
    const int64_t count = call->tensors[0].sizes[0];
    const int64_t padding = call->integers[4];
    if (offsets.count > 0 && (entry(&offsets, 0) != 0 || entry(&offsets, offsets.count - 1) > indices.count)) {
        return GN_BAD_VALUE;
    }
    if (!in_order(&offsets)) {
        return GN_BAD_VALUE;
    }
    const int64_t used = count == 0 ? 0 : indices.count;
    bags work;
    memset(&work, 0, sizeof work);
    work.call = call;
    work.data = data;
    work.width = weight->sizes[1];
    work.mode = call->integers[1];
    work.indices = &indices;
    work.offsets = &offsets;
    const int is_adjacent = weight->strides[1] == (int64_t)sizeof(STORAGE) && work.width > 0;
    if (work.mode == MODE_SUM && padding < 0 && is_adjacent && gn_numel(&call->tensors[1]) == 0) {
        for (int64_t bag = 0; bag < count; bag++) {
            set_entry(&call->tensors[2], data[2], bag, 0);
            set_entry(&call->tensors[3], data[3], bag, 0);
        }
        const int64_t steps = gn_max(1, work.width * (used / gn_max(1, count) + 1));
        gn_parallel_for(0, count, gn_grain(steps), NAME(sum_task), &work);
        return work.status;
    }
    int64_t *rows = gn_take_items(gn_checked(3, used), sizeof(int64_t));
    if (rows == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    int64_t *where = rows + used;
    int64_t *held = where + used; /* the bag, or -1 if the row is ignored */
    find_bags(&offsets, count, used, where);
    for (int64_t i = 0; i < used; i++) {
        rows[i] = entry(&indices, i);
        if (rows[i] < 0 || rows[i] >= weight->sizes[0]) {
            gn_give(rows);
            return GN_BAD_VALUE;
        }
        held[i] = rows[i] == padding ? -1 : where[i];
    }
    work.rows = rows;
    work.status = make_lists(&work.of, held, used, count);
    if (work.status == GN_OK) {
        const int64_t told = gn_numel(&call->tensors[1]);
        for (int64_t i = 0; i < told; i++) {
            set_entry(&call->tensors[1], data[1], i, i < used ? where[i] : -1); /* without bags, in none */
        }
        for (int64_t bag = 0; bag < count; bag++) {
            const int64_t size = work.mode == MODE_SUM ? 0 : work.of.start[bag + 1] - work.of.start[bag];
            set_entry(&call->tensors[2], data[2], bag, size);
            if (work.mode != MODE_MAX) {
                set_entry(&call->tensors[3], data[3], bag, size);
            }
        }
        const int64_t steps = gn_max(1, work.width * (used / gn_max(1, count) + 1));
        gn_parallel_for(0, count, gn_grain(steps), NAME(bag_task), &work);
    }
    gn_give(work.of.start);
    gn_give(rows);
    return work.status;
}

/* Rows [begin, end) of the gradient: the sums over their uses, in order. */
static void NAME(bag_gradient_rows)(int64_t begin, int64_t end, void *context) {
    const bags *work = context;
    const gn_tensor *gradient = &work->call->tensors[1];
    const gn_tensor *sizes = &work->call->tensors[4];
    const gn_tensor *scales = &work->call->tensors[6];
    const int64_t width = work->width;
    for (int64_t row = begin; row < end; row++) {
        COMPUTE *sums = (COMPUTE *)work->sums + row * width;
        for (int64_t column = 0; column < width; column++) {
            sums[column] = 0;
        }
        const int64_t uses = work->of.start[row + 1] - work->of.start[row];
        for (int64_t k = work->of.start[row]; k < work->of.start[row + 1]; k++) {
            const int64_t position = work->of.order[k];
            const int64_t bag = work->where[position];
            double scale = work->scaled ? 1 / (double)uses : 1;
            if (work->mode == MODE_MEAN) {
                scale /= (double)gn_index_at((const char *)work->data[4] + bag * sizes->strides[0], sizes->dtype);
            }
            if (scales->dtype != GN_NO_DTYPE) {
                scale *= (double)LOAD(
                    *(const STORAGE *)((const char *)work->data[6] + position * scales->strides[0]));
            }
            const COMPUTE factor = (COMPUTE)scale;
            const char *from = (const char *)work->data[1] + bag * gradient->strides[0];
            for (int64_t column = 0; column < width; column++) {
                sums[column] += LOAD(*(const STORAGE *)(from + column * gradient->strides[1])) * factor;
            }
        }
    }
}

/* Columns [begin, end) of the gradient of maxima: each is added to the row that was the maximum. */
static void NAME(bag_gradient_columns)(int64_t begin, int64_t end, void *context) {
    const bags *work = context;
    const gn_tensor *gradient = &work->call->tensors[1];
    const gn_tensor *sizes = &work->call->tensors[4];
    const gn_tensor *chosen = &work->call->tensors[5];
    const int64_t rows = work->call->tensors[0].sizes[0];
    COMPUTE *sums = work->sums;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = begin; column < end; column++) {
            sums[row * work->width + column] = 0;
        }
    }
    for (int64_t bag = 0; bag < sizes->sizes[0]; bag++) {
        if (gn_index_at((const char *)work->data[4] + bag * sizes->strides[0], sizes->dtype) == 0) {
            continue;
        }
        for (int64_t column = begin; column < end; column++) {
            const int64_t row = gn_index_at(
                (const char *)work->data[5] + bag * chosen->strides[0] + column * chosen->strides[1], chosen->dtype);
            sums[row * work->width + column] += LOAD(*(const STORAGE *)(
                (const char *)work->data[1] + bag * gradient->strides[0] + column * gradient->strides[1]));
        }
    }
}

/* Whether the rows of all maxima are in [0, rows). */
static int NAME(chosen_fit)(const gn_call *call, void *const *data, int64_t rows) {
    const gn_tensor *sizes = &call->tensors[4];
    const gn_tensor *chosen = &call->tensors[5];
    for (int64_t bag = 0; bag < sizes->sizes[0]; bag++) {
        if (gn_index_at((const char *)data[4] + bag * sizes->strides[0], sizes->dtype) == 0) {
            continue;
        }
        for (int64_t column = 0; column < call->tensors[0].sizes[1]; column++) {
            const int64_t row = gn_index_at(
                (const char *)data[5] + bag * chosen->strides[0] + column * chosen->strides[1], chosen->dtype);
            if (row < 0 || row >= rows) {
                return 0;
            }
        }
    }
    return 1;
}

/* Whether the arguments of the gradient name only existing bags; positions with a key below 0 are ignored. */
static int NAME(bags_fit)(const gn_call *call, void *const *data, int64_t mode, const int64_t *keys,
                          const int64_t *where, int64_t count) {
    const gn_tensor *gradient = &call->tensors[1];
    const gn_tensor *sizes = &call->tensors[4];
    const gn_tensor *chosen = &call->tensors[5];
    if (mode == MODE_MAX) {
        return chosen->ndim == 2 && sizes->sizes[0] <= gradient->sizes[0] && sizes->sizes[0] <= chosen->sizes[0]
               && gradient->sizes[1] <= chosen->sizes[1]
               && NAME(chosen_fit)(call, data, call->tensors[0].sizes[0]);
    }
    for (int64_t i = 0; i < count; i++) {
        if (keys[i] < 0) {
            continue;
        }
        if (where[i] < 0 || where[i] >= gradient->sizes[0]) {
            return 0;
        }
        if (mode == MODE_MEAN
            && (where[i] >= sizes->sizes[0]
                || gn_index_at((const char *)data[4] + where[i] * sizes->strides[0], sizes->dtype) == 0)) {
            return 0;
        }
    }
    return 1;
}

/* (grad_weight; grad, indices, offset2bag, bag_size, maximum_indices, per_sample_weights or absent); integers:
 * num_weights, scale_grad_by_freq, mode, padding_idx. */
int32_t NAME(kernel_embedding_bag_backward)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const int64_t mode = call->integers[2];
    if (call->tensors[2].ndim != 1 || call->tensors[3].ndim != 1
        || (mode != MODE_SUM && call->tensors[4].ndim != 1)) { /* sums do not use the bags' sizes */
        return GN_NOT_IMPLEMENTED;
    }
    const vector indices = vector_of(&call->tensors[2], data[2]);
    const vector bag_numbers = vector_of(&call->tensors[3], data[3]);
    const gn_tensor *scales = &call->tensors[6];
    const int64_t rows = out->sizes[0];
    const int64_t padding = call->integers[3];
    const int64_t count = mode == MODE_MAX ? 0 : indices.count;
    if (count > 0 && bag_numbers.count != count) {
        return GN_BAD_VALUE;
    }
    if (scales->dtype != GN_NO_DTYPE && (scales->dtype != CODE || scales->ndim != 1 || scales->sizes[0] < count)) {
        return GN_BAD_VALUE;
    }
    bags work;
    memset(&work, 0, sizeof work);
    work.call = call;
    work.data = data;
    work.width = out->sizes[1];
    work.mode = mode;
    work.scaled = call->integers[1] != 0;
    const int direct = !IS_HALF && gn_is_contiguous(out);
    int64_t *keys = gn_take_items(gn_checked(2, count), sizeof(int64_t));
    work.sums = direct ? data[0] : gn_take_items(gn_checked(rows, work.width), sizeof(COMPUTE));
    work.status = keys == NULL || work.sums == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    int64_t *where = keys + count;
    for (int64_t i = 0; i < count && work.status == GN_OK; i++) {
        const int64_t row = entry(&indices, i);
        keys[i] = row == padding ? -1 : row;
        where[i] = entry(&bag_numbers, i);
        if (row != padding && (row < 0 || row >= rows)) {
            work.status = GN_BAD_VALUE;
        }
    }
    work.where = where;
    if (work.status == GN_OK && !NAME(bags_fit)(call, data, work.mode, keys, where, count)) {
        work.status = GN_BAD_VALUE;
    }
    if (gn_numel(out) == 0) {
        if (!direct) {
            gn_give(work.sums);
        }
        gn_give(keys);
        return work.status;
    }
    if (work.status == GN_OK && work.mode != MODE_MAX) {
        work.status = make_lists(&work.of, keys, count, rows);
    }
    if (work.status == GN_OK && work.mode == MODE_MAX) {
        const int64_t steps = rows + call->tensors[4].sizes[0];
        gn_parallel_for(0, work.width, gn_max(16, gn_grain(steps)), NAME(bag_gradient_columns), &work);
    } else if (work.status == GN_OK) {
        const int64_t steps = gn_max(1, work.width * (count / rows + 1));
        gn_parallel_for(0, rows, gn_grain(steps), NAME(bag_gradient_rows), &work);
    }
    if (!direct) {
        if (work.status == GN_OK) {
            gn_spread(out, data[0], IS_HALF ? GN_FLOAT32 : CODE, work.sums);
        }
        gn_give(work.sums);
    }
    gn_give(work.of.start);
    gn_give(keys);
    return work.status;
}

/* (grad_scales; grad, weight, indices, offsets, offset2bag); integers: mode, padding_idx.  The scalar product of the
 * bag's gradient with the row. */
int32_t NAME(kernel_embedding_bag_scales_backward)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *gradient = &call->tensors[1];
    const gn_tensor *weight = &call->tensors[2];
    if (call->tensors[3].ndim != 1 || call->tensors[4].ndim != 1 || call->tensors[5].ndim != 1) {
        return GN_NOT_IMPLEMENTED;
    }
    const vector indices = vector_of(&call->tensors[3], data[3]);
    const vector offsets = vector_of(&call->tensors[4], data[4]);
    const vector bag_numbers = vector_of(&call->tensors[5], data[5]);
    const int64_t padding = call->integers[1];
    if (weight->dtype != CODE) {
        return GN_NOT_IMPLEMENTED;
    }
    if (bag_numbers.count == 0 && !in_order(&offsets)) {
        return GN_BAD_VALUE;
    }
    for (int64_t i = 0; i < indices.count; i++) {
        const int64_t row = entry(&indices, i);
        double sum = 0;
        if (row != padding) {
            if (bag_numbers.count > 0 && i >= bag_numbers.count) {
                return GN_BAD_VALUE;
            }
            const int64_t bag =
                bag_numbers.count > 0 ? entry(&bag_numbers, i) : bag_of(&offsets, gradient->sizes[0], i);
            if (row < 0 || row >= weight->sizes[0] || bag < 0 || bag >= gradient->sizes[0]) {
                return GN_BAD_VALUE;
            }
            const char *left = (const char *)data[1] + bag * gradient->strides[0];
            const char *right = (const char *)data[2] + row * weight->strides[0];
            for (int64_t column = 0; column < weight->sizes[1]; column++) {
                sum += (double)LOAD(*(const STORAGE *)(left + column * gradient->strides[1]))
                       * (double)LOAD(*(const STORAGE *)(right + column * weight->strides[1]));
            }
        }
        *(STORAGE *)((char *)data[0] + i * out->strides[0]) = STORE((COMPUTE)sum);
    }
    return GN_OK;
}

#endif
