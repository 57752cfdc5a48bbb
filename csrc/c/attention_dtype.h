/* Attention for one dtype. */

#if IS_FLOATING && !IS_HALF

#if CODE == GN_FLOAT64
#define GEMM gn_gemm_float64
#else
#define GEMM gn_gemm_float32
#endif

/* Adds the mask to scores, which are [row, row + rows) of the queries by [column, column + columns) of the keys. */
static void NAME(mask_scores)(const attention *work, const COMPUTE *mask, int64_t row, int64_t rows, int64_t column,
                              int64_t columns, COMPUTE *scores) {
    for (int64_t i = 0; i < rows; i++) {
        COMPUTE *line = scores + i * work->step;
        const COMPUTE *added = mask + (row + i) * work->mask.row + column * work->mask.column;
        if (work->mask.column == 1) {
            for (int64_t j = 0; j < columns; j++) {
                line[j] += added[j];
            }
        } else {
            for (int64_t j = 0; j < columns; j++) {
                line[j] += added[j * work->mask.column];
            }
        }
    }
}

/* `count` as whole LANES, as many as a row of scores always has room for. */
static inline int64_t NAME(whole_lanes)(int64_t count) {
    return (count + LANES - 1) / LANES * LANES;
}

/* The largest of a line of whole LANES; NaN is ignored. */
static COMPUTE NAME(largest_score)(const COMPUTE *line, int64_t count) {
    COMPUTE lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        lanes[lane] = LOWEST;
    }
    for (int64_t i = 0; i < count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = line[i + lane] > lanes[lane] ? line[i + lane] : lanes[lane];
        }
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] = lanes[lane + width] > lanes[lane] ? lanes[lane + width] : lanes[lane];
        }
    }
    return lanes[0];
}

/* Makes the scores of whole LANES their exponentials over that of `shift`; their sum. */
static COMPUTE NAME(exponentials)(COMPUTE *line, int64_t count, COMPUTE shift) {
    COMPUTE lanes[LANES] = {0};
    for (int64_t j = 0; j < count; j++) {
        line[j] = gn_exp(line[j] - shift);
    }
    for (int64_t i = 0; i < count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += line[i + lane];
        }
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return lanes[0];
}

/* How many of the `columns` scores from `column` on a query at `place` attends to. */
static inline int64_t NAME(scores_seen)(const attention *work, int64_t place, int64_t column, int64_t columns) {
    return work->causal ? gn_max(0, gn_min(columns, place + 1 - column)) : columns;
}

/* Updates the largest score, the sum of exponentials and the sums of values of each query with a block of scores. The
 * scores are overwritten with their exponentials, and with zeros where masked. */
static void NAME(absorb_scores)(const attention *work, int64_t row, int64_t rows, int64_t column, int64_t columns,
                                COMPUTE *scores, COMPUTE *largest, COMPUTE *totals, COMPUTE *sums) {
    const int64_t width = work->width;
    const int first = column == 0;
    for (int64_t i = 0; i < rows; i++) {
        COMPUTE *line = scores + i * work->step;
        const int64_t count = NAME(scores_seen)(work, row + i, column, columns);
        const int64_t whole = NAME(whole_lanes)(count);
        for (int64_t j = count; j < whole; j++) { /* does not affect the largest score, and its exponential is 0 */
            line[j] = LOWEST;
        }
        const COMPUTE found = NAME(largest_score)(line, whole);
        const COMPUTE most = !first && largest[i] > found ? largest[i] : found;
        const COMPUTE total = NAME(exponentials)(line, whole, most == LOWEST ? 0 : most);
        for (int64_t j = whole; j < columns; j++) {
            line[j] = 0;
        }
        if (first) {
            totals[i] = total;
        } else if (most == largest[i]) {
            totals[i] += total;
        } else {
            const COMPUTE factor = gn_exp(largest[i] - most);
            totals[i] = totals[i] * factor + total;
            for (int64_t j = 0; j < width; j++) {
                sums[i * width + j] *= factor;
            }
        }
        largest[i] = most;
    }
}

