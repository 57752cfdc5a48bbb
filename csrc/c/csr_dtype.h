/* Products of a sparse_csr and a strided matrix, for one dtype. */

#if IS_FRACTIONAL

/* Elements [first, past) of a row times one column of the strided matrix. */
GN_INLINE int NAME(csr_column)(const csr_product *of, int64_t first, int64_t past, int64_t column, COMPUTE *sum,
                               const int is_wide) {
    const char *from = of->other + column * of->column_step;
    COMPUTE sums[CHAINS] = {0};
    int64_t k = first;
    for (; k + CHAINS <= past; k += CHAINS) {
        GN_UNROLL
        for (int chain = 0; chain < CHAINS; chain++) {
            const int64_t row = index_at(of->col, k + chain, is_wide);
            if (!is_place(row, of->inner)) {
                return 0;
            }
            sums[chain] += LOAD(((const STORAGE *)of->values)[k + chain])
                           * LOAD(*(const STORAGE *)(from + row * of->row_step));
        }
    }
    for (; k < past; k++) {
        const int64_t row = index_at(of->col, k, is_wide);
        if (!is_place(row, of->inner)) {
            return 0;
        }
        sums[0] += LOAD(((const STORAGE *)of->values)[k])
                   * LOAD(*(const STORAGE *)(from + row * of->row_step));
    }
    *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return 1;
}

/* Elements [first, past) of a row times `count` adjacent columns.  `count` is a constant where this is called, so that
 * the sums stay in registers. */
GN_INLINE int NAME(csr_columns)(const csr_product *of, int64_t first, int64_t past, int64_t column, STORAGE *to,
                                const int count, const int is_wide) {
    COMPUTE sums[COLUMNS] = {0};
    for (int64_t k = first; k < past; k++) {
        const int64_t row = index_at(of->col, k, is_wide);
        if (!is_place(row, of->inner)) {
            return 0;
        }
        if (of->is_far && count * (int)sizeof(STORAGE) >= 32 && k + AHEAD < of->count) {
            const int64_t later = index_at(of->col, k + AHEAD, is_wide);
            const int64_t known = is_place(later, of->inner) ? later : row;
            fetch((const STORAGE *)(of->other + known * of->row_step) + column, count * (int64_t)sizeof(STORAGE));
        }
        const COMPUTE factor = LOAD(((const STORAGE *)of->values)[k]);
        const STORAGE *from = (const STORAGE *)(of->other + row * of->row_step) + column;
        for (int i = 0; i < count; i++) {
            sums[i] += LOAD(from[i]) * factor;
        }
    }
    for (int i = 0; i < count; i++) {
        to[i] = STORE(sums[i]);
    }
    return 1;
}

/* Row `row` of the product.  Returns 0 for an index out of range. */
GN_INLINE int NAME(csr_row)(const csr_product *of, int64_t row, const int is_wide) {
    const int64_t first = index_at(of->crow, row, is_wide);
    const int64_t past = index_at(of->crow, row + 1, is_wide);
    if (!is_place(first, of->count + 1) || !is_place(past, of->count + 1)) {
        return 0;
    }
    STORAGE *to = (STORAGE *)of->result + row * of->columns;
    int64_t column = 0;
    if (of->column_step == (int64_t)sizeof(STORAGE)) {
#define STEP(width) \
    for (; column + (width) <= of->columns; column += (width)) { \
        if (!NAME(csr_columns)(of, first, past, column, to + column, width, is_wide)) { \
            return 0; \
        } \
    }
        STEP((int)COLUMNS)
        STEP(32)
        STEP(16)
        STEP(8)
        STEP(4)
        STEP(3)
        STEP(2)
#undef STEP
    }
    for (; column < of->columns; column++) {
        COMPUTE sum;
        if (!NAME(csr_column)(of, first, past, column, &sum, is_wide)) {
            return 0;
        }
        to[column] = STORE(sum);
    }
    return 1;
}

/* Rows [begin, end), with indices of int64 and of int32. */
static void NAME(csr_wide_task)(int64_t begin, int64_t end, void *context) {
    csr_product *of = context;
    for (int64_t row = begin; row < end; row++) {
        if (!NAME(csr_row)(of, row, 1)) {
            gn_report(&of->status, GN_BAD_VALUE);
            return;
        }
    }
}

static void NAME(csr_narrow_task)(int64_t begin, int64_t end, void *context) {
    csr_product *of = context;
    for (int64_t row = begin; row < end; row++) {
        if (!NAME(csr_row)(of, row, 0)) {
            gn_report(&of->status, GN_BAD_VALUE);
            return;
        }
    }
}

