/* Vectors of one dtype. */

#if IS_FLOATING

/* |a[k] - b[k]| in float, for orders for which float suffices. */
#define ROUGH_SIZE(k) gn_abs((COMPUTE)LOAD(a[k]) - (COMPUTE)LOAD(b[k]))

/* The largest difference: a difference of two elements, rounded once in any precision. */
static double NAME(largest_difference)(const STORAGE *a, const STORAGE *b, int64_t length, int without_nan) {
#if CODE != GN_FLOAT64
    /* compared as integers, which have the same order, NaN above infinity: compilers vectorize their maximum */
    const int32_t infinity = 0x7f800000;
    int32_t most = 0;
    for (int64_t i = 0; i < length; i++) {
        const int32_t size = (int32_t)(gn_bits((COMPUTE)LOAD(a[i]) - (COMPUTE)LOAD(b[i])) & 0x7fffffff);
        const int32_t counted = without_nan && size > infinity ? 0 : size;
        most = counted > most ? counted : most;
    }
    return (double)gn_from_bits((uint32_t)most);
#else
    COMPUTE lanes[LANES] = {0};
    int64_t i = 0;
#define EACH(is_larger)                                    \
    for (; i + LANES <= length; i += LANES) {              \
        for (int lane = 0; lane < LANES; lane++) {         \
            const COMPUTE size = ROUGH_SIZE(i + lane);     \
            const COMPUTE held = lanes[lane];              \
            lanes[lane] = (is_larger) ? size : held;       \
        }                                                  \
    }                                                      \
    for (; i < length; i++) {                              \
        const COMPUTE size = ROUGH_SIZE(i);                \
        const COMPUTE held = lanes[i % LANES];             \
        lanes[i % LANES] = (is_larger) ? size : held;      \
    }
    if (without_nan) {
        EACH(size > held)
    } else {
        EACH((size > held) | (size != size))
    }
#undef EACH
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            const COMPUTE size = lanes[lane + width];
            lanes[lane] = (size > lanes[lane]) | (size != size) ? size : lanes[lane];
        }
    }
    return (double)lanes[0];
#endif
}

#if CODE == GN_FLOAT32
/* The sum of powers of differences, each computed in float; only a result of moderate size is accurate. */
static double NAME(sum_of_powers)(const STORAGE *a, const STORAGE *b, int64_t length, float order) {
    float lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= length; i += LANES) {
        float powers[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            powers[lane] = gn_pow_float32(ROUGH_SIZE(i + lane), order);
        }
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += powers[lane];
        }
    }
    for (; i < length; i++) {
        lanes[i % LANES] += gn_pow_float32(ROUGH_SIZE(i), order);
    }
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++) {
        sum += (double)lanes[lane];
    }
    return sum;
}
#endif

/* The distance of two vectors of `length` elements: summed in double, one rounding.  A difference that is NaN makes it
 * NaN; `without_nan` ignores NaN in the largest. */
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
        return NAME(largest_difference)(a, b, length, without_nan);
    } else {
#if CODE == GN_FLOAT32
        const double rough = NAME(sum_of_powers)(a, b, length, (float)order);
        if (rough > 1e-30 && rough < 1e30 && (double)(float)order == order) {
            return pow(rough, 1 / order);
        }
#endif
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

#if IS_PRECISE
/* The squared lengths of rows [begin, end) of a matrix, summed in double. */
static void NAME(square_rows)(const STORAGE *rows, int64_t length, int64_t count, COMPUTE *to) {
    for (int64_t row = 0; row < count; row++) {
        double lanes[LANES] = {0};
        const STORAGE *from = rows + row * length;
        for (int64_t i = 0; i < length / LANES * LANES; i += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                lanes[lane] += (double)from[i + lane] * (double)from[i + lane];
            }
        }
        for (int64_t i = length / LANES * LANES; i < length; i++) {
            lanes[i % LANES] += (double)from[i] * (double)from[i];
        }
        double sum = 0;
        for (int lane = 0; lane < LANES; lane++) {
            sum += lanes[lane];
        }
        to[row] = (COMPUTE)sum;
    }
}

/* The distance of two vectors, summed in the dtype if its square has moderate size. */
static COMPUTE NAME(near_distance)(const STORAGE *a, const STORAGE *b, int64_t length, COMPUTE least, COMPUTE most) {
    COMPUTE lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= length; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const COMPUTE difference = a[i + lane] - b[i + lane];
            lanes[lane] += difference * difference;
        }
    }
    for (; i < length; i++) {
        lanes[i % LANES] += (a[i] - b[i]) * (a[i] - b[i]);
    }
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return (lanes[0] > least) & (lanes[0] < most) ? gn_sqrt(lanes[0]) : (COMPUTE)NAME(distance)(a, b, length, 2, 1);
}

/* Distances from -2 x y, which is in `to`, and the squared lengths; from differences if there is cancellation, or a
 * square does not fit the dtype. */