/* One block of queries of one head.  `scratch` has step + width + 2 numbers for each of QUERIES queries. */
static int32_t NAME(attend_block)(const attention *work, int64_t batch, int64_t head, int64_t row, COMPUTE *scratch) {
    const int64_t rows = gn_min(QUERIES, work->queries - row);
    const int64_t key_head = head / (work->query_heads / work->key_heads);
    const int64_t width = work->width;
    const heads *q = &work->query;
    const heads *k = &work->key;
    const heads *v = &work->value;
    const COMPUTE *query = (const COMPUTE *)q->data + batch * q->batch + head * q->head + row * q->row;
    const COMPUTE *key = (const COMPUTE *)k->data + batch * k->batch + key_head * k->head;
    const COMPUTE *value = (const COMPUTE *)v->data + batch * v->batch + key_head * v->head;
    const COMPUTE *mask = (const COMPUTE *)work->mask.data;
    COMPUTE *scores = scratch;
    COMPUTE *sums = scores + QUERIES * work->step;
    COMPUTE *largest = sums + QUERIES * width;
    COMPUTE *totals = largest + QUERIES;
    const int64_t seen = keys_seen(work, row, rows);
    if (mask != NULL) {
        mask += batch * work->mask.batch + head * work->mask.head;
    }
    for (int64_t column = 0; column < seen; column += KEYS) {
        const int64_t columns = gn_min(KEYS, seen - column);
        int32_t status = GEMM(rows, columns, width, (COMPUTE)work->scale, query, q->row, q->column,
                              key + column * k->row, k->column, k->row, 0, scores, work->step);
        if (mask != NULL) {
            NAME(mask_scores)(work, mask, row, rows, column, columns, scores);
        }
        NAME(absorb_scores)(work, row, rows, column, columns, scores, largest, totals, sums);
        if (status == GN_OK) {
            status = GEMM(rows, width, columns, 1, scores, work->step, 1, value + column * v->row, v->row, v->column,
                          column == 0 ? 0 : (COMPUTE)1, sums, width);
        }
        if (status != GN_OK) {
            return status;
        }
    }
    COMPUTE *out = (COMPUTE *)work->out.data + batch * work->out.batch + head * work->out.head + row * work->out.row;
    COMPUTE *logs = (COMPUTE *)work->logsumexp.data + batch * work->logsumexp.batch + head * work->logsumexp.head
                    + row * work->logsumexp.row;
    COMPUTE found[QUERIES];
    for (int64_t i = 0; i < rows; i++) {
        found[i] = largest[i] + gn_log(totals[i]);
    }
    for (int64_t i = 0; i < rows; i++) {
        const int is_blind = largest[i] == LOWEST && totals[i] == 0;
        const COMPUTE share = 1 / totals[i];
        COMPUTE *line = out + i * work->out.row;
        logs[i * work->logsumexp.row] = is_blind ? 0 : found[i];
        if (is_blind) { /* whatever the values are */
            for (int64_t j = 0; j < width; j++) {
                line[j * work->out.column] = 0;
            }
        } else if (work->out.column == 1) {
            for (int64_t j = 0; j < width; j++) {
                line[j] = sums[i * width + j] * share;
            }
        } else {
            for (int64_t j = 0; j < width; j++) {
                line[j * work->out.column] = sums[i * width + j] * share;
            }
        }
    }
    return GN_OK;
}

static void NAME(attend)(int64_t begin, int64_t end, void *context) {
    attention *work = context;
    const int64_t blocks = blocks_of(work);
    COMPUTE *scratch = gn_take_items(gn_checked(QUERIES, work->step + work->width + 2), sizeof(COMPUTE));
    if (scratch == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        const int64_t row = task % blocks * QUERIES;
        const int64_t head = task / blocks % work->query_heads;
        gn_report(&work->status, NAME(attend_block)(work, task / blocks / work->query_heads, head, row, scratch));
    }
    gn_give(scratch);
}

static int32_t NAME(attention_forward)(const gn_call *call, const gn_tensor *tensors, void *const *data) {
    attention work = sizes_of(&tensors[2], &tensors[3]);
    work.out = heads_of(&tensors[0], data[0]);
    work.logsumexp = heads_of(&tensors[1], data[1]);
    work.query = heads_of(&tensors[2], data[2]);
    work.key = heads_of(&tensors[3], data[3]);
    work.value = heads_of(&tensors[4], data[4]);
    if (tensors[5].dtype != GN_NO_DTYPE) {
        work.mask = mask_of(&tensors[5], data[5]);
    }
    work.causal = call->integers[0] != 0;
    work.scale = scale_of(call, work.width);
    const int64_t steps = QUERIES * gn_max(1, work.keys * work.width);
    gn_parallel_for(0, work.batches * work.query_heads * blocks_of(&work), gn_grain(steps), NAME(attend), &work);
    return work.status;
}

/* (output, logsumexp; query, key, value, attn_mask or absent); integers: is_causal; scalars: dropout_p, scale. */
int32_t NAME(kernel_flash_attention)(const gn_call *call, void *const *data) {
    return NAME(attention_forward)(call, call->tensors, data);
}

static void NAME(clear)(const heads *to, COMPUTE *data, int64_t rows, int64_t width) {
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < width; j++) {
            data[i * to->row + j] = 0;
        }
    }
}

/* Makes scores the probabilities, and the gradients of the probabilities those of the scores over `scale`:
 * p = exp(s - logsumexp), ds = p (dp - sum(p dp)); the sum is that of the output times its gradient. */