/* (out; values, crow_indices, col_indices, mat2).  GN_BAD_VALUE for indices out of range. */
int32_t NAME(kernel_csr_mm)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *values = &call->tensors[1];
    const gn_tensor *crow = &call->tensors[2];
    const gn_tensor *col = &call->tensors[3];
    const gn_tensor *other = &call->tensors[4];
    if (out->sizes[1] != 0 && !gn_is_contiguous(out)) {
        return GN_NOT_IMPLEMENTED;
    }
    void *owned[3] = {NULL, NULL, NULL};
    csr_product of;
    memset(&of, 0, sizeof of);
    of.rows = out->sizes[0];
    of.columns = out->sizes[1];
    of.inner = other->sizes[0];
    of.row_step = other->strides[0];
    of.column_step = other->strides[1];
    of.is_far = gn_checked(gn_checked(of.inner, of.columns), sizeof(STORAGE)) > NEAR_BYTES;
    of.count = values->sizes[0];
    of.values = gn_compact(values, data[1], CODE, &owned[0]);
    of.col = gn_compact(col, data[3], col->dtype, &owned[1]);
    of.crow = gn_compact(crow, data[2], crow->dtype, &owned[2]);
    of.other = data[4];
    of.result = data[0];
    gn_task *task = crow->dtype == GN_INT64 ? NAME(csr_wide_task) : NAME(csr_narrow_task);
    if (of.crow != NULL && (of.count == 0 || (of.values != NULL && of.col != NULL))) {
        if (!are_unread_columns(&of, crow->dtype == GN_INT64)) {
            gn_report(&of.status, GN_BAD_VALUE);
        }
        const int64_t steps = gn_max(1, of.columns * (of.count / gn_max(1, of.rows) + 1));
        gn_parallel_for(0, of.rows, gn_grain(steps), task, &of);
    } else {
        of.status = GN_OUT_OF_MEMORY;
    }
    for (int i = 0; i < 3; i++) {
        gn_give(owned[i]);
    }
    return of.status;
}

/* TERMS sums side by side, and as many as are left when they are added by halves. */
#if IS_COMPLEX
typedef MAGNITUDE NAME(part); /* of a number */
#else
typedef COMPUTE NAME(part);
#endif
typedef NAME(part) NAME(terms) __attribute__((vector_size(TERMS * sizeof(NAME(part)))));
typedef NAME(part) NAME(half_terms) __attribute__((vector_size(TERMS / 2 * sizeof(NAME(part)))));
typedef NAME(part) NAME(quarter_terms) __attribute__((vector_size(TERMS / 4 * sizeof(NAME(part)))));

/* The sums of the first, third … and of the others of `sums`. */
GN_INLINE void NAME(sum_terms)(const NAME(terms) *sums, NAME(part) *even, NAME(part) *odd) {
    NAME(half_terms) halves[2];
    memcpy(halves, sums, sizeof halves);
    halves[0] += halves[1];
    NAME(quarter_terms) quarters[2];
    memcpy(quarters, &halves[0], sizeof halves[0]);
    quarters[0] += quarters[1];
    *even = quarters[0][0] + quarters[0][2];
    *odd = quarters[0][1] + quarters[0][3];
}

/* found[e] = the product of the rows `left` and right[e], for `count` of them.  A number is one of its parts, or two. */
GN_INLINE void NAME(row_products)(const STORAGE *left, const STORAGE *const *right, const int count, int64_t inner,
                                  COMPUTE *found) {
    enum { NUMBERS = TERMS / (IS_COMPLEX ? 2 : 1) };
    int64_t i = 0;
    NAME(terms) sums[TOGETHER] = {{0}};
#if IS_COMPLEX
    NAME(terms) crossed[TOGETHER] = {{0}}; /* products of real and imaginary parts */
#endif
    for (; i + NUMBERS <= inner; i += NUMBERS) {
        NAME(part) numbers[TERMS], products[TERMS];
        NAME(terms) all;
#if IS_COMPLEX
        memcpy(numbers, left + i, sizeof numbers);
#else
        for (int term = 0; term < TERMS; term++) {
            numbers[term] = LOAD(left[i + term]);
        }
#endif
        GN_UNROLL
        for (int e = 0; e < count; e++) {
#if IS_COMPLEX
            const NAME(part) *others = (const NAME(part) *)(right[e] + i);
            for (int term = 0; term < TERMS; term++) {
                products[term] = numbers[term] * others[term ^ 1];
            }
            memcpy(&all, products, sizeof all);
            crossed[e] += all;
            for (int term = 0; term < TERMS; term++) {
                products[term] = numbers[term] * others[term];
            }
#else
            for (int term = 0; term < TERMS; term++) {
                products[term] = numbers[term] * LOAD(right[e][i + term]);
            }
#endif
            memcpy(&all, products, sizeof all);
            sums[e] += all;
        }
    }
    GN_UNROLL
    for (int e = 0; e < count; e++) {
        NAME(part) even, odd;
        NAME(sum_terms)(&sums[e], &even, &odd);
#if IS_COMPLEX
        const NAME(part) real = even - odd;
        NAME(sum_terms)(&crossed[e], &even, &odd);
        const NAME(part) parts[2] = {real, even + odd};
        memcpy(&found[e], parts, sizeof parts);
#else
        found[e] = even + odd;
#endif
    }
    for (; i < inner; i++) {
        GN_UNROLL
        for (int e = 0; e < count; e++) {
            found[e] += LOAD(left[i]) * LOAD(right[e][i]);
        }
    }
}