static void NAME(finish_row)(const distances *work, const STORAGE *a, const STORAGE *b, COMPUTE square,
                             const COMPUTE *restrict squares, COMPUTE *restrict to, int64_t count) {
    const COMPUTE least = CODE == GN_FLOAT32 ? (COMPUTE)1e-28 : (COMPUTE)1e-280;
    const COMPUTE most = CODE == GN_FLOAT32 ? (COMPUTE)1e37 : (COMPUTE)1e300;
    const COMPUTE share = (COMPUTE)LEAST_SHARE;
    for (int64_t first = 0; first < count; first += PIECE) {
        const int64_t end = gn_min(first + PIECE, count);
        int32_t is_bad[PIECE];
        int32_t any = 0;
        for (int64_t j = first; j < end; j++) {
            const COMPUTE both = square + squares[j];
            const COMPUTE left = both + to[j];
            const int32_t bad = !((both > least) & (both < most) & (left > share * both));
            is_bad[j - first] = bad;
            any |= bad;
            to[j] = gn_sqrt(left);
        }
        for (int64_t j = first; any && j < end; j++) {
            if (is_bad[j - first]) {
                to[j] = NAME(near_distance)(a, b + j * work->length, work->length, least, most);
            }
        }
    }
}

/* Chunks [begin, end) of CHUNK_ROWS rows of an output matrix, whose sizes alone determine the chunks. */
static void NAME(cdist_chunks)(int64_t begin, int64_t end, void *context) {
    distances *work = context;
    const gn_tensor *out = work->out;
    const int32_t last = out->ndim - 1;
    const int64_t chunks = (work->rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
    const int64_t length = work->length;
    const int64_t size = sizeof(COMPUTE);
    const int64_t row_step = out->strides[last - 1];
    const int64_t step = out->strides[last];
    /* If rows of the output are dense, the products are computed in place. */
    const int direct = step == size && row_step >= work->columns * size && row_step % size == 0;
    COMPUTE *buffer = direct ? NULL : gn_take_items(CHUNK_ROWS * CHUNK_COLUMNS, (size_t)size);
    int32_t status = !direct && buffer == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t chunk = begin; chunk < end && status == GN_OK; chunk++) {
        const int64_t matrix = chunk / chunks;
        const int64_t row = chunk % chunks * CHUNK_ROWS;
        const int64_t rows = gn_min(CHUNK_ROWS, work->rows - row);
        const int64_t first = gn_offset(&work->first_outer, matrix, -1);
        const int64_t second = gn_offset(&work->second_outer, matrix, -1);
        const STORAGE *a = (const STORAGE *)(work->first + first) + row * length;
        const COMPUTE *squares =
            (const COMPUTE *)work->first_squares + first / (length * size) + row;
        for (int64_t column = 0; column < work->columns && status == GN_OK; column += CHUNK_COLUMNS) {
            const int64_t columns = gn_min(CHUNK_COLUMNS, work->columns - column);
            const STORAGE *b = (const STORAGE *)(work->second + second) + column * length;
            const COMPUTE *others =
                (const COMPUTE *)work->second_squares + second / (length * size) + column;
            char *to = work->to + gn_offset(out, matrix * work->rows + row, last) + column * step;
            COMPUTE *made = direct ? (COMPUTE *)to : buffer;
            const int64_t made_row = direct ? row_step / size : columns;
            status = NAME(gn_gemm)(rows, columns, length, -2, a, length, 1, b, 1, length, 0, made, made_row);
            for (int64_t i = 0; i < rows && status == GN_OK; i++) {
                COMPUTE *line = made + i * made_row;
                NAME(finish_row)(work, a + i * length, b, squares[i], others, line, columns);
                for (int64_t j = 0; j < columns && !direct; j++) {
                    *(STORAGE *)(to + i * row_step + j * step) = line[j];
                }
            }
        }
    }
    gn_report(&work->status, status);
    gn_give(buffer);
}

