/* Vectors of one dtype. */

#if IS_FLOATING

/* The distance of two vectors of `length` elements: summed in double, one rounding.  A difference that is NaN makes
 * it NaN; `without_nan` leaves it out of the largest. */
static double NAME(distance)(const STORAGE *a, const STORAGE *b, int64_t length, double order, int without_nan) {
    double lanes[LANES] = {0};
    int64_t i = 0;
#define SIZE(k) fabs((double)LOAD(a[k]) - (double)LOAD(b[k]))
#define EACH(statement)                                    \
    for (; i + LANES <= length; i += LANES) {              \
        for (int lane = 0; lane < LANES; lane++) {         \
            const double size = SIZE(i + lane);            \
            double *to = &lanes[lane];                     \
            statement;                                     \
        }                                                  \
    }                                                      \
    for (; i < length; i++) {                              \
        const double size = SIZE(i);                       \
        double *to = &lanes[i % LANES];                    \
        statement;                                         \
    }
    if (order == 2) {
        EACH(*to += size * size)
    } else if (order == 1) {
        EACH(*to += size)
    } else if (order == 0) {
        EACH(*to += size != size ? size : (double)(size != 0))
    } else if (isinf(order)) {
        if (without_nan) {
            EACH(*to = size > *to ? size : *to)
        } else {
            EACH(*to = (size > *to) | (size != size) ? size : *to)
        }
        double largest = 0;
        for (int lane = 0; lane < LANES; lane++) {
            largest = lanes[lane] > largest || lanes[lane] != lanes[lane] ? lanes[lane] : largest;
        }
        return largest;
    } else {
        EACH(*to += pow(size, order))
    }
#undef EACH
#undef SIZE
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    if (order == 0 || order == 1) {
        return lanes[0];
    }
    return order == 2 ? sqrt(lanes[0]) : pow(lanes[0], 1 / order);
}

/* Rows [begin, end) of all output matrices. */
static void NAME(cdist_rows)(int64_t begin, int64_t end, void *context) {
    const distances *work = context;
    const int32_t last = work->out->ndim - 1;
    for (int64_t row = begin; row < end; row++) {
        const int64_t matrix = row / work->rows;
        const STORAGE *a = (const STORAGE *)(work->first + gn_offset(&work->first_outer, matrix, -1))
                           + row % work->rows * work->length;
        const STORAGE *b = (const STORAGE *)(work->second + gn_offset(&work->second_outer, matrix, -1));
        char *to = work->to + gn_offset(work->out, row, last);
        for (int64_t j = 0; j < work->columns; j++) {
            const double length = NAME(distance)(a, b + j * work->length, work->length, work->order, 1);
            *(STORAGE *)(to + j * work->out->strides[last]) = STORE((COMPUTE)length);
        }
    }
}

/* (out; x1, x2); scalars: p. */
int32_t NAME(kernel_cdist)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *first = &call->tensors[1];
    const gn_tensor *second = &call->tensors[2];
    distances work;
    void *owned[2];
    memset(&work, 0, sizeof work);
    if (gn_numel(out) == 0) {
        return GN_OK;
    }
    work.out = out;
    work.to = data[0];
    work.first = gn_compact(first, data[1], CODE, &owned[0]);
    work.second = gn_compact(second, data[2], CODE, &owned[1]);
    work.rows = first->sizes[first->ndim - 2];
    work.columns = second->sizes[second->ndim - 2];
    work.length = first->sizes[first->ndim - 1];
    work.order = call->scalars[0].real;
    expand_outer(first, out, work.first_strides, &work.first_outer);
    expand_outer(second, out, work.second_strides, &work.second_outer);
    const int32_t status = work.first == NULL || work.second == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    if (status == GN_OK) {
        const int64_t size = gn_max(1, work.columns * work.length);
        gn_parallel(gn_numel(out) / work.columns, gn_max(1, GN_GRAIN / size), NAME(cdist_rows), &work);
    }
    gn_give(owned[0]);
    gn_give(owned[1]);
    return status;
}

/* The distances of row `row` from those behind it, for rows [begin, end). */
static void NAME(pdist_rows)(int64_t begin, int64_t end, void *context) {
    const distances *work = context;
    const STORAGE *rows = (const STORAGE *)work->first;
    for (int64_t row = begin; row < end; row++) {
        const int64_t before = row * work->rows - row * (row + 1) / 2;
        for (int64_t other = row + 1; other < work->rows; other++) {
            const double length = NAME(distance)(rows + row * work->length, rows + other * work->length,
                                                 work->length, work->order, 0);
            const int64_t place = before + other - row - 1;
            *(STORAGE *)(work->to + place * work->out->strides[0]) = STORE((COMPUTE)length);
        }
    }
}

#endif