/* The elements of row `row`.  Returns 0 for an index out of range. */
GN_INLINE int NAME(sampled_row)(const sampled_product *of, int64_t row, const int is_wide) {
    const int64_t first = index_at(of->crow, row, is_wide), past = index_at(of->crow, row + 1, is_wide);
    if (!is_place(first, of->count + 1) || !is_place(past, of->count + 1) || first > past) {
        return 0;
    }
    const void *col = of->col;
    const int64_t inner = of->inner, count = of->count, columns = of->columns;
    int is_wrong = 0;
    for (int64_t k = first; k < past; k++) {
        is_wrong |= !is_place(index_at(col, k, is_wide), columns);
    }
    if (is_wrong) {
        return 0;
    }
    const STORAGE *left = (const STORAGE *)of->left + row * inner, *right = of->right;
    const int64_t bytes = of->is_far ? gn_min(inner * (int64_t)sizeof(STORAGE), BYTES_AHEAD) : 0;
    STORAGE *restrict result = of->result;
    for (int64_t k = first; k < past; k += TOGETHER) {
        for (int64_t later = k + AHEAD; later < gn_min(k + AHEAD + TOGETHER, count) && bytes != 0; later++) {
            const int64_t column = index_at(col, later, is_wide);
            if (is_place(column, columns)) {
                fetch(right + column * inner, bytes);
            }
        }
        const STORAGE *rows[TOGETHER];
        COMPUTE found[TOGETHER];
        if (k + TOGETHER <= past) {
            for (int e = 0; e < TOGETHER; e++) {
                rows[e] = right + index_at(col, k + e, is_wide) * inner;
            }
            NAME(row_products)(left, rows, TOGETHER, inner, found);
            for (int e = 0; e < TOGETHER; e++) {
                result[k + e] = STORE(found[e]);
            }
        } else {
            for (int64_t e = k; e < past; e++) {
                rows[0] = right + index_at(col, e, is_wide) * inner;
                NAME(row_products)(left, rows, 1, inner, found);
                result[e] = STORE(found[0]);
            }
        }
    }
    return 1;
}

/* Rows [begin, end), with indices of int64 or of int32. */
static void NAME(sampled_task)(int64_t begin, int64_t end, void *context) {
    sampled_product *of = context;
    for (int64_t row = begin; row < end; row++) {
        if (!(of->is_wide ? NAME(sampled_row)(of, row, 1) : NAME(sampled_row)(of, row, 0))) {
            gn_report(&of->status, GN_BAD_VALUE);
            return;
        }
    }
}

/* (out; mat1, mat2, crow_indices, col_indices).  GN_BAD_VALUE for indices out of range. */
int32_t NAME(kernel_csr_sampled_mm)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *left = &call->tensors[1];
    gn_tensor right = call->tensors[2];
    const gn_tensor *crow = &call->tensors[3];
    const gn_tensor *col = &call->tensors[4];
    if (!gn_is_contiguous(out)) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t sizes[2] = {right.sizes[1], right.sizes[0]}, strides[2] = {right.strides[1], right.strides[0]};
    right.sizes = sizes;
    right.strides = strides;
    sampled_product of;
    memset(&of, 0, sizeof of);
    of.rows = left->sizes[0];
    of.inner = left->sizes[1];
    of.columns = sizes[0];
    of.count = out->sizes[0];
    of.is_wide = crow->dtype == GN_INT64;
    of.is_far = of.columns > NEAR_BYTES / (gn_max(1, of.inner) * (int64_t)sizeof(STORAGE));
    void *owned[4] = {NULL, NULL, NULL, NULL};
    of.left = gn_compact(left, data[1], CODE, &owned[0]);
    of.right = gn_compact(&right, data[2], CODE, &owned[1]);
    of.crow = gn_compact(crow, data[3], crow->dtype, &owned[2]);
    of.col = gn_compact(col, data[4], col->dtype, &owned[3]);
    of.result = data[0];
    const int has_numbers = of.inner == 0 || (of.left != NULL && of.right != NULL) || of.count == 0;
    if (of.crow == NULL || (of.col == NULL && of.count != 0) || !has_numbers) {
        of.status = GN_OUT_OF_MEMORY;
    } else if (!are_elements_of_rows(&of)) {
        of.status = GN_BAD_VALUE;
    } else {
        const int64_t steps = of.inner * (of.count / gn_max(1, of.rows) + 1);
        gn_parallel_for(0, of.rows, gn_grain(gn_max(1, steps)), NAME(sampled_task), &of);
    }
    for (int i = 0; i < 4; i++) {
        gn_give(owned[i]);
    }
    return of.status;
}

#endif
