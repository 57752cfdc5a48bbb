/* The decomposition of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX

#if IS_COMPLEX
#define SCALAR gn_complex128
#define CONJUGATE(x) conj(x)
#define REAL_OF(x) creal(x)
#define IMAGINARY_OF(x) cimag(x)
#else
#define SCALAR double
#define CONJUGATE(x) (x)
#define REAL_OF(x) (x)
#define IMAGINARY_OF(x) 0.0
#endif

/* The sum of conj(a) * b. */
static SCALAR NAME(inner)(const SCALAR *a, const SCALAR *b, int64_t count) {
    SCALAR lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += GN_TIMES(CONJUGATE(a[i + lane]), b[i + lane]);
        }
    }
    for (; i < count; i++) {
        lanes[i % LANES] += GN_TIMES(CONJUGATE(a[i]), b[i]);
    }
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static double NAME(vector_length)(const SCALAR *a, int64_t count) {
    return sqrt(REAL_OF(NAME(inner)(a, a, count)));
}

/* x, y = cosine * phase * x - sine * y, sine * phase * x + cosine * y. */
static void NAME(turn)(SCALAR *restrict x, SCALAR *restrict y, int64_t count, SCALAR phase, double cosine,
                       double sine) {
    const SCALAR left = phase * cosine;
    const SCALAR right = phase * sine;
    for (int64_t i = 0; i < count; i++) {
        const SCALAR p = x[i];
        const SCALAR q = y[i];
        x[i] = GN_TIMES(left, p) - sine * q;
        y[i] = GN_TIMES(right, p) + cosine * q;
    }
}

/* The length of a column whose square was `square` before a rotation subtracted `less` from it. */
static double NAME(length_after)(const SCALAR *a, int64_t rows, double square, double less) {
    const double rest = square - less;
    return rest > 0.25 * square ? sqrt(rest) : NAME(vector_length)(a, rows); /* else few digits would be right */
}

/* Rotates columns i and j, and their `turns`, so that the columns are orthogonal; returns 0 if they were to `limit`. */
static int NAME(rotate)(SCALAR *columns, SCALAR *turns, int64_t rows, int64_t count, double *lengths, int64_t i,
                        int64_t j, double limit) {
    SCALAR *a = columns + i * rows;
    SCALAR *b = columns + j * rows;
    const SCALAR overlap = NAME(inner)(a, b, rows);
    const double size = (double)gn_abs(overlap);
    const double alpha = lengths[i];
    const double beta = lengths[j];
    if (alpha < LEAST || beta < LEAST || size <= limit * alpha * beta) {
        return 0;
    }
    const double zeta = (beta - alpha) * (beta + alpha) / (2 * size);
    const double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + tangent * tangent);
    NAME(turn)(a, b, rows, overlap / size, cosine, cosine * tangent);
    NAME(turn)(turns + i * count, turns + j * count, count, overlap / size, cosine, cosine * tangent);
    lengths[i] = NAME(length_after)(a, rows, alpha * alpha, tangent * size);
    lengths[j] = NAME(length_after)(b, rows, beta * beta, -tangent * size);
    return 1;
}

/* Extends `held` orthonormal columns of `size` elements to `wanted` ones (Gram-Schmidt, twice). */
static void NAME(complete)(SCALAR *columns, int64_t held, int64_t wanted, int64_t size) {
    for (int64_t axis = 0; axis < size && held < wanted; axis++) {
        SCALAR *candidate = columns + held * size;
        memset(candidate, 0, (size_t)size * sizeof(SCALAR));
        candidate[axis] = 1;
        for (int round = 0; round < 2; round++) {
            for (int64_t each = 0; each < held; each++) {
                const SCALAR share = NAME(inner)(columns + each * size, candidate, size);
                for (int64_t i = 0; i < size; i++) {
                    candidate[i] -= GN_TIMES(share, columns[each * size + i]);
                }
            }
        }
        const double length = NAME(vector_length)(candidate, size);
        if (length > 0.5 / sqrt((double)size)) {
            for (int64_t i = 0; i < size; i++) {
                candidate[i] /= length;
            }
            held++;
        }
    }
}

/* The decomposition of a matrix of `count` columns of `rows` elements, count <= rows: `left` and `right` have room for
 * as many columns as rows they have; `columns` and `turns` are scratch. */
static void NAME(decompose)(SCALAR *columns, SCALAR *turns, int64_t rows, int64_t count, SCALAR *left, double *values,
                            SCALAR *right, double *lengths, int64_t *order, int64_t left_wanted) {
    memset(turns, 0, (size_t)(count * count) * sizeof(SCALAR));
    for (int64_t i = 0; i < count; i++) {
        turns[i * count + i] = 1;
    }
    const double eps = sizeof(MAGNITUDE) == sizeof(float) ? 0x1p-36 : DBL_EPSILON;
    const double limit = sqrt((double)rows) * eps;
    int turned = 1;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int64_t i = 0; i < count; i++) { /* their errors add up over a sweep */
            lengths[i] = NAME(vector_length)(columns + i * rows, rows);
        }
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = i + 1; j < count; j++) {
                turned |= NAME(rotate)(columns, turns, rows, count, lengths, i, j, limit);
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        lengths[i] = NAME(vector_length)(columns + i * rows, rows);
    }
    order_descending(lengths, order, count);
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = order[i];
        values[i] = lengths[from];
        memcpy(right + i * count, turns + from * count, (size_t)count * sizeof(SCALAR));
        if (lengths[from] >= LEAST) {
            for (int64_t k = 0; k < rows; k++) {
                left[held * rows + k] = columns[from * rows + k] / lengths[from];
            }
            held++;
        }
    }
    NAME(complete)(left, held, left_wanted, rows);
}