/* (out; self); scalars: p.  Other dtypes than floats come where there is nothing to compare. */
int32_t NAME(kernel_pdist)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    if (gn_numel(self) == 0) {
        for (int64_t i = 0; i < gn_numel(out); i++) {
            *(STORAGE *)((char *)data[0] + i * out->strides[0]) = 0;
        }
        return GN_OK;
    }
#if IS_FLOATING
    distances work;
    memset(&work, 0, sizeof work);
    if (self->ndim != 2) {
        return GN_NOT_IMPLEMENTED;
    }
    work.out = out;
    work.to = data[0];
    work.first = data[1]; /* the rule wants it contiguous */
    work.rows = self->sizes[0];
    work.length = self->sizes[1];
    work.order = call->scalars[0].real;
    const int64_t size = gn_max(1, work.rows * work.length / 2);
    gn_parallel(work.rows, gn_max(1, GN_GRAIN / size), NAME(pdist_rows), &work);
#endif
    return GN_OK;
}

#if IS_NUMERIC

#if IS_FLOATING
#define PRECISE double
#elif IS_COMPLEX
#define PRECISE gn_complex128
#else
#define PRECISE int64_t
#endif

/* Vectors [begin, end) of linalg_cross (out; self, other), all of one shape; integers: dim. */
static void NAME(cross_vectors)(int64_t begin, int64_t end, void *context) {
    const products *work = context;
    const gn_call *call = work->call;
    void *const *data = work->data;
    const int64_t dim = gn_wrap_dim(call->integers[0], call->tensors[0].ndim);
    for (int64_t vector = begin; vector < end; vector++) {
        PRECISE parts[2][3];
        for (int k = 0; k < 2; k++) {
            const gn_tensor *given = &call->tensors[1 + k];
            const char *from = (const char *)data[1 + k] + gn_offset(given, vector, dim);
            for (int i = 0; i < 3; i++) {
                parts[k][i] = (PRECISE)LOAD(*(const STORAGE *)(from + i * given->strides[dim]));
            }
        }
        char *to = (char *)data[0] + gn_offset(&call->tensors[0], vector, dim);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3;
            const int k = (i + 2) % 3;
            const PRECISE area = GN_TIMES(parts[0][j], parts[1][k]) - GN_TIMES(parts[0][k], parts[1][j]);
            *(STORAGE *)(to + i * call->tensors[0].strides[dim]) = STORE((COMPUTE)area);
        }
    }
}

int32_t NAME(kernel_cross)(const gn_call *call, void *const *data) {
    products work = {call, data};
    gn_parallel(gn_numel(&call->tensors[0]) / 3, GN_GRAIN / 16, NAME(cross_vectors), &work);
    return GN_OK;
}

#undef PRECISE
#endif

/* beta * self + alpha * vec1 * vec2, where vec1 goes down and vec2 along; scalars: beta, alpha. */
#if IS_HALF
int32_t NAME(kernel_addr)(const gn_call *call, void *const *data) {
    return gn_walk_float(call, data, addr_loop_float32);
}
#else
static int32_t NAME(addr_loop)(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
#if CODE == GN_BOOL
    const int beta = call->scalars[0].real != 0 || call->scalars[0].imag != 0;
    const int alpha = call->scalars[1].real != 0 || call->scalars[1].imag != 0;
#define RESULT(s, a, b) (STORAGE)((beta & (s)) | (alpha & (a) & (b)))
#else
    const COMPUTE beta = NUMBER(0);
    const COMPUTE alpha = NUMBER(1);
#define PRODUCT(a, b) GN_TIMES(GN_TIMES(alpha, a), b)
#define RESULT(s, a, b) (STORAGE)(beta == 0 ? PRODUCT(a, b) : GN_TIMES(beta, s) + PRODUCT(a, b))
#endif
    if (strides[0] == (int64_t)sizeof(STORAGE) && strides[1] == (int64_t)sizeof(STORAGE) && strides[2] == 0
        && strides[3] == (int64_t)sizeof(STORAGE)) {
        STORAGE *out = (STORAGE *)data[0];
        const STORAGE *self = (const STORAGE *)data[1];
        const STORAGE a = *(const STORAGE *)data[2];
        const STORAGE *right = (const STORAGE *)data[3];
        GN_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            out[i] = RESULT(self[i], a, right[i]);
        }
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const STORAGE s = *(const STORAGE *)(data[1] + i * strides[1]);
        const STORAGE a = *(const STORAGE *)(data[2] + i * strides[2]);
        const STORAGE b = *(const STORAGE *)(data[3] + i * strides[3]);
        *(STORAGE *)(data[0] + i * strides[0]) = RESULT(s, a, b);
    }
    return GN_OK;
}
#undef RESULT
#undef PRODUCT

int32_t NAME(kernel_addr)(const gn_call *call, void *const *data) {
    return gn_walk(call, data, NAME(addr_loop));
}
#endif