static void NAME(score_gradients)(const attention *work, int64_t row, int64_t rows, int64_t column, int64_t columns,
                                  COMPUTE *scores, COMPUTE *grads, const COMPUTE *products, const COMPUTE *logs) {
    const COMPUTE scale = (COMPUTE)work->scale;
    for (int64_t i = 0; i < rows; i++) {
        COMPUTE *line = scores + i * work->step;
        COMPUTE *grad = grads + i * work->step;
        const COMPUTE shift = logs[i * work->logsumexp.row];
        const COMPUTE product = products[i];
        const int64_t count = NAME(scores_seen)(work, row + i, column, columns);
        const int64_t whole = NAME(whole_lanes)(count);
        for (int64_t j = count; j < whole; j++) { /* any numbers; their results are not used */
            line[j] = 0;
            grad[j] = 0;
        }
        for (int64_t j = 0; j < whole; j++) {
            const COMPUTE probability = gn_exp(line[j] - shift);
            line[j] = probability;
            grad[j] = probability * (grad[j] - product) * scale;
        }
        for (int64_t j = count; j < columns; j++) {
            line[j] = 0;
            grad[j] = 0;
        }
    }
}

/* The product of two rows. */
static COMPUTE NAME(row_product)(const COMPUTE *one, int64_t one_step, const COMPUTE *other, int64_t other_step,
                                 int64_t count) {
    COMPUTE lanes[LANES] = {0};
    int64_t i = 0;
    if (one_step == 1 && other_step == 1) {
        for (; i + LANES <= count; i += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                lanes[lane] += one[i + lane] * other[i + lane];
            }
        }
    }
    for (; i < count; i++) {
        lanes[i % LANES] += one[i * one_step] * other[i * other_step];
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return lanes[0];
}

/* The contributions of one block of queries to the gradients; `first`: whether it is the first for its keys.  `scratch`
 * has 2 step + 1 numbers for each of QUERIES. */
static int32_t NAME(attend_back)(const attention *work, int64_t batch, int64_t head, int64_t row, int first,
                                 COMPUTE *scratch) {
    const int64_t rows = gn_min(QUERIES, work->queries - row);
    const int64_t key_head = head / (work->query_heads / work->key_heads);
    const int64_t width = work->width;
    const heads *q = &work->query;
    const heads *k = &work->key;
    const heads *v = &work->value;
    const heads *o = &work->out;
    const heads *g = &work->grad_out;
    const heads *for_q = &work->grad_query;
    const heads *for_k = &work->grad_key;
    const heads *for_v = &work->grad_value;
    const COMPUTE *query = (const COMPUTE *)q->data + batch * q->batch + head * q->head + row * q->row;
    const COMPUTE *key = (const COMPUTE *)k->data + batch * k->batch + key_head * k->head;
    const COMPUTE *value = (const COMPUTE *)v->data + batch * v->batch + key_head * v->head;
    const COMPUTE *out = (const COMPUTE *)o->data + batch * o->batch + head * o->head + row * o->row;
    const COMPUTE *grad = (const COMPUTE *)g->data + batch * g->batch + head * g->head + row * g->row;
    const COMPUTE *logs = (const COMPUTE *)work->logsumexp.data + batch * work->logsumexp.batch
                          + head * work->logsumexp.head + row * work->logsumexp.row;
    const COMPUTE *mask = (const COMPUTE *)work->mask.data;
    COMPUTE *grad_query = (COMPUTE *)for_q->data + batch * for_q->batch + head * for_q->head + row * for_q->row;
    COMPUTE *grad_key = (COMPUTE *)for_k->data + batch * for_k->batch + key_head * for_k->head;
    COMPUTE *grad_value = (COMPUTE *)for_v->data + batch * for_v->batch + key_head * for_v->head;
    COMPUTE *scores = scratch;
    COMPUTE *grads = scores + QUERIES * work->step;
    COMPUTE *products = grads + QUERIES * work->step;
    const int64_t seen = keys_seen(work, row, rows);
    const COMPUTE kept = first ? 0 : 1; /* of the sums for keys and values so far */
    if (mask != NULL) {
        mask += batch * work->mask.batch + head * work->mask.head;
    }
    if (first) {
        NAME(clear)(for_k, grad_key + seen * for_k->row, work->keys - seen, width);
        NAME(clear)(for_v, grad_value + seen * for_v->row, work->keys - seen, width);
    }
    for (int64_t i = 0; i < rows; i++) {
        products[i] = NAME(row_product)(grad + i * g->row, g->column, out + i * o->row, o->column, width);
    }
    for (int64_t column = 0; column < seen; column += KEYS) {
        const int64_t columns = gn_min(KEYS, seen - column);
        const COMPUTE *keys = key + column * k->row;
        const COMPUTE *values = value + column * v->row;
        int32_t status = GEMM(rows, columns, width, (COMPUTE)work->scale, query, q->row, q->column, keys, k->column,
                              k->row, 0, scores, work->step);
        if (mask != NULL) {
            NAME(mask_scores)(work, mask, row, rows, column, columns, scores);
        }
        if (status == GN_OK) {
            status = GEMM(rows, columns, width, 1, grad, g->row, g->column, values, v->column, v->row, 0, grads,
                          work->step);
        }
        NAME(score_gradients)(work, row, rows, column, columns, scores, grads, products, logs);
        if (status == GN_OK) {
            status = GEMM(columns, width, rows, 1, scores, 1, work->step, grad, g->row, g->column, kept,
                          grad_value + column * for_v->row, for_v->row);
        }
        if (status == GN_OK) {
            status = GEMM(rows, width, columns, 1, grads, work->step, 1, keys, k->row, k->column,
                          column == 0 ? 0 : (COMPUTE)1, grad_query, for_q->row);
        }
        if (status == GN_OK) {
            status = GEMM(columns, width, rows, 1, grads, 1, work->step, query, q->row, q->column, kept,
                          grad_key + column * for_k->row, for_k->row);
        }
        if (status != GN_OK) {
            return status;
        }
    }
    return GN_OK;
}