/* Writes columns as columns of U, or as conjugated rows of Vh. */
static void NAME(write_columns)(const gn_tensor *out, char *to, const SCALAR *columns, int64_t count, int64_t size,
                                int as_rows) {
    const int64_t row = out->strides[out->ndim - 2];
    const int64_t column = out->strides[out->ndim - 1];
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < size; i++) {
            const SCALAR x = columns[j * size + i];
            *(STORAGE *)(to + (as_rows ? j * row + i * column : i * row + j * column)) =
                (STORAGE)(as_rows ? CONJUGATE(x) : x);
        }
    }
}

/* One matrix. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(decompose_matrix)(const decomposition *work, int64_t matrix, SCALAR *memory) {
    const gn_call *call = work->call;
    const gn_tensor *in = &call->tensors[3];
    const gn_tensor batch = {CODE, in->ndim - 2, in->sizes, in->strides};
    const char *from = (const char *)work->data[3] + gn_offset(&batch, matrix, -1);
    const int tall = work->rows >= work->columns;
    const int64_t rows = tall ? work->rows : work->columns;
    const int64_t count = tall ? work->columns : work->rows;
    SCALAR *columns = memory;
    SCALAR *turns = columns + rows * count;
    SCALAR *left = turns + count * count;
    SCALAR *right = left + rows * rows;
    double *values = (double *)(right + count * count);
    double *lengths = values + count;
    int64_t *order = (int64_t *)(lengths + count);
    double largest = 0;
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < rows; i++) {
            const int64_t row = tall ? i : j;
            const int64_t column = tall ? j : i;
            const STORAGE x = *(const STORAGE *)(from + row * in->strides[in->ndim - 2]
                                                 + column * in->strides[in->ndim - 1]);
            const SCALAR number = tall ? (SCALAR)x : CONJUGATE((SCALAR)x);
            if (!isfinite(REAL_OF(number)) || !isfinite(IMAGINARY_OF(number))) {
                return GN_BAD_VALUE;
            }
            largest = fmax(largest, fmax(fabs(REAL_OF(number)), fabs(IMAGINARY_OF(number))));
            columns[j * rows + i] = number;
        }
    }
    /* By a power of two, so that squares stay in range and no digit is lost. */
    int exponent = 0;
    frexp(largest, &exponent);
    const double down = ldexp(1.0, -exponent / 2);
    const double down_rest = ldexp(1.0, -exponent - -exponent / 2);
    for (int64_t i = 0; i < rows * count; i++) {
        columns[i] = columns[i] * down * down_rest;
    }
    const int64_t wanted = work->with_vectors ? (work->full ? rows : count) : 0;
    NAME(decompose)(columns, turns, rows, count, left, values, right, lengths, order, wanted);
    const gn_tensor values_batch = {call->tensors[1].dtype, in->ndim - 2, in->sizes, call->tensors[1].strides};
    char *value_at = (char *)work->data[1] + gn_offset(&values_batch, matrix, -1);
    for (int64_t i = 0; i < count; i++) {
        *(MAGNITUDE *)(value_at + i * call->tensors[1].strides[in->ndim - 2]) = (MAGNITUDE)ldexp(values[i], exponent);
    }
    if (work->with_vectors) {
        const gn_tensor *u = &call->tensors[0];
        const gn_tensor *vh = &call->tensors[2];
        const gn_tensor u_batch = {CODE, in->ndim - 2, in->sizes, u->strides};
        const gn_tensor vh_batch = {CODE, in->ndim - 2, in->sizes, vh->strides};
        char *u_at = (char *)work->data[0] + gn_offset(&u_batch, matrix, -1);
        char *vh_at = (char *)work->data[2] + gn_offset(&vh_batch, matrix, -1);
        if (tall) {
            NAME(write_columns)(u, u_at, left, wanted, rows, 0);
            NAME(write_columns)(vh, vh_at, right, count, count, 1);
        } else {
            NAME(write_columns)(u, u_at, right, count, count, 0);
            NAME(write_columns)(vh, vh_at, left, wanted, rows, 1);
        }
    }
    return GN_OK;
}

/* Bytes of scratch memory of decompose_matrix. */
static int64_t NAME(decomposition_nbytes)(const decomposition *work) {
    const int64_t rows = gn_max(work->rows, work->columns);
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t numbers = gn_checked(rows, count) + gn_checked(2, gn_checked(count, count)) + gn_checked(rows, rows);
    return numbers < 0 ? numbers : gn_checked(numbers, sizeof(SCALAR)) + gn_checked(3 * count, sizeof(double));
}