/* The distances by a product of matrices. */
static int32_t NAME(cdist_by_product)(distances *work, int64_t first_rows, int64_t second_rows) {
    work->first_squares = gn_take_items(first_rows + second_rows, sizeof(COMPUTE));
    if (work->first_squares == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    work->second_squares = (COMPUTE *)work->first_squares + first_rows;
    NAME(square_rows)((const STORAGE *)work->first, work->length, first_rows, work->first_squares);
    NAME(square_rows)((const STORAGE *)work->second, work->length, second_rows, work->second_squares);
    const int64_t chunks = (work->rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
    const int64_t matrices = gn_numel(work->out) / work->columns / work->rows;
    const int64_t size = gn_min(work->rows, CHUNK_ROWS) * work->columns * (work->length / 8 + 1);
    work->status = GN_OK;
    gn_parallel_for(0, matrices * chunks, gn_grain(size), NAME(cdist_chunks), work);
    gn_give(work->first_squares);
    return work->status;
}
#endif

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
    int32_t status = work.first == NULL || work.second == NULL ? GN_OUT_OF_MEMORY : GN_OK;
#if IS_PRECISE
    const int64_t mode = call->integers[0];
    const int has_many = gn_max(work.rows, work.columns) > PRODUCT_ROWS || mode == ALWAYS_PRODUCTS;
    if (status == GN_OK && work.order == 2 && work.length > 0 && mode != NEVER_PRODUCTS && has_many) {
        status = NAME(cdist_by_product)(&work, gn_numel(first) / work.length, gn_numel(second) / work.length);
        gn_give(owned[0]);
        gn_give(owned[1]);
        return status;
    }
#endif
    if (status == GN_OK) {
        const int64_t size = gn_max(1, work.columns * work.length);
        gn_parallel_for(0, gn_numel(out) / work.columns, gn_grain(size), NAME(cdist_rows), &work);
    }
    gn_give(owned[0]);
    gn_give(owned[1]);
    return status;
}

#if IS_PRECISE
/* Chunks [begin, end) of CHUNK_ROWS rows, and the distances of each to the rows after it. */
static void NAME(pdist_chunks)(int64_t begin, int64_t end, void *context) {
    distances *work = context;
    const int64_t length = work->length;
    const int64_t step = work->out->strides[0];
    const STORAGE *rows = (const STORAGE *)work->first;
    const COMPUTE *squares = work->first_squares;
    COMPUTE *made = gn_take_items(CHUNK_ROWS * CHUNK_COLUMNS, sizeof(COMPUTE));
    int32_t status = made == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t chunk = begin; chunk < end && status == GN_OK; chunk++) {
        const int64_t row = chunk * CHUNK_ROWS;
        const int64_t count = gn_min(CHUNK_ROWS, work->rows - row);
        for (int64_t column = row + 1; column < work->rows && status == GN_OK; column += CHUNK_COLUMNS) {
            const int64_t columns = gn_min(CHUNK_COLUMNS, work->rows - column);
            status = NAME(gn_gemm)(count, columns, length, -2, rows + row * length, length, 1, rows + column * length,
                                   1, length, 0, made, columns);
            for (int64_t i = row; i < row + count && status == GN_OK; i++) {
                const int64_t first = gn_max(column, i + 1);
                const int64_t left = column + columns - first;
                if (left <= 0) {
                    continue;
                }
                COMPUTE *line = made + (i - row) * columns + (first - column);
                NAME(finish_row)(work, rows + i * length, rows + first * length, squares[i], squares + first, line, left);
                char *to = work->to + (i * work->rows - i * (i + 1) / 2 + first - i - 1) * step;
                for (int64_t j = 0; j < left; j++) {
                    *(STORAGE *)(to + j * step) = line[j];
                }
            }
        }
    }
    gn_report(&work->status, status);
    gn_give(made);
}

/* The distances of the rows of one matrix by products. */
static int32_t NAME(pdist_by_product)(distances *work) {
    work->first_squares = gn_take_items(work->rows, sizeof(COMPUTE));
    if (work->first_squares == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    NAME(square_rows)((const STORAGE *)work->first, work->length, work->rows, work->first_squares);
    const int64_t size = gn_min(work->rows, CHUNK_ROWS) * work->rows * (work->length / 8 + 1) / 2;
    work->status = GN_OK;
    gn_parallel_for(0, (work->rows + CHUNK_ROWS - 1) / CHUNK_ROWS, gn_grain(size), NAME(pdist_chunks), work);
    gn_give(work->first_squares);
    return work->status;
}
#endif

/* The distances of row `row` to the rows after it, for rows [begin, end). */
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

/* (out; self); scalars: p.  Other dtypes than floats occur only if there is nothing to compare. */
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
    work.first = data[1]; /* the meta function requires it to be contiguous */
    work.rows = self->sizes[0];
    work.length = self->sizes[1];
    work.order = call->scalars[0].real;
#if IS_PRECISE
    if (work.order == 2 && work.rows > PRODUCT_ROWS) {
        return NAME(pdist_by_product)(&work);
    }
#endif
    const int64_t size = gn_max(1, work.rows * work.length / 2);
    gn_parallel_for(0, work.rows, gn_grain(size), NAME(pdist_rows), &work);
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
    gn_parallel_for(0, gn_numel(&call->tensors[0]) / 3, GN_GRAIN / 16, NAME(cross_vectors), &work);
    return GN_OK;
}

#undef PRECISE
#endif

/* beta * self + alpha * vec1 * vec2, where vec1 goes down and vec2 along; scalars: beta, alpha. */
#if IS_HALF
int32_t NAME(kernel_addr)(const gn_call *call, void *const *data) {
    return gn_for_each_float(call, data, addr_loop_float32);
}
#else
static int32_t NAME(addr_loop)(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
#if CODE == GN_BOOL
    const int beta = call->scalars[0].real != 0 || call->scalars[0].imag != 0;
    const int alpha = call->scalars[1].real != 0 || call->scalars[1].imag != 0;
#define RESULT(s, a, b) (STORAGE)((beta & (LOAD(s))) | (alpha & LOAD(a) & LOAD(b)))
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
    return gn_for_each(call, data, NAME(addr_loop));
}
#endif