/* All queries that attend to one head of the keys, block by block. */
static void NAME(attend_back_heads)(int64_t begin, int64_t end, void *context) {
    attention *work = context;
    const int64_t group = work->query_heads / work->key_heads;
    COMPUTE *scratch = gn_take_items(gn_checked(QUERIES, gn_checked(2, work->step) + 1), sizeof(COMPUTE));
    if (scratch == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        const int64_t batch = task / work->key_heads;
        const int64_t head = task % work->key_heads;
        const heads *for_k = &work->grad_key;
        const heads *for_v = &work->grad_value;
        if (work->queries == 0) {
            COMPUTE *grad_key = (COMPUTE *)for_k->data + batch * for_k->batch + head * for_k->head;
            COMPUTE *grad_value = (COMPUTE *)for_v->data + batch * for_v->batch + head * for_v->head;
            NAME(clear)(for_k, grad_key, work->keys, work->width);
            NAME(clear)(for_v, grad_value, work->keys, work->width);
        }
        for (int64_t each = head * group; each < (head + 1) * group; each++) {
            for (int64_t row = 0; row < work->queries; row += QUERIES) {
                const int first = each == head * group && row == 0;
                gn_report(&work->status, NAME(attend_back)(work, batch, each, row, first, scratch));
            }
        }
    }
    gn_give(scratch);
}

static int32_t NAME(attention_backward)(const gn_call *call, const gn_tensor *tensors, void *const *data) {
    attention work = sizes_of(&tensors[4], &tensors[5]);
    work.grad_query = heads_of(&tensors[0], data[0]);
    work.grad_key = heads_of(&tensors[1], data[1]);
    work.grad_value = heads_of(&tensors[2], data[2]);
    work.grad_out = heads_of(&tensors[3], data[3]);
    work.query = heads_of(&tensors[4], data[4]);
    work.key = heads_of(&tensors[5], data[5]);
    work.value = heads_of(&tensors[6], data[6]);
    work.out = heads_of(&tensors[7], data[7]);
    work.logsumexp = heads_of(&tensors[8], data[8]);
    if (tensors[9].dtype != GN_NO_DTYPE) {
        work.mask = mask_of(&tensors[9], data[9]);
    }
    work.causal = call->integers[0] != 0;
    work.scale = scale_of(call, work.width);
    const int64_t steps = gn_max(1, work.queries * work.keys * work.width);
    gn_parallel_for(0, work.batches * work.key_heads, gn_grain(steps), NAME(attend_back_heads), &work);
    return work.status;
}

/* (grad_query, grad_key, grad_value; grad_out, query, key, value, out, logsumexp, attn_mask or absent);
 * integers: is_causal; scalars: dropout_p, scale. */
int32_t NAME(kernel_flash_attention_backward)(const gn_call *call, void *const *data) {
    return NAME(attention_backward)(call, call->tensors, data);
}

#undef GEMM
#endif

#if IS_HALF

int32_t NAME(kernel_flash_attention)(const gn_call *call, void *const *data) {
    wide_call wide;
    int32_t status = take_wide(call, data, &wide);
    if (status == GN_OK) {
        status = attention_forward_float32(call, wide.tensors, wide.data);
        give_wide(call, data, &wide, status);
    }
    return status;
}

int32_t NAME(kernel_flash_attention_backward)(const gn_call *call, void *const *data) {
    wide_call wide;
    int32_t status = take_wide(call, data, &wide);
    if (status == GN_OK) {
        status = attention_backward_float32(call, wide.tensors, wide.data);
        give_wide(call, data, &wide, status);
    }
    return status;
}

#endif