/* decompose_matrix with its own memory, for a matrix on which singular_values.c fails. */
static int32_t NAME(decompose_once)(const decomposition *work, int64_t matrix) {
    void *memory = gn_take(NAME(decomposition_nbytes)(work));
    const int32_t status = memory == NULL ? GN_OUT_OF_MEMORY : NAME(decompose_matrix)(work, matrix, memory);
    gn_give(memory);
    return status;
}

/* A complex matrix is the real one ((Re, -Im), (Im, Re)), which has each singular value twice. */
#if IS_COMPLEX
#define PARTS 2
#else
#define PARTS 1
#endif

/* One matrix's values alone. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(find_values)(const decomposition *work, int64_t matrix, double *memory) {
    const gn_call *call = work->call;
    const gn_tensor *in = &call->tensors[3];
    const gn_tensor *out = &call->tensors[1];
    const gn_tensor batch = {CODE, in->ndim - 2, in->sizes, in->strides};
    const gn_tensor values_batch = {out->dtype, in->ndim - 2, in->sizes, out->strides};
    const char *from = (const char *)work->data[3] + gn_offset(&batch, matrix, -1);
    char *to = (char *)work->data[1] + gn_offset(&values_batch, matrix, -1);
    const int tall = work->rows >= work->columns;
    const int64_t rows = tall ? work->rows : work->columns;
    const int64_t count = tall ? work->columns : work->rows;
    const int64_t along = in->strides[tall ? in->ndim - 2 : in->ndim - 1];
    const int64_t across = in->strides[tall ? in->ndim - 1 : in->ndim - 2];
    const int64_t step = gn_column_step(PARTS * rows);
    double *values = memory + PARTS * count * step;
    double largest = 0;
    memset(memory, 0, (size_t)(PARTS * count * step) * sizeof(double));
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < rows; i++) {
            const SCALAR x = *(const STORAGE *)(from + i * along + j * across);
            if (!isfinite(REAL_OF(x)) || !isfinite(IMAGINARY_OF(x))) {
                return GN_BAD_VALUE;
            }
            largest = fmax(largest, fmax(fabs(REAL_OF(x)), fabs(IMAGINARY_OF(x))));
            memory[j * step + i] = REAL_OF(x);
#if IS_COMPLEX
            memory[j * step + rows + i] = cimag(x);
            memory[(count + j) * step + i] = -cimag(x);
            memory[(count + j) * step + rows + i] = creal(x);
#endif
        }
    }
    /* By a power of two, so that squares stay in range and no digit is lost. */
    int exponent = 0;
    frexp(largest, &exponent);
    const double down = ldexp(1.0, -exponent / 2);
    const double down_rest = ldexp(1.0, -exponent - -exponent / 2);
    for (int64_t i = 0; i < PARTS * count * step; i++) {
        memory[i] = memory[i] * down * down_rest;
    }
    if (!gn_singular_values(memory, PARTS * rows, PARTS * count, values, values + PARTS * count)) {
        return NAME(decompose_once)(work, matrix);
    }
    for (int64_t i = 0; i < count; i++) {
        *(MAGNITUDE *)(to + i * out->strides[in->ndim - 2]) = (MAGNITUDE)ldexp(values[PARTS * i], exponent);
    }
    return GN_OK;
}

static void NAME(decompose_matrices)(int64_t begin, int64_t end, void *context) {
    decomposition *work = context;
    const int64_t rows = gn_max(work->rows, work->columns);
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t numbers =
        gn_checked(PARTS * count, gn_column_step(PARTS * rows) + 1) + gn_singular_scratch(PARTS * rows, PARTS * count);
    void *memory = gn_take(work->with_vectors ? NAME(decomposition_nbytes)(work) : gn_checked(numbers, sizeof(double)));
    int32_t status = memory == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        status = work->with_vectors ? NAME(decompose_matrix)(work, matrix, memory)
                                    : NAME(find_values)(work, matrix, memory);
    }
    gn_report(&work->status, status);
    gn_give(memory);
}

/* (U, S, Vh; A); integers: full_matrices, compute_uv. */
int32_t NAME(kernel_svd)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[3];
    decomposition work = {call, data, in->sizes[in->ndim - 2], in->sizes[in->ndim - 1], call->integers[0] != 0,
                          call->integers[1] != 0, GN_OK};
    int64_t matrices = 1;
    for (int32_t dim = 0; dim < in->ndim - 2; dim++) {
        matrices *= in->sizes[dim];
    }
    const int64_t least = gn_min(work.rows, work.columns);
    const int64_t size = gn_checked(gn_checked(work.rows, work.columns), gn_checked(16, least));
    gn_parallel_for(0, matrices, gn_grain(size), NAME(decompose_matrices), &work);
    return work.status;
}

#undef SCALAR
#undef CONJUGATE
#undef REAL_OF
#undef IMAGINARY_OF
#undef PARTS

#elif IS_HALF

int32_t NAME(kernel_svd)(const gn_call *call, void *const *data) {
    (void)call;
    (void)data;
    return GN_NOT_IMPLEMENTED; /* the meta function refuses it */
}

#endif
